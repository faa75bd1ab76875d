"""Embeddings to ask and to save: one fitted, the others at random places of their method's domain."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import hypercone
from hypercone.embedding import Embedding
from hypercone.methods import METHODS, Settings

STRANGE_NAMES = ("animal", 'the "dog"', "white pelican", "Löwe", "猫", "🐩", " ", "x'y", "a,b", "\\n", "e\u0301", "é")


def _make(method: str = "hyperbolic-cones", count: int = 12, dim: int = 2, seed: int = 0, **changes) -> Embedding:
    settings = Settings(alpha=3.0 if METHODS[method].uses_alpha else 0.0)
    points = METHODS[method].start(np.random.default_rng(seed), count, dim, 0.7)
    given = {
        "names": [f"n{i}" for i in range(count)],
        "points": METHODS[method].project(points, settings),
        "method": method,
        "settings": settings,
        "threshold": 0.1,
        "record": {"epoch": 3, "config": {"dim": dim}, "calibration_f1": 0.5, "letters": "Löwe 猫"},
    }
    return Embedding(**(given | changes))


@pytest.fixture(scope="session")
def make_embedding() -> Callable[..., Embedding]:
    return _make


@pytest.fixture(scope="session")
def strange() -> Embedding:
    """Names that would break a careless file."""
    return _make(names=STRANGE_NAMES)


@pytest.fixture(scope="session")
def tree() -> hypercone.Hierarchy:
    return hypercone.load_dataset("tree-2-3")


@pytest.fixture(scope="session")
def fitted(tree: hypercone.Hierarchy) -> Embedding:
    return hypercone.fit(tree, dim=2)


@pytest.fixture
def model(strange: Embedding, tmp_path: Path) -> Path:
    """A small model on disk."""
    return strange.save(tmp_path / "model")


def _is_same(one: Embedding, other: Embedding) -> bool:
    return (
        tuple(one.names) == tuple(other.names)
        and one.points.tobytes() == other.points.tobytes()
        and (one.points.dtype, one.points.shape) == (other.points.dtype, other.points.shape)
        and (one.method, one.settings, one.threshold, one.record)
        == (other.method, other.settings, other.threshold, other.record)
    )


@pytest.fixture(scope="session")
def is_same() -> Callable[[Embedding, Embedding], bool]:
    return _is_same
