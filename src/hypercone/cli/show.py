"""Commands that show a model: plot, explore, serve."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np

from hypercone.cli.output import Renamed, add_json, add_quiet, print_answer
from hypercone.embedding import Embedding, load
from hypercone.errors import InputError
from hypercone.explorer import open_page, temporary_page, write_page
from hypercone.formats import read_pairs
from hypercone.hierarchy import Hierarchy, LabeledPairs
from hypercone.plotting.plot import checked_target
from hypercone.plotting.views import VIEWS
from hypercone.progress import Step

PLOT_EXAMPLE = """examples:
  hypercone plot model                              (writes model-disk.svg)
  hypercone plot model -o dogs.png --cones dog cat --center dog
  hypercone plot model -o disk.pdf --color depth --labels 60 --dark
  hypercone plot model --kind precision-recall --split nouns-50
  hypercone plot model --kind norms -o norms.png"""

KINDS = ("disk", "training", "precision-recall", "norms")
# The options that only one kind of picture has.
ONLY_FOR = {
    "cones": "disk",
    "labels": "disk",
    "center": "disk",
    "origin": "disk",
    "color": "disk",
    "view": "disk",
    "split": "precision-recall",
}


def add_plot_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model folder")
    parser.add_argument("-o", "--output", metavar="FILE", help="ends in .svg, .pdf or .png (default MODEL-KIND.svg)")
    parser.add_argument("--kind", choices=KINDS, default="disk", help="what to draw (default disk)")
    parser.add_argument(
        "--cones", nargs="*", metavar="NAME", help="shade the cones of these nodes; without a name, none"
    )
    parser.add_argument(
        "--labels", nargs="*", metavar="NAME", help="name these nodes, or the given number of the largest"
    )
    parser.add_argument("--center", metavar="NAME", help="move this node to the middle by a Möbius translation")
    parser.add_argument("--centre", action=Renamed, new="--center")  # old name
    parser.add_argument("--origin", action="store_true", default=None, help="keep the origin in the middle")
    parser.add_argument("--color", choices=("branch", "depth"), help="by large branches or by depth (default branch)")
    parser.add_argument("--colour", action=Renamed, new="--color", choices=("branch", "depth"))  # old name
    parser.add_argument(
        "--view",
        choices=("own", "construction", "projection"),
        help="the 2-D view: the model's own points, a construction of its hierarchy, or a projection",
    )
    parser.add_argument("--split", metavar="FOLDER", help="use the test pairs that 'hypercone split' wrote")
    parser.add_argument("--dark", action="store_true", help="on a dark background")
    add_quiet(parser)
    add_json(parser)


def run_plot(options: argparse.Namespace) -> int:
    """Draw the picture and print its file and size."""
    _check(options)
    # Checked before the model is loaded, which may take a while.
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
    if options.center is not None and options.origin:
        raise InputError("--center and --origin both say what is in the middle; give one of them")


def _disk(options: argparse.Namespace, embedding: Embedding) -> dict[str, Any]:
    """The options of the disk that were given; the others have the picture's defaults."""
    given = {"cones": options.cones, "center": options.center, "color": options.color, "view": options.view}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if options.labels is not None:
        chosen["labels"] = _count(options.labels, embedding)
    if options.origin:
        chosen["moved"] = False
    return chosen


def _count(labels: list[str], embedding: Embedding) -> list[str] | int:
    """A single whole number is the number of names, unless a node has that name; an empty list means no names."""
    is_number = len(labels) == 1 and labels[0].lstrip("-").isdecimal() and labels[0] not in embedding
    return int(labels[0]) if is_number else labels


def _pairs(folder: str, embedding: Embedding) -> LabeledPairs:
    nodes = Hierarchy(embedding.names, np.empty((0, 2), np.int32))
    return LabeledPairs(*(read_pairs(Path(folder) / name, nodes) for name in ("test.tsv", "test_negatives.tsv")))


EXPLORE_EXAMPLE = """examples:
  hypercone explore model                    (opens the browser)
  hypercone explore model -o page.html       (one file to save or send; works offline)
  hypercone explore model -o page.html --title "Our products" --open"""


def add_explore_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model folder")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write the page to this file, without opening it"
    )
    parser.add_argument(
        "--view",
        choices=VIEWS,
        default="auto",
        help="the points shown: the model's own (2-D), a 2-D construction of its hierarchy, or a projection",
    )
    parser.add_argument("--title", help="the title of the page (default the name of the model's folder)")
    parser.add_argument(
        "--open",
        action=argparse.BooleanOptionalAction,
        help="open the page in the browser, or not (default: unless -o is given)",
    )
    add_quiet(parser)
    add_json(parser)


def run_explore(options: argparse.Namespace) -> int:
    """Write the page, open it unless -o is given, and print where it is."""
    embedding = load(options.model)
    name = Path(options.model).resolve().name
    title = name if options.title is None else options.title
    path = write_page(embedding, options.output or temporary_page(name), title=title, view=options.view)
    wanted = options.output is None if options.open is None else options.open
    opened = wanted and open_page(path)
    answer = {"page": str(path), "bytes": path.stat().st_size, "nodes": len(embedding), "opened": opened}
    print_answer(answer, options.json)
    if wanted and not opened and not options.json:
        print("No browser could be started; open the page in one yourself.")
    return 0


SERVE_EXAMPLE = """examples:
  hypercone serve model
  hypercone serve animals plants=models/plants-5d --port 8080
  hypercone serve model --host 0.0.0.0 --token-file token --allow-host models.example.org

ask it:
  curl 'http://127.0.0.1:8000/v1/is-a?child=dog&parent=animal'"""


def add_serve_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "models", nargs="+", metavar="MODEL", help="a model folder, served under its name; or NAME=FOLDER"
    )
    parser.add_argument("--host", default="127.0.0.1", help="where to listen (default 127.0.0.1, this machine only)")
    parser.add_argument("--port", type=int, default=8000, help="(default 8000; 0 for any that is free)")
    parser.add_argument(
        "--token-file", metavar="FILE", help="require the token in this file (or in HYPERCONE_TOKEN) with each request"
    )
    parser.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME", help="a host name to accept; may be repeated"
    )
    parser.add_argument(
        "--cors",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="an origin whose pages may send requests; may be repeated",
    )
    parser.add_argument("--deadline", type=float, default=10.0, metavar="S", help="seconds a request may take (10)")
    parser.add_argument("--concurrency", type=int, default=64, metavar="N", help="requests processed at once (64)")
    parser.add_argument("--no-explorer", action="store_true", help="only the API, without the explorer at /")
    add_quiet(parser)


def run_serve(options: argparse.Namespace) -> int:
    """Load the models, listen, and answer until a signal arrives."""
    folders = named_folders(options.models)
    # Starlette and uvicorn are installed by an extra, and take a while to import.
    from hypercone.service import Options, read_token, serve

    chosen = Options(
        host=options.host,
        port=options.port,
        token=read_token(options.token_file),
        allow_hosts=tuple(options.allow_host),
        cors=tuple(options.cors),
        deadline=options.deadline,
        concurrency=options.concurrency,
        explorer=not options.no_explorer,
    )
    models = {}
    with Step("loading", len(folders)) as step:
        for name, folder in folders.items():
            models[name] = load(folder)
            step.advance()
    serve(models, chosen)
    return 0


def named_folders(given: list[str]) -> dict[str, str]:
    """The model folders by the names they are served under.

    >>> named_folders(["models/animals", "green=models/plants"])
    {'animals': 'models/animals', 'green': 'models/plants'}
    """
    folders: dict[str, str] = {}
    for text in given:
        name, equals, folder = text.partition("=")
        if not equals or os.path.exists(text):
            name, folder = Path(text).resolve().name, text
        if not name or "/" in name or not name.isprintable():
            raise InputError(f"{text!r} gives no name to serve the model under; write NAME=FOLDER")
        if name in folders:
            raise InputError(f"two models are named {name!r}; write NAME=FOLDER to rename one of them")
        folders[name] = folder
    return folders
