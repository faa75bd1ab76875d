"""Checkpoints and stopping of a fit: --run, --resume, and Ctrl-C, SIGTERM or SIGHUP as requests to stop."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from hypercone.errors import InputError, Interrupted, ResourceError
from hypercone.runs import Checkpointing
from hypercone.runs.folder import MANIFEST

# Seconds after a signal until an epoch that is still running is aborted; the last checkpoint remains.
PATIENCE = 8.0
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class SecondSignal(KeyboardInterrupt):
    """A second signal, which stops at once, without a checkpoint."""

    exit_code = 130


class StopRequest:
    """Whether a signal has arrived, and which."""

    def __init__(self, final_message: Callable[[], str]) -> None:
        # Returns the message for an end without a new checkpoint.
        self.final_message = final_message
        self.signal: int | None = None

    def __call__(self) -> bool:
        """Whether to stop."""
        return self.signal is not None

    @property
    def exit_code(self) -> int:
        """The exit code by the convention of shells: 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP."""
        return 128 + (self.signal or signal.SIGINT)

    def receive(self, number: int, frame: object) -> None:
        """Handle a signal."""
        if self.signal is None:
            self.signal = number
            return
        second = SecondSignal(self.final_message())
        second.exit_code = 128 + number
        raise second


@contextlib.contextmanager
def stop_requests(final_message: Callable[[], str]) -> Iterator[StopRequest]:
    """Turn signals into a request to stop during the block, and restore their handlers afterwards.

    Signals that were ignored, as in a background job, stay ignored.
    """
    request = StopRequest(final_message)
    if threading.current_thread() is not threading.main_thread():
        yield request
        return
    usual = {number: signal.getsignal(number) for number in SIGNALS}
    taken = {number: handler for number, handler in usual.items() if handler not in (signal.SIG_IGN, None)}
    for number in taken:
        signal.signal(number, request.receive)
    try:
        with _watchdog(request):
            yield request
    finally:
        for number, handler in taken.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _watchdog(request: StopRequest) -> Iterator[None]:
    """End the process if the block is still running PATIENCE seconds after a signal.

    Python runs signal handlers only between bytecode instructions, and an epoch is a single one. The wakeup file
    descriptor is written to at once, and wakes a thread.
    """
    reading, writing = socket.socketpair()
    writing.setblocking(False)
    before = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    done = threading.Event()

    def watch() -> None:
        woken = reading.recv(1)
        if woken and not done.wait(PATIENCE):
            try:
                _write_error(f"\nhypercone: interrupted; {request.final_message()}\n")
            finally:
                os._exit(128 + woken[0])

    thread = threading.Thread(target=watch, name="stop watchdog", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        signal.set_wakeup_fd(before)
        writing.close()
        thread.join()
        reading.close()


def _write_error(text: str) -> None:
    """Write to standard error, but do not wait for a reader that does not read."""

    def write() -> None:
        with contextlib.suppress(OSError):
            os.write(2, text.encode(errors="backslashreplace"))

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    thread.join(1.0)


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add --run and the options of a run."""
    group = parser.add_argument_group("runs", "checkpoints, from which a fit that was killed can be resumed")
    group.add_argument("--run", metavar="FOLDER", help="write checkpoints to this folder")
    group.add_argument("--resume", action="store_true", help="resume the run in that folder, if there is one")
    group.add_argument(
        "--checkpoint-epochs", type=int, metavar="N", help="also write a checkpoint after every N epochs"
    )
    group.add_argument("--checkpoint-seconds", type=float, metavar="S", help="seconds between checkpoints (default 15)")


@contextlib.contextmanager
def checkpointing(options: argparse.Namespace) -> Iterator[Checkpointing | None]:
    """The checkpointing that the options describe; Ctrl-C and SIGTERM end it with a checkpoint and how to resume."""
    if options.run is None:
        _check_run_options(options)
        yield None
        return
    _check_folders(Path(options.run), Path(options.output))
    how = f"go on with: {_command_to_resume(options.arguments)}"
    run = Path(options.run).absolute()

    def final_message() -> str:
        is_there = (run / MANIFEST).exists()
        return f"{'the last checkpoint is kept' if is_there else 'there is no checkpoint yet'} in {options.run}; {how}"

    with stop_requests(final_message) as stop:
        try:
            yield _run(options, stop)
        except Interrupted as interrupted:
            ending = Interrupted(f"{interrupted}; {how}")
            ending.exit_code = stop.exit_code
            raise ending from None
        except ResourceError as error:
            raise ResourceError(f"{error}; {how}") from error
        except MemoryError:
            raise ResourceError(f"out of memory; {final_message()}") from None


def _check_folders(run: Path, output: Path) -> None:
    if output.resolve() in (run.resolve(), *run.resolve().parents):
        raise InputError(f"--run {run} is -o {output} or inside it; give the checkpoints a folder of their own")


def _run(options: argparse.Namespace, stop: StopRequest) -> Checkpointing:
    seconds = {} if options.checkpoint_seconds is None else {"every_seconds": options.checkpoint_seconds}
    return Checkpointing(
        options.run,
        resume=options.resume,
        every_epochs=options.checkpoint_epochs,
        should_stop=stop,
        tell=_print_note,
        **seconds,
    )


def _print_note(sentence: str) -> None:
    with contextlib.suppress(OSError):
        print(sentence, file=sys.stderr, flush=True)


def _check_run_options(options: argparse.Namespace) -> None:
    for name in ("resume", "checkpoint_epochs", "checkpoint_seconds"):
        if getattr(options, name) not in (None, False):
            raise InputError(f"--{name.replace('_', '-')} needs --run FOLDER, where the checkpoints are")


def _command_to_resume(arguments: list[str]) -> str:
    """The command that resumes the run.

    >>> _command_to_resume(["fit", "my edges.tsv", "-o", "model", "--run", "r"])
    "hypercone fit --resume 'my edges.tsv' -o model --run r"
    """
    command, *rest = arguments
    again = [] if "--resume" in rest else ["--resume"]
    same = " (with the same input)" if "-" in rest else ""
    return shlex.join(["hypercone", command, *again, *rest]) + same
