"""The house stands as it was drawn: imports point down, doors are light, rooms are small, and nothing goes untested."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import json
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import hypercone
from hypercone.cli.main import COMMANDS
from hypercone.embedding.export import EXTENSIONS, WRITERS
from hypercone.methods import METHODS
from hypercone.queries import QUESTIONS

HERE = Path(__file__).parent
ROOT = Path(hypercone.__file__).parent
SOURCES = sorted(ROOT.rglob("*.py"))
HEAVY = {"numba", "numpy", "safetensors", "zstandard"}

# From the top; a room may import only from the rooms below it. The package's own front door imports lazily.
FLOORS = [
    {"cli"},
    {"reproduce", "service"},
    {"explorer", "bench"},
    {"evaluation"},
    {"queries"},
    {"estimator"},
    {"training"},
    {"embedding"},
    {"placement", "figures"},
    {"construction"},
    {"index"},
    {"calibration"},
    {"methods"},
    {"geometry", "data"},
    {"hierarchy", "runs"},
    {"_compiler", "atomic", "cores", "extras", "sealed", "views"},
    {"_jit"},
    {"errors", "temporaries"},
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
STRANGERS = ({"geometry", "hierarchy"}, {"geometry", "data"})

# A loop over an epoch is one body on purpose: what it calls is inlined, what it shares would be passed around.
LONGEST_FUNCTION, LONGEST_KERNEL, LONGEST_FILE = 60, 90, 300

# The examples of these rooms run in the tests of the rooms themselves.
RUN_ELSEWHERE = {"geometry", "hierarchy", "data", "training", "methods"}


def _room(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def _imported_rooms(path: Path) -> Iterator[tuple[int, str]]:
    """(line, room) of every import from hypercone, inside functions too."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively; write out hypercone.…"
            full = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            full = [alias.name for alias in node.names]
        else:
            continue
        for name in full:
            top, *rest = name.split(".")
            if top == "hypercone" and rest:
                yield node.lineno, rest[0]


def _functions(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{path.relative_to(ROOT)}:{node.name}", node.end_lineno - node.lineno + 1


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down_only(path):
    room = _room(path)
    if room == "__init__":
        return
    for line, other in _imported_rooms(path):
        if other in {room, "__version__"}:
            continue
        where = f"{path.relative_to(ROOT)}:{line}"
        assert other in FLOOR, f"{where} imports {other}, a room that is not in the drawing"
        assert FLOOR[room] < FLOOR[other], f"{where}: {room} must not import {other}, which is not below it"
        assert {room, other} not in STRANGERS, f"{where}: {room} and {other} do not know each other"


def test_every_room_is_in_the_drawing():
    assert {_room(path) for path in SOURCES} - {"__init__"} == set(FLOOR)


def test_an_import_inside_a_function_counts_too(tmp_path):
    sample = tmp_path / "sample.py"
    sample.write_text("def f():\n    from hypercone.cli import main\n    import hypercone.bench.machine\n")
    assert list(_imported_rooms(sample)) == [(2, "cli"), (3, "bench")]


def _loaded_after(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after the code."""
    report = "import json, sys; sys.stderr.write(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    script = f"try:\n    {code}\nexcept SystemExit:\n    pass\n{report}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr))


@pytest.mark.parametrize(
    "code",
    [
        "import hypercone; dir(hypercone)",
        "from hypercone.cli.main import main; main(['--help'])",
        "from hypercone.cli.main import main; main([])",
        "from hypercone.cli.main import main; main(['--version'])",
        "from hypercone.cli.main import main; main(['no-such-command']); import sys; sys.stderr = sys.__stderr__",
    ],
)
def test_the_front_door_loads_nothing_heavy(code):
    if "no-such" in code:
        code = "import io, sys; sys.stderr = io.StringIO(); " + code
    assert not HEAVY & _loaded_after(code)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_does_not_load_the_compiler(command):
    loaded = _loaded_after(f"from hypercone.cli.main import main; main([{command!r}, '--help'])")
    assert not {"numba", "llvmlite", "matplotlib"} & loaded


def test_all_is_what_is_exported_and_every_name_resolves():
    assert sorted(hypercone.__all__) == hypercone.__all__ == dir(hypercone)
    assert len(set(hypercone.__all__)) == len(hypercone.__all__)
    for name in hypercone.__all__:
        assert getattr(hypercone, name) is not None
    assert set(hypercone._HOMES) == set(hypercone.__all__) - {"__version__"}
    for name, home in hypercone._HOMES.items():
        assert name in (importlib.import_module(home).__all__ if home != "hypercone.errors" else [name])


def test_type_checkers_see_the_same_names_as_the_interpreter():
    block = next(
        node for node in _tree(ROOT / "__init__.py").body if isinstance(node, ast.If) and "TYPE" in ast.dump(node.test)
    )
    seen = {alias.name: node.module for node in block.body for alias in node.names}
    assert seen == hypercone._HOMES


def test_a_name_that_is_not_exported_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'fitt'"):
        _ = hypercone.fitt


@pytest.mark.parametrize("name", [name for name in hypercone.__all__ if inspect.isfunction(getattr(hypercone, name))])
def test_every_public_function_shows_an_example(name):
    assert ">>>" in (getattr(hypercone, name).__doc__ or ""), f"hypercone.{name} has no example"


@pytest.mark.parametrize("path", [path for path in SOURCES if _room(path) not in RUN_ELSEWHERE], ids=_module)
def test_the_examples_run(path):
    assert doctest.testmod(importlib.import_module(_module(path))).failed == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_file_with_an_example(command):
    module = importlib.import_module(f"hypercone.cli.{command}_command")
    assert f"hypercone {command} " in module.EXAMPLE
    assert callable(module.add_arguments)
    assert callable(module.run)


def test_every_command_file_is_a_command():
    files = {path.name.removesuffix("_command.py") for path in (ROOT / "cli").glob("*_command.py")}
    assert files == set(COMMANDS)


def _mentions(folder: str, word: str) -> bool:
    texts = [path.read_text(encoding="utf-8") for path in (HERE / folder).glob("test_*.py")]
    assert texts, f"tests/{folder} has no tests"
    return any(re.search(rf"""["'`]{re.escape(word)}["'`]""", text) for text in texts)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_tested(command):
    assert _mentions("cli", command), f"no test in tests/cli runs {command}"


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_tested(method):
    assert _mentions("methods", method) or "METHODS" in (HERE / "methods" / "conftest.py").read_text()
    assert _mentions("evaluation", method), f"no test in tests/evaluation ranks with {method}"


@pytest.mark.parametrize("name", [*WRITERS, *EXTENSIONS])
def test_every_export_format_is_tested(name):
    assert _mentions("embedding", name), f"no test in tests/embedding writes {name}"


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_is_tested(question):
    assert _mentions("queries", question), f"no test in tests/queries asks {question}"
    assert _mentions("cli", question), f"no test in tests/cli asks {question}"


@pytest.mark.parametrize("room", sorted(room for room in FLOOR if (ROOT / room).is_dir()))
def test_every_room_has_tests(room):
    assert list((HERE / room).glob("test_*.py")), f"tests/{room} is empty"


def test_no_file_is_long():
    lengths = {path.relative_to(ROOT): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert not {path: length for path, length in lengths.items() if length > LONGEST_FILE}


def test_functions_are_short():
    longest = {
        name: length
        for path in SOURCES
        for name, length in _functions(path)
        if length > (LONGEST_KERNEL if path.name.endswith("_kernels.py") else LONGEST_FUNCTION)
    }
    assert not longest
    median = statistics.median(length for path in SOURCES for _, length in _functions(path))
    print(f"median function: {median} lines")
    assert median < 10


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"\bpickle\b(?!=False)", "a pickle runs whatever it contains"),
        (r"NotImplementedError", "what is offered works"),
        (r"/(work|home|root|Users)/", "a path of one machine"),
        (r"\b(TODO|FIXME|XXX)\b", "what is unfinished is not shipped"),
    ],
)
def test_the_source_is_free_of(pattern, reason):
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()} ({reason})"
        for path in SOURCES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(pattern, line)
    ]
    assert not found
