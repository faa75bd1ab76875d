"""When the next checkpoint is due."""

from __future__ import annotations

import time

from hypercone.runs.run import Run

# Writing may take this part of the time at most, where the user has not said after how many epochs to write.
LARGEST_SHARE = 0.03


class Cadence:
    """Counts epochs and seconds since the last checkpoint, and what that cost."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.epochs = 0
        self.cost = 0.0
        self.last = time.perf_counter()

    def is_due(self) -> bool:
        """Whether to write one after this epoch."""
        self.epochs += 1
        if self.run.epochs is not None and self.epochs >= self.run.epochs:
            return True
        elapsed = time.perf_counter() - self.last
        # A clock that was set back must not put checkpoints off.
        return not 0 <= elapsed < max(self.run.seconds, self.cost / LARGEST_SHARE)

    def wrote(self, started: float) -> None:
        """Begin to count anew, after a checkpoint whose writing began then."""
        self.epochs, self.last = 0, time.perf_counter()
        self.cost = max(0.0, self.last - started)
