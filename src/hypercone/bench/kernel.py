"""How many pairs a second the training kernels do, in the converged phase, on one core.

Every kernel runs on the 50 % training set of WordNet nouns, from points that have been trained for a while: at the
start almost every pair needs a gradient, later almost none does, and later is where the epochs are spent. A pair is a
positive or a corrupted one; an epoch of n edges with k negatives counts n (1 + k). Shuffling counts as part of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hypercone._system import best_cpu_seconds
from hypercone.data import load_dataset
from hypercone.hierarchy import paper_split
from hypercone.methods import METHODS, Points, find_method
from hypercone.training.config import FitConfig
from hypercone.training.loop import Stage, Trainer
from hypercone.training.sampling import Known, Rows, make_known, make_negatives
from hypercone.training.start import starting_points

# Enough to leave the phase in which most pairs are active, as the shares in the result show.
WARM_UP: dict[str, Any] = {"epochs": 20, "init_epochs": 30}
# As released by the paper's authors: the recipe that other programs' figures are for.
PAPER: dict[str, Any] = {"negatives": 10, "optimizer": "sgd", "schedule": "constant", "push_inside": "none"}
PAPER_RATES = {"hyperbolic-cones": 3e-4, "euclidean-cones": 3e-4, "order": 0.1, "poincare": 0.03, "euclidean": 0.03}


def bench_kernels(
    methods: Sequence[str] = tuple(METHODS), dims: Sequence[int] = (5, 10), repeats: int = 20
) -> Iterator[dict[str, Any]]:
    """A row of figures for each method and dimension: the paper's recipe, and for cones the default one too."""
    hierarchy = load_dataset("wordnet-nouns")
    edges = paper_split(hierarchy, 50).train
    known = make_known(len(hierarchy), edges)
    for dim in dims:
        for name in methods:
            points = _warm_points(name, dim, len(hierarchy), edges, known)
            corrupt = "parent" if find_method(name).loss == "softmax" else "child"
            paper = FitConfig(method=name, dim=dim, corrupt=corrupt, rate=PAPER_RATES[name], **PAPER)
            yield _measure("paper", paper, points, edges, known, repeats)
            if name.endswith("cones"):
                yield _measure("default", FitConfig(method=name, dim=dim), points, edges, known, repeats)


def _warm_points(name: str, dim: int, count: int, edges: Rows, known: Known) -> Points:
    config = FitConfig(method=name, dim=dim, **WARM_UP)
    return Stage(config, edges, known).train(starting_points(count, edges, known, config)).points


def _measure(recipe: str, config: FitConfig, points: Points, edges: Rows, known: Known, repeats: int) -> dict[str, Any]:
    method = find_method(config.method)
    negatives = make_negatives(len(points), edges, config)
    trainer = Trainer(
        method, config.settings, points.copy(), points[:, 0] * 0.0, edges, known, config.seed, config.optimizer
    )
    # The first run compiles; it also fills Adagrad's memory, so that its steps are of the usual size.
    violated, active = trainer.run(0, config.rate, negatives)
    seconds = best_cpu_seconds(lambda: trainer.run(1, config.rate, negatives), repeats)
    return {
        "method": config.method,
        "dim": config.dim,
        "recipe": recipe,
        "negatives": config.negatives,
        "corrupt": config.corrupt,
        "optimizer": config.optimizer,
        "pairs_per_second": len(edges) * (1 + config.negatives) / seconds,
        "cpu_seconds_per_epoch": seconds,
        "violated_share": violated / len(edges),
        "active_share": active / (len(edges) * config.negatives),
    }
