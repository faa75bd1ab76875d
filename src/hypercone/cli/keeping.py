"""The options that keep a fit safe in a run's folder, and how it stops when it is asked to."""

from __future__ import annotations

import argparse
import contextlib
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from hypercone.cli.stopping import StopRequest, stop_requests
from hypercone.errors import InputError, Interrupted, ResourceError
from hypercone.runs import Run
from hypercone.runs.folder import MANIFEST


def add_run(parser: argparse.ArgumentParser) -> None:
    """--run and what goes with it."""
    group = parser.add_argument_group("runs", "checkpoints, so that a fit that was killed can go on where it was")
    group.add_argument("--run", metavar="FOLDER", help="keep checkpoints in this folder")
    group.add_argument("--resume", action="store_true", help="go on with the run in that folder, if there is one")
    group.add_argument("--checkpoint-epochs", type=int, metavar="N", help="a checkpoint after every N epochs, too")
    group.add_argument("--checkpoint-seconds", type=float, metavar="S", help="seconds between checkpoints (default 15)")


@contextlib.contextmanager
def keeping(options: argparse.Namespace) -> Iterator[Run | None]:
    """The run that the options describe; Ctrl-C and SIGTERM end it with a checkpoint and the way to go on."""
    if options.run is None:
        _refuse_without_run(options)
        yield None
        return
    _refuse_one_in_the_other(Path(options.run), Path(options.output))
    how = f"go on with: {_command_to_resume(options.arguments)}"
    run = Path(options.run).absolute()

    def farewell() -> str:
        is_there = (run / MANIFEST).exists()
        return f"{'the last checkpoint is kept' if is_there else 'there is no checkpoint yet'} in {options.run}; {how}"

    with stop_requests(farewell) as stop:
        try:
            yield _run(options, stop)
        except Interrupted as interrupted:
            ending = Interrupted(f"{interrupted}; {how}")
            ending.exit_code = stop.exit_code
            raise ending from None
        except ResourceError as error:
            raise ResourceError(f"{error}; {how}") from error
        except MemoryError:
            raise ResourceError(f"out of memory; {farewell()}") from None


@contextlib.contextmanager
def saving(options: argparse.Namespace) -> Iterator[None]:
    """During the block the model is saved; if it cannot be, what has been fitted is not lost with it."""
    try:
        yield
    except InputError as error:
        if options.run is None:
            raise
        raise InputError(f"{error}; the fit is kept in {options.run}: give another -o, with --resume") from error


def _refuse_one_in_the_other(run: Path, output: Path) -> None:
    if output.resolve() in (run.resolve(), *run.resolve().parents):
        raise InputError(f"--run {run} is -o {output} or inside it; give the checkpoints a folder of their own")


def _run(options: argparse.Namespace, stop: StopRequest) -> Run:
    seconds = {} if options.checkpoint_seconds is None else {"seconds": options.checkpoint_seconds}
    return Run(
        options.run,
        resume=options.resume,
        epochs=options.checkpoint_epochs,
        should_stop=stop,
        tell=_tell,
        **seconds,
    )


def _tell(sentence: str) -> None:
    with contextlib.suppress(OSError):
        print(sentence, file=sys.stderr, flush=True)


def _refuse_without_run(options: argparse.Namespace) -> None:
    for name in ("resume", "checkpoint_epochs", "checkpoint_seconds"):
        if getattr(options, name) not in (None, False):
            raise InputError(f"--{name.replace('_', '-')} needs --run FOLDER, where the checkpoints are")


def _command_to_resume(arguments: list[str]) -> str:
    """The same command, to be typed again.

    >>> _command_to_resume(["fit", "my edges.tsv", "-o", "model", "--run", "r"])
    "hypercone fit --resume 'my edges.tsv' -o model --run r"
    """
    command, *rest = arguments
    again = [] if "--resume" in rest else ["--resume"]
    same = " (with the same input)" if "-" in rest else ""
    return shlex.join(["hypercone", command, *again, *rest]) + same
