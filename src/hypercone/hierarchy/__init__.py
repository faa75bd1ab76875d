"""Hierarchies: reading them, checking them, and what follows from their edges."""

from hypercone._arrays import Adjacency
from hypercone.hierarchy.hierarchy import Hierarchy
from hypercone.hierarchy.pairs import read_pairs
from hypercone.hierarchy.read import read_edges, read_hierarchy
from hypercone.hierarchy.released_split import read_released_split, released_percentages, write_released_split
from hypercone.hierarchy.split import LabelledPairs, Split, paper_split
from hypercone.hierarchy.split_files import read_split, write_split
from hypercone.hierarchy.statistics import Statistics, describe

__all__ = [
    "Adjacency",
    "Hierarchy",
    "LabelledPairs",
    "Split",
    "Statistics",
    "describe",
    "paper_split",
    "read_edges",
    "read_hierarchy",
    "read_pairs",
    "read_released_split",
    "read_split",
    "released_percentages",
    "write_released_split",
    "write_split",
]
