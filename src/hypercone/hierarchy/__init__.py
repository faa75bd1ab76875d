"""Hierarchies: checking them, and what follows from their edges."""

from hypercone._arrays import Adjacency
from hypercone.hierarchy.hierarchy import Hierarchy, Statistics, describe
from hypercone.hierarchy.split import LabelledPairs, Split, paper_split

__all__ = ["Adjacency", "Hierarchy", "LabelledPairs", "Split", "Statistics", "describe", "paper_split"]
