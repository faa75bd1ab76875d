"""Questions to an embedding."""

from hypercone.queries.answers import QUESTIONS, answer
from hypercone.queries.asking import Answer

__all__ = ["QUESTIONS", "Answer", "answer"]
