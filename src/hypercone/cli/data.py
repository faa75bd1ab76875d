"""Commands about data: info, split, export."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from hypercone.cli.headline import headline_answer, origin_answer, print_worst, redundant_answer
from hypercone.cli.options import LONGEST_SENTENCE, add_source, read_source
from hypercone.cli.output import add_json, add_quiet, print_answer
from hypercone.embedding import load
from hypercone.embedding.export import KINDS, WRITERS, files_of
from hypercone.embedding.folder import count_placed, notes_of
from hypercone.embedding.folder_format import CONFIG
from hypercone.errors import short
from hypercone.evaluation.measures import known_headline
from hypercone.formats import write_split

INFO_EXAMPLE = """examples:
  hypercone info wordnet-nouns
  hypercone info go.obo --relations is_a,part_of
  hypercone info taxonomy.tsv --direction child-parent --json
  hypercone info model                      (a model folder: how good it is, and how it was made)"""


def add_info_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_source(parser)
    add_quiet(parser)
    add_json(parser)


def run_info(options: argparse.Namespace) -> int:
    """Print the statistics of a hierarchy, or the headline and the origin of a model."""
    if is_model(options.source):
        return _print_model(options)
    hierarchy = read_source(options, quiet=options.quiet or options.json)
    answer: dict[str, Any] = hierarchy.summary().as_dict() | {"duplicates_dropped": hierarchy.duplicates}
    redundant = redundant_answer(hierarchy, as_json=True) or {"redundant_edges": 0, "redundant_examples": []}
    examples = redundant.pop("redundant_examples")
    answer |= redundant
    if options.json:
        # Without --json the notes were printed when the file was read.
        answer |= {"redundant_examples": examples, "read_as": hierarchy.read_as, "notes": list(hierarchy.notes)}
    print_answer(answer, options.json)
    if examples and not options.json:
        print("\nRedundant edges follow from others, for example:")
        print("\n".join(f"  {short(sentence, LONGEST_SENTENCE)}" for sentence in examples))
    return 0


def is_model(source: str) -> bool:
    """Whether the source is a model folder: one with a config.json."""
    return (Path(source) / CONFIG).is_file()


def _print_model(options: argparse.Namespace) -> int:
    embedding = load(options.source)
    headline = known_headline(embedding)
    answer = headline_answer(headline, options.json) if headline else {}
    answer |= {"model": options.source, **origin_answer(embedding, options.json)}
    answer |= {
        "answers_by": embedding.default_by,
        "nodes": len(embedding),
        "dim": embedding.dim,
        "edges": None if embedding.edges is None else len(embedding.edges),
        "threshold": embedding.threshold,
        "placed_nodes": count_placed(embedding.record),
    }
    notes = notes_of(embedding.record)
    if options.json:
        print_answer(answer | {"notes": notes, "worst": headline["worst"] if headline else []}, as_json=True)
        return 0
    print_answer(answer, as_json=False)
    print("".join(f"\n{note}" for note in notes), end="\n" if notes else "")
    if headline:
        print_worst(headline)
    return 0


SPLIT_EXAMPLE = """example:
  hypercone split wordnet-nouns --percent 50 -o nouns-50
  hypercone fit wordnet-nouns --split nouns-50 -o model"""


def add_split_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_source(parser)
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="where to write the files")
    parser.add_argument(
        "--percent", type=float, default=50, help="the percentage of the implied edges to train on (default 50)"
    )
    parser.add_argument("--seed", type=int, default=0, help="the seed of the draw (default 0)")
    add_quiet(parser)
    add_json(parser)


def run_split(options: argparse.Namespace) -> int:
    """Draw the split, write it and print its size."""
    hierarchy = read_source(options, quiet=options.quiet or options.json)
    split = hierarchy.split(options.percent, options.seed)
    write_split(split, hierarchy, options.output)
    counts = {
        "folder": options.output,
        "train": len(split.train),
        "validation": len(split.validation.positives),
        "validation_negatives": len(split.validation.negatives),
        "test": len(split.test.positives),
        "test_negatives": len(split.test.negatives),
    }
    print_answer(counts, options.json)
    return 0


EXPORT_EXAMPLE = """examples:
  hypercone export model points.tsv
  hypercone export model vectors.vec        (word2vec text; loads in gensim)
  hypercone export model points.parquet --coordinates lorentz
  hypercone export model points.tsv --format projector   (and points.metadata.tsv)"""


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model folder")
    parser.add_argument("output", metavar="FILE", help="ends in .tsv, .npz, .vec, .txt or .parquet; or see --format")
    parser.add_argument("--format", choices=tuple(WRITERS), help="the format, whatever the file's ending")
    parser.add_argument(
        "--coordinates",
        choices=tuple(KINDS),
        default="own",
        help="as in the model, in the Klein model, on the hyperboloid (time first), or as caps (direction and radius)",
    )
    add_quiet(parser)
    add_json(parser)


def run_export(options: argparse.Namespace) -> int:
    """Write the file and print what it contains."""
    embedding = load(options.model)
    path = embedding.export(options.output, options.format, coordinates=options.coordinates)
    answer = {"file": str(path), "nodes": len(embedding), "dim": embedding.dim}
    for other in files_of(path, options.format)[1:]:
        answer["metadata"] = str(other)
    print_answer(answer, options.json)
    return 0
