"""Threads for what takes long, so that quick answers need not wait; and how many requests are worked on at once."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from hypercone._system import usable_cores
from hypercone.service.deadline import Deadline
from hypercone.service.refusals import busy, late

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
