"""hypercone export: a model's points for other programs."""

from __future__ import annotations

import argparse

from hypercone.cli.printing import add_json, print_answer
from hypercone.embedding import load
from hypercone.embedding.export import KINDS, WRITERS, files_of

EXAMPLE = """examples:
  hypercone export model points.tsv
  hypercone export model vectors.vec        (word2vec text; loads in gensim)
  hypercone export model points.parquet --coordinates lorentz
  hypercone export model points.tsv --format projector   (and points.metadata.tsv)"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("model", metavar="MODEL", help="a model folder")
    parser.add_argument("output", metavar="FILE", help="ends in .tsv, .npz, .vec, .txt or .parquet; or see --format")
    parser.add_argument("--format", choices=tuple(WRITERS), help="whatever the file is called")
    parser.add_argument(
        "--coordinates",
        choices=tuple(KINDS),
        default="own",
        help="as in the model, of the Klein model, of the hyperboloid (time first), or as caps (direction and radius)",
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Write the file and say what is in it."""
    embedding = load(options.model)
    path = embedding.export(options.output, options.format, coordinates=options.coordinates)
    answer = {"file": str(path), "nodes": len(embedding), "dim": embedding.dim}
    for other in files_of(path, options.format)[1:]:
        answer["metadata"] = str(other)
    print_answer(answer, options.json)
    return 0
