"""How long the table took, and how that compares with the authors' code."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from hypercone.errors import counted
from hypercone.reproduce.paper import AUTHORS_PAIRS_PER_SECOND, PERCENTS, TITLES
from hypercone.reproduce.results import Results, Row
from hypercone.reproduce.summary import rows_of

LARGEST = PERCENTS[-1]


def timing(results: Results) -> str:
    """The runs and the speeds in Markdown."""
    return "\n".join([*_runs(results.runs), "", *_speeds(results.cells), ""])


def _runs(runs: list[Row]) -> Iterator[str]:
    for run in runs:
        trials, workers = counted(run["trials"], "trial"), counted(run["jobs"], "worker")
        yield f"- {trials} in {run['seconds'] / 60:.1f} minutes with {workers} on {run['processor']}"


def _speeds(cells: list[Row]) -> Iterator[str]:
    """Of the largest cells: million pairs a second in one process, and how many times the authors' code does."""
    measured = [row for row in cells if row["percent"] == LARGEST and row["pairs_per_second"] and "same_as" not in row]
    if measured:
        yield f"| {LARGEST} % | recipe | d | million pairs/s | times the authors' code |"
        yield "|---|---|---|---|---|"
    for method, recipe, dim in dict.fromkeys((row["method"], row["recipe"], row["dim"]) for row in measured):
        found = rows_of(measured, method, recipe, dim, LARGEST)
        speed = statistics.fmean(row["pairs_per_second"] for row in found)
        ratio = speed / AUTHORS_PAIRS_PER_SECOND
        yield f"| {TITLES[method]} | {recipe} | {dim} | {speed / 1e6:.1f} | {ratio:.0f} |"
