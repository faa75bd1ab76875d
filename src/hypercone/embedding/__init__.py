"""The embedding: the result of a fit, its model folder, and its exports."""

from hypercone.embedding.embedding import Embedding
from hypercone.embedding.explanation import Explanation, Step
from hypercone.embedding.folder import load, save

__all__ = ["Embedding", "Explanation", "Step", "load", "save"]
