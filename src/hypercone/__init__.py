"""hypercone: hyperbolic entailment cones for hierarchies.

>>> import hypercone
>>> embedding = hypercone.fit([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")], dim=2)
>>> embedding.ancestors("poodle"), embedding.is_a("cat", "dog")
(['animal', 'dog'], False)

Read:       read, load_dataset, datasets; Hierarchy, Labels, Glossary, Obsolete
Fit:        fit; TrainingConfig, ConstructionConfig, Settings; Checkpointing, Progress; ConeEmbedder
Query:      load, and the methods of Embedding; serve
Evaluate:   Hierarchy.split, Split, LabeledPairs, read_split, write_split; evaluation
Compute:    geometry
Errors:     HyperconeError and its subclasses

Names are imported on first use, so ``import hypercone`` itself is fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from hypercone import errors as errors
    from hypercone import evaluation as evaluation
    from hypercone import geometry as geometry
    from hypercone.data import datasets, load_dataset
    from hypercone.embedding import Embedding, load
    from hypercone.errors import (
        ConfigError,
        DomainError,
        HierarchyError,
        HyperconeError,
        InputError,
        Interrupted,
        ModelFileError,
        ObsoleteNameError,
        ResourceError,
        UnknownNameError,
    )
    from hypercone.estimator import ConeEmbedder
    from hypercone.formats import read, read_split, write_split
    from hypercone.hierarchy import Glossary, Hierarchy, LabeledPairs, Labels, Obsolete, Split
    from hypercone.methods import Settings
    from hypercone.progress import Progress
    from hypercone.runs import Checkpointing
    from hypercone.service import serve
    from hypercone.training import ConstructionConfig, TrainingConfig, fit

_HOMES = {
    "hypercone.data": ("datasets", "load_dataset"),
    "hypercone.embedding": ("Embedding", "load"),
    "hypercone.errors": (
        "ConfigError",
        "DomainError",
        "HierarchyError",
        "HyperconeError",
        "InputError",
        "Interrupted",
        "ModelFileError",
        "ObsoleteNameError",
        "ResourceError",
        "UnknownNameError",
    ),
    "hypercone.estimator": ("ConeEmbedder",),
    "hypercone.formats": ("read", "read_split", "write_split"),
    "hypercone.hierarchy": ("Glossary", "Hierarchy", "LabeledPairs", "Labels", "Obsolete", "Split"),
    "hypercone.methods": ("Settings",),
    "hypercone.progress": ("Progress",),
    "hypercone.runs": ("Checkpointing",),
    "hypercone.service": ("serve",),
    "hypercone.training": ("ConstructionConfig", "TrainingConfig", "fit"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ("errors", "evaluation", "geometry")

__all__ = [
    "Checkpointing",
    "ConeEmbedder",
    "ConfigError",
    "ConstructionConfig",
    "DomainError",
    "Embedding",
    "Glossary",
    "Hierarchy",
    "HierarchyError",
    "HyperconeError",
    "InputError",
    "Interrupted",
    "LabeledPairs",
    "Labels",
    "ModelFileError",
    "Obsolete",
    "ObsoleteNameError",
    "Progress",
    "ResourceError",
    "Settings",
    "Split",
    "TrainingConfig",
    "UnknownNameError",
    "__version__",
    "datasets",
    "errors",
    "evaluation",
    "fit",
    "geometry",
    "load",
    "load_dataset",
    "read",
    "read_split",
    "serve",
    "write_split",
]


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(importlib.import_module(_HOME_OF[name]), name)
    if name in _MODULES:
        return importlib.import_module(f"hypercone.{name}")
    if not name.startswith("_"):
        old_names = importlib.import_module("hypercone._old_names")
        if name in old_names.NEW_NAMES:
            from hypercone.errors import warn_renamed

            warn_renamed(f"hypercone.{name}", old_names.NEW_NAMES[name])
            return getattr(old_names, name)
    raise AttributeError(f"module 'hypercone' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
