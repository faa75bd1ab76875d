"""One warm process from which children are forked that are to die, and the trials of benchmarks/faults.py in them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCHMARKS = str(Path(__file__).parents[2] / "benchmarks")
# One of each kind: pre-trained and validated; with an optimiser that remembers; with a best epoch that is not the last.
LEARNERS = ("cones, pre-trained, validated", "cones by adagrad, validated", "poincare, burn-in, patience")


@pytest.fixture(scope="session")
def faults() -> Iterator[ModuleType]:
    """The benchmark, whose parts import each other from beside it."""
    sys.path.insert(0, BENCHMARKS)
    try:
        yield importlib.import_module("faults")
    finally:
        sys.path.remove(BENCHMARKS)


@pytest.fixture(scope="session")
def trials(faults: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    ready = faults.Trials(tmp_path_factory.mktemp("trials"), LEARNERS, "tree-3-4")
    yield ready
    ready.parent.close()


@pytest.fixture(scope="session")
def parent(faults: ModuleType) -> Iterator[Any]:
    """Warm for one small fit only."""
    warm = importlib.import_module("fault_parent").Parent([Fits.ARGUMENTS])
    yield warm
    warm.close()


class Fits:
    """Fits of one kind in one folder, with a run: as a user sees them who types the command again and again."""

    ARGUMENTS = (
        "fit",
        "tree-3-3",
        "--method",
        "hyperbolic-cones",
        "--dim",
        "2",
        "--epochs",
        "24",
        "--init",
        "random",
        "--quiet",
    )
    EVERY = ("--checkpoint-epochs", "4")

    def __init__(self, parent: Any, folder: Path, whole: dict[str, bytes]) -> None:
        self.parent, self.folder, self.whole = parent, folder, whole
        self.model, self.run = folder / "model", folder / "run"

    def start(self, *more: str, faults: Sequence[dict[str, Any]] = ()) -> int:
        arguments = (*self.ARGUMENTS, "-o", self.model, "--run", self.run, *self.EVERY, *more)
        return self.parent.start(*arguments, faults=faults)

    def __call__(self, *more: str, faults: Sequence[dict[str, Any]] = ()) -> Any:
        return self.parent.wait(self.start(*more, faults=faults))

    def begun(self, epochs: int = 12) -> None:
        """Have a run of so many epochs whose process was killed."""
        kill = {"kind": "kill", "point": "after the manifest", "turn": epochs // 4}
        assert self(faults=[kill]).fired == "after the manifest"

    @property
    def checkpoints(self) -> list[Path]:
        """Newest first."""
        paths = self.run.glob("checkpoint-*")
        return sorted(paths, key=lambda path: int(path.stem.rpartition("-")[2]), reverse=True)

    def goes_on_to_the_same_model(self, *more: str) -> bool:
        done = self("--resume", *more)
        assert done.code == 0, done.err
        return {path.name: path.read_bytes() for path in self.model.iterdir()} == self.whole


@pytest.fixture(scope="session")
def whole(parent: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The model of a fit that nothing disturbs."""
    model = tmp_path_factory.mktemp("whole") / "model"
    assert parent.run(*Fits.ARGUMENTS, "-o", model).code == 0
    return {path.name: path.read_bytes() for path in model.iterdir()}


@pytest.fixture
def fits(parent: Any, tmp_path: Path, whole: dict[str, bytes]) -> Fits:
    return Fits(parent, tmp_path, whole)
