"""Claims that the paper draws from its table, judged on ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hypercone.reproduce.compare import Comparison, compare
from hypercone.reproduce.paper import DIMS, PERCENTS, TABLE1, TITLES
from hypercone.reproduce.recipe import RECIPES
from hypercone.reproduce.results import Row

TABLE_CLAIMS = {
    "best-above-zero": "Hyperbolic cones are better than all baselines in all settings but 0 %.",
    "order-at-zero": "Order embeddings are best at 0 %.",
    "growth": "Hyperbolic cones have the largest growth when edges of the closure are added to the training set.",
}


def table_comparisons(claim: str, rows: Sequence[Row]) -> list[Comparison]:
    """What a claim says of the table, comparison by comparison; recipes are compared like with like."""
    return [found for recipe in RECIPES for dim in DIMS for found in _JUDGES[claim](_Column(rows, recipe, dim))]


class _Column:
    """The figures of one recipe and dimension."""

    def __init__(self, rows: Sequence[Row], recipe: str, dim: int) -> None:
        self.recipe, self.dim = recipe, dim
        self.rows = [row for row in rows if row["recipe"] == recipe and row["dim"] == dim]

    def f1(self, method: str, percent: float) -> list[float]:
        """By seed."""
        found = [row for row in self.rows if row["method"] == method and row["percent"] == percent]
        return [row["test_f1"] for row in sorted(found, key=lambda row: row["seed"])]

    def growth(self, method: str) -> list[float]:
        """From the least to the most training edges, by seed."""
        least, most = self.f1(method, PERCENTS[0]), self.f1(method, PERCENTS[-1])
        return [after - before for before, after in zip(least, most, strict=False)]

    def place(self, method: str, percent: float | None = None) -> str:
        """The words for one side of a comparison."""
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
    """The rival to beat: the one with the highest mean."""
    return max(figures.items(), key=lambda item: sum(item[1]) / len(item[1]) if item[1] else float("-inf"))


_JUDGES: dict[str, Callable[[_Column], Iterator[Comparison]]] = {
    "best-above-zero": _best_above_zero,
    "order-at-zero": _order_at_zero,
    "growth": _growth,
}
