"""The speed of the training kernels in the converged phase, in pairs per second of one core.

Every kernel runs on the 50 % training set of WordNet nouns, from points that have been trained for a while: at the
start almost every pair needs a gradient, later almost none does, and most epochs are spent later. A pair is a positive
or a corrupted one; an epoch of n edges with k negatives counts n (1 + k). Shuffling is included.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from tools.results import Row, markdown_table

from benchmarks.support import best_cpu_seconds
from hypercone._arrays import Adjacency, Rows
from hypercone.data import load_dataset
from hypercone.hierarchy.hierarchy import parent_lists
from hypercone.methods import METHODS, Points, find_method
from hypercone.training.config import FitConfig, TrainingConfig
from hypercone.training.loop import Stage, Trainer
from hypercone.training.sampling import make_negatives
from hypercone.training.start import starting_points

KEY = ("method", "dim", "recipe")
ONE_CORE = True
SMOKE = {"dataset": "tree-3-4", "methods": ["order"], "dims": [2], "repeats": 1, "warm_up": 2}
# As released by the authors of the paper: the recipe for which other programs report figures.
PAPER = {"negatives": 10, "optimizer": "sgd", "schedule": "constant", "push_inside": "none"}
PAPER_RATES = {"hyperbolic-cones": 3e-4, "euclidean-cones": 3e-4, "order": 0.1, "poincare": 0.03, "euclidean": 0.03}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS), help="default: all")
    parser.add_argument("--dims", nargs="+", type=int, default=[5, 10], help="default: 5 10")
    parser.add_argument("--repeats", type=int, default=20, help="the best of this many counts (default %(default)s)")
    parser.add_argument("--dataset", default="wordnet-nouns")
    # Enough to leave the phase in which most pairs are active, as the shares in the table show.
    parser.add_argument("--warm-up", type=int, default=20, help="epochs before measuring (default %(default)s)")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    for dim in options.dims:
        for method in options.methods:
            yield {"method": method, "dim": dim, "repeats": options.repeats}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    """The paper's recipe, and for cones the default one too."""
    hierarchy = load_dataset(options.dataset)
    edges = hierarchy.split(50).train
    known = parent_lists(edges, len(hierarchy))
    name, dim = settings["method"], settings["dim"]
    warm = FitConfig(method=name, dim=dim, epochs=options.warm_up, init_epochs=3 * options.warm_up // 2)
    config = warm.for_edges(len(edges))
    points = Stage(config, edges, known).train(starting_points(len(hierarchy), edges, known, config)).points
    corrupt = "parent" if find_method(name).loss == "softmax" else "child"
    paper = FitConfig(method=name, dim=dim, corrupt=corrupt, rate=PAPER_RATES[name], **PAPER)
    recipes = {"paper": paper} | ({"default": FitConfig(method=name, dim=dim)} if name.endswith("cones") else {})
    return [
        measure(recipe, config.for_edges(len(edges)), points, edges, known, settings["repeats"])
        for recipe, config in recipes.items()
    ]


def measure(recipe: str, config: TrainingConfig, points: Points, edges: Rows, known: Adjacency, repeats: int) -> Row:
    method = find_method(config.method)
    negatives = make_negatives(len(points), edges, config)
    trainer = Trainer(
        method, config.settings, points.copy(), points[:, 0] * 0.0, edges, known, config.seed, config.optimizer
    )
    # The first run compiles, and fills the state of Adagrad, so that its steps have their usual size.
    violated, active = trainer.run(0, config.rate, negatives)
    seconds = best_cpu_seconds(lambda: trainer.run(1, config.rate, negatives), repeats)
    return {
        "recipe": recipe,
        "negatives": config.negatives,
        "corrupt": config.corrupt,
        "optimizer": config.optimizer,
        "pairs_per_second": len(edges) * (1 + config.negatives) / seconds,
        "cpu_seconds_per_epoch": seconds,
        "violated_share": violated / len(edges),
        "active_share": active / (len(edges) * config.negatives),
    }


def tables(rows: list[Row]) -> dict[str, str]:
    head = ("method", "d", "recipe", "M pairs/s", "s/epoch", "violated", "active")
    cells = (
        (
            *(row[name] for name in KEY),
            f"{row['pairs_per_second'] / 1e6:.1f}",
            f"{row['cpu_seconds_per_epoch']:.3f}",
            f"{row['violated_share']:.1%}",
            f"{row['active_share']:.2%}",
        )
        for row in rows
    )
    return {"": markdown_table(head, cells, right=("d", *head[3:]))}
