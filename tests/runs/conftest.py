"""A run's identity, checkpoints with known content, and a run that notes what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hypercone.runs import Checkpoint, Checkpointing

IDENTITY = {"rate": 0.05, "dim": 5, "hierarchy": "ab" * 32}


def checkpoint_of(epoch: int, stage: str = "training") -> Checkpoint:
    arrays = {"points": np.full((4, 2), epoch / 100), "memory": np.arange(4.0)}
    return Checkpoint(stage, epoch, arrays, {"best": {}, "waited": epoch})


@pytest.fixture
def identity() -> dict[str, Any]:
    return dict(IDENTITY)


@pytest.fixture
def make_checkpoint() -> Any:
    return checkpoint_of


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def make_run(tmp_path: Path, said: list[str]) -> Any:
    return lambda resume=False, **options: Checkpointing(tmp_path / "run", resume=resume, tell=said.append, **options)
