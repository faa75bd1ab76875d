"""The rows of the table of what goes wrong: enough of every kind, none twice, and each with the test that saw it."""

import ast
import json
import re
import subprocess
import sys

ENOUGH = 40


def test_there_are_rows_of_every_kind_enough_of_them_and_none_twice(fault_rows):
    assert len(fault_rows) >= ENOUGH
    assert {row["kind"] for row in fault_rows} == {"bad input", "hostile file", "fault"}
    assert {2, 3, 4, 130} <= {row["code"] for row in fault_rows}
    places = [(row["kind"], row["about"], row["case"]) for row in fault_rows]
    assert not {place for place in places if places.count(place) > 1}


def test_every_row_is_in_the_file_of_a_test_that_records_rows(project):
    recorders = fixtures_that_record(project)
    for path in (project / "tests" / "faults" / "rows").iterdir():
        rows = json.loads(path.read_text(encoding="utf-8"))
        (file,) = {row["test"].partition("::")[0] for row in rows}
        assert path.stem == file.removeprefix("tests/").removesuffix(".py").replace("/", ".")
        names = {row["test"].partition("::")[2].partition("[")[0] for row in rows}
        tests = functions_in(project / file)
        assert names <= {test.name for test in tests if recorders & {argument.arg for argument in test.args.args}}


def fixtures_that_record(project):
    """The fixture in the file that reads HYPERCONE_RECORD_ROWS, and other names for it."""
    shared = [*(project / "tests" / "faults").glob("*.py"), *(project / "tests" / "support").glob("*.py")]
    functions = [each for file in shared if "RECORD_ROWS" in file.read_text() for each in functions_in(file)]
    (name,) = [each.name for each in functions if "pytest.fixture" in map(ast.unparse, each.decorator_list)]
    return {name, *re.findall(rf"^(\w+) = {name}\b", (project / "tests" / "conftest.py").read_text(), re.M)}


def functions_in(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def test_every_row_has_its_test_down_to_the_parameters(fault_rows, project, request):
    """A case that was taken out of a list leaves its row behind, which this finds."""
    unseen = {row["test"] for row in fault_rows} - {item.nodeid for item in request.session.items}
    if unseen:
        # Not all tests were selected, or these no longer exist.
        files = {test.partition("::")[0] for test in unseen}
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=project, timeout=120)
        unseen -= set(done.stdout.splitlines())
    assert not unseen, "no test records these any more; take them out of tests/faults/rows"
