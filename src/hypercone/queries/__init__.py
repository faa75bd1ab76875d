"""Questions to an embedding."""

from hypercone.queries.answers import QUESTIONS, Answer, answer

__all__ = ["QUESTIONS", "Answer", "answer"]
