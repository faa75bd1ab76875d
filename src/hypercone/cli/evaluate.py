"""hypercone evaluate: the metrics of a saved model, always by its geometry."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hypercone.cli.headline import MISSED_HELP, headline_answer, print_worst, refuse_missed, write_missed
from hypercone.cli.options import add_columns, column_options, read_source
from hypercone.cli.output import Renamed, add_json, add_quiet, percentages, print_answer
from hypercone.embedding import Embedding, load
from hypercone.errors import InputError
from hypercone.evaluation import (
    LinkPrediction,
    Reconstruction,
    all_pairs,
    baselines,
    hard_pairs,
    kind_of,
    link_prediction,
    reconstruction,
)
from hypercone.evaluation import headline as count_headline
from hypercone.evaluation.measures import GROUP_BY, checked_threshold, known_hierarchy
from hypercone.formats import read_pairs, read_split
from hypercone.hierarchy import Hierarchy, LabeledPairs

EVALUATE_EXAMPLE = """examples:
  hypercone evaluate model                                  (the headline; exact, over all pairs)
  hypercone evaluate model --missed missed.tsv
  hypercone evaluate model --split nouns-50
  hypercone evaluate model --positives true.tsv --negatives false.tsv --json
  hypercone evaluate model --all-pairs --group-by depth
  hypercone evaluate model --hard --references
  hypercone evaluate model --reconstruction wordnet-nouns --sample 2000"""


def add_evaluate_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model folder")
    parser.add_argument("--split", metavar="FOLDER", help="the test pairs that 'hypercone split' wrote")
    parser.add_argument("--positives", metavar="FILE", help="pairs that hold, columns parent and child")
    parser.add_argument("--negatives", metavar="FILE", help="pairs that do not hold")
    parser.add_argument("--all-pairs", action="store_true", help="all pairs of nodes, by the edges saved in the model")
    parser.add_argument("--hard", action="store_true", help="true pairs against negative pairs among relatives")
    parser.add_argument("--group-by", choices=GROUP_BY, help="the same by the depth of the child, or by its parents")
    parser.add_argument("--by", action=Renamed, new="--group-by", choices=GROUP_BY)
    parser.add_argument("--missed", metavar="FILE", help=MISSED_HELP)
    parser.add_argument(
        "--references",
        action="store_true",
        help="also the F1 of two baselines: the edges themselves, and counting children",
    )
    parser.add_argument("--threshold", type=float, help="instead of the model's own")
    parser.add_argument("--reconstruction", metavar="SOURCE", dest="source", help="mean rank and MAP on a hierarchy")
    parser.add_argument(
        "--sample", type=int, metavar="N", help="the number of random nodes to rank, or of true pairs for --hard"
    )
    parser.add_argument("--seed", type=int, default=0, help="the seed of random draws (default 0)")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="for --reconstruction (default all)")
    add_columns(parser)
    add_quiet(parser)
    add_json(parser)


def run_evaluate(options: argparse.Namespace) -> int:
    """Load a model, compute the metrics that the options name, and print them."""
    _check(options)
    refuse_missed(options.missed)
    embedding = load(options.model)
    asked = (options.split, options.positives, options.negatives, options.all_pairs, options.hard, options.source)
    answer: dict[str, Any] = {}
    headline = _headline(options, embedding) if options.missed is not None or not any(asked) else None
    if headline is not None:
        answer |= headline_answer(headline, options.json)
    if options.split or options.positives or options.negatives:
        answer |= _held_out_metrics(options, embedding)
    if options.all_pairs:
        answer |= _all_pairs(options, embedding)
    if options.hard:
        answer |= _hard(options, embedding)
    if options.source:
        answer |= _reconstruction(options, embedding)
    answer |= {"by": "geometry", **kind_of(embedding).as_dict()}
    if options.json:
        print_answer(answer | ({"worst": headline["worst"]} if headline else {}), as_json=True)
        return 0
    print_answer(answer, as_json=False)
    if headline is not None:
        print_worst(headline)
    return 0


SAY_WHAT = "say what to evaluate on: --split, --positives and --negatives, --all-pairs, --hard, or --reconstruction"


def _headline(options: argparse.Namespace, embedding: Embedding) -> dict[str, Any]:
    """The headline at the model's threshold or the given one; writes the missed pairs."""
    if embedding.edges is None:
        raise InputError(f"the model does not know its edges; {SAY_WHAT}")
    if options.group_by and options.missed is None:
        raise InputError(f"--group-by does not apply to the headline; {SAY_WHAT}")
    found = count_headline(replace(embedding, threshold=checked_threshold(embedding, options.threshold)))
    if options.missed is not None:
        write_missed(options.missed, found)
    return found.as_dict()


def _check(options: argparse.Namespace) -> None:
    if options.seed < 0:
        raise InputError(f"--seed is {options.seed}, but must be at least 0")
    if options.references and not (options.all_pairs or options.hard or options.split):
        raise InputError("--references needs --all-pairs, --hard or --split; give one of them")


def _held_out_metrics(options: argparse.Namespace, embedding: Embedding) -> dict[str, Any]:
    pairs = _pairs(options, embedding)
    answer = _figures("", link_prediction(embedding, pairs, options.threshold, group_by=options.group_by), options)
    if options.references and options.split:
        hierarchy = known_hierarchy(embedding, None)
        # A model fitted to a split has its training edges alone, and the digest of all edges in its record.
        split = read_split(options.split, hierarchy, embedding.record.get("hierarchy_digest"))
        lines = baselines(hierarchy, split, on="test-pairs")
        answer |= {f"{name}_f1": line.f1 for name, line in lines.items()}
    return answer


def _all_pairs(options: argparse.Namespace, embedding: Embedding) -> dict[str, Any]:
    found = all_pairs(embedding, threshold=options.threshold, group_by=options.group_by)
    answer = _figures("all_pairs_", found, options)
    if options.references:
        lines = baselines(known_hierarchy(embedding, None))
        answer |= {f"all_pairs_{name}_f1": line.f1 for name, line in lines.items()}
    return answer


def _hard(options: argparse.Namespace, embedding: Embedding) -> dict[str, Any]:
    drawn = {"seed": options.seed, "sample": options.sample}
    found = hard_pairs(embedding, threshold=options.threshold, group_by=options.group_by, **drawn)
    answer = _figures("hard_", found, options)
    for kind, figures in answer.pop("hard_kinds").items():
        answer |= {f"hard_{kind}_{name}": value for name, value in figures.items()}
    if options.references:
        lines = baselines(known_hierarchy(embedding, None), on="hard-pairs", **drawn)
        answer |= {f"hard_{name}_f1": line.f1 for name, line in lines.items()}
    return answer


def _figures(prefix: str, found: LinkPrediction | Reconstruction, options: argparse.Namespace) -> dict[str, Any]:
    """The figures by name; groups are one value with --json, and one line each without."""
    figures = found.as_dict()
    groups = figures.pop("groups", {})
    answer = {f"{prefix}{name}": value for name, value in figures.items()}
    if groups and options.json:
        answer[f"{prefix}by_{options.group_by}"] = groups
    elif groups:
        label = f"{prefix}depth_" if options.group_by == "depth" else prefix
        answer |= {f"{label}{name}": _group_line(part) for name, part in found.groups.items()}
    return answer


def _group_line(part: LinkPrediction | Reconstruction) -> str:
    if isinstance(part, Reconstruction):
        return f"mean rank {part.mean_rank:.2f}  MAP {100 * part.map:.2f}  of {part.nodes:,} nodes"
    if not part.positives:
        return f"no true pairs; {part.false_positives:,} others called true"
    return f"{percentages(part.precision, part.recall, part.f1)}  of {part.positives:,} true pairs"


def _pairs(options: argparse.Namespace, embedding: Embedding) -> LabeledPairs:
    if options.split:
        files = [str(Path(options.split) / name) for name in ("test.tsv", "test_negatives.tsv")]
    elif options.positives and options.negatives:
        files = [options.positives, options.negatives]
    else:
        raise InputError("--positives and --negatives go together; give both files")
    no_edges = np.empty((0, 2), np.int32)
    nodes = Hierarchy(embedding.names, no_edges, embedding.labels, glossary=embedding.glossary)
    # The column options apply to the user's own files; the files of a split have a header.
    columns = {} if options.split else column_options(options)
    return LabeledPairs(*(read_pairs(file, nodes, **columns) for file in files))


def _reconstruction(options: argparse.Namespace, embedding: Embedding) -> dict[str, Any]:
    hierarchy = read_source(options, quiet=True)
    if set(hierarchy.names) != set(embedding.names):
        raise InputError(f"{options.source}: its nodes are not the model's; give the hierarchy it was fitted to")
    # A file may list the nodes in another order; map its rows to the model's.
    rows = np.array([embedding.row(name) for name in hierarchy.names], np.int32)
    hierarchy = Hierarchy(embedding.names, rows[hierarchy.edges])
    given = {"sample": options.sample, "seed": options.seed, "threads": options.threads}
    found = reconstruction(embedding, hierarchy, group_by=options.group_by, **given)
    return _figures("reconstruction_", found, options)
