"""The package as a whole: fast to import, and every public function is documented with an example."""

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
from hypercone.cli.main import COMMANDS

ROOT = Path(hypercone.__file__).parent
HEAVY = {"numba", "numpy", "safetensors", "tqdm", "zstandard"}


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def _loaded_after(*steps: str | list[str]) -> set[str]:
    """The top-level modules that a new interpreter has imported after statements and commands."""
    main = "__import__('contextlib').suppress(SystemExit): __import__('hypercone.cli.main').cli.main.main"
    lines = [step if isinstance(step, str) else f"with {main}({step})" for step in steps]
    lines.append("import json, sys; print('\\n' + json.dumps([name.split('.')[0] for name in sys.modules]))")
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_the_package_and_its_help_imports_nothing_heavy():
    assert not HEAVY & _loaded_after("import hypercone; dir(hypercone)")
    assert not HEAVY & _loaded_after(["--help"], [], ["--version"], ["no-such-command"])


def test_the_help_of_the_commands_does_not_load_the_compiler():
    assert not {"numba", "llvmlite", "matplotlib"} & _loaded_after(*([command, "--help"] for command in COMMANDS))


def test_every_exported_name_resolves_and_no_other():
    assert sorted(set(hypercone.__all__)) == hypercone.__all__ == dir(hypercone)
    for name in hypercone.__all__:
        assert getattr(hypercone, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'fitt'"):
        _ = hypercone.fitt
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


@pytest.mark.parametrize("name", [name for name in hypercone.__all__ if inspect.isfunction(getattr(hypercone, name))])
def test_every_public_function_shows_an_example(name):
    assert ">>>" in (getattr(hypercone, name).__doc__ or ""), f"hypercone.{name} has no example"
