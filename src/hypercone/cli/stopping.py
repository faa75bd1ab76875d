"""Ctrl-C and SIGTERM as a request to stop soon, with a limit on how soon."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator

# An epoch that lasts longer than this after a signal is given up; the last checkpoint stands.
PATIENCE = 8.0


class StopRequest:
    """Whether a signal has come, and which."""

    def __init__(self, farewell: str) -> None:
        # What to say when there is no time left to say anything better.
        self.farewell = farewell
        self.signal: int | None = None

    def __call__(self) -> bool:
        """Whether to stop."""
        return self.signal is not None

    @property
    def exit_code(self) -> int:
        """As shells have it: 130 after Ctrl-C, 143 after SIGTERM."""
        return 128 + (self.signal or signal.SIGINT)

    def receive(self, number: int, frame: object) -> None:
        """Take a signal; whoever asks twice does not want to wait."""
        if self.signal is not None:
            raise KeyboardInterrupt(self.farewell)
        self.signal = number


@contextlib.contextmanager
def stop_requests(farewell: str) -> Iterator[StopRequest]:
    """Turn signals into a request during the block, after which they mean what they meant before."""
    request = StopRequest(farewell)
    if threading.current_thread() is not threading.main_thread():
        yield request
        return
    before = {number: signal.signal(number, request.receive) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with _watchdog(request):
            yield request
    finally:
        for number, handler in before.items():
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
            print(f"\nhypercone: interrupted; {request.farewell}", file=sys.stderr, flush=True)
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
