"""Whether one recipe is better than another or as good, seed by seed, and what that says of a claim."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

# Repeats of one recipe differ by about a point of F1: less is no difference.
NOISE = 1.0


@dataclass(frozen=True)
class Comparison:
    """Two recipes on the same seeds; ``difference`` is the mean of one minus other, in points of F1."""

    one: str
    relation: str
    other: str
    difference: float
    error: float
    seeds: int

    @property
    def is_significant(self) -> bool:
        """Whether the difference is more than noise: over a point, and over two standard errors."""
        return abs(self.difference) > max(NOISE, 2 * self.error)

    @property
    def outcome(self) -> str:
        """``confirmed``, ``refuted`` where the opposite holds, ``not confirmed`` or ``not run``."""
        if not self.seeds:
            return "not run"
        if self.relation == "as good as":
            # To be better is as good as, too.
            return "refuted" if self.is_significant and self.difference < 0 else "confirmed"
        if not self.is_significant:
            return "not confirmed"
        return "confirmed" if self.difference > 0 else "refuted"

    def __str__(self) -> str:
        measured = f"{self.difference:+.1f} ± {self.error:.1f}" if self.seeds else "no trials yet"
        return f"{self.one} {self.relation} {self.other}: {self.outcome} ({measured})"


def compare(one: str, f1: Sequence[float], relation: str, other: str, other_f1: Sequence[float]) -> Comparison:
    """Compare figures of the same seeds in the same order.

    >>> str(compare("a", [90.0, 91.0, 92.0], "better than", "b", [80.0, 82.0, 81.0]))
    'a better than b: confirmed (+10.0 ± 0.6)'
    """
    differences = [mine - theirs for mine, theirs in zip(f1, other_f1, strict=False)]
    if not differences:
        return Comparison(one, relation, other, 0.0, 0.0, 0)
    error = statistics.stdev(differences) / math.sqrt(len(differences)) if len(differences) > 1 else 0.0
    return Comparison(one, relation, other, statistics.fmean(differences), error, len(differences))


def verdict_of(comparisons: Sequence[Comparison]) -> str:
    """One word for a claim that takes several comparisons.

    >>> verdict_of([])
    'measured'
    """
    outcomes = {comparison.outcome for comparison in comparisons}
    if not outcomes:
        return "measured"
    return outcomes.pop() if len(outcomes) == 1 else "partly confirmed" if "confirmed" in outcomes else "refuted"
