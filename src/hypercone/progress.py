"""One event for every long step, and the two ways to show such events: a line, or a table in its place."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Progress:
    """How far a stage of a fit is: so many epochs or iterations of all, and the figures that are known by then."""

    stage: str
    done: int
    total: int
    unit: str
    # Of epochs since their stage began, of the iterations of a construction since the fit did.
    seconds: float
    # Unknown after the first epoch, most of whose time may be the compiler's.
    seconds_left: float | None = None
    loss: float | None = None
    violated: int | None = None
    active_negatives: int | None = None
    pairs_per_second: float | None = None
    # Of the latest validation, if there has been one.
    validation_f1: float | None = None
    # Of the latest exact count of a construction.
    all_pairs_f1: float | None = None
    # Live: the next epoch moves them, so copy what is to be kept.
    points: NDArray[np.float64] | None = field(default=None, compare=False, repr=False)

    @property
    def epoch(self) -> int:
        """What is done, where it is counted in epochs."""
        return self.done

    @property
    def epochs(self) -> int:
        """All there is to do, where it is counted in epochs."""
        return self.total

    @property
    def is_last(self) -> bool:
        """Whether this stage is done."""
        return self.done == self.total

    def line(self) -> str:
        """All of it in one line.

        >>> Progress("free caps", 20, 600, "iteration", 1.5, all_pairs_f1=0.8).line()
        'free caps 20/600  all-pairs F1 80.00  1.5 s'
        """
        in_epochs = self.unit == "epoch"
        parts = [f"{self.stage} {'epoch ' if in_epochs else ''}{self.done}/{self.total}"]
        if self.loss is not None:
            parts.append(f"loss {self.loss:.4f}")
        if self.active_negatives is not None:
            parts.append(f"active {self.active_negatives:,}")
        if self.pairs_per_second is not None:
            parts.append(f"{self.pairs_per_second / 1e6:.1f} M pairs/s")
        if self.validation_f1 is not None:
            parts.append(f"validation F1 {100 * self.validation_f1:.2f}")
        if self.all_pairs_f1 is not None:
            parts.append(f"all-pairs F1 {100 * self.all_pairs_f1:.2f}")
        if not in_epochs:
            parts.append(f"{self.seconds:.1f} s")
        elif self.seconds_left is not None:
            parts.append(f"{self.seconds_left:.0f} s left")
        return "  ".join(parts)


OnProgress = Callable[[Progress], None]
# What an event was called when it was of epochs only.
EpochReport = Progress


class EpochReporter:
    """Tells of the epochs of one stage as they are done, and how long those that are left will take."""

    def __init__(self, tell: OnProgress, stage: str, done: int, total: int) -> None:
        self.tell, self.stage, self.total = tell, stage, total
        # Of a stage that goes on from a checkpoint, the epochs before it were another run's.
        self.first = done + 1
        self.started = time.perf_counter()
        self.after_first = 0.0

    def __call__(self, epoch: int, **figures: Any) -> None:
        """Report that so many epochs are done."""
        seconds, left = time.perf_counter() - self.started, None
        if epoch == self.first:
            self.after_first = seconds
        else:
            left = (seconds - self.after_first) / (epoch - self.first) * (self.total - epoch)
        self.tell(Progress(self.stage, epoch, self.total, "epoch", seconds, left, **figures))


class ProgressLine:
    """Prints events: one line that rewrites itself on a terminal, a plain line now and then when piped."""

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

    def __call__(self, event: Progress) -> None:
        """Print one event, if it is time to."""
        if self.live:
            # A line that wraps could not be rewritten, so it is cut at the edge.
            line = event.line()[: shutil.get_terminal_size().columns - 1]
            self._write(f"\r\x1b[2K{line}" + ("\n" if event.is_last else ""))
            self._is_open = not event.is_last
        elif event.is_last or time.monotonic() - self._last >= self.interval:
            self._last = time.monotonic()
            self._write(event.line() + "\n")

    def _write(self, text: str) -> None:
        # Nobody reads it any more, or the log is on a full disk: no reason to stop a fit.
        with contextlib.suppress(OSError, ValueError):
            self.stream.write(text)
            self.stream.flush()


class LiveTable:
    """Shows the latest state of a table while it fills: in its place on a terminal, line by line when piped."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.is_live = stream.isatty()
        self._height = 0

    def show(self, table: str, news: str) -> None:
        """The table in the place of the one before; or only the news, where a line cannot be taken back."""
        if not self.is_live:
            self.stream.write(news + "\n")
        else:
            up = f"\x1b[{self._height}F\x1b[J" if self._height else ""
            self.stream.write(f"{up}{table}\n{news}\n")
            self._height = table.count("\n") + 2
        self.stream.flush()
