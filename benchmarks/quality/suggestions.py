"""How many suggested links are right, on hierarchies with links hidden or planted.

Each source is a named dataset or a file with the columns parent and child. In addition to the ranking that hypercone
uses for missing links, simpler ones are measured on the same candidates: by energy alone, by shared descendants alone
and by neighbors alone. The ranking was chosen on the mammals of WordNet and on two parts of the Gene Ontology; other
hierarchies were not used for the choice.

    python -m benchmarks suggestions wordnet-mammals hpo.tsv --seeds 0 -o FILE
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
from hypercone._arrays import pair_keys
from hypercone.evaluation.damaged import CUTS, hide_links, precision_of, wrong_precision
from hypercone.hierarchy import Hierarchy
from hypercone.queries.suggestions import candidates, missing_rows, neighbors_of, shared_descendants_of
from hypercone.training import FitConfig, fit

KEY = ("source", "seed")
SMOKE = {"sources": ["tree-3-4"], "hidden": 0.1, "planted": 0.1}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sources", nargs="*", default=["wordnet-mammals"], metavar="SOURCE")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--hidden", type=float, default=0.05, help="the share of links to hide (default 0.05)")
    parser.add_argument("--planted", type=float, default=0.02, help="the share of links to plant (default 0.02)")
    parser.add_argument("--threads", type=int, default=1, help="threads of a fit (default 1)")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    for source in options.sources:
        for seed in options.seeds:
            shares = {"hidden": options.hidden, "planted": options.planted}
            yield {"source": Path(source).stem, "seed": seed} | shares


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    sources = {Path(source).stem: source for source in options.sources}
    hierarchy, seed = load_hierarchy(sources[settings["source"]]), settings["seed"]
    config = FitConfig(method="hyperbolic-cones", seed=seed, threads=options.threads)
    started = time.perf_counter()
    wrong = wrong_precision(hierarchy, partial(fit, recipe=config), settings["planted"], seed, CUTS).as_dict()
    row = {
        "kind": "learned",
        "nodes": len(hierarchy),
        "edges": len(hierarchy.edges),
        "several_parents": int((hierarchy.parent_lists.counts > 1).sum()),
        "missing": missing(hierarchy, config, settings["hidden"], seed),
        "wrong": wrong,
        "seconds": round(time.perf_counter() - started, 1),
    }
    return [row]


def missing(hierarchy: Hierarchy, config: FitConfig, share: float, seed: int) -> dict[str, Any]:
    """The precision of suggested links after some were hidden, by our ranking and by simpler ones."""
    damaged, links = hide_links(hierarchy, share, seed)
    embedding = fit(damaged, recipe=config)
    pairs, energies = candidates(embedding, damaged)
    ranked = missing_rows(embedding, damaged, max(CUTS)).pairs
    found = precision_of(ranked, pairs, hierarchy.closure(), links, len(hierarchy), CUTS).as_dict()
    called, true = (pair_keys(rows[:, 0], rows[:, 1], len(hierarchy)) for rows in (pairs, hierarchy.closure()))
    right = np.isin(called, true)
    rankings = {
        "energy": -energies,
        "shared_descendants": shared_descendants_of(damaged, pairs),
        "neighbors": neighbors_of(embedding, damaged, pairs),
    }
    # Ties are broken at random, because the order of rows may carry information.
    noise = np.random.default_rng(0).random(len(pairs))
    found["other_rankings"] = {
        name: {cut: float(right[np.lexsort((noise, -scores))[:cut]].mean()) for cut in CUTS}
        for name, scores in rankings.items()
    }
    return found


def tables(rows: list[Row]) -> dict[str, str]:
    """One table for missing links and one for wrong ones."""
    head = ("seed", *(f"first {cut:,}" for cut in CUTS), "not ranked", "found")
    texts = []
    for kind in ("missing", "wrong"):
        cells = [(row["source"], row["seed"], *_cells(row[kind])) for row in rows]
        texts.append(markdown_table((f"{kind} links", *head), cells, right=head))
    return {"": "\n".join(texts)}


def _cells(found: Row) -> Iterator[str]:
    for share in (*found["precision"].values(), found["base_rate"]):
        yield f"{100 * share:.1f} %"
    yield f"{found['found']:,} of {found['links']:,}"
