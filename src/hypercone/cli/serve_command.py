"""hypercone serve: models over HTTP."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from hypercone.cli.printing import tell_of_compiling
from hypercone.errors import InputError

EXAMPLE = """examples:
  hypercone serve model
  hypercone serve animals plants=models/plants-5d --port 8080
  hypercone serve model --host 0.0.0.0 --token-file token --allow-host models.example.org

ask it:
  curl 'http://127.0.0.1:8000/v1/is-a?child=dog&parent=animal'"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "models", nargs="+", metavar="MODEL", help="a model folder, served under its name; or NAME=FOLDER"
    )
    parser.add_argument("--host", default="127.0.0.1", help="where to listen (default 127.0.0.1, this machine only)")
    parser.add_argument("--port", type=int, default=8000, help="(default 8000; 0 for any that is free)")
    parser.add_argument(
        "--token-file", metavar="FILE", help="ask for the token in this file (or in HYPERCONE_TOKEN) with each request"
    )
    parser.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME", help="a name to answer to; may be repeated"
    )
    parser.add_argument(
        "--cors", action="append", default=[], metavar="ORIGIN", help="a site whose pages may ask; may be repeated"
    )
    parser.add_argument("--deadline", type=float, default=10.0, metavar="S", help="seconds a request may take (10)")
    parser.add_argument("--concurrency", type=int, default=64, metavar="N", help="requests worked on at once (64)")
    parser.add_argument("--no-explorer", action="store_true", help="answer programs only, without the explorer at /")


def run(options: argparse.Namespace) -> int:
    """Load, listen, answer until asked to end."""
    folders = named_folders(options.models)
    from hypercone.service.security import Options, read_token

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
    from hypercone.embedding import load
    from hypercone.service.server import check_installed, serve

    check_installed()
    tell_of_compiling(sys.stderr)
    serve({name: load(folder) for name, folder in folders.items()}, chosen)
    return 0


def named_folders(given: list[str]) -> dict[str, str]:
    """The folders by the names they are served under.

    >>> named_folders(["models/animals", "green=models/plants"])
    {'animals': 'models/animals', 'green': 'models/plants'}
    """
    folders: dict[str, str] = {}
    for text in given:
        name, equals, folder = text.partition("=")
        if not equals or os.path.exists(text):
            name, folder = Path(text).resolve().name, text
        if not name or "/" in name or not name.isprintable():
            raise InputError(f"{text!r} gives no name to serve the model by; write NAME=FOLDER")
        if name in folders:
            raise InputError(f"two models are named {name!r}; write NAME=FOLDER to name one of them otherwise")
        folders[name] = folder
    return folders
