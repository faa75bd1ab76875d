"""The time a request has."""

from __future__ import annotations

import time

from hypercone.service.refusals import late


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
