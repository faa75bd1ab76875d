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
    "ConeEmbedder": "hypercone.estimator",
    "Embedding": "hypercone.embedding",
    "EpochReport": "hypercone.training",
    "FitConfig": "hypercone.training",
    "Hierarchy": "hypercone.hierarchy",
    "HyperconeError": "hypercone.errors",
    "Run": "hypercone.runs",
    "Split": "hypercone.hierarchy",
    "compare": "hypercone.queries",
    "dataset_names": "hypercone.data",
    "describe": "hypercone.hierarchy",
    "evaluate": "hypercone.evaluation",
    "evaluate_all_pairs": "hypercone.evaluation",
    "evaluate_hard": "hypercone.evaluation",
    "evaluate_reconstruction": "hypercone.evaluation",
    "fit": "hypercone.training",
    "load": "hypercone.embedding",
    "load_dataset": "hypercone.data",
    "paper_split": "hypercone.hierarchy",
    "read_edges": "hypercone.formats",
    "read_hierarchy": "hypercone.formats",
    "read_split": "hypercone.formats",
    "suggest": "hypercone.queries",
    "suggestion_precision": "hypercone.evaluation",
    "write_split": "hypercone.formats",
}

__all__ = [
    "ConeEmbedder",
    "Embedding",
    "EpochReport",
    "FitConfig",
    "Hierarchy",
    "HyperconeError",
    "Run",
    "Split",
    "__version__",
    "compare",
    "dataset_names",
    "describe",
    "evaluate",
    "evaluate_all_pairs",
    "evaluate_hard",
    "evaluate_reconstruction",
    "fit",
    "load",
    "load_dataset",
    "paper_split",
    "read_edges",
    "read_hierarchy",
    "read_split",
    "suggest",
    "suggestion_precision",
    "write_split",
]

if TYPE_CHECKING:
    from hypercone.data import dataset_names, load_dataset
    from hypercone.embedding import Embedding, load
    from hypercone.errors import HyperconeError
    from hypercone.estimator import ConeEmbedder
    from hypercone.evaluation import (
        evaluate,
        evaluate_all_pairs,
        evaluate_hard,
        evaluate_reconstruction,
        suggestion_precision,
    )
    from hypercone.formats import read_edges, read_hierarchy, read_split, write_split
    from hypercone.hierarchy import Hierarchy, Split, describe, paper_split
    from hypercone.queries import compare, suggest
    from hypercone.runs import Run
    from hypercone.training import EpochReport, FitConfig, fit


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'hypercone' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
