"""New nodes placed without training, compared with training on them: F1 of their ancestors, WordNet nouns.

A thousand random leaves are left out of a fit, then placed by their parents alone (``Embedding.add_many``). Another
fit has seen all nodes. For both, every pair (a node called an ancestor, leaf) at the model's own threshold is compared
with the graph: precision, recall and F1 over the thousand leaves, against all other nodes; and the nodes that are
wrongly called descendants of them. "trained_beside" are as many other leaves of the model that the thousand are placed
in, which was trained with them: the same points, the same threshold. Times are CPU times of one core, without the fits.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tools.results import Row, markdown_table

import hypercone
from hypercone import Embedding, Hierarchy
from hypercone.embedding.placement import Placer
from hypercone.methods.scoring import Counts

KEY = ("dataset", "method", "dim", "seed")
SMOKE = {"dataset": "tree-3-4", "leaves": 5, "methods": ["hyperbolic-cones"], "dims": [2], "seeds": [0]}
# ``embedding.add`` copies the model; a few calls show what that costs.
SINGLES = 20


def hidden_leaves(hierarchy: Hierarchy, count: int, seed: int) -> list[str]:
    """Leaves with parents, drawn at random; all other nodes keep their parents without them."""
    random = np.random.default_rng([seed, 0x91ACE])
    leaves = np.setdiff1d(hierarchy.leaf_rows, hierarchy.root_rows)
    return [hierarchy.names[row] for row in np.sort(random.choice(leaves, count, replace=False))]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", default="wordnet-nouns")
    parser.add_argument("--leaves", type=int, default=1_000, help="how many to leave out (default %(default)s)")
    parser.add_argument("--methods", nargs="+", default=["hyperbolic-cones", "euclidean-cones"])
    parser.add_argument("--dims", nargs="+", type=int, default=[5, 10])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--models", type=Path, help="a folder to save the fits in, and to load them from")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    for method in options.methods:
        for dim in options.dims:
            for seed in options.seeds:
                settings = {"dataset": options.dataset, "method": method, "dim": dim, "seed": seed}
                yield settings | {"leaves": options.leaves}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    """One draw of leaves: placed in a model without them, and fitted with them."""
    dataset, seed = settings["dataset"], settings["seed"]
    hierarchy = hypercone.load_dataset(dataset)
    leaves = hidden_leaves(hierarchy, settings["leaves"], seed)
    parents = {
        name: [hierarchy.names[row] for row in hierarchy.parent_lists[hierarchy.row(name)].tolist()] for name in leaves
    }
    fit_settings = {name: settings[name] for name in ("method", "dim", "seed")}
    name = "-".join(map(str, [dataset, *fit_settings.values()]))
    without_leaves = hierarchy.drop(leaves)
    without = fit_or_load(without_leaves, options.models, f"{name}-part", **fit_settings)
    everything = fit_or_load(hierarchy, options.models, f"{name}-full", **fit_settings)
    placed = without.add_many(parents)
    missed = {"parents_missed": placed.record["placed"]["violated_constraints"]}
    row = {
        "placed": count_answers(placed, hierarchy, leaves) | missed,
        "trained": count_answers(everything, hierarchy, leaves),
        "trained_beside": count_answers(without, hierarchy, hidden_leaves(without_leaves, len(leaves), seed)),
        "cpu_ms_a_node": times(without, parents),
    }
    return [row]


def fit_or_load(hierarchy: Hierarchy, models: Path | None, name: str, **settings: Any) -> Embedding:
    """A fit with the defaults, or the one saved under that name."""
    folder = models / name if models else None
    if folder is not None and folder.exists():
        return hypercone.load(folder)
    embedding = hypercone.fit(hierarchy, **settings)
    if folder is not None:
        embedding.save(folder)
    return embedding


def count_answers(embedding: Embedding, hierarchy: Hierarchy, leaves: list[str]) -> dict[str, Any]:
    """The ancestors and descendants that the embedding gives the leaves, compared with the graph."""
    scorer = embedding.scorer
    right = called = true = below = 0
    for name in leaves:
        row = embedding.row(name)
        above = scorer.above(row)
        found = {embedding.names[int(other)] for other in above}
        wanted = {hierarchy.names[other] for other in hierarchy.ancestors_of(hierarchy.row(name))}
        right, called, true = right + len(found & wanted), called + len(found), true + len(wanted)
        below += len(scorer.below(row))
    counts = Counts(right, called - right, true)
    figures = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
    return {name: round(figure, 4) for name, figure in figures.items()} | {"false_descendants": below}


def times(embedding: Embedding, parents: dict[str, list[str]]) -> dict[str, float]:
    """CPU milliseconds per node: of the search, and of a whole ``add``, which returns a new embedding."""
    placer = Placer(embedding.scorer, embedding.edges, len(parents))
    rows = {name: [embedding.row(parent) for parent in above] for name, above in parents.items()}
    searches = [_milliseconds(placer.place, above) for above in rows.values()]
    whole = [_milliseconds(embedding.add, name, above) for name, above in list(parents.items())[:SINGLES]]
    return {
        "place_median": round(float(np.median(searches)), 2),
        "place_p99": round(float(np.quantile(searches, 0.99)), 2),
        "add_median": round(float(np.median(whole)), 2),
    }


def _milliseconds(function: Any, *arguments: Any) -> float:
    before = time.thread_time()
    function(*arguments)
    return 1000 * (time.thread_time() - before)


def tables(rows: list[Row]) -> dict[str, str]:
    """Means over the draws: the leaves trained, and placed."""
    head = ("draws", "precision", "recall", "F1", "wrong descendants")
    cells = []
    for method, dim in dict.fromkeys((row["method"], row["dim"]) for row in rows):
        of_it = [row for row in rows if (row["method"], row["dim"]) == (method, dim)]
        for way in ("trained", "placed"):
            figures = [_mean([row[way][figure] for row in of_it]) for figure in ("precision", "recall", "f1")]
            wrong = statistics.fmean(row[way]["false_descendants"] for row in of_it)
            cells.append((f"{method}, {dim}-D, {way}", len(of_it), *figures, f"{wrong:.0f}"))
    return {"": markdown_table(("", *head), cells, right=head)}


def _mean(shares: list[float]) -> str:
    spread = f" ± {100 * statistics.stdev(shares):.1f}" if len(shares) > 1 else ""
    return f"{100 * statistics.fmean(shares):.1f}{spread}"
