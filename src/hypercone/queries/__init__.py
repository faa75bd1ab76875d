"""Questions to an embedding."""

from hypercone.queries.answers import QUESTIONS, answer
from hypercone.queries.asking import Answer
from hypercone.queries.comparison import Comparison, compare
from hypercone.queries.suggestions import Suggestions, suggest

__all__ = ["QUESTIONS", "Answer", "Comparison", "Suggestions", "answer", "compare", "suggest"]
