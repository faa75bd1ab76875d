"""hypercone split: the paper's training, validation and test pairs as files."""

from __future__ import annotations

import argparse

from hypercone.cli.printing import add_json, print_answer
from hypercone.cli.sources import add_source, read_source
from hypercone.formats import write_split
from hypercone.hierarchy import paper_split

EXAMPLE = """example:
  hypercone split wordnet-nouns --percent 50 -o nouns-50
  hypercone fit wordnet-nouns --split nouns-50 -o model"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_source(parser)
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="where to write the files")
    parser.add_argument("--percent", type=float, default=50, help="of the non-basic edges to train on (default 50)")
    parser.add_argument("--seed", type=int, default=0, help="of the draw (default 0)")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Draw the split, write it and say how large it is."""
    hierarchy = read_source(options, quiet=options.json)
    split = paper_split(hierarchy, options.percent, options.seed)
    write_split(split, hierarchy, options.output)
    counts = {
        "folder": options.output,
        "train": len(split.train),
        "validation": len(split.validation.positives),
        "validation_negatives": len(split.validation.negatives),
        "test": len(split.test.positives),
        "test_negatives": len(split.test.negatives),
    }
    print_answer(counts, options.json)
    return 0
