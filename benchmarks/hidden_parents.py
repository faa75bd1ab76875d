"""The parent that was hidden, ranked among all nodes: what geometry knows of it, beside what the graph tells.

    python benchmarks/hidden_parents.py -o benchmarks/results/hidden_parents.json --hierarchies mammals
    python benchmarks/hidden_parents.py -o benchmarks/results/hidden_parents.json --hpo hp.tsv --go go-bp.tsv

Two tasks. *secondary*: of a fifth of the nodes with several parents one parent edge is hidden. *attachment*: of a tenth
of the nodes with both parents and children all parent edges are hidden, and the subtree has lost its place. At most 800
nodes each. No hidden edge follows from what is left; models are fitted to what is left, with their defaults.

One row is one task, seed, method and dimension, with the ranks by every score of that method. Rows in the output are
kept and not made again. Beside it, with the ending .md, stands the table of means over the seeds.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hidden_parent_scorers import (
    Relatives,
    by_chance,
    by_descendants,
    by_distance,
    by_energy,
    by_level,
    by_narrowest,
    by_needed_width,
    by_neighbors,
    by_popularity,
    by_walk,
    elsewhere,
    in_turn,
    together,
)
from hiding_parents import KINDS, ParentScorer, hide_parents, nodes_to_hide_from, rank_hidden
from hypercone._system import describe_machine
from hypercone.data import load_dataset
from hypercone.embedding import Embedding, load
from hypercone.evaluation.damaged import Damaged
from hypercone.formats import read
from hypercone.hierarchy import Hierarchy
from hypercone.methods import find_method
from hypercone.training import fit

SHARES = {"secondary": 0.2, "attachment": 0.1}
MOST = 800
# Fewer say nothing: the mammals have one node with two parents.
FEWEST = 20
MARGINS = 10
GRAPH = "graph"
COLUMNS = ("mrr", "hits_1", "hits_10", "hits_100", "median", "strict_mrr", "too_general", "too_specific")


@dataclass(frozen=True)
class Trial:
    """One row of the output; the dimension of the graph is 0."""

    hierarchy: str
    task: str
    method: str
    dim: int
    seed: int


@cache
def hierarchy_of(source: str) -> Hierarchy:
    return load_dataset(source) if source.startswith("wordnet") else read(source)


@cache
def damaged(source: str, task: Any, seed: int) -> Damaged:
    hierarchy = hierarchy_of(source)
    count = min(MOST, round(SHARES[task] * len(nodes_to_hide_from(hierarchy, task))))
    return hide_parents(hierarchy, task, count=count, seed=seed)


def graph_scorers(left: Hierarchy, task: str, seed: int) -> dict[str, ParentScorer]:
    """What needs no embedding."""
    relatives = Relatives.of(left)
    scorers = {
        "chance": by_chance(left, seed),
        "popularity": by_popularity(left),
        "level, then popularity": by_level(left),
        "random walk": by_walk(left),
        "common descendants": relatives.common_descendants(),
        "overlap of descendants": relatives.overlap(),
    }
    if task == "attachment":
        # The node has no known parent, and so no company: all else would be a tie of all nodes.
        last = scorers["popularity"]
        return scorers | {"overlap, then popularity": in_turn(relatives.overlap(), last)}
    common = elsewhere(relatives.common_ancestors(), left)
    return scorers | {
        "common ancestors": relatives.common_ancestors(),
        "common ancestors, elsewhere": common,
        "co-parents": relatives.co_parents(),
        "company": relatives.company(),
        "random walk, elsewhere": elsewhere(scorers["random walk"], left),
        "overlap, co-parents, common ancestors": in_turn(relatives.overlap(), in_turn(relatives.co_parents(), common)),
    }


def embedding_scorers(embedding: Embedding, left: Hierarchy, task: str) -> dict[str, ParentScorer]:
    """What the points tell, by the method's own energy and by other readings of it."""
    method = find_method(embedding.method)
    scorers = {"energy": by_energy(embedding)}
    if method.loss == "margin":
        scorers["narrowest"] = by_narrowest(embedding)
        slack = MARGINS * embedding.settings.margin
        scorers["narrowest, widened"] = by_narrowest(embedding, slack)
    if method.curvature is not None:
        scorers["needed width"] = by_needed_width(embedding)
    scorers["distance"] = by_distance(embedding)
    scorers["distance, more general first"] = by_distance(embedding, more_general=True)
    scorers["parents of the nearest"] = by_neighbors(embedding, left)
    best = scorers.get("needed width", scorers["distance, more general first"])
    if task == "attachment":
        scorers["subtree's energy"] = by_descendants(embedding, left)
        return scorers | {"overlap, then geometry": in_turn(Relatives.of(left).overlap(), best)}
    best = elsewhere(best, left)
    walk = elsewhere(by_walk(left), left)
    name = "needed width" if method.curvature is not None else "distance, more general first"
    return scorers | {f"{name}, elsewhere": best, "random walk and geometry": together(walk, best)}


def fitted(left: Hierarchy, trial: Trial, models: Path | None) -> tuple[Embedding, float]:
    """A fit to what is left, or the one kept in a folder of that name; and its seconds, 0 for a kept one."""
    folder = models / "-".join(map(str, asdict(trial).values())) if models else None
    if folder is not None and folder.exists():
        embedding = load(folder)
        if embedding.record["hierarchy_digest"] == left.digest:
            return embedding, float(embedding.record.get("cpu_seconds", 0.0))
    started = time.process_time()
    embedding = fit(left, method=trial.method, dim=trial.dim, seed=trial.seed)
    seconds = round(time.process_time() - started, 1)
    embedding.record["cpu_seconds"] = seconds
    if folder is not None:
        embedding.save(folder)
    return embedding, seconds


def run(trial: Trial, source: str, models: Path | None) -> dict[str, Any]:
    hidden, whole = damaged(source, trial.task, trial.seed), hierarchy_of(source)
    if trial.method == GRAPH:
        kind, seconds, scorers = GRAPH, 0.0, graph_scorers(hidden.hierarchy, trial.task, trial.seed)
    else:
        embedding, seconds = fitted(hidden.hierarchy, trial, models)
        kind, scorers = (
            embedding.record.get("kind", "learned"),
            embedding_scorers(embedding, hidden.hierarchy, trial.task),
        )
    started = time.process_time()
    ranks = {name: rank_hidden(score, hidden, whole) for name, score in scorers.items()}
    return asdict(trial) | {
        "kind": kind,
        "nodes": len(whole),
        "hidden": len(hidden.links),
        "mrr_of_chance": next(iter(ranks.values())).chance,
        "fit_cpu_seconds": seconds,
        "rank_cpu_seconds": round(time.process_time() - started, 1),
        "scores": {name: found.as_dict() for name, found in ranks.items()},
    }


def trials(options: argparse.Namespace, sources: dict[str, str]) -> Iterator[Trial]:
    """Seed by seed the graph first, then a method after the other, each on all hierarchies."""
    ways = [(GRAPH, 0)] + [(method, dim) for dim in options.dims for method in options.methods]
    for seed in options.seeds:
        for method, dim in ways:
            for hierarchy in options.hierarchies:
                for task in options.tasks:
                    if SHARES[task] * len(nodes_to_hide_from(hierarchy_of(sources[hierarchy]), task)) >= FEWEST:
                        yield Trial(hierarchy, task, method, dim, seed)


def as_table(rows: list[dict[str, Any]]) -> str:
    """Means over the seeds, a table for each hierarchy and task, the best first."""
    lines = ["# Hidden parents: the rank of the true one among all nodes", ""]
    for hierarchy, task in dict.fromkeys((row["hierarchy"], row["task"]) for row in rows):
        these = [row for row in rows if (row["hierarchy"], row["task"]) == (hierarchy, task)]
        hidden = "–".join(str(count) for count in sorted({row["hidden"] for row in these}))
        lines += [f"## {hierarchy}, {task}", "", f"{hidden} hidden edges a seed among {these[0]['nodes']:,} nodes.", ""]
        lines += ["| method | d | score | seeds | " + " | ".join(COLUMNS) + " |", "|---" * (4 + len(COLUMNS)) + "|"]
        lines += [line for _, line in sorted(_means(these), reverse=True)] + [""]
    return "\n".join(lines)


def _means(rows: list[dict[str, Any]]) -> Iterator[tuple[float, str]]:
    for method, dim in dict.fromkeys((row["method"], row["dim"]) for row in rows):
        these = [row["scores"] for row in rows if (row["method"], row["dim"]) == (method, dim)]
        for name in these[0]:
            means = {column: float(np.mean([scores[name][column] for scores in these])) for column in COLUMNS}
            cells = [f"{means[column]:.1f}" if column == "median" else f"{means[column]:.3f}" for column in COLUMNS]
            yield means["mrr"], f"| {method} | {dim or ''} | {name} | {len(these)} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the JSON file to write; kept rows stay")
    parser.add_argument("--hpo", help="the Human Phenotype Ontology, a file with columns parent and child")
    parser.add_argument("--go", help="is_a of the biological processes of the Gene Ontology, likewise")
    parser.add_argument("--hierarchies", nargs="+", default=["mammals", "hpo", "go-bp", "nouns"])
    parser.add_argument("--tasks", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--methods", nargs="+", default=["hyperbolic-cones", "poincare", "order", "euclidean"])
    parser.add_argument("--dims", nargs="+", type=int, default=[10, 5])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--models", type=Path, help="a folder to keep the fits in, and to take them from")
    options = parser.parse_args()
    sources = {"mammals": "wordnet-mammals", "nouns": "wordnet-nouns", "hpo": options.hpo, "go-bp": options.go}
    for trial in trials(options, sources):
        if any(asdict(trial).items() <= row.items() for row in kept_rows(options.output)):
            continue
        row = run(trial, sources[trial.hierarchy], options.models)
        print(json.dumps(row), flush=True)
        # Read again: another process may have written meanwhile.
        rows = [*kept_rows(options.output), row]
        options.output.write_text(json.dumps({"machine": describe_machine(), "results": rows}, indent=1) + "\n")
        options.output.with_suffix(".md").write_text(as_table(rows))


def kept_rows(output: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(output.read_text())["results"] if output.exists() else []
    return rows


if __name__ == "__main__":
    main()
