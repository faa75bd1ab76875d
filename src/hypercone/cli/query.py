"""hypercone query: ask a saved model. On its own, so that an answer does not wait for what only fitting needs."""

from __future__ import annotations

import argparse

from hypercone.cli.output import add_json, add_quiet, print_json
from hypercone.embedding import load
from hypercone.queries import QUESTIONS, answer

QUERY_EXAMPLE = """examples:
  hypercone query model is-a dog.n.01 animal.n.01
  hypercone query model ancestors espresso.n.01
  hypercone query model descendants coffee.n.01 --limit 20 --json
  hypercone query model nearest dog.n.01
  hypercone query model parents dog.n.01 --long
  hypercone query model lca dog.n.01 cat.n.01
  hypercone query model explain dog.n.01 animal.n.01
  hypercone query model centroid poodle.n.01 corgi.n.01 beagle.n.01"""


def add_query_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    listing = "; ".join(f"{name} {question.arguments}" for name, question in QUESTIONS.items())
    parser.add_argument("model", metavar="MODEL", help="a model folder")
    parser.add_argument("question", choices=QUESTIONS, metavar="QUESTION", help=listing)
    parser.add_argument("names", nargs="+", metavar="NAME", help="nodes, by name or label")
    parser.add_argument("--limit", type=int, default=50, help="the most names to print (default 50; 0 for all)")
    parser.add_argument("--long", action="store_true", help="lists as a table, with depth and margin")
    add_quiet(parser)
    add_json(parser)


def run_query(options: argparse.Namespace) -> int:
    """Load, ask, print."""
    found = answer(load(options.model), options.question, options.names, options.limit, long=options.long)
    if options.json:
        print_json(found.values)
    else:
        print(found.words)
    return 0
