"""Worker threads, the limit on concurrent requests, deadlines, and the log."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from hypercone._system import usable_cores
from hypercone.service.errors import busy, late

Result = TypeVar("Result")
FEWEST_THREADS = 4


class Workers:
    """A thread pool, and a limited number of slots for requests that are being answered."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self.taken = 0
        self._pool = ThreadPoolExecutor(max(FEWEST_THREADS, usable_cores()), "hypercone")

    def acquire_slot(self) -> None:
        """Acquire a slot for a request; raise a refusal if all are taken."""
        if self.taken >= self._slots:
            raise busy(f"{self._slots} requests are being answered, which is the most at once; try again")
        self.taken += 1

    def release_slot(self) -> None:
        """Release a slot."""
        self.taken -= 1

    async def run(self, function: Callable[[], Result], deadline: Deadline) -> Result:
        """Run the function in a thread and return its result; raise a refusal if it takes too long.

        A thread that is still running holds a slot until it ends, so that late work cannot accumulate.
        """
        future = self._pool.submit(function)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), deadline.seconds_left())
        except TimeoutError:
            self._hold_slot(future)
            raise late(deadline.seconds) from None

    def _hold_slot(self, future: Future[Result]) -> None:
        if future.cancel() or future.done():
            return
        self.taken += 1
        loop = asyncio.get_running_loop()

        def release(_: Future[Result]) -> None:
            # The loop may be closed, in which case no request needs the slot.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self.release_slot)

        future.add_done_callback(release)

    def end(self) -> None:
        """Start no more work."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class Deadline:
    """The time by which a request must be answered.

    >>> Deadline(60).seconds_left() > 59
    True
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def seconds_left(self) -> float:
        """The remaining seconds, at least 0."""
        return max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        """Raise a refusal if the time is over; long computations call this, since threads cannot be stopped."""
        if time.monotonic() > self._end:
            raise late(self.seconds)


def describe_error(error: BaseException) -> str:
    """The error and its location in one line.

    >>> try:
    ...     _ = 1 / 0
    ... except ZeroDivisionError as error:
    ...     describe_error(error).split(" (")[0]
    'ZeroDivisionError: division by zero'
    """
    text = " ".join(f"{type(error).__name__}: {error}".split())
    frames = traceback.extract_tb(error.__traceback__, limit=-1)
    return f"{text} ({frames[0].filename}:{frames[0].lineno})" if frames else text


def log_line(message: str) -> None:
    """Write a line to standard error."""
    print(f"hypercone: {message}", file=sys.stderr, flush=True)


class OneLineHandler(logging.Handler):
    """Writes errors of uvicorn and asyncio as one line each."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line per record."""
        error = record.exc_info[1] if record.exc_info else None
        text = " ".join(record.getMessage().split())
        log_line(f"error: {text}" + (f": {describe_error(error)}" if error is not None else ""))


def log_errors_in_one_line() -> None:
    """Make uvicorn and asyncio log only errors, in one line each; malformed requests are not errors."""
    for name in ("uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [OneLineHandler(logging.ERROR)], False
        logger.setLevel(logging.ERROR)
