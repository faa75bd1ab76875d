"""The claims in the paper's text: the trials or table cells that test each, and the verdict."""

from __future__ import annotations

import math
import statistics
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from typing import Any

from hypercone.reproduce.table1 import DIMS, PERCENTS, RECIPES, TABLE1, TITLES, Summary, mean_of, recipe_config
from hypercone.reproduce.trials import Results, Row, Trial
from hypercone.training import FitConfig

TABLE_CLAIMS = {
    "best-above-zero": "Hyperbolic cones are better than all baselines in all settings but 0 %.",
    "order-at-zero": "Order embeddings are best at 0 %.",
    "growth": "Hyperbolic cones have the largest growth when edges of the closure are added to the training set.",
}


def table_comparisons(claim: str, rows: Sequence[Row]) -> list[Comparison]:
    """The comparisons behind a claim about the table, within each recipe and dimension."""
    return [found for recipe in RECIPES for dim in DIMS for found in _CLAIM_CHECKS[claim](_Column(rows, recipe, dim))]


class _Column:
    """The results of one recipe and dimension."""

    def __init__(self, rows: Sequence[Row], recipe: str, dim: int) -> None:
        self.recipe, self.dim = recipe, dim
        self.rows = [row for row in rows if row["recipe"] == recipe and row["dim"] == dim]

    def f1(self, method: str, percent: float) -> list[float]:
        """The test F1 of each seed."""
        found = [row for row in self.rows if row["method"] == method and row["percent"] == percent]
        return [row["test_f1"] for row in sorted(found, key=lambda row: row["seed"])]

    def growth(self, method: str) -> list[float]:
        """The gain of each seed from the smallest to the largest training set."""
        least, most = self.f1(method, PERCENTS[0]), self.f1(method, PERCENTS[-1])
        return [after - before for before, after in zip(least, most, strict=False)]

    def place(self, method: str, percent: float | None = None) -> str:
        """The description of one side of a comparison."""
        at = "" if percent is None else f", {percent:g} %"
        return f"{TITLES[method]} ({self.recipe}, d = {self.dim}{at})"


def _best_above_zero(column: _Column) -> Iterator[Comparison]:
    for percent in PERCENTS[1:]:
        best, mine = _best_of_others(column, "hyperbolic-cones", percent)
        yield compare(column.place("hyperbolic-cones", percent), mine, "better than", *best)


def _order_at_zero(column: _Column) -> Iterator[Comparison]:
    best, mine = _best_of_others(column, "order", 0)
    yield compare(column.place("order", 0), mine, "better than", *best)


def _growth(column: _Column) -> Iterator[Comparison]:
    others = {TITLES[method]: column.growth(method) for method in TABLE1 if method != "hyperbolic-cones"}
    place = f"growth of {column.place('hyperbolic-cones')}"
    yield compare(place, column.growth("hyperbolic-cones"), "better than", *_largest(others))


def _best_of_others(column: _Column, method: str, percent: float) -> tuple[tuple[str, list[float]], list[float]]:
    others = {TITLES[other]: column.f1(other, percent) for other in TABLE1 if other != method}
    return _largest(others), column.f1(method, percent)


def _largest(figures: dict[str, list[float]]) -> tuple[str, list[float]]:
    """The entry with the highest mean."""
    return max(figures.items(), key=lambda item: sum(item[1]) / len(item[1]) if item[1] else float("-inf"))


_CLAIM_CHECKS: dict[str, Callable[[_Column], Iterator[Comparison]]] = {
    "best-above-zero": _best_above_zero,
    "order-at-zero": _order_at_zero,
    "growth": _growth,
}


EXPERIMENTS: dict[str, dict[str, Any]] = tomllib.loads(
    (resources.files("hypercone.reproduce") / "claims.toml").read_text(encoding="utf-8")
)
CLAIMS = (*EXPERIMENTS, *TABLE_CLAIMS)


@dataclass(frozen=True)
class Verdict:
    """A claim, its verdict, and the comparisons and figures behind it."""

    claim: str
    says: str
    verdict: str
    comparisons: list[Comparison]
    figures: dict[str, Summary]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def claim_trials(names: Iterable[str], seeds: int) -> list[Trial]:
    """The trials of these claims; claims about the table need no trials of their own."""
    cells = (cell for name in names if name in EXPERIMENTS for cell in _cells(name))
    return [trial for claim, variant, dim, percent in cells for trial in _trials(claim, variant, dim, percent, seeds)]


def judge(names: Iterable[str], seeds: int, results: Results, table: Results) -> list[Verdict]:
    """The verdict on each claim, from its own trials or from the table."""
    return [
        _judge_experiment(name, seeds, results, table) if name in EXPERIMENTS else _judge_table(name, seeds, table)
        for name in names
    ]


def report(verdicts: Iterable[Verdict]) -> str:
    """The verdicts in Markdown."""
    return "\n".join(line for verdict in verdicts for line in _lines(verdict))


def _lines(verdict: Verdict) -> list[str]:
    figures = [f"| {name} | {summary} |" for name, summary in verdict.figures.items()]
    table = ["", "| variant | test F1 |", "|---|---|", *figures] if figures else []
    found = [f"- {comparison}" for comparison in verdict.comparisons]
    return [f"### {verdict.claim}: {verdict.verdict}", "", verdict.says, *table, "", *found, ""]


def _cells(claim: str) -> Iterable[tuple[str, str, int, float]]:
    for cell in EXPERIMENTS[claim]["cells"]:
        for variant in EXPERIMENTS[claim]["variants"]:
            yield claim, variant, cell["dim"], cell["percent"]


def _trials(claim: str, variant: str, dim: int, percent: float, seeds: int) -> list[Trial]:
    settings = dict(EXPERIMENTS[claim]["variants"][variant])
    method, recipe = settings.pop("method"), settings.pop("recipe")
    configs = (recipe_config(method, recipe, dim, percent, seed) for seed in range(seeds))
    return [Trial(f"{claim}: {variant}", percent, FitConfig(**config.as_dict() | settings)) for config in configs]


def _judge_experiment(claim: str, seeds: int, *results: Results) -> Verdict:
    experiment, comparisons = EXPERIMENTS[claim], []
    figures: dict[str, Summary] = {}
    for cell in experiment["cells"]:
        place = f"d = {cell['dim']}, {cell['percent']} %"
        trials = {variant: _trials(claim, variant, **cell, seeds=seeds) for variant in experiment["variants"]}
        f1 = {variant: _test_f1(trials[variant], results) for variant in trials}
        figures |= {f"{variant}, {place}": mean_of(values) for variant, values in f1.items() if values}
        for one, relation, other in experiment.get("expect", []):
            comparisons.append(compare(f"{one} ({place})", f1[one], relation, other, f1[other]))
    return Verdict(claim, experiment["says"], verdict_of(comparisons), comparisons, figures)


def _judge_table(claim: str, seeds: int, table: Results) -> Verdict:
    comparisons = table_comparisons(claim, [row for row in table.cells if row["seed"] < seeds])
    return Verdict(claim, TABLE_CLAIMS[claim], verdict_of(comparisons), comparisons, {})


def _test_f1(trials: Sequence[Trial], results: Sequence[Results]) -> list[float]:
    rows = (next((row for known in results if (row := known.find(trial))), None) for trial in trials)
    return [row["test_f1"] for row in rows if row is not None]


# Repetitions of one recipe differ by about a point of F1, so smaller differences are not significant.
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
        """Whether the difference exceeds the noise: more than a point and more than two standard errors."""
        return abs(self.difference) > max(NOISE, 2 * self.error)

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
        return "confirmed" if self.difference > 0 else "refuted"

    def __str__(self) -> str:
        measured = f"{self.difference:+.1f} ± {self.error:.1f}" if self.seeds else "no trials yet"
        return f"{self.one} {self.relation} {self.other}: {self.outcome} ({measured})"


def compare(one: str, f1: Sequence[float], relation: str, other: str, other_f1: Sequence[float]) -> Comparison:
    """Compare the F1 of two recipes, given for the same seeds in the same order.

    >>> str(compare("a", [90.0, 91.0, 92.0], "better than", "b", [80.0, 82.0, 81.0]))
    'a better than b: confirmed (+10.0 ± 0.6)'
    """
    differences = [mine - theirs for mine, theirs in zip(f1, other_f1, strict=False)]
    if not differences:
        return Comparison(one, relation, other, 0.0, 0.0, 0)
    error = statistics.stdev(differences) / math.sqrt(len(differences)) if len(differences) > 1 else 0.0
    return Comparison(one, relation, other, statistics.fmean(differences), error, len(differences))


def verdict_of(comparisons: Sequence[Comparison]) -> str:
    """The verdict on a claim from the outcomes of its comparisons.

    >>> verdict_of([])
    'measured'
    """
    outcomes = {comparison.outcome for comparison in comparisons}
    if not outcomes:
        return "measured"
    return outcomes.pop() if len(outcomes) == 1 else "partly confirmed" if "confirmed" in outcomes else "refuted"
