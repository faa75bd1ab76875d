"""Metrics of an embedding on pairs, as a ranking and for suggested links, and a bound on the dimension it needs."""

from typing import Any

from hypercone.embedding.headline import Headline
from hypercone.embedding.origin import Kind, Origin, kind_of
from hypercone.errors import warn_renamed
from hypercone.evaluation.damaged import SuggestionPrecision, suggestions
from hypercone.evaluation.dimension import DimensionBound, dimension_bound
from hypercone.evaluation.measures import (
    LinkPrediction,
    Reconstruction,
    all_pairs,
    headline,
    link_prediction,
    reconstruction,
)
from hypercone.evaluation.near_misses import HardNegatives, NegativeKind, NegativePairs, hard_negatives, hard_pairs
from hypercone.evaluation.reference import baselines

__all__ = [
    "DimensionBound",
    "HardNegatives",
    "Headline",
    "Kind",
    "LinkPrediction",
    "NegativeKind",
    "NegativePairs",
    "Origin",
    "Reconstruction",
    "SuggestionPrecision",
    "all_pairs",
    "baselines",
    "dimension_bound",
    "hard_negatives",
    "hard_pairs",
    "headline",
    "kind_of",
    "link_prediction",
    "reconstruction",
    "suggestions",
]

_OLD_NAMES = {
    "evaluate": "link_prediction",
    "evaluate_all_pairs": "all_pairs",
    "evaluate_hard": "hard_pairs",
    "evaluate_reconstruction": "reconstruction",
    "WrongKind": "NegativeKind",
    "WrongPairs": "NegativePairs",
}


_GONE = {
    "all_pairs_by": "all_pairs(embedding, group_by=…).groups",
    "hard_by": "hard_pairs(embedding, group_by=…).groups",
    "reference_lines": 'baselines(hierarchy, split, on="test-pairs")',
    "reference_all_pairs": "baselines(hierarchy, split)",
    "reference_hard": 'baselines(hierarchy, split, on="hard-pairs")',
    "hide_parents": "benchmarks/parent_scorers.py of the repository",
}


def __getattr__(name: str) -> Any:
    if name in _GONE:
        raise AttributeError(f"hypercone.evaluation.{name} is gone; use {_GONE[name]}")
    if name not in _OLD_NAMES:
        raise AttributeError(f"module 'hypercone.evaluation' has no attribute {name!r}")
    warn_renamed(f"hypercone.evaluation.{name}", f"hypercone.evaluation.{_OLD_NAMES[name]}")
    return globals()[_OLD_NAMES[name]]
