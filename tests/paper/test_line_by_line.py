"""The page that goes through the paper line by line is complete, and everything that it names exists.

items.txt lists the labels of all items of the paper in its order: what has a number there, and the claims of its text
by section. The numbers are those of the compiled paper, where lemmas and theorems share one counter.
"""

from __future__ import annotations

import ast
import importlib
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest

from hypercone.cli.main import COMMANDS, command_parser
from hypercone.reproduce.claims import CLAIMS

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "explanation" / "the-paper-line-by-line.md"
ITEMS = (Path(__file__).parent / "items.txt").read_text(encoding="utf-8").splitlines()
HEAD = ("item", "what it says", "function", "test", "command", "verdict")
CODE = re.compile(r"`([^`]+)`")


class Row(NamedTuple):
    """A row of one of the tables."""

    item: str
    says: str
    function: str
    test: str
    command: str
    verdict: str


def rows_of(text: str) -> list[Row]:
    """The rows of every table of the page; a cell may contain an escaped bar."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]) for line in lines]
    return [Row(*each) for each in cells if each != HEAD and set("".join(each)) != {"-"}]


ROWS = rows_of(PAGE.read_text(encoding="utf-8"))


def has_reason(cell: str) -> bool:
    return cell.startswith("none: ") and len(cell.split()) > 3


def find(name: str) -> object:
    """The object of a dotted name, in hypercone.geometry or in hypercone."""
    for prefix in ("hypercone.geometry.", "hypercone."):
        parts = (prefix + name).split(".")
        for count in range(len(parts), 0, -1):
            try:
                found: object = importlib.import_module(".".join(parts[:count]))
                for part in parts[count:]:
                    found = getattr(found, part)
            except (ImportError, AttributeError):
                continue
            return found
    raise AssertionError(f"there is no {name} in hypercone.geometry or hypercone")


def names_in(file: Path) -> set[str]:
    """The tests and test classes that a file defines."""
    kinds = ast.FunctionDef | ast.ClassDef
    return {node.name for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, kinds)}


def check_command(command: str) -> None:
    """Raise for a command that its parser refuses, or that names a claim which does not exist."""
    program, name, *arguments = shlex.split(command)
    assert program == "hypercone", command
    assert name in COMMANDS, command
    options = command_parser(name).parse_args(arguments)
    for claim in (getattr(options, "claims", None) or "").split(","):
        assert not claim or claim in CLAIMS, command


def test_every_item_of_the_paper_is_on_the_page_once_and_in_its_order() -> None:
    assert [row.item for row in ROWS] == ITEMS
    assert len(set(ITEMS)) == len(ITEMS)
    equations = [int(item.split()[1]) for item in ITEMS if re.fullmatch(r"Equation \d+", item)]
    assert sorted(equations) == list(range(1, 59))
    numbered = {"Theorem 1", "Corollary 1.1", "Corollary 1.2", "Lemma 2", "Theorem 3", "Theorem 4", "Theorem 5"}
    assert numbered | {"Theorem 6", "Lemma 7", "Figure 1", "Figure 2", "Figure 3", "Table 1"} <= set(ITEMS)


def test_every_cell_has_an_entry_or_a_reason() -> None:
    for row in ROWS:
        assert all(len(cell) > 1 for cell in row), row
        assert all(CODE.search(cell) or has_reason(cell) for cell in (row.function, row.test, row.command)), row


def test_every_function_can_be_imported() -> None:
    for name in {name for row in ROWS for name in CODE.findall(row.function)}:
        found = find(name)
        assert callable(found) or isinstance(found, tuple), name


def test_every_test_exists() -> None:
    for place in {place for row in ROWS for place in CODE.findall(row.test)}:
        path, _, name = place.partition("::")
        assert name, f"{place}: name the test or its class"
        assert name in names_in(TESTS / path), place


def test_every_command_is_one_that_its_parser_takes() -> None:
    for command in {command for row in ROWS for command in CODE.findall(row.command)} - {"pytest"}:
        check_command(command)


@pytest.mark.parametrize("command", ["hypercone reproduce figure9", "hypercone reproduce claims --claims faster"])
def test_a_command_that_does_not_exist_is_found_out(command: str) -> None:
    with pytest.raises(Exception, match=r"figure9|faster"):
        check_command(command)


def test_a_function_that_does_not_exist_is_found_out() -> None:
    with pytest.raises(AssertionError, match=r"there is no cones\.aperture"):
        find("cones.aperture")
