"""Threads for what takes long, how much is worked on at once, the time a request has, and the log."""

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
    """A few threads, and a place for each request that is being answered."""

    def __init__(self, places: int) -> None:
        self._places = places
        self.taken = 0
        self._pool = ThreadPoolExecutor(max(FEWEST_THREADS, usable_cores()), "hypercone")

    def take_place(self) -> None:
        """Take a place for one request, or raise the refusal if there is none."""
        if self.taken >= self._places:
            raise busy(f"{self._places} requests are being answered, which is the most at once; try again")
        self.taken += 1

    def free_place(self) -> None:
        """Give the place back."""
        self.taken -= 1

    async def run(self, function: Callable[[], Result], deadline: Deadline) -> Result:
        """What the function returns from a thread, or the refusal if that takes too long.

        A thread that is still at it keeps a place of its own until it ends, so that late work cannot pile up.
        """
        future = self._pool.submit(function)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), deadline.left())
        except TimeoutError:
            self._keep_place(future)
            raise late(deadline.seconds) from None

    def _keep_place(self, future: Future[Result]) -> None:
        if future.cancel() or future.done():
            return
        self.taken += 1
        loop = asyncio.get_running_loop()

        def give_back(_: Future[Result]) -> None:
            # After the loop has ended there is nobody left to wait for a place.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self.free_place)

        future.add_done_callback(give_back)

    def end(self) -> None:
        """Start nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class Deadline:
    """A moment from which on an answer is too late.

    >>> Deadline(60).left() > 59
    True
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """The seconds that are left, 0 if none."""
        return max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        """Raise the refusal if the time is over: nobody can stop a thread, so a long computation asks by itself."""
        if time.monotonic() > self._end:
            raise late(self.seconds)


def one_line(error: BaseException) -> str:
    """What went wrong and where, without line breaks.

    >>> try:
    ...     _ = 1 / 0
    ... except ZeroDivisionError as error:
    ...     one_line(error).split(" (")[0]
    'ZeroDivisionError: division by zero'
    """
    words = " ".join(f"{type(error).__name__}: {error}".split())
    frames = traceback.extract_tb(error.__traceback__, limit=-1)
    return f"{words} ({frames[0].filename}:{frames[0].lineno})" if frames else words


def note(message: str) -> None:
    """Write a line to the log."""
    print(f"hypercone: {message}", file=sys.stderr, flush=True)


class OneLine(logging.Handler):
    """What uvicorn and asyncio report, in our way."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line for a record."""
        error = record.exc_info[1] if record.exc_info else None
        words = " ".join(record.getMessage().split())
        note(f"error: {words}" + (f": {one_line(error)}" if error is not None else ""))


def take_over() -> None:
    """Let the libraries below speak of errors only, a line each; what strangers send them is no error."""
    for name in ("uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [OneLine(logging.ERROR)], False
        logger.setLevel(logging.ERROR)
