"""A small taxonomy in a file, a model of it, and two ways to run the program: in this process and in another."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hypercone.cli.main import main

QUICK = ("--method", "hyperbolic-cones", "--dim", "2", "--epochs", "30", "--init-epochs", "30")
EDGES = [
    ("animal", "dog"),
    ("animal", "cat"),
    ("animal", "Löwe"),
    ("dog", "poodle"),
    ("dog", "hot dog"),
    ("cat", "siamese"),
    ("poodle", "toy poodle"),
    ("siamese", "blue siamese"),
    ("toy poodle", "tiny toy poodle"),
]


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run a command in this process."""

    def call(*arguments: object) -> Done:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        return Done(code, *capsys.readouterr())

    return call


@pytest.fixture(scope="session")
def program() -> list[str]:
    """The program as a command line."""
    return [str(Path(sys.executable).with_name("hypercone"))]


@pytest.fixture(scope="session")
def process(program: list[str]) -> Callable[..., Done]:
    """Run a command in another process."""

    def call(*arguments: object, **options: Any) -> Done:
        given = [*program, *map(str, arguments)]
        done = subprocess.run(given, capture_output=True, text=True, check=False, timeout=120, **options)
        return Done(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def quick() -> tuple[str, ...]:
    """Settings of a fast fit."""
    return QUICK


@pytest.fixture(scope="session")
def taxonomy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("taxonomy") / "animals.tsv"
    path.write_text("parent\tchild\n" + "".join(f"{a}\t{b}\n" for a, b in EDGES), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def model(taxonomy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of the taxonomy that answers all questions about it correctly."""
    folder = tmp_path_factory.mktemp("models") / "model"
    epochs = ("--epochs", "500", "--init-epochs", "500", "--quiet", "--json")
    assert main(["fit", str(taxonomy), "-o", str(folder), *QUICK[:4], *epochs]) == 0
    return folder
