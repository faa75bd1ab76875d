"""hypercone fit: construct or learn an embedding, and save it."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from hypercone.cli.options import add_settings, add_source, read_settings, read_source
from hypercone.cli.output import add_json, add_quiet, percentages, print_answer, print_compiling_note
from hypercone.cli.stopping import add_run, checkpointing
from hypercone.embedding import Embedding
from hypercone.embedding.folder import refuse_unwritable_folder
from hypercone.errors import InputError
from hypercone.evaluation import link_prediction
from hypercone.formats import read_split
from hypercone.hierarchy import Hierarchy, Split
from hypercone.training import fit

FIT_EXAMPLE = """examples:
  hypercone fit taxonomy.tsv -o model                        (columns named parent and child)
  hypercone fit edges.csv --direction child-parent -o model
  hypercone fit huge.tsv --method nested-caps -o model       (a million nodes in seconds; exact if it is a tree)
  hypercone fit wordnet-nouns --percent 50 --dim 10 -o model (hold out edges as in the paper, and test)
  hypercone fit wordnet-nouns --percent 50 -o model --run checkpoints --resume    (resume after a kill)"""

# The prefix of the F1 of a fit in the output, by the pairs it was calibrated on.
CALIBRATED = {"validation pairs": "validation", "training pairs": "training", "all pairs": "all_pairs"}


def add_fit_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_source(parser)
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="the model folder to write")
    parser.add_argument(
        "--percent", type=float, help="hold out edges as in the paper; train on this %% of the implied ones"
    )
    parser.add_argument("--split-seed", type=int, default=0, help="the seed of the draw for --percent (default 0)")
    parser.add_argument("--split", metavar="FOLDER", help="hold out the pairs that 'hypercone split' wrote")
    add_quiet(parser)
    add_json(parser)
    add_run(parser)
    add_settings(parser)


def run_fit(options: argparse.Namespace) -> int:
    """Read a hierarchy, fit a model, save it, and print its metrics."""
    config = read_settings(options)
    refuse_unwritable_folder(options.output)
    hierarchy = read_source(options, quiet=options.quiet or options.json)
    split = _split(options, hierarchy)
    if not options.quiet:
        print_compiling_note(sys.stderr)
    started = time.perf_counter()
    with checkpointing(options) as checkpoint:
        embedding = fit(hierarchy, recipe=config, split=split, checkpoint=checkpoint)
        seconds = time.perf_counter() - started
        _save(embedding, options)
    answer = _summary(options.output, embedding, seconds)
    if split is not None and len(split.test.positives):
        answer["test"] = _test_metrics(embedding, split, options)
    print_answer(answer, options.json)
    return 0


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


def _summary(folder: str, embedding: Embedding, seconds: float) -> dict[str, Any]:
    record = embedding.record
    learned = {"epoch": record["epoch"], "threshold": embedding.threshold} if "epoch" in record else {}
    for note in record.get("notes", []):
        print(note, file=sys.stderr)
    exact = {name: record[name] for name in ("precision", "recall") if name in record}
    return {
        "model": folder,
        "method": record["config"]["method"],
        "kind": record["kind"] + (", closure-aware" if record["closure_aware"] else ""),
        "nodes": len(embedding),
        "dim": embedding.dim,
        "seconds": round(seconds, 2),
        **learned,
        **{f"all_pairs_{name}": value for name, value in exact.items()},
        f"{CALIBRATED[record['calibrated_on']]}_f1": record["calibration_f1"],
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
