"""What a question is, what was asked, and the answer: values for programs and words for people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypercone.embedding import Embedding

MORE = "…"


@dataclass(frozen=True)
class Answer:
    """One answer twice."""

    values: dict[str, Any]
    words: str


@dataclass(frozen=True)
class Asked:
    """The nodes that a question is about, how many names to list (0 for all), and whether as a table."""

    embedding: Embedding
    rows: tuple[int, ...]
    limit: int = 0
    long: bool = False


@dataclass(frozen=True)
class Question:
    """How a question is asked: what it takes, ``…`` for any number more, and who answers.

    >>> lca = Question("NAME NAME …", respond=lambda asked: Answer({}, ""))
    >>> lca.takes(1), lca.takes(2), lca.takes(9)
    (False, True, True)
    """

    arguments: str
    respond: Callable[[Asked], Answer]

    def takes(self, count: int) -> bool:
        """Whether it can be asked about so many nodes."""
        *least, last = self.arguments.split()
        return count >= len(least) if last == MORE else count == len(least) + 1
