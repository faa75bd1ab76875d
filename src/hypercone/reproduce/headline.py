"""Table 1 in short: for each cell the better of our recipes, chosen by validation and not by the test pairs."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence

from hypercone.reproduce.paper import TITLES, paper_f1
from hypercone.reproduce.results import Row
from hypercone.reproduce.summary import Summary, rows_of, summarise
from hypercone.reproduce.table1 import Plan


def headline(plan: Plan, rows: Iterable[Row]) -> str:
    """The short table in Markdown: two lines a method, a column a cell."""
    return "\n".join(_lines(plan, plan.rows(rows))) + "\n"


def best_of_recipes(
    rows: Sequence[Row], recipes: Sequence[str], method: str, dim: int, percent: float
) -> Summary | None:
    """The test F1 of the recipe with the highest mean validation F1, or None if none has been run."""
    means = {}
    for recipe in recipes:
        found = rows_of(rows, method, recipe, dim, percent)
        if found:
            means[recipe] = statistics.fmean(row["validation_f1"] for row in found)
    return summarise(rows, method, max(means, key=means.__getitem__), dim, percent) if means else None


def _lines(plan: Plan, rows: Sequence[Row]) -> Iterator[str]:
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
