"""hypercone evaluate: how good a saved model is."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np

from hypercone.cli.printing import add_json, print_answer
from hypercone.cli.sources import COLUMNS, add_columns, read_source
from hypercone.embedding import Embedding, load
from hypercone.errors import InputError
from hypercone.evaluation import evaluate, evaluate_all_pairs, evaluate_reconstruction
from hypercone.hierarchy import Hierarchy, LabelledPairs, read_pairs

EXAMPLE = """examples:
  hypercone evaluate model --split nouns-50
  hypercone evaluate model --positives true.tsv --negatives false.tsv --json
  hypercone evaluate model --all-pairs
  hypercone evaluate model --reconstruction wordnet-nouns --sample 2000"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("model", metavar="MODEL", help="a model folder")
    parser.add_argument("--split", metavar="FOLDER", help="the test pairs that 'hypercone split' wrote")
    parser.add_argument("--positives", metavar="FILE", help="pairs that hold, columns parent and child")
    parser.add_argument("--negatives", metavar="FILE", help="pairs that do not hold")
    parser.add_argument("--all-pairs", action="store_true", help="every pair of nodes, by the edges kept in the model")
    parser.add_argument("--threshold", type=float, help="instead of the model's own")
    parser.add_argument("--reconstruction", metavar="SOURCE", dest="source", help="mean rank and MAP on a hierarchy")
    parser.add_argument("--sample", type=int, metavar="N", help="rank the ancestors of N random nodes instead of all")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="for --reconstruction (default all)")
    add_columns(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Load, measure what was asked for, print."""
    embedding = load(options.model)
    answer: dict[str, Any] = {}
    if options.split or options.positives or options.negatives:
        answer |= evaluate(embedding, _pairs(options, embedding), options.threshold).as_dict()
    if options.all_pairs:
        found = evaluate_all_pairs(embedding, threshold=options.threshold).as_dict()
        answer |= {f"all_pairs_{name}": value for name, value in found.items()}
    if options.source:
        answer |= _reconstruction(options, embedding)
    if not answer:
        raise InputError(
            "say what to evaluate on: --split, --positives and --negatives, --all-pairs, or --reconstruction"
        )
    print_answer(answer, options.json)
    return 0


def _pairs(options: argparse.Namespace, embedding: Embedding) -> LabelledPairs:
    if options.split:
        files = [str(Path(options.split) / name) for name in ("test.tsv", "test_negatives.tsv")]
    elif options.positives and options.negatives:
        files = [options.positives, options.negatives]
    else:
        raise InputError("--positives and --negatives go together; give both files")
    nodes = Hierarchy.from_rows(embedding.names, np.empty((0, 2), np.int32))
    # What the options say of columns is said of the user's own files; those of a split have a header.
    columns = {} if options.split else {name: getattr(options, name) for name in COLUMNS}
    return LabelledPairs(*(read_pairs(file, nodes, **columns) for file in files))


def _reconstruction(options: argparse.Namespace, embedding: Embedding) -> dict[str, Any]:
    hierarchy = read_source(options, quiet=True)
    if set(hierarchy.names) != set(embedding.names):
        raise InputError(f"{options.source}: its nodes are not the model's; give the hierarchy it was fitted to")
    # The same nodes in another order of lines are the same hierarchy: the rows become the model's.
    rows = np.array([embedding.row(name) for name in hierarchy.names], np.int32)
    hierarchy = Hierarchy.from_rows(embedding.names, rows[hierarchy.edges])
    found = evaluate_reconstruction(embedding, hierarchy, sample=options.sample, threads=options.threads)
    return {f"reconstruction_{name}": value for name, value in found.as_dict().items()}
