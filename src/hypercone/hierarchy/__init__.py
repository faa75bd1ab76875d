"""Hierarchies: checking them, and what follows from their edges."""

from hypercone._arrays import Adjacency
from hypercone.hierarchy.hierarchy import Hierarchy, Summary
from hypercone.hierarchy.names import Labels
from hypercone.hierarchy.split import LabeledPairs, Split

__all__ = ["Adjacency", "Hierarchy", "LabeledPairs", "Labels", "Split", "Summary"]
