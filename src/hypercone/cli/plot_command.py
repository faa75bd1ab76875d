"""hypercone plot: pictures of a model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from hypercone.cli.printing import add_json, print_answer
from hypercone.embedding import Embedding, load
from hypercone.errors import InputError
from hypercone.formats import read_pairs
from hypercone.hierarchy import Hierarchy, LabelledPairs
from hypercone.plotting.plot import checked_target

EXAMPLE = """examples:
  hypercone plot model                              (writes model-disk.svg)
  hypercone plot model -o dogs.png --cones dog cat --centre dog
  hypercone plot model -o disk.pdf --colour depth --labels 60 --dark
  hypercone plot model --kind precision-recall --split nouns-50
  hypercone plot model --kind norms -o norms.png"""

KINDS = ("disk", "training", "precision-recall", "norms")
# The options that only one kind of picture understands.
ONLY_FOR = {
    "cones": "disk",
    "labels": "disk",
    "centre": "disk",
    "origin": "disk",
    "colour": "disk",
    "view": "disk",
    "split": "precision-recall",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("model", metavar="MODEL", help="a model folder")
    parser.add_argument("-o", "--output", metavar="FILE", help="ends in .svg, .pdf or .png (default MODEL-KIND.svg)")
    parser.add_argument("--kind", choices=KINDS, default="disk", help="what to draw (default disk)")
    parser.add_argument(
        "--cones", nargs="*", metavar="NAME", help="shade the cones of these nodes; without a name, none"
    )
    parser.add_argument("--labels", nargs="*", metavar="NAME", help="name these nodes, or so many of the largest")
    parser.add_argument(
        "--centre", metavar="NAME", help="look from this node: a Möbius translation puts it in the middle"
    )
    parser.add_argument("--origin", action="store_true", default=None, help="keep the origin in the middle")
    parser.add_argument("--colour", choices=("branch", "depth"), help="by big branches or by depth (default branch)")
    parser.add_argument(
        "--view",
        choices=("own", "construction", "projection"),
        help="the 2-D view: the model's own points, a construction of its hierarchy, or a projection",
    )
    parser.add_argument("--split", metavar="FOLDER", help="judge by the test pairs that 'hypercone split' wrote")
    parser.add_argument("--dark", action="store_true", help="on a dark ground")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Draw the picture and say where it is."""
    _check(options)
    # Before the model is loaded, which may take a while.
    target = checked_target(options.output or f"{Path(options.model).resolve().name}-{options.kind}.svg")
    embedding = load(options.model)
    given = _disk(options, embedding) if options.kind == "disk" else {}
    if options.split is not None:
        given["pairs"] = _pairs(options.split, embedding)
    embedding.plot(options.kind, target, theme="dark" if options.dark else "light", **given)
    print_answer({"file": str(target), "bytes": target.stat().st_size}, options.json)
    return 0


def _check(options: argparse.Namespace) -> None:
    for name, kind in ONLY_FOR.items():
        if getattr(options, name) is not None and options.kind != kind:
            raise InputError(f"--{name} is for the picture {kind}, not for {options.kind}; leave it out")
    if options.centre is not None and options.origin:
        raise InputError("--centre and --origin both say what is in the middle; give one of them")


def _disk(options: argparse.Namespace, embedding: Embedding) -> dict[str, Any]:
    """What was said of the disk; what was not is left to the picture."""
    given = {"cones": options.cones, "centre": options.centre, "colour": options.colour, "view": options.view}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if options.labels is not None:
        chosen["labels"] = _count(options.labels, embedding)
    if options.origin:
        chosen["moved"] = False
    return chosen


def _count(labels: list[str], embedding: Embedding) -> list[str] | int:
    """One whole number is how many names there should be, unless a node is called so; no name at all is none."""
    is_number = len(labels) == 1 and labels[0].lstrip("-").isdecimal() and labels[0] not in embedding
    return int(labels[0]) if is_number else labels


def _pairs(folder: str, embedding: Embedding) -> LabelledPairs:
    nodes = Hierarchy.from_rows(embedding.names, np.empty((0, 2), np.int32))
    return LabelledPairs(*(read_pairs(Path(folder) / name, nodes) for name in ("test.tsv", "test_negatives.tsv")))
