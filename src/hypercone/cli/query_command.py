"""hypercone query: ask a saved model."""

from __future__ import annotations

import argparse

from hypercone.cli.printing import add_json, print_json
from hypercone.embedding import load
from hypercone.queries import QUESTIONS, answer

EXAMPLE = """examples:
  hypercone query model is-a dog.n.01 animal.n.01
  hypercone query model ancestors espresso.n.01
  hypercone query model descendants coffee.n.01 --limit 20 --json
  hypercone query model nearest dog.n.01"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    listing = "; ".join(f"{name} {question.arguments}" for name, question in QUESTIONS.items())
    parser.add_argument("model", metavar="MODEL", help="a model folder")
    parser.add_argument("question", choices=QUESTIONS, metavar="QUESTION", help=listing)
    parser.add_argument("names", nargs="+", metavar="NAME", help="one node, or a child and a parent")
    parser.add_argument("--limit", type=int, default=50, help="the most names to print (default 50; 0 for all)")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Load, ask, print."""
    found = answer(load(options.model), options.question, options.names, options.limit)
    if options.json:
        print_json(found.values)
    else:
        print(found.words)
    return 0
