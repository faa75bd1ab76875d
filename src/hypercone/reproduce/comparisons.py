"""Two recipes compared seed by seed, and what follows for a claim: confirmed, refuted, or neither."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hypercone.errors import plural

# Repetitions of one recipe differ by about a point of F1, so smaller differences are not significant.
NOISE = 1.0


class Cell(NamedTuple):
    """What is repeated with other seeds: a variant of an experiment, or a method under a recipe of the table."""

    group: str
    name: str
    dim: int
    percent: float


@dataclass(frozen=True)
class Comparison:
    """Two recipes on the same seeds; ``difference`` is the mean of one minus other, in points of F1 or percent of time.

    A claim may be that it is more than ``by``. ``cells`` are those whose seeds it is made from.
    """

    one: str
    relation: str
    other: str
    difference: float
    error: float
    seeds: int
    by: float = 0.0
    cells: tuple[Cell, ...] = field(default=(), compare=False)

    @property
    def is_significant(self) -> bool:
        """Whether the difference is beyond the noise: more than a point (or ``by``) and two standard errors."""
        return abs(self.difference - self.by) > max(0.0 if self.by else NOISE, 2 * self.error)

    @property
    def is_decided(self) -> bool:
        """Whether the difference is at least two standard errors from where the outcome would change.

        >>> compare("a", [90.0, 91.0, 92.0], "better than", "b", [80.0, 82.0, 81.0]).is_decided
        True
        >>> compare("a", [90.0, 91.0, 92.0], "better than", "b", [89.0, 91.0, 88.0]).is_decided
        False
        """
        if self.by:
            borders = [self.by]
        elif self.relation == "as good as":
            borders = [-NOISE]
        else:
            borders = [-NOISE, NOISE]
        return self.seeds > 1 and all(abs(self.difference - border) >= 2 * self.error for border in borders)

    @property
    def outcome(self) -> str:
        """``confirmed``, ``refuted`` if the opposite holds, ``not confirmed`` or ``not run``."""
        if not self.seeds:
            return "not run"
        if self.relation == "as good as":
            # Better also counts as "as good as".
            return "refuted" if self.is_significant and self.difference < 0 else "confirmed"
        if not self.is_significant:
            return "not confirmed"
        return "confirmed" if self.difference > self.by else "refuted"

    def __str__(self) -> str:
        measured = f"{self.difference:+.1f} ± {self.error:.1f}" if self.seeds else "no trials yet"
        seeds = f", {plural(self.seeds, 'seed')}" if self.seeds else ""
        return f"{self.one} {self.relation} {self.other}: {self.outcome} ({measured}{seeds})"


def compare(
    one: str,
    f1: Sequence[float],
    relation: str,
    other: str,
    other_f1: Sequence[float],
    by: float = 0.0,
    cells: tuple[Cell, ...] = (),
) -> Comparison:
    """Compare the F1 of two recipes, given for the same seeds in the same order.

    >>> str(compare("a", [90.0, 91.0, 92.0], "better than", "b", [80.0, 82.0, 81.0]))
    'a better than b: confirmed (+10.0 ± 0.6, 3 seeds)'
    """
    differences = [mine - theirs for mine, theirs in zip(f1, other_f1, strict=False)]
    if not differences:
        return Comparison(one, relation, other, 0.0, 0.0, 0, by, cells)
    error = statistics.stdev(differences) / math.sqrt(len(differences)) if len(differences) > 1 else 0.0
    return Comparison(one, relation, other, statistics.fmean(differences), error, len(differences), by, cells)


def compare_by_seed(
    one: str,
    figures: Mapping[int, float],
    relation: str,
    other: str,
    others: Mapping[int, float],
    by: float = 0.0,
    cells: tuple[Cell, ...] = (),
) -> Comparison:
    """Compare two recipes on the seeds that both have.

    >>> compare_by_seed("a", {0: 90.0, 1: 91.0}, "better than", "b", {1: 81.0, 2: 82.0}).difference
    10.0
    """
    seeds = sorted(figures.keys() & others.keys())
    mine, theirs = ([known[seed] for seed in seeds] for known in (figures, others))
    return compare(one, mine, relation, other, theirs, by, cells)


def verdict_of(comparisons: Sequence[Comparison]) -> str:
    """The verdict on a claim from the outcomes of its comparisons.

    >>> verdict_of([])
    'measured'
    """
    outcomes = {comparison.outcome for comparison in comparisons}
    if not outcomes:
        return "measured"
    return outcomes.pop() if len(outcomes) == 1 else "partly confirmed" if "confirmed" in outcomes else "refuted"
