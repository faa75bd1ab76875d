"""How many suggested links are right, on hierarchies with links hidden or planted.

    python benchmarks/suggestions.py wordnet-mammals:0 hpo.tsv:0 -o benchmarks/results/suggestions.json

Each SOURCE:SEED is a named dataset or a file with columns parent and child. Beside the ranking that hypercone uses for
missing links stand simpler ones, on the same candidates: by energy alone, by company alone, by neighbours alone. The
ranking was chosen on the mammals of WordNet and on two parts of the Gene Ontology; what is reported of other
hierarchies had no part in the choice.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hypercone._arrays import pair_keys
from hypercone._system import describe_machine
from hypercone.data import is_dataset, load_dataset
from hypercone.evaluation.damaged import CUTS, hide_links, precision_of, wrong_precision
from hypercone.formats import read
from hypercone.hierarchy import Hierarchy
from hypercone.queries.suggestions import candidates, missing_rows, neighbors_of, shared_descendants_of
from hypercone.training import FitConfig, fit


def missing(hierarchy: Hierarchy, config: FitConfig, share: float, seed: int) -> dict[str, Any]:
    damaged, links = hide_links(hierarchy, share, seed)
    embedding = fit(damaged, recipe=config)
    pairs, energies = candidates(embedding, damaged)
    ranked = missing_rows(embedding, damaged, max(CUTS)).pairs
    found = precision_of(ranked, pairs, hierarchy.closure(), links, len(hierarchy), CUTS).as_dict()
    called, true = (pair_keys(rows[:, 0], rows[:, 1], len(hierarchy)) for rows in (pairs, hierarchy.closure()))
    right = np.isin(called, true)
    rankings = {
        "energy": -energies,
        "company": shared_descendants_of(damaged, pairs),
        "neighbours": neighbors_of(embedding, damaged, pairs),
    }
    # Ties are broken at random: the order of rows says nothing, or says too much.
    noise = np.random.default_rng(0).random(len(pairs))
    found["other_rankings"] = {
        name: {cut: float(right[np.lexsort((noise, -scores))[:cut]].mean()) for cut in CUTS}
        for name, scores in rankings.items()
    }
    return found


def run(source: str, seed: int, config: FitConfig, hidden: float, planted: float) -> dict[str, Any]:
    hierarchy = load_dataset(source) if is_dataset(source) else read(source)
    started = time.perf_counter()
    return {
        "kind": "learned",
        "source": Path(source).stem,
        "seed": seed,
        "nodes": len(hierarchy),
        "edges": len(hierarchy.edges),
        "several_parents": int((hierarchy.parent_lists.counts > 1).sum()),
        "hidden": hidden,
        "planted": planted,
        "missing": missing(hierarchy, config, hidden, seed),
        "wrong": wrong_precision(hierarchy, partial(fit, recipe=config), planted, seed, CUTS).as_dict(),
        "seconds": round(time.perf_counter() - started, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="SOURCE:SEED")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the JSON file to write; kept rows stay")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    before = json.loads(options.output.read_text())["results"] if options.output.exists() else []
    kept = {(row["source"], row["seed"]): row for row in before}
    for text in options.runs:
        source, _, seed = text.rpartition(":")
        row = run(
            source, int(seed), FitConfig(method="hyperbolic-cones", seed=int(seed), threads=options.threads), 0.05, 0.02
        )
        kept[row["source"], row["seed"]] = row
        print(json.dumps(row), flush=True)
        answer = {"machine": describe_machine(), "results": list(kept.values())}
        options.output.write_text(json.dumps(answer, indent=1) + "\n")


if __name__ == "__main__":
    main()
