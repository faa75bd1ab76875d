"""How many suggested links are right, where links were hidden or planted, and how far confidences can be trusted.

Each source is a named dataset or a file of any format. *missing*: one link of every twentieth node is hidden, and a
suggestion is right if it is true in the whole hierarchy. On the same candidates and by the same rules for the list,
scores of the graph alone rank as well: those of the benchmark ``hidden_parents``. *geometry*: whether energies and
distances of cones fitted to what is left add to it, by a regression on the confidence and the geometry, each fifth of
the nodes judged by what was learned from the others. *wrong*: links are planted and cones fitted; only these need fits.

    python -m benchmarks suggestions wordnet-nouns hp.obo go-bp.tsv -o FILE

hp.obo and go-bp.tsv are made by ``python -m benchmarks.real_files``. Rows *before* are of the ranking that version 0.1
had, shared descendants and neighbors of cones fitted to what is left, recorded at commit da8cb69 on the same damage.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from tools.results import Row, markdown_table

from benchmarks.support import load_hierarchy
from hypercone._arrays import Rows, freeze, pair_keys
from hypercone.embedding import Embedding
from hypercone.evaluation.damaged import CUTS, expected_calibration_error, missing_precision, wrong_precision
from hypercone.geometry import poincare
from hypercone.hierarchy import Hierarchy
from hypercone.methods import Points
from hypercone.queries.hidden_links import hide_links
from hypercone.queries.missing_links import Evidence, LinkGraph, evidence_of, learn_from_hidden_links
from hypercone.queries.regression import learn
from hypercone.queries.suggest_kernels import independent_pairs
from hypercone.training import FitConfig, fit

KEY = ("source", "part", "seed", "ranking")
SMOKE = {"sources": ["tree-3-4"], "hidden": 0.1, "planted": 0.1}
PARTS = ("missing", "geometry", "wrong")
# Scores of the graph by the column of the evidence that has them.
HEURISTICS = {
    "random walk": 0,
    "common ancestors": 6,
    "co-parents": 8,
    "co-ancestors": 10,
    "number of children": 12,
    "number of descendants": 13,
}
FOLDS = 5
TITLES = {"hp": "HPO", "go-bp": "GO-BP", "wordnet-nouns": "WordNet nouns", "wordnet-mammals": "WordNet mammals"}
AFTER, BEFORE = "suggest", "before"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sources", nargs="*", default=["wordnet-mammals"], metavar="SOURCE")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--hidden", type=float, default=0.05, help="the share of nodes that lose a link (default 0.05)")
    parser.add_argument("--planted", type=float, default=0.02, help="the share of links to plant (default 0.02)")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)


def parts(options: argparse.Namespace) -> Iterator[Row]:
    for source in options.sources:
        for seed in options.seeds:
            for part in options.parts:
                share = options.planted if part == "wrong" else options.hidden
                yield {"source": Path(source).stem, "part": part, "seed": seed, "share": share}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    sources = {Path(source).stem: source for source in options.sources}
    hierarchy, seed, share = load_hierarchy(sources[settings["source"]]), settings["seed"], settings["share"]
    config = FitConfig(method="hyperbolic-cones", seed=seed)
    began = time.process_time()
    if settings["part"] == "wrong":
        found = wrong_precision(hierarchy, partial(fit, recipe=config), share, seed, CUTS).as_dict()
        rows = [{"ranking": AFTER} | found]
    elif settings["part"] == "geometry":
        rows = what_geometry_adds(hierarchy, config, share, seed)
    else:
        rows = [{"ranking": AFTER} | missing_precision(hierarchy, share, seed, CUTS).as_dict()]
        rows[0]["cpu_seconds"] = round(time.process_time() - began, 1)
        rows += heuristics(hierarchy, share, seed)
    about = {"nodes": len(hierarchy), "edges": len(hierarchy.edges)}
    return [about | row for row in rows]


def candidates_of(hierarchy: Hierarchy) -> tuple[LinkGraph, Evidence]:
    """The evidence for all candidates at once."""
    graph = LinkGraph.of(hierarchy)
    return graph, evidence_of(graph, np.flatnonzero(hierarchy.parent_lists.counts).astype(np.int32))


def listed(hierarchy: Hierarchy, graph: LinkGraph, pairs: Rows, scores: Points) -> Any:
    """The places of the first pairs by these scores, by the rules of the list; ties at random, the highest child first.

    The order of rows may carry information.
    """
    noise = np.random.default_rng(0).random(len(pairs))
    order = np.lexsort((noise, hierarchy.depths[pairs[:, 1]], -scores))[: 100 * max(CUTS)]
    return order[independent_pairs(freeze(pairs[order]), max(CUTS), graph.above)]


def is_in(pairs: Rows, true: Rows, size: int) -> Any:
    """Whether each pair is among the true ones."""
    keys, true_keys = (pair_keys(rows[:, 0], rows[:, 1], size) for rows in (pairs, true))
    return np.isin(keys, true_keys)


def heuristics(hierarchy: Hierarchy, share: float, seed: int) -> list[Row]:
    """The precision of lists by one score of the graph each; also with parents below a known one last."""
    damaged = hide_links(hierarchy, share, seed).hierarchy
    graph, evidence = candidates_of(damaged)
    right = is_in(evidence.pairs, hierarchy.closure(), len(hierarchy))
    rows = []
    for name, column in HEURISTICS.items():
        scores = evidence.values[:, column]
        last = scores.min(initial=0.0) - 1
        for title, values in ((name, scores), (f"{name}, elsewhere", np.where(evidence.is_below, last, scores))):
            places = listed(damaged, graph, evidence.pairs, values)
            rows.append({"ranking": title, "precision": {cut: float(right[places[:cut]].mean()) for cut in CUTS}})
    return rows


def what_geometry_adds(hierarchy: Hierarchy, config: FitConfig, share: float, seed: int) -> list[Row]:
    """The same list by a regression on the log odds of the confidence, without and with energies and distances."""
    damaged, links = hide_links(hierarchy, share, seed)
    graph, evidence = candidates_of(damaged)
    confidences = learn_from_hidden_links(damaged).confidences(evidence)
    odds = np.log(np.maximum(confidences, 1e-12) / (1 - np.minimum(confidences, 1 - 1e-12)))
    columns = {
        "graph": odds[:, None],
        "graph and geometry": np.column_stack([odds, *geometry_of(damaged, config, evidence)]),
    }
    true, is_link = (is_in(evidence.pairs, rows, len(hierarchy)) for rows in (hierarchy.closure(), links))
    # What follows from a hidden link is neither right nor wrong.
    known, folds = is_link | ~true, np.random.default_rng(0).integers(0, FOLDS, len(hierarchy))[evidence.pairs[:, 1]]
    rows = []
    for name, values in columns.items():
        scores = np.empty(len(values))
        for fold in range(FOLDS):
            others = known & (folds != fold)
            regression = learn(values[others], is_link[others], np.ones(others.sum()))
            scores[folds == fold] = regression.probabilities(values[folds == fold])
        places = listed(damaged, graph, evidence.pairs, scores)
        precision = {cut: float(true[places[:cut]].mean()) for cut in CUTS}
        error = expected_calibration_error(scores[places], true[places])
        rows.append({"ranking": name, "precision": precision, "calibration_error": error})
    return rows


def geometry_of(damaged: Hierarchy, config: FitConfig, evidence: Evidence) -> list[Points]:
    """Of each pair: the energy, negative inside; the energy outside; the distance of the points."""
    embedding: Embedding = fit(damaged, recipe=config)
    pairs = np.ascontiguousarray(evidence.pairs)
    energies = embedding.scorer.signed_energies(pairs)
    distances = poincare.distance(embedding.points[pairs[:, 0]], embedding.points[pairs[:, 1]])
    return [energies, np.maximum(energies, 0.0), np.asarray(distances, np.float64)]


def tables(rows: list[Row]) -> dict[str, str]:
    """Missing links before and after and by the best score of the graph; all scores; the geometry; wrong links."""
    return {
        "": _missing_table(rows),
        "_scores": _precision_table(rows, "missing"),
        "_geometry": _precision_table(rows, "geometry"),
        "_wrong": _wrong_table(rows),
    }


def _groups(rows: list[Row], part: str) -> Iterator[tuple[tuple[str, int], list[Row]]]:
    mine = [row for row in rows if row["part"] == part]
    for key in dict.fromkeys((row["source"], row["seed"]) for row in mine):
        yield key, [row for row in mine if (row["source"], row["seed"]) == key]


def _missing_table(rows: list[Row]) -> str:
    cuts = [f"first {cut:,}" for cut in CUTS]
    head = ("", "seed", "list", *cuts, "mean confidence of the first 100", "calibration error", "found", "CPU s")
    cells = []
    for (source, seed), group in _groups(rows, "missing"):
        by_ranking = {row["ranking"]: row for row in group}
        for ranking in (BEFORE, AFTER):
            if ranking in by_ranking:
                cells.append(
                    (
                        TITLES.get(source, source),
                        seed,
                        ranking,
                        *_precisions(by_ranking[ranking]),
                        *_more(by_ranking[ranking]),
                    )
                )
        others = [row for row in group if row["ranking"] not in (BEFORE, AFTER)]
        best = {cut: max(others, key=lambda row: float(row["precision"][str(cut)])) for cut in CUTS} if others else {}
        shown = [f"{100 * row['precision'][str(cut)]:.1f} % ({row['ranking']})" for cut, row in best.items()]
        if shown:
            cells.append(
                (TITLES.get(source, source), seed, "best single score of the graph", *shown, "–", "–", "–", "–")
            )
    return markdown_table(head, cells, right=head[3:])


def _precisions(row: Row) -> Iterator[str]:
    for cut in CUTS:
        yield f"{100 * row['precision'][str(cut)]:.1f} %"


def _more(row: Row) -> Iterator[str]:
    yield f"{100 * row['confidence']['100']:.1f} %" if row.get("confidence") else "–"
    yield f"{row['calibration_error']:.3f}" if row.get("calibration_error") is not None else "–"
    yield f"{row['found']:,} of {row['links']:,}"
    yield f"{row['cpu_seconds']:.0f}"


def _precision_table(rows: list[Row], part: str) -> str:
    head = ("", "seed", "ranking", *(f"first {cut:,}" for cut in CUTS))
    cells = [
        (TITLES.get(source, source), seed, row["ranking"], *_precisions(row))
        for (source, seed), group in _groups(rows, part)
        for row in group
    ]
    return markdown_table(head, cells, right=head[3:])


def _wrong_table(rows: list[Row]) -> str:
    head = ("", "seed", *(f"first {cut:,}" for cut in CUTS), "not ranked", "found")
    cells = [
        (
            TITLES.get(source, source),
            seed,
            *_precisions(row),
            f"{100 * row['base_rate']:.1f} %",
            f"{row['found']:,} of {row['links']:,}",
        )
        for (source, seed), group in _groups(rows, "wrong")
        for row in group
    ]
    return markdown_table(head, cells, right=head[2:])
