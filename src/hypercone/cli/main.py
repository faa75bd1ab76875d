"""The entry point: runs a command, and reports every expected error in one sentence and an exit code.

Exit codes: 0 success, 1 unexpected error, 2 bad input, 3 bad model file, 4 out of memory or disk space, 130
interrupted, 143 or 129 ended by SIGTERM or SIGHUP (a run has written a checkpoint by then).
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import errno
import importlib
import io
import os
import re
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import NoReturn

from hypercone import __version__
from hypercone.cli.output import escaping_on_terminals
from hypercone.errors import HyperconeError, InputError, ResourceError, one_line, option_language
from hypercone.progress import showing

COMMANDS = {
    "fit": "construct or learn an embedding of an edge list or a named dataset, and save it",
    "evaluate": "how much of the hierarchy holds in the geometry; F1 on held-out pairs; mean rank and MAP",
    "query": "ask a saved model: is-a, ancestors, parents, siblings, nearest, lca, explain and more",
    "place": "put new nodes into a saved model, without training",
    "suggest": "links that the hierarchy of a model may lack, and links that may be wrong",
    "compare": "two models side by side: what each asserts, and where they disagree",
    "info": "what a hierarchy looks like (nodes, edges, depth, closure), or how good a model is",
    "split": "write the paper's training, validation and test pairs as files",
    "export": "write a model's points as TSV, NPZ, parquet or word2vec text, or for the Embedding Projector",
    "plot": "draw a model: the disk with cones and names, training, precision and recall, norms",
    "explore": "write one page to explore a model in the browser, offline",
    "serve": "answer questions about models over HTTP, with the explorer in the browser",
    "warm": "compile everything in advance, for a container image or CI",
    "reproduce": "the paper's table, claims and figures, run again, with its numbers next to ours",
    "demo": "fit, test and query WordNet nouns, in about three minutes",
}

# The module of each command, which has its example, its arguments and its ``run_NAME``.
MODULES = {
    **dict.fromkeys(("place", "suggest", "compare"), "ask"),
    **dict.fromkeys(("info", "split", "export"), "data"),
    **dict.fromkeys(("plot", "explore", "serve"), "show"),
    **{name: name for name in ("fit", "evaluate", "query", "warm", "reproduce", "demo")},
}

REMOVED = {"bench": "run python -m benchmarks kernels in the repository"}
OUT_OF_MEMORY = "out of memory; use fewer dimensions or a smaller hierarchy"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    _accept_any_text()
    with escaping_on_terminals():
        return _run_and_report(arguments)


def _run_and_report(arguments: list[str]) -> int:
    try:
        with option_language("shell"):
            return _run(arguments)
    except HyperconeError as error:
        return _fail(str(error), error.exit_code)
    except MemoryError:
        return _fail(OUT_OF_MEMORY, ResourceError.exit_code)
    except KeyboardInterrupt as interruption:
        what = str(interruption) or "nothing was saved"
        return _fail(f"interrupted; {what}", getattr(interruption, "exit_code", 130))
    except BrokenPipeError:
        # The reader has closed the pipe (``| head``), which is not an error.
        _stop_printing()
        return 0
    except OSError as error:
        if error.errno == errno.ENOMEM:
            return _fail(OUT_OF_MEMORY, ResourceError.exit_code)
        if error.errno != errno.ENOSPC:
            raise
        _stop_printing()
        return _fail("the disk is full; free some space", ResourceError.exit_code)


def _run(arguments: list[str]) -> int:
    try:
        status = _run_command(arguments)
    except SystemExit as finished:
        # argparse exits after --help and --version.
        status = int(finished.code or 0)
    sys.stdout.flush()
    return status


def _run_command(arguments: list[str]) -> int:
    if arguments and arguments[0] in REMOVED:
        raise InputError(f"the command {arguments[0]} is gone; {REMOVED[arguments[0]]}")
    if not arguments or arguments[0] not in COMMANDS:
        _overview().parse_args(arguments or ["--help"])
        return 0
    name = arguments[0]
    options = command_parser(name).parse_args(arguments[1:])
    # For messages that say how to run the command again.
    options.arguments = arguments
    with showing(False if getattr(options, "quiet", False) else None):
        status: int = getattr(_module(name), f"run_{name}")(options)
    return status


def command_parser(name: str) -> argparse.ArgumentParser:
    """The parser of one command, with its example below."""
    module = _module(name)
    parser = _Parser(
        prog=f"hypercone {name}",
        description=COMMANDS[name][0].upper() + COMMANDS[name][1:] + ".",
        epilog=getattr(module, f"{name.upper()}_EXAMPLE"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    getattr(module, f"add_{name}_arguments")(parser)
    return parser


def _module(name: str) -> ModuleType:
    # Only the module of the command is imported, so that help is fast.
    return importlib.import_module(f"hypercone.cli.{MODULES[name]}")


class _Parser(argparse.ArgumentParser):
    """Reports a wrong option like any other bad input: in one sentence."""

    def error(self, message: str) -> NoReturn:
        raise InputError(self._meant_option(message) or f"{message}; see {self.prog} --help")

    def _meant_option(self, message: str) -> str | None:
        """For an unknown option, a sentence with the option that is meant; None if no option is like it."""
        found = re.match(r"unrecognized arguments: --([\w-]+)", message)
        if not found:
            return None
        # Imported here, because only this message needs it.
        from hypercone.training.config import OTHER_NAMES

        known = [name.removeprefix("--") for name in self._option_string_actions if name.startswith("--")]
        meant = OTHER_NAMES.get(found[1].replace("-", "_").casefold())
        close = [meant] if meant in known else difflib.get_close_matches(found[1], known, n=1)
        return f"there is no option --{found[1]}; did you mean --{close[0]}?" if close else None


def _overview() -> argparse.ArgumentParser:
    listing = "\n".join(f"  {name:10} {summary}" for name, summary in COMMANDS.items())
    parser = _Parser(
        prog="hypercone",
        description="Turn a hierarchy into a geometry you can ask questions of.",
        epilog=f"commands:\n{listing}\n\nexample:\n  hypercone demo\n\n"
        "'hypercone COMMAND --help' explains one command, with an example.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"hypercone {__version__}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of the commands below")
    return parser


def _accept_any_text() -> None:
    # A stream that was closed before the start is None, which print would take for standard output.
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for as long as the program runs
    # Characters that a stream cannot encode are written as escapes.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _stop_printing() -> None:
    # Buffered output would fail again when the interpreter exits.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, code: int) -> int:
    # A file and its name may contain line breaks and terminal escapes; one_line removes them.
    with contextlib.suppress(OSError):
        print(f"hypercone: {one_line(message)}", file=sys.stderr, flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
