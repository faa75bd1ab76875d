"""hypercone compare: two saved models on the nodes they share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict

from hypercone.cli.printing import add_json, print_json
from hypercone.embedding import load
from hypercone.errors import counted, with_article
from hypercone.queries.comparison import SAMPLE, Comparison, Disagreement, compare

EXAMPLE = """examples:
  hypercone compare model other-model
  hypercone compare model other-model --sample 0 --json      (all nodes)"""

WORDS = {"asserted": "is-a pairs", "alone": "asserted by it alone"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("first", metavar="MODEL_A", help="a model folder")
    parser.add_argument("second", metavar="MODEL_B", help="another one")
    parser.add_argument(
        "--sample", type=int, default=SAMPLE, help=f"how many nodes to compare (default {SAMPLE:,}; 0 for all)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the sample (default 0)")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Load both, compare, print."""
    sample = None if options.sample == 0 else options.sample
    found = compare(load(options.first), load(options.second), sample, options.seed)
    if options.json:
        print_json(found.as_dict())
        return 0
    _print_sides(options.first, options.second, found)
    _print_agreement(found)
    _print_examples(options.first, options.second, found.only_first)
    _print_examples(options.second, options.first, found.only_second)
    return 0


def _print_sides(first: str, second: str, found: Comparison) -> None:
    rows = [["", first, second]]
    for name, one in asdict(found.first).items():
        rows.append([WORDS.get(name, name), _shown(name, one), _shown(name, asdict(found.second)[name])])
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for word, *values in rows:
        print(f"{word:{widths[0]}}", *(f"{value:>{width}}" for value, width in zip(values, widths[1:], strict=True)))


def _shown(name: str, value: float | str | None) -> str:
    if value is None:
        return "-"
    if name in ("precision", "recall", "f1"):
        return f"{100 * float(value):.2f} %"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isinstance(value, float) else value


def _print_agreement(found: Comparison) -> None:
    asked = "all" if found.sampled == found.shared else f"{found.sampled:,}"
    print(f"\nThey share {counted(found.shared, 'node')}, of which {asked} were asked for their ancestors.")
    print(f"Both assert {counted(found.both, 'pair')}; the ancestors of a node agree to {100 * found.agreement:.1f} %,")
    print(f"and its nearest nodes to {100 * found.neighbour_overlap:.1f} %.")


def _print_examples(one: str, other: str, examples: Sequence[Disagreement]) -> None:
    if examples:
        print(f"\nOnly {one} says, and {other} denies most clearly:")
    for pair in examples:
        print(f"  {pair.child_label} is {with_article(pair.parent_label)}")
