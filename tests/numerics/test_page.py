"""What the page on numerics quotes is what the table states, and what was measured keeps to it."""

import json
from pathlib import Path

import bounds
import regions

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "numerics.json"


def test_the_committed_measurement_is_of_the_present_table_and_within_it():
    measured = json.loads(RESULTS.read_text(encoding="utf-8"))
    stated = [(row["function"], row["stated"], row["origin"], row["c"]) for row in measured["results"]]
    assert stated == [(law.name, law.error.words, law.error.origin, law.c) for law in bounds.LAWS]
    assert all(row["worst"].keys() == regions.REGIONS.keys() for row in measured["results"])
    assert max(cell["share"] for row in measured["results"] for cell in row["worst"].values()) < 1
    assert measured["points"] > 100_000


def test_the_page_says_how_many_points_were_measured():
    page = (RESULTS.parents[2] / "docs" / "explanation" / "robustness.md").read_text(encoding="utf-8")
    assert f"{json.loads(RESULTS.read_text(encoding='utf-8'))['points']:,} seeded points" in page
