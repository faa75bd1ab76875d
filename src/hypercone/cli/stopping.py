"""How a fit is stopped and kept: --run and --resume, and Ctrl-C, SIGTERM or a lost terminal as a request to stop."""

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

# An epoch that lasts longer than this after a signal is given up; the last checkpoint stands.
PATIENCE = 8.0
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Impatience(KeyboardInterrupt):
    """A second signal: whoever asks twice does not want to wait."""

    exit_code = 130


class StopRequest:
    """Whether a signal has come, and which."""

    def __init__(self, farewell: Callable[[], str]) -> None:
        # What to say when there is no time left to say anything better.
        self.farewell = farewell
        self.signal: int | None = None

    def __call__(self) -> bool:
        """Whether to stop."""
        return self.signal is not None

    @property
    def exit_code(self) -> int:
        """As shells have it: 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP."""
        return 128 + (self.signal or signal.SIGINT)

    def receive(self, number: int, frame: object) -> None:
        """Take a signal."""
        if self.signal is None:
            self.signal = number
            return
        impatience = Impatience(self.farewell())
        impatience.exit_code = 128 + number
        raise impatience


@contextlib.contextmanager
def stop_requests(farewell: Callable[[], str]) -> Iterator[StopRequest]:
    """Turn signals into a request during the block, after which they mean what they meant before.

    Those that were ignored, as of a job in the background, stay so.
    """
    request = StopRequest(farewell)
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
    """End the process if the block goes on for long after a signal.

    Python runs a handler only between two of its own steps, and an epoch is one step: but the byte that the system
    writes for each signal wakes a thread at once.
    """
    reading, writing = socket.socketpair()
    writing.setblocking(False)
    before = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    done = threading.Event()

    def watch() -> None:
        woken = reading.recv(1)
        if woken and not done.wait(PATIENCE):
            try:
                _say(f"\nhypercone: interrupted; {request.farewell()}\n")
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


def _say(text: str) -> None:
    """Write to standard error, without waiting for a reader who does not read."""

    def write() -> None:
        with contextlib.suppress(OSError):
            os.write(2, text.encode(errors="backslashreplace"))

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    thread.join(1.0)


def add_run(parser: argparse.ArgumentParser) -> None:
    """--run and what goes with it."""
    group = parser.add_argument_group("runs", "checkpoints, so that a fit that was killed can go on where it was")
    group.add_argument("--run", metavar="FOLDER", help="keep checkpoints in this folder")
    group.add_argument("--resume", action="store_true", help="go on with the run in that folder, if there is one")
    group.add_argument("--checkpoint-epochs", type=int, metavar="N", help="a checkpoint after every N epochs, too")
    group.add_argument("--checkpoint-seconds", type=float, metavar="S", help="seconds between checkpoints (default 15)")


@contextlib.contextmanager
def keeping(options: argparse.Namespace) -> Iterator[Checkpointing | None]:
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


def _refuse_one_in_the_other(run: Path, output: Path) -> None:
    if output.resolve() in (run.resolve(), *run.resolve().parents):
        raise InputError(f"--run {run} is -o {output} or inside it; give the checkpoints a folder of their own")


def _run(options: argparse.Namespace, stop: StopRequest) -> Checkpointing:
    seconds = {} if options.checkpoint_seconds is None else {"every_seconds": options.checkpoint_seconds}
    return Checkpointing(
        options.run,
        resume=options.resume,
        every_epochs=options.checkpoint_epochs,
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
