"""Mean and spread over the seeds, and the difference from the paper."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from hypercone.reproduce.paper import paper_f1
from hypercone.reproduce.results import Row


@dataclass(frozen=True)
class Summary:
    """Test F1 in per cent over some seeds, and what the paper has in its place."""

    mean: float
    std: float
    seeds: int
    paper: float | None

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's."""
        return None if self.paper is None else self.mean - self.paper

    def __str__(self) -> str:
        """The mean, its spread and how far it is from the paper.

        >>> str(Summary(95.04, 0.41, 3, 92.8)), str(Summary(61.0, 0.0, 1, None))
        ('95.0 ± 0.4 (+2.2)', '61.0')
        """
        spread = f" ± {self.std:.1f}" if self.seeds > 1 else ""
        return f"{self.mean:.1f}{spread}" + ("" if self.difference is None else f" ({self.difference:+.1f})")


def summarise(rows: Iterable[Row], method: str, recipe: str, dim: int, percent: float) -> Summary | None:
    """The summary of one cell, or None if no seed of it has been run."""
    f1 = [row["test_f1"] for row in rows_of(rows, method, recipe, dim, percent)]
    return mean_of(f1, paper_f1(method, dim, percent)) if f1 else None


def rows_of(rows: Iterable[Row], method: str, recipe: str, dim: int, percent: float) -> list[Row]:
    """The seeds of one cell."""
    name = (method, recipe, dim, percent)
    return [row for row in rows if (row["method"], row["recipe"], row["dim"], row["percent"]) == name]


def mean_of(f1: list[float], paper: float | None = None) -> Summary:
    """The mean and the sample standard deviation.

    >>> mean_of([1.0, 2.0, 3.0]).std
    1.0
    """
    return Summary(statistics.fmean(f1), statistics.stdev(f1) if len(f1) > 1 else 0.0, len(f1), paper)
