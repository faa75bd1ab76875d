"""The rank of hidden parents among all nodes: by scores of the graph alone, and by the geometry of embeddings.

Two tasks. *secondary*: a fifth of the nodes with several parents lose one of them. *attachment*: a tenth of the nodes
with both parents and children lose all parents, so that their subtree has no place any more. At most 800 nodes each.
No hidden edge follows from what is left; models are fitted to what is left, with their defaults.

The scores of the graph include the confidence of ``hypercone suggest``, for second parents.

A row is one task, seed, method and dimension, with the ranks by every score of that method. Two tables: means over
seeds of all scores, and a short one. HPO and GO-BP are files with the columns parent and child:

    python -m benchmarks hidden_parents -o FILE --hierarchies mammals nouns
    python -m benchmarks hidden_parents -o FILE --hpo hp.tsv --go go-bp.tsv
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from tools.results import Row

from benchmarks.parent_scorers import (
    KINDS,
    ParentScorer,
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
    by_suggest,
    by_walk,
    elsewhere,
    hide_parents,
    in_turn,
    nodes_to_hide_from,
    rank_hidden,
    together,
)
from benchmarks.support import load_hierarchy
from hypercone.embedding import Embedding, load
from hypercone.errors import InputError
from hypercone.hierarchy import Hierarchy
from hypercone.methods import find_method
from hypercone.queries.hidden_links import Damaged
from hypercone.training import fit

KEY = ("hierarchy", "task", "method", "dim", "seed")
SMOKE = {
    "hierarchies": ["tree-3-4"],
    "tasks": ["attachment"],
    "methods": ["order"],
    "dims": [2],
    "seeds": [0],
    "fewest": 1,
}
WORDNET = {"mammals": "wordnet-mammals", "nouns": "wordnet-nouns"}
SHARES = {"secondary": 0.2, "attachment": 0.1}
MOST = 800
MARGINS = 10
# What stands for the method of scores that need no embedding; its dimension is 0.
GRAPH, SUGGEST = "graph", "suggest"
COLUMNS = ("mrr", "hits_1", "hits_10", "hits_100", "median", "strict_mrr", "too_general", "too_specific")
TASKS = {"secondary": "a second parent", "attachment": "the place of a subtree"}
TITLES = {"nouns": "nouns", "mammals": "mammals", "hpo": "HPO", "go-bp": "GO-BP"}
# What the short table calls each (method, score); chosen before the results were known, the same for all hierarchies.
SHOWN = {
    "secondary": {
        ("graph", "popularity"): "number of children",
        ("graph", "common ancestors, elsewhere"): "common ancestors",
        ("graph", "random walk, elsewhere"): "random walk",
        ("suggest", "confidence"): "confidence of suggest",
        ("poincare", "distance"): "Poincaré distance",
        ("hyperbolic-cones", "energy"): "cones: energy",
        ("hyperbolic-cones", "needed width, elsewhere"): "cones: width needed",
        ("hyperbolic-cones", "random walk and geometry"): "random walk and cones",
        ("overlapping", "needed width, elsewhere"): "constructed cones: width needed",
    },
    "attachment": {
        ("graph", "popularity"): "number of children",
        ("graph", "random walk"): "random walk",
        ("graph", "overlap, then popularity"): "shared descendants, then children",
        ("poincare", "distance"): "Poincaré distance",
        ("hyperbolic-cones", "energy"): "cones: energy",
        ("hyperbolic-cones", "needed width"): "cones: width needed",
        ("hyperbolic-cones", "overlap, then geometry"): "shared descendants, then cones",
        ("overlapping", "needed width"): "constructed cones: width needed",
    },
}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--hpo", help="the Human Phenotype Ontology")
    parser.add_argument("--go", help="the is_a edges of the biological processes of the Gene Ontology")
    parser.add_argument("--hierarchies", nargs="+", default=["mammals", "hpo", "go-bp", "nouns"])
    parser.add_argument("--tasks", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--methods", nargs="*", default=["hyperbolic-cones", "poincare", "order", "euclidean"])
    parser.add_argument("--dims", nargs="+", type=int, default=[10, 5])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--fewest", type=int, default=20, help="leave a task out if fewer nodes would lose a parent")
    parser.add_argument("--models", type=Path, help="a folder to save the fits in, and to load them from")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    """Seed by seed the graph first, then one method after the other, each on all hierarchies."""
    ways = [(GRAPH, 0), (SUGGEST, 0)] + [(method, dim) for dim in options.dims for method in options.methods]
    for seed in options.seeds:
        for method, dim in ways:
            for hierarchy in options.hierarchies:
                for task in options.tasks:
                    if method == SUGGEST and task == "attachment":
                        # Nothing is suggested for a node without a parent.
                        continue
                    nodes = nodes_to_hide_from(load_hierarchy(source_of(hierarchy, options)), task)
                    if SHARES[task] * len(nodes) >= options.fewest:
                        yield {"hierarchy": hierarchy, "task": task, "method": method, "dim": dim, "seed": seed}


def source_of(hierarchy: str, options: argparse.Namespace) -> str:
    """The dataset or file of a hierarchy."""
    files = {"hpo": options.hpo, "go-bp": options.go}
    source = files[hierarchy] if hierarchy in files else WORDNET.get(hierarchy, hierarchy)
    if source is None:
        raise InputError(f"{hierarchy} needs its file; give it with --{hierarchy.removesuffix('-bp')}")
    return str(source)


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    source = source_of(settings["hierarchy"], options)
    hidden, whole = hide(source, settings["task"], settings["seed"]), load_hierarchy(source)
    if settings["method"] == GRAPH:
        kind, seconds, scorers = GRAPH, 0.0, graph_scorers(hidden.hierarchy, settings["task"], settings["seed"])
    elif settings["method"] == SUGGEST:
        kind, seconds, scorers = GRAPH, 0.0, {"confidence": by_suggest(hidden.hierarchy)}
    else:
        embedding, seconds = fit_or_load(hidden.hierarchy, settings, options.models)
        kind = embedding.record.get("kind", "learned")
        scorers = embedding_scorers(embedding, hidden.hierarchy, settings["task"])
    started = time.process_time()
    ranks = {name: rank_hidden(score, hidden, whole) for name, score in scorers.items()}
    row = {
        "kind": kind,
        "nodes": len(whole),
        "hidden": len(hidden.links),
        "mrr_of_chance": next(iter(ranks.values())).chance,
        "fit_cpu_seconds": seconds,
        "rank_cpu_seconds": round(time.process_time() - started, 1),
        "scores": {name: found.as_dict() for name, found in ranks.items()},
    }
    return [row]


@cache
def hide(source: str, task: Any, seed: int) -> Damaged:
    hierarchy = load_hierarchy(source)
    count = min(MOST, round(SHARES[task] * len(nodes_to_hide_from(hierarchy, task))))
    return hide_parents(hierarchy, task, count=count, seed=seed)


def fit_or_load(left: Hierarchy, settings: Row, models: Path | None) -> tuple[Embedding, float]:
    """A fit to what is left, or the one saved under that name, and the CPU seconds it took."""
    folder = models / "-".join(map(str, settings.values())) if models else None
    if folder is not None and folder.exists():
        embedding = load(folder)
        if embedding.record["hierarchy_digest"] == left.digest:
            return embedding, float(embedding.record.get("cpu_seconds", 0.0))
    started = time.process_time()
    embedding = fit(left, method=settings["method"], dim=settings["dim"], seed=settings["seed"])
    seconds = round(time.process_time() - started, 1)
    embedding.record["cpu_seconds"] = seconds
    if folder is not None:
        embedding.save(folder)
    return embedding, seconds


def graph_scorers(left: Hierarchy, task: str, seed: int) -> dict[str, ParentScorer]:
    """The scores that need no embedding."""
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
        # Without a known parent all other scores of relatives would tie.
        last = scorers["popularity"]
        return scorers | {"overlap, then popularity": in_turn(relatives.overlap(), last)}
    common = elsewhere(relatives.common_ancestors(), left)
    return scorers | {
        "common ancestors": relatives.common_ancestors(),
        "common ancestors, elsewhere": common,
        "co-parents": relatives.co_parents(),
        "co-ancestors": relatives.co_ancestors(),
        "random walk, elsewhere": elsewhere(scorers["random walk"], left),
        "overlap, co-parents, common ancestors": in_turn(relatives.overlap(), in_turn(relatives.co_parents(), common)),
    }


def embedding_scorers(embedding: Embedding, left: Hierarchy, task: str) -> dict[str, ParentScorer]:
    """The scores of an embedding: by its own energy, by widths and by distances."""
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


def tables(rows: list[Row]) -> dict[str, str]:
    return {"": long_table(rows), "_short": "\n".join(short_table(rows)) + "\n"}


def long_table(rows: list[Row]) -> str:
    """Means over the seeds: one table per hierarchy and task, the best score first."""
    lines = ["# Hidden parents: the rank of the true one among all nodes", ""]
    for hierarchy, task in dict.fromkeys((row["hierarchy"], row["task"]) for row in rows):
        these = [row for row in rows if (row["hierarchy"], row["task"]) == (hierarchy, task)]
        hidden = "–".join(str(count) for count in sorted({row["hidden"] for row in these}))
        lines += [
            f"## {hierarchy}, {task}",
            "",
            f"{hidden} hidden edges per seed among {these[0]['nodes']:,} nodes.",
            "",
        ]
        lines += ["| method | d | score | seeds | " + " | ".join(COLUMNS) + " |", "|---" * (4 + len(COLUMNS)) + "|"]
        lines += [line for _, line in sorted(_means(these), reverse=True)] + [""]
    return "\n".join(lines)


def _means(rows: list[Row]) -> Iterator[tuple[float, str]]:
    for method, dim in dict.fromkeys((row["method"], row["dim"]) for row in rows):
        these = [row["scores"] for row in rows if (row["method"], row["dim"]) == (method, dim)]
        for name in these[0]:
            means = {column: float(np.mean([scores[name][column] for scores in these])) for column in COLUMNS}
            cells = [f"{means[column]:.1f}" if column == "median" else f"{means[column]:.3f}" for column in COLUMNS]
            yield means["mrr"], f"| {method} | {dim or ''} | {name} | {len(these)} | {' | '.join(cells)} |"


def short_table(rows: list[Row]) -> Iterator[str]:
    """The rows that answer the question, in ten dimensions."""
    yield "| hierarchy | hidden | score | seeds | MRR | hits@1 | hits@10 | hits@100 | median rank |"
    yield "|---|---|---|---:|---:|---:|---:|---:|---:|"
    for hierarchy, title in TITLES.items():
        for task, hidden in TASKS.items():
            for (method, score), name in SHOWN[task].items():
                wanted = (hierarchy, task, method)
                found = [row["scores"][score] for row in rows if _key(row) == wanted and score in row["scores"]]
                if found:
                    yield f"| {title} | {hidden} | {name} | {len(found)} | {' | '.join(_figures(found))} |"


def _key(row: Row) -> tuple[str, str, str]:
    # The graph has no dimension.
    return (row["hierarchy"], row["task"], row["method"]) if row["dim"] in (0, 10) else ("", "", "")


def _figures(found: list[Row]) -> Iterator[str]:
    for figure in COLUMNS[:5]:
        value = statistics.fmean(scores[figure] for scores in found)
        yield f"{value:,.0f}" if figure == "median" else f"{value:.3f}"
