"""Evaluation: link prediction as in the paper, over all pairs, and reconstruction as in Nickel and Kiela."""

from hypercone.evaluation.all_pairs import evaluate_all_pairs
from hypercone.evaluation.link_prediction import LinkPrediction, evaluate
from hypercone.evaluation.reconstruction import Reconstruction, evaluate_reconstruction
from hypercone.evaluation.suggestions import SuggestionPrecision, suggestion_precision

__all__ = [
    "LinkPrediction",
    "Reconstruction",
    "SuggestionPrecision",
    "evaluate",
    "evaluate_all_pairs",
    "evaluate_reconstruction",
    "suggestion_precision",
]
