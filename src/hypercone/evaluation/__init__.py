"""Evaluation: link prediction as in the paper, reconstruction as in Nickel and Kiela."""

from hypercone.evaluation.link_prediction import LinkPrediction, evaluate
from hypercone.evaluation.reconstruction import Reconstruction, evaluate_reconstruction

__all__ = ["LinkPrediction", "Reconstruction", "evaluate", "evaluate_reconstruction"]
