"""hypercone: turn a hierarchy into a geometry you can ask questions of.

>>> import hypercone
>>> pets = hypercone.Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])
>>> embedding = hypercone.fit(pets, dim=2)
>>> embedding.ancestors("poodle")
['animal', 'dog']

Names are imported when they are first used, so that ``import hypercone`` loads nothing heavy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "Embedding": "hypercone.embedding",
    "EpochReport": "hypercone.training",
    "FitConfig": "hypercone.training",
    "Hierarchy": "hypercone.hierarchy",
    "HyperconeError": "hypercone.errors",
    "Split": "hypercone.hierarchy",
    "dataset_names": "hypercone.data",
    "describe": "hypercone.hierarchy",
    "evaluate": "hypercone.evaluation",
    "evaluate_reconstruction": "hypercone.evaluation",
    "fit": "hypercone.training",
    "load": "hypercone.embedding",
    "load_dataset": "hypercone.data",
    "paper_split": "hypercone.hierarchy",
    "read_edges": "hypercone.hierarchy",
    "read_split": "hypercone.hierarchy",
    "write_split": "hypercone.hierarchy",
}

__all__ = [
    "Embedding",
    "EpochReport",
    "FitConfig",
    "Hierarchy",
    "HyperconeError",
    "Split",
    "__version__",
    "dataset_names",
    "describe",
    "evaluate",
    "evaluate_reconstruction",
    "fit",
    "load",
    "load_dataset",
    "paper_split",
    "read_edges",
    "read_split",
    "write_split",
]

if TYPE_CHECKING:
    from hypercone.data import dataset_names, load_dataset
    from hypercone.embedding import Embedding, load
    from hypercone.errors import HyperconeError
    from hypercone.evaluation import evaluate, evaluate_reconstruction
    from hypercone.hierarchy import (
        Hierarchy,
        Split,
        describe,
        paper_split,
        read_edges,
        read_split,
        write_split,
    )
    from hypercone.training import EpochReport, FitConfig, fit


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'hypercone' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
