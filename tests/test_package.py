"""The package as a whole: fast to import, and every public name and command is documented with an example."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

import hypercone
from hypercone.cli.main import COMMANDS, main

ROOT = Path(hypercone.__file__).parent
HEAVY = {"numba", "numpy", "safetensors", "tqdm", "zstandard"}


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def _loaded_after(code: str) -> set[str]:
    """The top-level modules that a new interpreter has imported after the code."""
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
def test_importing_the_package_and_its_help_imports_nothing_heavy(code):
    if "no-such" in code:
        code = "import io, sys; sys.stderr = io.StringIO(); " + code
    assert not HEAVY & _loaded_after(code)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_does_not_load_the_compiler(command):
    loaded = _loaded_after(f"from hypercone.cli.main import main; main([{command!r}, '--help'])")
    assert not {"numba", "llvmlite", "matplotlib"} & loaded


def test_every_exported_name_resolves():
    assert sorted(hypercone.__all__) == hypercone.__all__ == dir(hypercone)
    assert len(set(hypercone.__all__)) == len(hypercone.__all__)
    for name in hypercone.__all__:
        assert getattr(hypercone, name) is not None
    assert set(hypercone._HOME_OF) == set(hypercone.__all__) - {"__version__", *hypercone._MODULES}
    for name, home in hypercone._HOME_OF.items():
        assert name in getattr(importlib.import_module(home), "__all__", [name])


def test_type_checkers_see_the_same_names_as_the_interpreter():
    block = next(
        node for node in _tree(ROOT / "__init__.py").body if isinstance(node, ast.If) and "TYPE" in ast.dump(node.test)
    )
    seen = {alias.name: node.module for node in block.body for alias in node.names}
    assert seen == hypercone._HOME_OF | dict.fromkeys(hypercone._MODULES, "hypercone")


def test_every_error_is_exported():
    defined = {name: value for name, value in vars(hypercone.errors).items() if inspect.isclass(value)}
    errors = {name for name, value in defined.items() if issubclass(value, hypercone.HyperconeError)}
    assert errors <= set(hypercone.__all__)


def test_a_name_that_is_not_exported_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'fitt'"):
        _ = hypercone.fitt


@pytest.mark.parametrize("name", [name for name in hypercone.__all__ if inspect.isfunction(getattr(hypercone, name))])
def test_every_public_function_shows_an_example(name):
    assert ">>>" in (getattr(hypercone, name).__doc__ or ""), f"hypercone.{name} has no example"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_an_example_of_itself(command, capsys):
    assert main([command, "--help"]) == 0
    assert f"  hypercone {command} " in capsys.readouterr().out.partition("example")[2] + " "
