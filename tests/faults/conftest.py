"""A warm process that forks the children to kill, and the trials of tools/faults with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tools.faults.processes import Parent
from tools.faults.trials import Trials

# Pre-trained and validated; an optimizer with memory; a best epoch that is not the last.
LEARNERS = ("cones, pre-trained, validated", "cones by adagrad, validated", "poincare, burn-in, patience")


@pytest.fixture(scope="session")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trials]:
    ready = Trials(tmp_path_factory.mktemp("trials"), LEARNERS, "tree-3-4")
    yield ready
    ready.parent.close()


@pytest.fixture(scope="session")
def parent() -> Iterator[Parent]:
    """Warm for one small fit only."""
    warm = Parent([Fits.ARGUMENTS])
    yield warm
    warm.close()


class Fits:
    """Fits of one kind in one folder, with a run: a user repeats the command."""

    ARGUMENTS = ("fit", "tree-3-3", "--method", "hyperbolic-cones", "--dim", "2", "--epochs", "24",
                 "--init", "random", "--quiet")  # fmt: skip
    EVERY = ("--checkpoint-epochs", "4")

    def __init__(self, parent: Parent, folder: Path, whole: dict[str, bytes]) -> None:
        self.parent, self.folder, self.whole = parent, folder, whole
        self.model, self.run = folder / "model", folder / "run"

    def start(self, *more: str, faults: Sequence[dict[str, Any]] = ()) -> int:
        arguments = (*self.ARGUMENTS, "-o", self.model, "--run", self.run, *self.EVERY, *more)
        return self.parent.start(*arguments, faults=faults)

    def __call__(self, *more: str, faults: Sequence[dict[str, Any]] = ()) -> Any:
        return self.parent.wait(self.start(*more, faults=faults))

    def begin(self, epochs: int = 12) -> None:
        """Begin a run, and kill its process after so many epochs."""
        kill = {"kind": "kill", "point": "after the manifest", "turn": epochs // 4}
        assert self(faults=[kill]).fired == "after the manifest"

    @property
    def checkpoints(self) -> list[Path]:
        """Newest first."""
        paths = self.run.glob("checkpoint-*")
        return sorted(paths, key=lambda path: int(path.stem.rpartition("-")[2]), reverse=True)

    def resumes_to_the_same_model(self, *more: str) -> bool:
        done = self("--resume", *more)
        assert done.code == 0, done.err
        return self.has_the_same_model()

    def has_the_same_model(self) -> bool:
        return {path.name: path.read_bytes() for path in self.model.iterdir()} == self.whole


@pytest.fixture(scope="session")
def whole(parent: Parent, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The model of an undisturbed fit."""
    model = tmp_path_factory.mktemp("whole") / "model"
    assert parent.run(*Fits.ARGUMENTS, "-o", model).code == 0
    return {path.name: path.read_bytes() for path in model.iterdir()}


@pytest.fixture
def fits(parent: Parent, tmp_path: Path, whole: dict[str, bytes]) -> Fits:
    return Fits(parent, tmp_path, whole)
