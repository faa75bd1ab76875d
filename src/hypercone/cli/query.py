"""hypercone query: ask a saved model. A separate module, so that it does not import what only fitting needs."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeVar

from hypercone.cli.output import add_json, add_quiet, print_json
from hypercone.embedding import Embedding, load
from hypercone.embedding.relatives import BY
from hypercone.errors import InputError, some
from hypercone.hierarchy.similarity import MEASURES
from hypercone.queries import QUESTIONS, in_words
from hypercone.queries.answers import Results, SetSimilarity
from hypercone.queries.questions import (
    SCREEN_LIMIT,
    SHORT_LIMIT,
    QuestionInput,
    answer_many,
    answer_sets,
    ask,
    check_by,
)

QUERY_EXAMPLE = """examples:
  hypercone query model is-a dog.n.01 animal.n.01
  hypercone query model ancestors espresso.n.01
  hypercone query model descendants coffee.n.01 --limit 20 --json
  hypercone query model nearest dog.n.01
  hypercone query model similarity dog.n.01 cat.n.01 --measure wu-palmer
  hypercone query model similarity poodle.n.01 corgi.n.01 --with cat.n.01 lion.n.01       (two sets of nodes)
  hypercone query model most-similar dog.n.01
  hypercone query model search elephant
  hypercone query model parents dog.n.01 --long
  hypercone query model parents dog.n.01 --by geometry
  hypercone query model lca dog.n.01 cat.n.01
  hypercone query model explain dog.n.01 animal.n.01
  hypercone query model centroid poodle.n.01 corgi.n.01 beagle.n.01
  hypercone query model is-a --names pairs.tsv --json"""


def add_query_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    listing = "; ".join(f"{name} {question.arguments}" for name, question in QUESTIONS.items())
    parser.add_argument("model", metavar="MODEL", help="a model folder")
    parser.add_argument("question", choices=QUESTIONS, metavar="QUESTION", help=listing)
    # Not called "names": the default of the positional list would overwrite the value of the option --names.
    parser.add_argument("given", nargs="*", metavar="NAME", help="nodes, by name or label; a text for search")
    parser.add_argument(
        "--names", metavar="FILE", help="one query per line of a file, - for standard input; names separated by tabs"
    )
    parser.add_argument(
        "--limit",
        type=int,
        help=f"at most so many, 0: all (default {SCREEN_LIMIT}; with --json all relatives and {SHORT_LIMIT} nearest)",
    )
    parser.add_argument(
        "--by", choices=BY, help="ask the graph or the geometry (default: the graph, if the model has one and no split)"
    )
    parser.add_argument("--measure", choices=MEASURES, help=f"of similarity and most-similar (default {MEASURES[0]})")
    parser.add_argument(
        "--with",
        nargs="+",
        dest="others",
        metavar="NAME",
        help="for similarity: compare the nodes before, as a set, with these",
    )
    parser.add_argument("--long", action="store_true", help="lists as a table, with depth and margin")
    add_quiet(parser)
    add_json(parser)


def run_query(options: argparse.Namespace) -> int:
    """Load a model, ask it and print the answers."""
    if options.names is not None and options.given:
        raise InputError(
            f"names were given on the command line ({some(options.given)}) and by --names; leave out either"
        )
    embedding, question = load(options.model), QUESTIONS[options.question]
    if options.limit is None and not options.json:
        options.limit = SCREEN_LIMIT
    if options.others is not None:
        answers = _compare_sets(embedding, options)
        if options.json:
            print_json((answers[0] if options.names is None else Results(answers)).as_dict())
        else:
            print("\n".join(map(in_words, answers)))
        return 0

    def ask_about(names: list[str]) -> QuestionInput:
        return ask(embedding, options.question, names, options.limit, options.by, options.measure)

    asked = [ask_about(options.given)] if options.names is None else _for_each_line(options.names, ask_about)
    if not options.json:
        for one in asked:
            print(in_words(question.respond(one), long=options.long))
    elif options.names is None:
        print_json(question.respond(asked[0]).as_dict())
    else:
        print_json(answer_many(embedding, options.question, asked).as_dict())
    return 0


def _compare_sets(embedding: Embedding, options: argparse.Namespace) -> list[SetSimilarity]:
    """The set of the names, or one per line of the file, compared with the set after --with."""
    if options.question != "similarity":
        raise InputError(f"--with is for similarity, and {options.question} takes one set; leave it out")
    check_by(embedding, options.question, options.by)

    def compare(names: list[str]) -> SetSimilarity:
        return answer_sets(embedding, names, options.others, options.measure)

    return [compare(options.given)] if options.names is None else _for_each_line(options.names, compare)


Result = TypeVar("Result")


def _for_each_line(file: str, use: Callable[[list[str]], Result]) -> list[Result]:
    """What the function returns for the names in each line of the file; empty lines are skipped."""
    from hypercone.formats.source import content_of, text_of

    content, found = content_of(file), []
    for number, line in enumerate(text_of(content, "one question per line").split("\n"), 1):
        if not line.strip():
            continue
        try:
            found.append(use(line.split("\t")))
        except InputError as error:
            raise InputError(f"{content.label}:{number}: {error}") from None
    return found
