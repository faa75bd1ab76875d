"""Where a hierarchy comes from on the command line: a named dataset, a file, or standard input."""

from __future__ import annotations

import argparse
import os
import sys

from hypercone.data import dataset_names, is_dataset, load_dataset
from hypercone.errors import InputError, counted, short
from hypercone.formats import read_hierarchy
from hypercone.formats.reading import ON_CYCLE
from hypercone.formats.registry import NAMES
from hypercone.hierarchy import Hierarchy

# The options that say which way the edges of a file point, as read_edges and read_pairs call them.
COLUMNS = ("direction", "parent_column", "child_column", "format")
LONGEST_SENTENCE = 200


def add_source(parser: argparse.ArgumentParser) -> None:
    """The argument SOURCE and the options that say how to read a file."""
    parser.add_argument(
        "source", metavar="SOURCE", help=f"a file, - for standard input, or {', '.join(dataset_names())}"
    )
    add_columns(parser)


def add_columns(parser: argparse.ArgumentParser) -> None:
    """The options that say which way the edges of a file point, what format it has and what makes an edge."""
    parser.add_argument("--direction", choices=("parent-child", "child-parent"), help="of a file without a header")
    parser.add_argument("--parent-column", metavar="NAME", help="the column of parents, by name or number")
    parser.add_argument("--child-column", metavar="NAME", help="the column of children, by name or number")
    parser.add_argument(
        "--format", choices=NAMES, metavar="FORMAT", help=f"if the name does not tell: {', '.join(NAMES)}"
    )
    parser.add_argument("--relations", metavar="NAMES", help="of an ontology, with commas (default is_a)")
    parser.add_argument(
        "--on-cycle", choices=ON_CYCLE, default="refuse", help="what to do about cycles (default refuse)"
    )


def read_source(options: argparse.Namespace, *, quiet: bool = False) -> Hierarchy:
    """The hierarchy; three edges of a file are read back in words, so that a wrong direction is seen at once."""
    if is_dataset(options.source):
        return load_dataset(options.source)
    if options.source != "-" and not os.path.exists(options.source) and not os.path.splitext(options.source)[1]:
        raise InputError(
            f"there is no file or dataset {options.source!r}; the datasets are {', '.join(dataset_names())}"
        )
    given = {name: getattr(options, name) for name in COLUMNS}
    if options.relations is not None:
        given["relations"] = options.relations.split(",")
    hierarchy = read_hierarchy(options.source, on_cycle=options.on_cycle, **given)
    if not quiet:
        _read_back(hierarchy)
    return hierarchy


def _read_back(hierarchy: Hierarchy) -> None:
    nodes, edges = counted(len(hierarchy), "node"), counted(len(hierarchy.edges), "edge")
    print(f"Read {nodes} and {edges}, for example:", file=sys.stderr)
    for sentence in hierarchy.in_words(3):
        print(f"  {short(sentence, LONGEST_SENTENCE)}", file=sys.stderr)
    if hierarchy.duplicates:
        print(f"  ({counted(hierarchy.duplicates, 'duplicate edge')} dropped)", file=sys.stderr)
    for note in hierarchy.notes:
        print(f"  ({note})", file=sys.stderr)
