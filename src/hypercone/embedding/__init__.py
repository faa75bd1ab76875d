"""The embedding: the value a fit returns, its folder on disk, and its exports."""

from hypercone.embedding.embedding import Embedding
from hypercone.embedding.explanation import Explanation, Step
from hypercone.embedding.folder import load, save

__all__ = ["Embedding", "Explanation", "Step", "load", "save"]
