"""hypercone explore: a model as one page in the browser."""

from __future__ import annotations

import argparse
import tempfile
import webbrowser
from pathlib import Path

from hypercone.cli.printing import add_json, print_answer
from hypercone.embedding import load
from hypercone.explorer import write_page
from hypercone.plotting.views import VIEWS

EXAMPLE = """examples:
  hypercone explore model                    (opens the browser)
  hypercone explore model -o page.html       (one file, to keep or to send; works from the disk, offline)
  hypercone explore model -o page.html --title "Our products" --open"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("model", metavar="MODEL", help="a model folder")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="the page to write, and not to open")
    parser.add_argument(
        "--view",
        choices=VIEWS,
        default="auto",
        help="how the disk is filled: the model's own points (2-D), a 2-D construction of its hierarchy, a projection",
    )
    parser.add_argument("--title", help="what stands at the top of the page; the model's folder unless given")
    parser.add_argument(
        "--open", action=argparse.BooleanOptionalAction, help="open the page in the browser, or not, in any case"
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Write the page, open it unless it is to be kept, and say where it is."""
    embedding = load(options.model)
    name = Path(options.model).resolve().name
    title = name if options.title is None else options.title
    # Without a name of its own it goes where nobody else may look; it stays, for the browser reads it later.
    path = options.output or Path(tempfile.mkdtemp(prefix="hypercone-")) / f"{name}.html"
    write_page(embedding, path, title=title, view=options.view)
    wanted = options.output is None if options.open is None else options.open
    opened = wanted and _opened(path)
    answer = {"page": str(path), "bytes": path.stat().st_size, "nodes": len(embedding), "opened": opened}
    print_answer(answer, options.json)
    if wanted and not opened and not options.json:
        print("There is no browser here that could be started; open the page in one yourself.")
    return 0


def _opened(path: Path) -> bool:
    try:
        return webbrowser.open(path.resolve().as_uri())
    except (webbrowser.Error, OSError):
        return False
