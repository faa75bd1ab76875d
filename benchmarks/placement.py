"""New nodes without training, against training with them: F1 of their ancestors, WordNet nouns.

    python benchmarks/placement.py -o benchmarks/results/placement.json
    python benchmarks/placement.py -o benchmarks/results/placement.json --dims 10 --seeds 0 --models fitted

A thousand leaves drawn at random are left out of a fit, then placed by their parents alone (``Embedding.add_many``).
Another fit has seen all nodes. For both, every pair (a node called an ancestor, leaf) at the model's own threshold is
counted against the graph: precision, recall and F1 over the thousand leaves, against all other nodes; and the nodes
that were wrongly called descendants of them. "Beside" are as many other leaves of the very model that the thousand are
placed in, which was trained with them: the same points, the same threshold. Times are of one core, in CPU time, and do
not include the fits. Trials that are in the file already and not asked for are kept.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import hypercone
from hypercone import Embedding, Hierarchy
from hypercone._system import describe_machine
from hypercone.embedding.placement import Placer
from hypercone.methods.scoring import Counts

HIDDEN = {"wordnet-nouns": 1_000, "wordnet-mammals": 100}
# One embedding.add copies the model; a few are enough to see what that costs.
SINGLES = 20


def hidden_leaves(hierarchy: Hierarchy, count: int, seed: int) -> list[str]:
    """Leaves with parents, drawn at random; without them every other node keeps its parents."""
    random = np.random.default_rng([seed, 0x91ACE])
    leaves = np.setdiff1d(hierarchy.leaf_rows, hierarchy.root_rows)
    return [hierarchy.names[row] for row in np.sort(random.choice(leaves, count, replace=False))]


def fitted(hierarchy: Hierarchy, models: Path | None, name: str, **settings: Any) -> Embedding:
    """A fit with the defaults, or the one kept in a folder of that name."""
    folder = models / name if models else None
    if folder is not None and folder.exists():
        return hypercone.load(folder)
    embedding = hypercone.fit(hierarchy, **settings)
    if folder is not None:
        embedding.save(folder)
    return embedding


def judged(embedding: Embedding, hierarchy: Hierarchy, leaves: list[str]) -> dict[str, Any]:
    """What the embedding says of the leaves, against the graph."""
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
    """CPU milliseconds a node: of the search, and of a whole ``add`` that returns a new embedding."""
    placer = Placer(embedding.scorer, embedding.edges, capacity=len(parents))
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


def trial(dataset: str, method: str, dim: int, seed: int, models: Path | None) -> dict[str, Any]:
    """One draw of leaves: placed in a model without them, and fitted with them."""
    hierarchy = hypercone.load_dataset(dataset)
    leaves = hidden_leaves(hierarchy, HIDDEN[dataset], seed)
    parents = {
        name: [hierarchy.names[row] for row in hierarchy.parent_lists[hierarchy.row(name)].tolist()] for name in leaves
    }
    name, settings = f"{dataset}-{method}-{dim}-{seed}", {"method": method, "dim": dim, "seed": seed}
    without_leaves = hierarchy.drop(leaves)
    without = fitted(without_leaves, models, f"{name}-part", **settings)
    everything = fitted(hierarchy, models, f"{name}-full", **settings)
    placed = without.add_many(parents)
    return {
        "dataset": dataset,
        **settings,
        "leaves": len(leaves),
        "placed": judged(placed, hierarchy, leaves)
        | {"parents_missed": placed.record["placed"]["violated_constraints"]},
        "trained": judged(everything, hierarchy, leaves),
        "trained_beside": judged(without, hierarchy, hidden_leaves(without_leaves, len(leaves), seed)),
        "cpu_ms_a_node": times(without, parents),
        "machine": describe_machine(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the JSON file to write")
    parser.add_argument("--dataset", choices=HIDDEN, default="wordnet-nouns")
    parser.add_argument("--methods", nargs="+", default=["hyperbolic-cones", "euclidean-cones"])
    parser.add_argument("--dims", nargs="+", type=int, default=[5, 10])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--models", type=Path, help="a folder to keep the fits in, and to take them from")
    options = parser.parse_args()
    done = json.loads(options.output.read_text())["results"] if options.output.exists() else []
    for method in options.methods:
        for dim in options.dims:
            for seed in options.seeds:
                row = trial(options.dataset, method, dim, seed, options.models)
                key = ("dataset", "method", "dim", "seed")
                done = [other for other in done if [other[k] for k in key] != [row[k] for k in key]] + [row]
                options.output.write_text(json.dumps({"results": done}, indent=1) + "\n")
                print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
