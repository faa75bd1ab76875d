"""Ctrl-C, SIGTERM and a lost terminal as a request to stop soon, with a limit on how soon."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator

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
