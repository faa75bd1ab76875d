"""hypercone fit: construct or learn an embedding, and save it."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from hypercone.cli.headline import (
    MISSED_HELP,
    headline_answer,
    origin_answer,
    print_worst,
    redundant_answer,
    refuse_missed,
    write_missed,
)
from hypercone.cli.options import add_settings, add_source, read_settings, read_source
from hypercone.cli.output import add_json, add_quiet, percentages, print_answer
from hypercone.cli.stopping import add_run, checkpointing
from hypercone.embedding import Embedding
from hypercone.embedding.folder import refuse_unwritable_folder, save
from hypercone.errors import InputError
from hypercone.evaluation import Headline, link_prediction
from hypercone.evaluation import headline as count_headline
from hypercone.evaluation.measures import known_headline
from hypercone.formats import read_split
from hypercone.hierarchy import Hierarchy, Split
from hypercone.training import fit
from hypercone.training.fitting import recorded_notes

FIT_EXAMPLE = """examples:
  hypercone fit taxonomy.tsv -o model                        (columns named parent and child)
  hypercone fit edges.csv --direction child-parent -o model
  hypercone fit huge.tsv --method nested-caps -o model       (a million nodes in seconds; exact if it is a tree)
  hypercone fit taxonomy.tsv -o model --missed missed.tsv    (which ancestors the geometry gets wrong)
  hypercone fit wordnet-nouns --percent 50 --dim 10 -o model (hold out edges as in the paper, and test)
  hypercone fit wordnet-nouns --percent 25 --recipe given-edges -o model   (learn in a forest of the training edges)
  hypercone fit wordnet-nouns --percent 50 -o model --run checkpoints --resume    (resume after a kill)"""

# The prefix of the F1 of a learned model in the output, by the pairs it was calibrated on.
CALIBRATED = {"validation pairs": "validation", "training pairs": "training"}


def add_fit_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_source(parser)
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="the model folder to write")
    parser.add_argument(
        "--percent", type=float, help="hold out edges as in the paper; train on this %% of the implied ones"
    )
    parser.add_argument("--split-seed", type=int, default=0, help="the seed of the draw for --percent (default 0)")
    parser.add_argument("--split", metavar="FOLDER", help="hold out the pairs that 'hypercone split' wrote")
    parser.add_argument("--recipe", metavar="NAME", help="named settings of a learned method, such as given-edges")
    parser.add_argument("--missed", metavar="FILE", help=MISSED_HELP)
    add_quiet(parser)
    add_json(parser)
    add_run(parser)
    add_settings(parser)


def run_fit(options: argparse.Namespace) -> int:
    """Read a hierarchy, fit a model, save it, and print its headline and metrics."""
    config = read_settings(options)
    refuse_unwritable_folder(options.output)
    refuse_missed(options.missed)
    hierarchy = read_source(options, quiet=options.quiet or options.json)
    split = _split(options, hierarchy)
    started = time.perf_counter()
    with checkpointing(options) as checkpoint:
        # A recipe is resolved by the split; the settings take precedence.
        given = {} if options.recipe is None else config.given
        embedding = fit(hierarchy, recipe=options.recipe or config, split=split, checkpoint=checkpoint, **given)
        seconds = time.perf_counter() - started
        counted = _add_headline(embedding, options)
        _save(embedding, options)
    if counted is not None:
        write_missed(options.missed, counted)
    headline = embedding.record["headline"]
    answer = headline_answer(headline, options.json) | _summary(embedding, hierarchy, seconds, options)
    answer |= redundant_answer(hierarchy, options.json)
    if split is not None and len(split.test.positives):
        answer["test"] = _test_metrics(embedding, split, options)
    if options.json:
        print_answer(answer | {"worst": headline["worst"]}, as_json=True)
    else:
        print_answer(answer, as_json=False)
        print_worst(headline)
    return 0


def _add_headline(embedding: Embedding, options: argparse.Namespace) -> Headline | None:
    """Put the headline into the record, counted in any case for --missed; after an interrupt, save the model without.

    A fit has edges, so there is always a headline.
    """
    try:
        counted = None if options.missed is None else count_headline(embedding)
        embedding.record["headline"] = known_headline(embedding) if counted is None else counted.as_dict()
    except KeyboardInterrupt:
        save(embedding, options.output)
        raise KeyboardInterrupt(f"the model is saved in {options.output}, without its headline") from None
    return counted


def _save(embedding: Embedding, options: argparse.Namespace) -> None:
    """Save the model; if that fails and there is a run folder, the error says how to save it elsewhere."""
    try:
        embedding.save(options.output)
    except InputError as error:
        if options.run is None:
            raise
        raise InputError(f"{error}; the fit is saved in {options.run}: give another -o, with --resume") from error


def _test_metrics(embedding: Embedding, split: Split, options: argparse.Namespace) -> dict[str, float] | str:
    """Precision, recall and F1 on the test pairs; after an interrupt, the message says that the model is saved."""
    try:
        found = link_prediction(embedding, split.test)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"the model is saved in {options.output}; only its test was not finished") from None
    test = {"precision": found.precision, "recall": found.recall, "f1": found.f1}
    return test if options.json else percentages(**test)


def _summary(embedding: Embedding, hierarchy: Hierarchy, seconds: float, options: argparse.Namespace) -> dict[str, Any]:
    record = embedding.record
    learned = {"epoch": record["epoch"], "threshold": embedding.threshold} if "epoch" in record else {}
    # The notes of the hierarchy come first; they were printed when it was read.
    for note in record["notes"][len(recorded_notes(hierarchy)) :]:
        print(note, file=sys.stderr)
    calibrated = CALIBRATED.get(record["calibrated_on"])
    return {
        "model": options.output,
        **origin_answer(embedding, options.json),
        "nodes": len(embedding),
        "dim": embedding.dim,
        "seconds": round(seconds, 2),
        **learned,
        **({f"{calibrated}_f1": record["calibration_f1"]} if calibrated else {}),
    }


def _split(options: argparse.Namespace, hierarchy: Hierarchy) -> Split | None:
    if options.split and options.percent is not None:
        raise InputError("--split and --percent both say what to hold out; give one of them")
    if options.split:
        return read_split(options.split, hierarchy)
    if options.percent is not None:
        if options.split_seed < 0:
            raise InputError(f"--split-seed is {options.split_seed}, but must be at least 0")
        return hierarchy.split(options.percent, options.split_seed)
    return None
