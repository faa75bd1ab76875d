"""The headline of five models: direct edges and ancestor lists that hold in the geometry, and F1 over all pairs.

Constructed models of complete hierarchies, and one learned from half of the implied edges, whose held-out pairs are
included in its headline. ``--hpo FILE`` adds the Human Phenotype Ontology, hp.obo; see ``benchmarks/real_files.py``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

from tools.results import Row, markdown_table

from benchmarks.support import load_hierarchy
from hypercone.embedding.headline import percent
from hypercone.embedding.origin import kind_in_words
from hypercone.evaluation import headline
from hypercone.training import fit

KEY = ("hierarchy", "method", "dim")
SMOKE = {"nouns": "tree-3-3", "mammals": "tree-2-3", "epochs": 5}
# By the option that names the source: title, method, dimensions, and the percentage of implied edges to train on.
MODELS = (
    ("nouns", "WordNet nouns", "overlapping-caps", 10, None),
    ("nouns", "WordNet nouns", "nested-caps", 10, None),
    ("mammals", "WordNet mammals", "overlapping-caps", 2, None),
    ("mammals", "WordNet mammals", "hyperbolic-cones", 5, 50),
    ("hpo", "HPO", "overlapping-caps", 10, None),
)
SHARES = ("direct_edges", "exact_ancestor_lists", "f1")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--nouns", default="wordnet-nouns", metavar="SOURCE")
    parser.add_argument("--mammals", default="wordnet-mammals", metavar="SOURCE")
    parser.add_argument("--hpo", metavar="FILE", help="the Human Phenotype Ontology; left out without it")
    parser.add_argument("--epochs", type=int, help="of the learned model (default as for its size)")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    for source, title, method, dim, held_in in MODELS:
        if getattr(options, source) is not None:
            yield {"hierarchy": title, "method": method, "dim": dim, "percent": held_in, "seed": 0}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    source = next(source for source, title, *_ in MODELS if title == settings["hierarchy"])
    hierarchy = load_hierarchy(getattr(options, source))
    held_in, seed = settings["percent"], settings["seed"]
    split = None if held_in is None else hierarchy.split(held_in, seed)
    epochs = {} if held_in is None or options.epochs is None else {"epochs": options.epochs}
    # Loads the kernels.
    headline(fit("tree-2-3", "nested-caps", dim=settings["dim"]))
    worked = time.process_time()
    embedding = fit(hierarchy, settings["method"], dim=settings["dim"], seed=seed, split=split, **epochs)
    fitted = time.process_time()
    found = headline(embedding).as_dict()
    counted = time.process_time()
    return [
        {
            "kind": kind_in_words(embedding),
            **found,
            "fit_cpu_seconds": round(fitted - worked, 2),
            "headline_cpu_seconds": round(counted - fitted, 2),
        }
    ]


def tables(rows: list[Row]) -> dict[str, str]:
    counts = (
        "nodes",
        "direct edges hold",
        "exact ancestor lists",
        "F1 over all pairs",
        "CPU s to fit",
        "CPU s to count",
    )
    lines = [
        [
            row["hierarchy"],
            f"{row['method']}, {row['dim']}-D",
            row["kind"],
            f"{row['nodes']:,}",
            *(percent(row[share]) for share in SHARES),
            f"{row['fit_cpu_seconds']:.1f}",
            f"{row['headline_cpu_seconds']:.1f}",
        ]
        for row in rows
    ]
    return {"": markdown_table(("hierarchy", "model", "kind", *counts), lines, right=counts)}
