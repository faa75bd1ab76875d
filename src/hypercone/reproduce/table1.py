"""Table 1 of the paper: which trials it takes, and the table as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hypercone.reproduce.paper import DIMS, PERCENTS, TABLE1, TITLES, paper_f1
from hypercone.reproduce.recipe import RECIPES, recipe_config
from hypercone.reproduce.results import Row
from hypercone.reproduce.summary import summarise
from hypercone.reproduce.trial import DATASET, Trial


@dataclass(frozen=True)
class Plan:
    """Which part of the table to run; by default all 40 cells, both recipes, three seeds."""

    methods: Sequence[str] = tuple(TABLE1)
    recipes: Sequence[str] = RECIPES
    dims: Sequence[int] = DIMS
    percents: Sequence[float] = PERCENTS
    seeds: int = 3
    source: str = DATASET
    is_released: bool = False

    def trials(self) -> list[Trial]:
        """One trial for each cell, recipe and seed."""
        return [
            Trial(recipe, percent, recipe_config(method, recipe, dim, percent, seed), self.source, self.is_released)
            for seed in range(self.seeds)
            for method in self.methods
            for recipe in self.recipes
            for dim in self.dims
            for percent in self.percents
        ]

    def rows(self, rows: Iterable[Row]) -> list[Row]:
        """The results that belong to this plan."""
        return [row for row in rows if row["source"] == self.source and row["seed"] < self.seeds]


def markdown(plan: Plan, rows: Iterable[Row]) -> str:
    """The table in Markdown: one block of columns a dimension, the paper's row above ours."""
    parts = [part for dim in plan.dims for part in (f"### {dim} dimensions\n", "\n".join(_lines(plan, rows, dim)), "")]
    return "\n".join(parts)


def _lines(plan: Plan, rows: Iterable[Row], dim: int) -> Iterator[str]:
    rows = plan.rows(rows)
    yield "| method | | " + " | ".join(f"{percent:g} %" for percent in plan.percents) + " |"
    yield "|---|---|" + "---|" * len(plan.percents)
    for method in plan.methods:
        printed = [paper_f1(method, dim, percent) for percent in plan.percents]
        yield _line(TITLES[method], "paper", ["–" if f1 is None else f"{f1:.1f}" for f1 in printed])
        for recipe in plan.recipes:
            cells = [summarise(rows, method, recipe, dim, percent) for percent in plan.percents]
            yield _line("", recipe, ["…" if cell is None else str(cell) for cell in cells])


def _line(title: str, recipe: str, cells: list[str]) -> str:
    return f"| {title} | {recipe} | " + " | ".join(cells) + " |"
