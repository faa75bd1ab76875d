"""Evaluation: link prediction as in the paper, over all pairs, against hard pairs, and reconstruction."""

from hypercone.evaluation.breakdown import (
    Breakdown,
    all_pairs_by,
    hard_by,
    reference_all_pairs,
    reference_hard,
    reference_lines,
)
from hypercone.evaluation.hard_pairs import HardNegatives, WrongKind, WrongPairs, evaluate_hard, hard_negatives
from hypercone.evaluation.link_prediction import (
    Kind,
    LinkPrediction,
    Origin,
    Reconstruction,
    evaluate,
    evaluate_all_pairs,
    evaluate_reconstruction,
    kind_of,
)
from hypercone.evaluation.suggestions import SuggestionPrecision, suggestion_precision

__all__ = [
    "Breakdown",
    "HardNegatives",
    "Kind",
    "LinkPrediction",
    "Origin",
    "Reconstruction",
    "SuggestionPrecision",
    "WrongKind",
    "WrongPairs",
    "all_pairs_by",
    "evaluate",
    "evaluate_all_pairs",
    "evaluate_hard",
    "evaluate_reconstruction",
    "hard_by",
    "hard_negatives",
    "kind_of",
    "reference_all_pairs",
    "reference_hard",
    "reference_lines",
    "suggestion_precision",
]
