"""Embeddings to ask and to save: one fitted, the others at random places of their method's domain."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hypercone
from hypercone.embedding import Embedding, load
from hypercone.errors import ModelFileError
from hypercone.hierarchy.names import Labels
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


@pytest.fixture
def full_model(tmp_path: Path) -> Path:
    """A small model on disk with every part there is."""
    edges, labels = np.array([[0, 1], [0, 2]], np.int32), Labels(["Tier", "", "ex why"])
    whole = _make(count=3, names=["animal", "Löwe", "x y"], edges=edges, labels=labels)
    return whole.save(tmp_path / "model")


def _forge(folder: Path, parts: dict[str, bytes] | None = None, **changes: Any) -> None:
    """Replace parts and values, and make every checksum fit; what JSON should not hold is written nevertheless."""
    config = json.loads((folder / "config.json").read_bytes())
    for name, content in (parts or {}).items():
        (folder / name).write_bytes(content)
        config["checksums"][name] = hashlib.sha256(content).hexdigest()
    config |= changes
    del config["seal"]
    _write_sealed(folder / "config.json", json.dumps(config))


def _write_sealed(path: Path, text: str) -> None:
    """JSON as it is, with the checksum of its own bytes at its end."""
    head = text.removesuffix("}").encode()
    path.write_bytes(head + b',\n  "seal": "' + hashlib.sha256(head).hexdigest().encode() + b'"\n}\n')


def _is_refused(folder: Path, words: str | None = None) -> str:
    """Loading fails in one sentence, of which these are some words; returns it."""
    with pytest.raises(ModelFileError, match=words) as error:
        load(folder)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.fixture(scope="session")
def forge() -> Callable[..., None]:
    return _forge


@pytest.fixture(scope="session")
def write_sealed() -> Callable[[Path, str], None]:
    return _write_sealed


@pytest.fixture(scope="session")
def is_refused() -> Callable[..., str]:
    return _is_refused


def _is_same(one: Embedding, other: Embedding) -> bool:
    return (
        tuple(one.names) == tuple(other.names)
        and one.points.tobytes() == other.points.tobytes()
        and (one.points.dtype, one.points.shape) == (other.points.dtype, other.points.shape)
        and (one.method, one.settings, one.threshold, one.record)
        == (other.method, other.settings, other.threshold, other.record)
        and one.labels == other.labels
        and _rows(one) == _rows(other)
    )


def _rows(embedding: Embedding) -> list[list[int]] | None:
    return None if embedding.edges is None else np.asarray(embedding.edges).tolist()


@pytest.fixture(scope="session")
def is_same() -> Callable[[Embedding, Embedding], bool]:
    return _is_same
