"""The table of what goes wrong is what the tests saw, and every row of it has the test that saw it."""

import ast
import importlib.util
import json
import subprocess
import sys

import pytest

ENOUGH = 40


@pytest.fixture
def script(project):
    spec = importlib.util.spec_from_file_location("make_fault_table", project / "scripts" / "make_fault_table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_made_of_the_rows(script):
    told = script.page(script.rows())
    assert script.PAGE.read_text(encoding="utf-8") == told, "run python scripts/make_fault_table.py"


def test_there_are_rows_of_every_kind_and_enough_of_them(script):
    rows = script.rows()
    assert len(rows) >= ENOUGH
    assert {row["kind"] for row in rows} == set(script.SECTIONS)
    assert {2, 3, 4, 130} <= {row["code"] for row in rows}


def test_no_row_stands_twice(script):
    places = [(row["kind"], row["about"], row["case"]) for row in script.rows()]
    assert not {place for place in places if places.count(place) > 1}


def test_every_row_is_of_a_test_that_tells(script, project):
    for path in script.ROWS.iterdir():
        rows = json.loads(path.read_text(encoding="utf-8"))
        (file,) = {row["test"].partition("::")[0] for row in rows}
        assert path.stem == file.removeprefix("tests/").removesuffix(".py").replace("/", ".")
        names = {row["test"].partition("::")[2].partition("[")[0] for row in rows}
        assert names <= telling_tests(project / file)


def telling_tests(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    tests = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {test.name for test in tests if "told" in [argument.arg for argument in test.args.args]}


def test_every_row_has_its_test_down_to_the_parameters(script, project, request):
    """A case that was taken out of a list leaves its row behind, which this finds."""
    unseen = {row["test"] for row in script.rows()} - {item.nodeid for item in request.session.items}
    if unseen:
        # Not all tests were asked for, or these are no more.
        files = {test.partition("::")[0] for test in unseen}
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=project, timeout=120)
        unseen -= set(done.stdout.splitlines())
    assert not unseen, f"no test tells these any more; take them out of {script.ROWS.name}"


def test_a_sentence_on_the_page_is_safe_from_markdown(script):
    assert script._prose("a|b *c* <d> snake_case _e_") == r"a\|b \*c\* \<d\> snake_case \_e\_"
