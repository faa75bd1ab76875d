"""hypercone export: a model's points for other programs."""

from __future__ import annotations

import argparse

from hypercone.cli.printing import add_json, print_answer
from hypercone.embedding import load

EXAMPLE = """examples:
  hypercone export model points.tsv
  hypercone export model vectors.vec        (word2vec text; loads in gensim)
  hypercone export model points.npz"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("model", metavar="MODEL", help="a model folder")
    parser.add_argument("output", metavar="FILE", help="ends in .tsv, .npz, .vec or .txt; or see --format")
    parser.add_argument("--format", choices=("tsv", "npz", "word2vec"), help="whatever the file is called")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Write the file and say what is in it."""
    embedding = load(options.model)
    path = embedding.export(options.output, options.format)
    print_answer({"file": str(path), "nodes": len(embedding), "dim": embedding.dim}, options.json)
    return 0
