"""The rows of ``benchmarks/how_good.py`` as Markdown: a table for each hierarchy, and one of the headlines.

python benchmarks/how_good_table.py benchmarks/results/how_good.json
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from how_good import DIMS, HIERARCHIES, MEASURED_PERCENT, PERCENTS, REFERENCES, WAYS

Row = dict[str, Any]
PLACES = ("all_pairs_at_0", "all_pairs")
HEAD = ("way", "d", "kind", *(f"{percent} %" for percent in PERCENTS), "all pairs", "hard pairs", "CPU s", "seeds")


def tables(rows: list[Row]) -> Iterator[str]:
    """A heading and a table for each hierarchy that has rows."""
    for name in HIERARCHIES:
        of_it = [row for row in rows if row["hierarchy"] == name]
        if of_it:
            yield f"### {name}, {max(row['nodes'] for row in of_it):,} nodes\n"
            yield "\n".join(_table(of_it)) + "\n"


def _table(rows: list[Row]) -> Iterator[str]:
    yield f"| {' | '.join(HEAD)} |"
    yield "|---|---:|---|" + "---:|" * (len(HEAD) - 3)
    for way in (*REFERENCES, *WAYS):
        for dim in (0, *DIMS):
            of_it = [row for row in rows if (row["way"], row["dim"]) == (way, dim)]
            if of_it:
                yield _line(way, dim, of_it)


def _line(way: str, dim: int, rows: list[Row]) -> str:
    aware = ", closure-aware" if any(row["closure_aware"] for row in rows) else ""
    # What is constructed from the basic edges is the same in every column, and was made once.
    of_all = rows[0]["kind"] == "constructed"
    at = {percent: [row for row in rows if of_all or row["percent"] == percent] for percent in PERCENTS}
    measured = [row for row in at[MEASURED_PERCENT] if "hard" in row]
    cells = [
        *(_mean(at[percent], lambda row: row["test_f1"]) for percent in PERCENTS),
        _both(measured, "all_pairs"),
        _both(measured, "hard"),
        _seconds(at[MEASURED_PERCENT]),
        _seeds(at),
    ]
    return f"| {way} | {dim or '–'} | {rows[0]['kind']}{aware} | {' | '.join(cells)} |"


def _both(rows: list[Row], measure: str) -> str:
    """At energy 0, and in brackets at the threshold of validation, where that is another."""
    at_threshold = _mean(rows, lambda row: 100 * row[measure]["f1"])
    if not rows or all(row.get("threshold", 0.0) == 0.0 for row in rows):
        return at_threshold
    return f"{_mean(rows, lambda row: 100 * row[f'{measure}_at_0']['f1'])} ({at_threshold})"


def _mean(rows: list[Row], figure: Callable[[Row], float]) -> str:
    values = [figure(row) for row in rows]
    if not values:
        return "…"
    spread = f" ± {statistics.stdev(values):.1f}" if len(values) > 1 and statistics.stdev(values) >= 0.05 else ""
    return f"{statistics.fmean(values):.1f}{spread}"


def _seeds(at: dict[int, list[Row]]) -> str:
    counts = sorted({len(rows) for rows in at.values()})
    return "–".join(map(str, counts))


def _seconds(rows: list[Row]) -> str:
    # The least of the seeds: the first fit of a process may have waited for the compiler.
    return f"{min(row['cpu_seconds'] for row in rows):.1f}" if rows and "cpu_seconds" in rows[0] else "–"


def headline(rows: list[Row]) -> Iterator[str]:
    """F1 over all pairs, the figure that a user feels, at energy 0 or the threshold of validation: the better one."""
    shown = [("paper recipe", 10), ("strict learner", 10), ("forest", 5), ("overlapping", 5), ("overlapping", 10)]
    yield "| F1 over all pairs | nodes | " + " | ".join(f"{way}, d = {dim}" for way, dim in shown) + " | CPU s |"
    yield "|---|---:|" + "---:|" * (len(shown) + 1)
    for name in HIERARCHIES:
        cells = []
        for way, dim in shown:
            wanted = (name, way, dim, MEASURED_PERCENT)
            found = [r for r in rows if (r["hierarchy"], r["way"], r["dim"], r["percent"]) == wanted and "hard" in r]
            cells.append(_better(found))
        nodes = max(row["nodes"] for row in rows if row["hierarchy"] == name)
        yield f"| {name} | {nodes:,} | {' | '.join(cells)} | {_seconds(found)} |"


def _better(rows: list[Row]) -> str:
    if not rows:
        return "…"
    means = {place: statistics.fmean(row[place]["f1"] for row in rows) for place in PLACES}
    best = max(PLACES, key=lambda place: means[place])
    return _mean(rows, lambda row: 100 * row[best]["f1"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="the JSON file; the table goes beside it")
    path = parser.parse_args().results
    rows = json.loads(path.read_text())["rows"]
    text = "\n".join(tables(rows))
    path.with_suffix(".md").write_text(text)
    path.with_name("how_good_headline.md").write_text("\n".join(headline(rows)) + "\n")
    print(text)


if __name__ == "__main__":
    main()
