"""Questions to an embedding."""

from hypercone.queries.answers import Answer
from hypercone.queries.comparison import Comparison, compare
from hypercone.queries.questions import QUESTIONS, answer
from hypercone.queries.suggestions import Suggestions, suggest
from hypercone.queries.wording import in_words

__all__ = ["QUESTIONS", "Answer", "Comparison", "Suggestions", "answer", "compare", "in_words", "suggest"]
