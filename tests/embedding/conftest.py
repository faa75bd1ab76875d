"""A fitted tree, and two small models on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.embeddings import full_embedding, strange_embedding

import hypercone
from hypercone.embedding import Embedding


@pytest.fixture(scope="session")
def strange() -> Embedding:
    return strange_embedding()


@pytest.fixture(scope="session")
def tree() -> hypercone.Hierarchy:
    return hypercone.load_dataset("tree-2-3")


@pytest.fixture(scope="session")
def fitted(tree: hypercone.Hierarchy) -> Embedding:
    return hypercone.fit(tree, dim=2)


@pytest.fixture
def model(strange: Embedding, tmp_path: Path) -> Path:
    return strange.save(tmp_path / "model")


@pytest.fixture
def full_model(tmp_path: Path) -> Path:
    """A model with every part."""
    return full_embedding().save(tmp_path / "model")
