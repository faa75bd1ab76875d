"""What is known while a construction runs, and a line of it for people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypercone.methods.scoring import Counts


@dataclass(frozen=True)
class ConstructionReport:
    """One step of a construction as seen from outside; handed to ``on_progress``."""

    stage: str
    iteration: int
    iterations: int
    seconds: float
    # Of the latest exact count, if there has been one.
    counts: Counts | None = None

    @property
    def is_last(self) -> bool:
        """Whether this stage is done."""
        return self.iteration == self.iterations

    def line(self) -> str:
        """All of it in one line.

        >>> ConstructionReport("overlap", 20, 600, 1.5, Counts(8, 2, 10)).line()
        'overlap 20/600  all-pairs F1 80.00  1.5 s'
        """
        parts = [f"{self.stage} {self.iteration}/{self.iterations}"]
        if self.counts is not None:
            parts.append(f"all-pairs F1 {100 * self.counts.f1:.2f}")
        return "  ".join([*parts, f"{self.seconds:.1f} s"])


OnProgress = Callable[[ConstructionReport], None]
