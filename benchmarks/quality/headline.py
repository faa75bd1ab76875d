"""The headline of models: direct edges and ancestor lists that hold in the geometry, and F1 over all pairs.

Constructed models of complete hierarchies, and one learned from half of the implied edges, whose held-out pairs are
included in its headline. ``--data FOLDER``, which ``benchmarks.real_files`` filled, adds the Human Phenotype Ontology,
the biological processes of the Gene Ontology, and ICD-10-CM. The lattice is that of all subsets of ten elements.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from tools.results import Row, markdown_table

from benchmarks.support import load_hierarchy
from hypercone.embedding.headline import percent
from hypercone.embedding.origin import kind_in_words
from hypercone.evaluation import headline
from hypercone.hierarchy import Hierarchy
from hypercone.training import fit

KEY = ("hierarchy", "method", "dim")
SMOKE = {"nouns": "tree-3-3", "mammals": "tree-2-3", "elements": 3, "epochs": 5}
NOUNS, MAMMALS, LATTICE = "WordNet nouns", "WordNet mammals", "boolean lattice"
FILES = {"HPO": "hp.obo", "GO-BP": "go-bp.tsv", "ICD-10-CM": "icd10cm.outline"}
# Title, method, dimensions, and the percentage of implied edges to train on.
MODELS = (
    (NOUNS, "nested-caps", 10, None),
    (NOUNS, "overlapping-caps", 5, None),
    (NOUNS, "overlapping-caps", 10, None),
    (MAMMALS, "overlapping-caps", 2, None),
    (MAMMALS, "hyperbolic-cones", 5, 50),
    (LATTICE, "overlapping-caps", 10, None),
    *((title, "overlapping-caps", dim, None) for title in FILES for dim in (5, 10)),
)
SHARES = ("direct_edges", "exact_ancestor_lists", "f1")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--nouns", default="wordnet-nouns", metavar="SOURCE")
    parser.add_argument("--mammals", default="wordnet-mammals", metavar="SOURCE")
    parser.add_argument("--elements", type=int, default=10, help="of the lattice (default %(default)s)")
    parser.add_argument("--data", type=Path, help="the folder that benchmarks.real_files filled")
    parser.add_argument("--epochs", type=int, help="of the learned model (default as for its size)")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    for title, method, dim, held_in in MODELS:
        if options.data is not None or title not in FILES:
            yield {"hierarchy": title, "method": method, "dim": dim, "percent": held_in, "seed": 0}


def hierarchy_of(title: str, options: argparse.Namespace) -> Hierarchy:
    """The hierarchy of this title."""
    if title == LATTICE:
        return boolean_lattice(options.elements)
    if title in FILES:
        return load_hierarchy(str(options.data / FILES[title]))
    return load_hierarchy(options.nouns if title == NOUNS else options.mammals)


def boolean_lattice(elements: int) -> Hierarchy:
    """All subsets of a set, by inclusion: the larger below the smaller."""
    sets = range(2**elements)
    return Hierarchy(map(str, sets), [(s & ~(1 << i), s) for s in sets for i in range(elements) if s >> i & 1])


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    hierarchy = hierarchy_of(settings["hierarchy"], options)
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
