"""hypercone info: what a hierarchy looks like."""

from __future__ import annotations

import argparse
from typing import Any

from hypercone.cli.printing import add_json, print_answer
from hypercone.cli.sources import add_source, read_source
from hypercone.hierarchy import describe

EXAMPLE = """examples:
  hypercone info wordnet-nouns
  hypercone info go.obo --relations is_a,part_of
  hypercone info taxonomy.tsv --direction child-parent --json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_source(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print the statistics."""
    hierarchy = read_source(options, quiet=options.json)
    answer: dict[str, Any] = describe(hierarchy).as_dict() | {"duplicates_dropped": hierarchy.duplicates}
    if options.json:
        # People have seen them below the edges read back.
        answer["notes"] = list(hierarchy.notes)
    print_answer(answer, options.json)
    return 0
