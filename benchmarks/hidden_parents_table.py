"""The rows of ``benchmarks/hidden_parents.py`` that answer the question, as one short table.

    python benchmarks/hidden_parents_table.py benchmarks/results/hidden_parents.json

The scores are the same for every hierarchy, fixed beforehand; the long table beside it has all that were tried.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]
TASKS = {"secondary": "a second parent", "attachment": "the place of a subtree"}
HIERARCHIES = {"nouns": "nouns", "mammals": "mammals", "hpo": "HPO", "go-bp": "GO-BP"}
# (method, score): what it is called in the table.
SHOWN = {
    "secondary": {
        ("graph", "popularity"): "number of children",
        ("graph", "common ancestors, elsewhere"): "common ancestors",
        ("graph", "random walk, elsewhere"): "random walk",
        ("poincare", "distance"): "Poincaré distance",
        ("hyperbolic-cones", "energy"): "cones: energy",
        ("hyperbolic-cones", "needed width, elsewhere"): "cones: width needed",
        ("hyperbolic-cones", "random walk and geometry"): "random walk and cones",
        ("overlapping", "needed width, elsewhere"): "constructed cones: width needed",
    },
    "attachment": {
        ("graph", "popularity"): "number of children",
        ("graph", "random walk"): "random walk",
        ("graph", "overlap, then popularity"): "shared descendants, then children",
        ("poincare", "distance"): "Poincaré distance",
        ("hyperbolic-cones", "energy"): "cones: energy",
        ("hyperbolic-cones", "needed width"): "cones: width needed",
        ("hyperbolic-cones", "overlap, then geometry"): "shared descendants, then cones",
        ("overlapping", "needed width"): "constructed cones: width needed",
    },
}
FIGURES = ("mrr", "hits_1", "hits_10", "hits_100", "median")


def lines(rows: list[Row]) -> Iterator[str]:
    """The table."""
    yield "| hierarchy | hidden | score | seeds | MRR | hits@1 | hits@10 | hits@100 | median rank |"
    yield "|---|---|---|---:|---:|---:|---:|---:|---:|"
    for hierarchy, called in HIERARCHIES.items():
        for task, hidden in TASKS.items():
            for (method, score), name in SHOWN[task].items():
                wanted = (hierarchy, task, method)
                found = [row["scores"][score] for row in rows if _key(row) == wanted and score in row["scores"]]
                if found:
                    yield f"| {called} | {hidden} | {name} | {len(found)} | {' | '.join(_figures(found))} |"


def _key(row: Row) -> tuple[str, str, str]:
    # One dimension for each table: the ten of the headline, or none for the graph.
    return (row["hierarchy"], row["task"], row["method"]) if row["dim"] in (0, 10) else ("", "", "")


def _figures(found: list[Row]) -> Iterator[str]:
    for figure in FIGURES:
        value = statistics.fmean(scores[figure] for scores in found)
        yield f"{value:,.0f}" if figure == "median" else f"{value:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    path = parser.parse_args().results
    content = json.loads(path.read_text())
    text = "\n".join(lines(next(value for value in content.values() if isinstance(value, list)))) + "\n"
    path.with_name("hidden_parents_short.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
