"""hypercone evaluate: how good a saved model is."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np

from hypercone.cli.options import COLUMNS, add_columns, read_source
from hypercone.cli.output import add_json, add_quiet, percentages, print_answer
from hypercone.embedding import Embedding, load
from hypercone.errors import InputError
from hypercone.evaluation import (
    Breakdown,
    all_pairs_by,
    evaluate,
    evaluate_all_pairs,
    evaluate_hard,
    evaluate_reconstruction,
    hard_by,
    kind_of,
    reference_all_pairs,
    reference_hard,
    reference_lines,
)
from hypercone.evaluation.breakdown import BY
from hypercone.evaluation.link_prediction import known_hierarchy
from hypercone.formats import read_pairs, read_split
from hypercone.hierarchy import Hierarchy, LabelledPairs

EVALUATE_EXAMPLE = """examples:
  hypercone evaluate model --split nouns-50
  hypercone evaluate model --positives true.tsv --negatives false.tsv --json
  hypercone evaluate model --all-pairs --by depth
  hypercone evaluate model --hard --references
  hypercone evaluate model --reconstruction wordnet-nouns --sample 2000"""


def add_evaluate_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("model", metavar="MODEL", help="a model folder")
    parser.add_argument("--split", metavar="FOLDER", help="the test pairs that 'hypercone split' wrote")
    parser.add_argument("--positives", metavar="FILE", help="pairs that hold, columns parent and child")
    parser.add_argument("--negatives", metavar="FILE", help="pairs that do not hold")
    parser.add_argument("--all-pairs", action="store_true", help="every pair of nodes, by the edges kept in the model")
    parser.add_argument("--hard", action="store_true", help="true pairs against wrong ones among relatives")
    parser.add_argument("--by", choices=BY, help="--all-pairs and --hard by the child's depth or parents")
    parser.add_argument("--references", action="store_true", help="beside it, what edges imply and mere counting gives")
    parser.add_argument("--threshold", type=float, help="instead of the model's own")
    parser.add_argument("--reconstruction", metavar="SOURCE", dest="source", help="mean rank and MAP on a hierarchy")
    parser.add_argument("--sample", type=int, metavar="N", help="so many random nodes to rank, or true --hard pairs")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn at random (default 0)")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="for --reconstruction (default all)")
    add_columns(parser)
    add_quiet(parser)
    add_json(parser)


def run_evaluate(options: argparse.Namespace) -> int:
    """Load, measure what was asked for, print."""
    _check(options)
    embedding = load(options.model)
    answer: dict[str, Any] = {}
    if options.split or options.positives or options.negatives:
        answer |= evaluate(embedding, _pairs(options, embedding), options.threshold).as_dict()
        answer |= _references_of_split(options, embedding)
    if options.all_pairs:
        answer |= _all_pairs(options, embedding)
    if options.hard:
        answer |= _hard(options, embedding)
    if options.source:
        answer |= _reconstruction(options, embedding)
    if not answer:
        raise InputError(
            "say what to evaluate on: --split, --positives and --negatives, --all-pairs, --hard, or --reconstruction"
        )
    print_answer(answer | kind_of(embedding).as_dict(), options.json)
    return 0


def _check(options: argparse.Namespace) -> None:
    if options.seed < 0:
        raise InputError(f"seed is {options.seed}, but must be at least 0")
    if options.by and not (options.all_pairs or options.hard):
        raise InputError("--by breaks down --all-pairs or --hard; give one of them")
    if options.references and not (options.all_pairs or options.hard or options.split):
        raise InputError("--references stands beside --all-pairs, --hard or --split; give one of them")


def _all_pairs(options: argparse.Namespace, embedding: Embedding) -> dict[str, Any]:
    answer = _named("all_pairs", evaluate_all_pairs(embedding, threshold=options.threshold).as_dict())
    if options.references:
        lines = reference_all_pairs(known_hierarchy(embedding, None))
        answer |= {f"all_pairs_{name}_f1": line.f1 for name, line in lines.items()}
    if options.by:
        found = all_pairs_by(embedding, threshold=options.threshold, by=options.by)
        answer |= _broken_down("all_pairs", found, options)
    return answer


def _hard(options: argparse.Namespace, embedding: Embedding) -> dict[str, Any]:
    drawn = {"seed": options.seed, "sample": options.sample}
    found = evaluate_hard(embedding, threshold=options.threshold, **drawn).as_dict()
    kinds = found.pop("kinds")
    answer = _named("hard", found)
    for kind, figures in kinds.items():
        answer |= _named(f"hard_{kind}", figures)
    if options.references:
        lines = reference_hard(known_hierarchy(embedding, None), **drawn)
        answer |= {f"hard_{name}_f1": line.f1 for name, line in lines.items()}
    if options.by:
        answer |= _broken_down("hard", hard_by(embedding, threshold=options.threshold, by=options.by, **drawn), options)
    return answer


def _named(what: str, figures: dict[str, Any]) -> dict[str, Any]:
    return {f"{what}_{name}": value for name, value in figures.items()}


def _broken_down(what: str, found: Breakdown, options: argparse.Namespace) -> dict[str, Any]:
    """The groups as one value for programs, and as one line each for people."""
    if options.json:
        return {f"{what}_by_{found.by}": found.as_dict()}
    label = f"{what}_depth_" if found.by == "depth" else f"{what}_"
    return {
        label + name: f"{percentages(one.precision, one.recall, one.f1)}  of {one.positives:,} true pairs"
        for name, one in found.groups.items()
    }


def _references_of_split(options: argparse.Namespace, embedding: Embedding) -> dict[str, float]:
    if not (options.references and options.split):
        return {}
    hierarchy = known_hierarchy(embedding, None)
    split = read_split(options.split, hierarchy)
    lines = reference_lines(hierarchy, split.train, split.test, split.validation)
    return {f"{name}_f1": line.f1 for name, line in lines.items()}


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
    given = {"sample": options.sample, "seed": options.seed, "threads": options.threads}
    return _named("reconstruction", evaluate_reconstruction(embedding, hierarchy, **given).as_dict())
