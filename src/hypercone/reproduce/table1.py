"""Table 1 of the paper: its values, the recipes, the trials to reproduce it, and the table as text."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hypercone.errors import plural
from hypercone.reproduce.trials import DATASET, Results, Row, Trial
from hypercone.training import FitConfig
from hypercone.training.recipe import named_recipe, read_recipes

DIMS = (5, 10)
PERCENTS = (0, 10, 25, 50)

# Test F1 in percent, in the order of PERCENTS.
TABLE1 = {
    "euclidean": {5: (26.8, 71.3, 73.8, 72.8), 10: (29.4, 75.4, 78.4, 78.1)},
    "poincare": {5: (29.4, 70.2, 78.2, 83.6), 10: (28.9, 71.4, 82.0, 85.3)},
    "order": {5: (34.4, 70.2, 75.9, 81.7), 10: (43.0, 69.7, 79.4, 84.1)},
    "euclidean-cones": {5: (28.5, 69.7, 75.0, 77.4), 10: (31.3, 81.5, 84.5, 81.6)},
    "hyperbolic-cones": {5: (29.2, 80.1, 86.0, 92.8), 10: (32.2, 85.9, 91.0, 94.4)},
}

TITLES = {
    "euclidean": "Simple Euclidean",
    "poincare": "Poincaré",
    "order": "Order embeddings",
    "euclidean-cones": "Euclidean cones",
    "hyperbolic-cones": "Hyperbolic cones",
}

# Pairs per second of the released code on one core, 50 % of the nouns, 5 dimensions; measured, not from the paper.
AUTHORS_PAIRS_PER_SECOND = 0.25e6


def paper_f1(method: str, dim: int, percent: float) -> float | None:
    """The paper's test F1 in percent, or None if its table has no such cell.

    >>> paper_f1("hyperbolic-cones", 5, 50), paper_f1("order", 7, 50)
    (92.8, None)
    """
    if dim not in TABLE1[method] or percent not in PERCENTS:
        return None
    return TABLE1[method][dim][PERCENTS.index(int(percent))]


# Of every method; those of OWN_RECIPES are of hyperbolic cones alone, and shown only if they are asked for.
RECIPES = ("as published", "tuned")
OWN_RECIPES = ("strict", "given-edges", "from forest")


def recipe_config(method: str, recipe: str, dim: int, percent: float, seed: int) -> FitConfig:
    """The configuration of one cell.

    >>> recipe_config("order", "as published", 5, 50, 0).rate
    0.1
    """
    return FitConfig(method=method, dim=dim, seed=seed, **named_recipe(recipe, method, dim, percent))


@dataclass(frozen=True)
class Plan:
    """Which part of the table to run; by default all 40 cells, both recipes, three seeds."""

    methods: Sequence[str] = tuple(TABLE1)
    recipes: Sequence[str] = RECIPES
    dims: Sequence[int] = DIMS
    percents: Sequence[float] = PERCENTS
    seeds: Sequence[int] = range(3)
    source: str = DATASET
    is_released: bool = False

    def trials(self) -> list[Trial]:
        """One trial for each cell, recipe and seed."""
        return [
            Trial(recipe, percent, recipe_config(method, recipe, dim, percent, seed), self.source, self.is_released)
            for seed in self.seeds
            for method in self.methods
            for recipe in self.recipes_of(method)
            for dim in self.dims
            for percent in self.percents
        ]

    def recipes_of(self, method: str) -> list[str]:
        """The recipes of the plan that a method has.

        >>> Plan(recipes=("tuned", "strict")).recipes_of("order")
        ['tuned']
        """
        return [recipe for recipe in self.recipes if recipe in read_recipes(method)]

    def rows(self, rows: Iterable[Row]) -> list[Row]:
        """The results that belong to this plan."""
        return [row for row in rows if row["source"] == self.source and row["seed"] in self.seeds]


def markdown(plan: Plan, rows: Iterable[Row]) -> str:
    """The table in Markdown: one section per dimension, with the paper's row above ours."""
    parts = [
        part for dim in plan.dims for part in (f"### {dim} dimensions\n", "\n".join(_table_lines(plan, rows, dim)), "")
    ]
    return "\n".join(parts)


def _table_lines(plan: Plan, rows: Iterable[Row], dim: int) -> Iterator[str]:
    rows = plan.rows(rows)
    yield "| method | | " + " | ".join(f"{percent:g} %" for percent in plan.percents) + " |"
    yield "|---|---|" + "---|" * len(plan.percents)
    for method in plan.methods:
        printed = [paper_f1(method, dim, percent) for percent in plan.percents]
        yield _line(TITLES[method], "paper", ["–" if f1 is None else f"{f1:.1f}" for f1 in printed])
        for recipe in plan.recipes_of(method):
            cells = [summarize_cell(rows, method, recipe, dim, percent) for percent in plan.percents]
            found = [row for row in rows if (row["method"], row["recipe"]) == (method, recipe)]
            kinds = {row.get("kind", "learned") for row in found} - {"learned"}
            yield _line("", ", ".join([recipe, *sorted(kinds)]), ["…" if cell is None else str(cell) for cell in cells])


def _line(title: str, recipe: str, cells: list[str]) -> str:
    return f"| {title} | {recipe} | " + " | ".join(cells) + " |"


def headline(plan: Plan, rows: Iterable[Row]) -> str:
    """The short table in Markdown: two lines a method, a column a cell."""
    return "\n".join(_headline_lines(plan, plan.rows(rows))) + "\n"


def best_of_recipes(
    rows: Sequence[Row], recipes: Sequence[str], method: str, dim: int, percent: float
) -> Summary | None:
    """The test F1 of the recipe with the highest mean validation F1, or None if none has been run."""
    means = {}
    for recipe in recipes:
        found = rows_of(rows, method, recipe, dim, percent)
        if found:
            means[recipe] = statistics.fmean(row["validation_f1"] for row in found)
    return summarize_cell(rows, method, max(means, key=means.__getitem__), dim, percent) if means else None


def _headline_lines(plan: Plan, rows: Sequence[Row]) -> Iterator[str]:
    cells = [(dim, percent) for dim in plan.dims for percent in plan.percents]
    yield "| test F1 | | " + " | ".join(f"d = {dim}, {percent:g} %" for dim, percent in cells) + " |"
    yield "|---|---|" + "---:|" * len(cells)
    for method in plan.methods:
        printed = [paper_f1(method, dim, percent) for dim, percent in cells]
        yield f"| {TITLES[method]} | paper | " + " | ".join("–" if f1 is None else f"{f1:.1f}" for f1 in printed) + " |"
        ours = [best_of_recipes(rows, plan.recipes, method, dim, percent) for dim, percent in cells]
        yield "| | here | " + " | ".join("…" if best is None else _short(best) for best in ours) + " |"


def _short(best: Summary) -> str:
    text = f"{best.mean:.1f} ± {best.std:.1f}" if best.seeds > 1 else f"{best.mean:.1f}"
    return f"**{text}**" if best.difference is not None and best.difference >= 0 else text


LARGEST = PERCENTS[-1]


def timing(results: Results) -> str:
    """The duration of the runs and the training speeds in Markdown."""
    return "\n".join([*_runs(results.runs), "", *_speeds(results.cells), ""])


def _runs(runs: list[Row]) -> Iterator[str]:
    for run in runs:
        trials, workers = plural(run["trials"], "trial"), plural(run["jobs"], "worker")
        yield f"- {trials} in {run['seconds'] / 60:.1f} minutes with {workers} on {run['processor']}"


def _speeds(cells: list[Row]) -> Iterator[str]:
    """For the largest cells: million pairs per second in one process, and the ratio to the authors' code."""
    measured = [row for row in cells if row["percent"] == LARGEST and row["pairs_per_second"] and "same_as" not in row]
    if measured:
        yield f"| {LARGEST} % | recipe | d | million pairs/s | times the authors' code |"
        yield "|---|---|---|---|---|"
    for method, recipe, dim in dict.fromkeys((row["method"], row["recipe"], row["dim"]) for row in measured):
        found = rows_of(measured, method, recipe, dim, LARGEST)
        speed = statistics.fmean(row["pairs_per_second"] for row in found)
        ratio = speed / AUTHORS_PAIRS_PER_SECOND
        yield f"| {TITLES[method]} | {recipe} | {dim} | {speed / 1e6:.1f} | {ratio:.0f} |"


@dataclass(frozen=True)
class Summary:
    """Test F1 in percent over some seeds, and the paper's value."""

    mean: float
    std: float
    seeds: int
    paper: float | None

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's."""
        return None if self.paper is None else self.mean - self.paper

    def __str__(self) -> str:
        """The mean, the standard deviation and the difference from the paper.

        >>> str(Summary(95.04, 0.41, 3, 92.8)), str(Summary(61.0, 0.0, 1, None))
        ('95.0 ± 0.4 (+2.2)', '61.0')
        """
        spread = f" ± {self.std:.1f}" if self.seeds > 1 else ""
        return f"{self.mean:.1f}{spread}" + ("" if self.difference is None else f" ({self.difference:+.1f})")


def summarize_cell(rows: Iterable[Row], method: str, recipe: str, dim: int, percent: float) -> Summary | None:
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
