"""Questions to an embedding."""

from hypercone.queries.answers import Answer
from hypercone.queries.comparison import Comparison
from hypercone.queries.questions import QUESTIONS, answer
from hypercone.queries.suggestions import Suggestions
from hypercone.queries.wording import in_words

__all__ = ["QUESTIONS", "Answer", "Comparison", "Suggestions", "answer", "in_words"]
