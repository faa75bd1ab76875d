"""Questions to an embedding."""

from hypercone.queries.comparison import Comparison
from hypercone.queries.questions import QUESTIONS, Answer, answer
from hypercone.queries.suggestions import Suggestions

__all__ = ["QUESTIONS", "Answer", "Comparison", "Suggestions", "answer"]
