"""The results that the pages quote are the committed ones, complete, and made with the recipes as they are now."""

from __future__ import annotations

import importlib
import json

import pytest

from hypercone.reproduce import Plan, Results, missing


@pytest.fixture
def fill_results():
    return importlib.import_module("scripts.fill_results")


def test_what_a_page_quotes_is_what_the_results_say(page, fill_results):
    text = page.read_text(encoding="utf-8")
    assert fill_results.fill_blocks(text) == text, "run python scripts/fill_results.py"


def test_a_stale_page_is_found_and_mended(fill_results, tmp_path):
    (tmp_path / "table.md").write_text("| new |\n")
    stale = "before\n<!-- begin: table.md -->\n| old |\n<!-- end: table.md -->\nafter"
    assert fill_results.fill_blocks(stale, tmp_path) == stale.replace("old", "new")


def test_a_page_can_quote_some_rows_of_a_table(fill_results, tmp_path):
    (tmp_path / "table.md").write_text("words\n\n| a |\n|---|\n| one |\n| two |\n\n| b |\n|---|\n| three |\n")
    place = "<!-- begin: table.md rows: two; four -->\n{}<!-- end: table.md -->"
    expected = place.format("| a |\n|---|\n| two |\n")
    assert fill_results.fill_blocks(place.format("| old |\n"), tmp_path) == expected


def test_the_committed_table_is_whole_and_of_the_present_recipes(project):
    results = Results.read(project / "results" / "table1.json")
    assert missing(Plan().trials(), results) == []
    assert len({(c["method"], c["dim"], c["percent"], c["recipe"], c["seed"]) for c in results.cells}) == 40 * 2 * 3


def test_the_tables_in_markdown_are_made_from_the_committed_json(project):
    from hypercone.reproduce import markdown
    from hypercone.reproduce.table1 import headline

    rows = json.loads((project / "results" / "table1.json").read_text())["cells"]
    assert (project / "results" / "table1.md").read_text(encoding="utf-8") == markdown(Plan(), rows)
    assert (project / "results" / "headline.md").read_text(encoding="utf-8") == headline(Plan(), rows)
