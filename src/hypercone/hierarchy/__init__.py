"""Hierarchies: validation, transitive closure, transitive reduction, splits."""

from typing import Any

from hypercone._arrays import Adjacency
from hypercone.errors import warn_renamed
from hypercone.hierarchy.glossary import Glossary, Obsolete
from hypercone.hierarchy.hierarchy import Hierarchy
from hypercone.hierarchy.names import Labels
from hypercone.hierarchy.split import LabeledPairs, Split
from hypercone.hierarchy.summary import Summary

__all__ = ["Adjacency", "Glossary", "Hierarchy", "LabeledPairs", "Labels", "Obsolete", "Split", "Summary"]

_OLD_NAMES = {"LabelledPairs": "LabeledPairs", "Statistics": "Summary"}  # old name


def __getattr__(name: str) -> Any:
    if name not in _OLD_NAMES:
        raise AttributeError(f"module 'hypercone.hierarchy' has no attribute {name!r}")
    warn_renamed(f"hypercone.hierarchy.{name}", f"hypercone.hierarchy.{_OLD_NAMES[name]}")
    return globals()[_OLD_NAMES[name]]
