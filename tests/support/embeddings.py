"""Embeddings to ask and to save, and model folders to damage."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hypercone.embedding import Embedding, load
from hypercone.errors import ModelFileError
from hypercone.hierarchy.glossary import Glossary, Obsolete
from hypercone.hierarchy.names import Labels
from hypercone.methods import METHODS, Settings

STRANGE_NAMES = ("animal", 'the "dog"', "white pelican", "Löwe", "猫", "🐩", " ", "x'y", "a,b", "\\n", "e\u0301", "é")


def make_embedding(
    method: str = "hyperbolic-cones", count: int = 12, dim: int = 2, seed: int = 0, **changes: Any
) -> Embedding:
    """An embedding with random points in the domain of the method, and any fields changed."""
    settings = Settings(alpha=3.0 if METHODS[method].uses_alpha else 0.0)
    points = METHODS[method].start(np.random.default_rng(seed), count, dim, 0.7)
    fields = {
        "names": [f"n{i}" for i in range(count)],
        "points": METHODS[method].project(points, settings),
        "method": method,
        "settings": settings,
        "threshold": 0.1,
        "record": {"epoch": 3, "config": {"dim": dim}, "calibration_f1": 0.5, "letters": "Löwe 猫"},
    }
    return Embedding(**(fields | changes))


def strange_embedding() -> Embedding:
    """Names that would break a careless file format."""
    return make_embedding(names=STRANGE_NAMES)


def full_embedding() -> Embedding:
    """Three nodes, with everything that a model folder can have."""
    edges, labels = np.array([[0, 1], [0, 2]], np.int32), Labels(["Tier", "", "ex why"])
    glossary = Glossary.of_rows(
        3,
        {1: "A big cat."},
        {1: ["lion"], 2: ["y"]},
        {0: ["A:7"]},
        {"A:9": Obsolete("beast", ("animal",))},
        {"": "http://a/"},
    )
    return make_embedding(count=3, names=["animal", "Löwe", "x y"], edges=edges, labels=labels, glossary=glossary)


def is_same(one: Embedding, other: Embedding) -> bool:
    """Whether two embeddings are equal to the bit."""
    return (
        tuple(one.names) == tuple(other.names)
        and one.points.tobytes() == other.points.tobytes()
        and (one.points.dtype, one.points.shape) == (other.points.dtype, other.points.shape)
        and (one.method, one.settings, one.threshold, one.record)
        == (other.method, other.settings, other.threshold, other.record)
        and one.labels == other.labels
        and one.glossary == other.glossary
        and _edges(one) == _edges(other)
    )


def _edges(embedding: Embedding) -> list[list[int]] | None:
    return None if embedding.edges is None else np.asarray(embedding.edges).tolist()


def all_files(folder: Path) -> dict[str, bytes]:
    """The content of every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def forge(folder: Path, parts: dict[str, bytes] | None = None, **changes: Any) -> None:
    """Replace parts and values of a model folder, and make all checksums match; values need not be valid JSON."""
    config = json.loads((folder / "config.json").read_bytes())
    for name, content in (parts or {}).items():
        (folder / name).write_bytes(content)
        config["checksums"][name] = hashlib.sha256(content).hexdigest()
    config |= changes
    del config["seal"]
    write_with_checksum(folder / "config.json", json.dumps(config))


def write_with_checksum(path: Path, text: str) -> None:
    """Write JSON as it is, with the checksum of its bytes at the end."""
    head = text.removesuffix("}").encode()
    path.write_bytes(head + b',\n  "seal": "' + hashlib.sha256(head).hexdigest().encode() + b'"\n}\n')


def is_refused(folder: Path, words: str | None = None) -> str:
    """The one sentence with which loading fails, which contains these words."""
    with pytest.raises(ModelFileError, match=words) as error:
        load(folder)
    assert "\n" not in str(error.value)
    return str(error.value)
