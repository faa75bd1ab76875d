"""What is known after each epoch, and a line of it for people."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TextIO

from hypercone.construction.progress import ConstructionReport
from hypercone.methods import Points


@dataclass(frozen=True)
class EpochReport:
    """One epoch as seen from outside; handed to ``on_epoch``."""

    stage: str
    epoch: int
    epochs: int
    loss: float
    violated: int
    active_negatives: int
    pairs_per_second: float
    seconds: float
    # Unknown after the first epoch, most of whose time may be the compiler's.
    seconds_left: float | None
    # Of the latest validation, if there has been one.
    validation_f1: float | None
    # Live: the next epoch moves them, so copy what is to be kept.
    points: Points | None = field(default=None, compare=False, repr=False)

    @property
    def is_last(self) -> bool:
        """Whether this stage is done."""
        return self.epoch == self.epochs

    def line(self) -> str:
        """All of it in one line."""
        parts = [
            f"{self.stage} epoch {self.epoch}/{self.epochs}",
            f"loss {self.loss:.4f}",
            f"active {self.active_negatives:,}",
            f"{self.pairs_per_second / 1e6:.1f} M pairs/s",
        ]
        if self.validation_f1 is not None:
            parts.append(f"validation F1 {100 * self.validation_f1:.2f}")
        if self.seconds_left is not None:
            parts.append(f"{self.seconds_left:.0f} s left")
        return "  ".join(parts)


OnEpoch = Callable[[EpochReport], None]


class ProgressLine:
    """Prints reports: one line that rewrites itself on a terminal, a plain line now and then when piped."""

    def __init__(self, stream: TextIO | None = None, interval: float = 5.0) -> None:
        self.stream = stream or sys.stderr
        self.live = self.stream.isatty()
        self.interval = interval
        self._last = float("-inf")
        self._is_open = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        """End the line, so that whatever is printed next stands on its own."""
        if self._is_open:
            self._write("\n")
        self._is_open = False

    def __call__(self, report: EpochReport | ConstructionReport) -> None:
        """Print one report, if it is time to."""
        finished = report.is_last
        if self.live:
            # A line that wraps could not be rewritten, so it is cut at the edge.
            line = report.line()[: shutil.get_terminal_size().columns - 1]
            self._write(f"\r\x1b[2K{line}" + ("\n" if finished else ""))
            self._is_open = not finished
        elif finished or time.monotonic() - self._last >= self.interval:
            self._last = time.monotonic()
            self._write(report.line() + "\n")

    def _write(self, text: str) -> None:
        # Nobody reads it any more, or the log is on a full disk: no reason to stop a fit.
        with contextlib.suppress(OSError, ValueError):
            self.stream.write(text)
            self.stream.flush()
