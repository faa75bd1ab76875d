"""Questions to an embedding."""

from hypercone.queries.comparison import Comparison, compare
from hypercone.queries.questions import QUESTIONS, Answer, answer
from hypercone.queries.suggestions import Suggestions, suggest

__all__ = ["QUESTIONS", "Answer", "Comparison", "Suggestions", "answer", "compare", "suggest"]
