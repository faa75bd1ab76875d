"""From names and labels to rows: the same rows as ``Embedding.row`` finds, each with one look into a dictionary."""

from __future__ import annotations

from collections.abc import Callable

from hypercone.embedding import Embedding
from hypercone.errors import InputError, UnknownNameError, short
from hypercone.hierarchy.names import SAME
from hypercone.service.refusals import Refusal


class NoSuchRow(Exception):
    """A text that is not the name or label of one node; why is told by ``refusal``, which may take a while."""

    def __init__(self, text: str, refusal: Callable[[str], Refusal]) -> None:
        super().__init__(text)
        self._text, self._refusal = text, refusal

    def refusal(self) -> Refusal:
        """What is said to the client, with the names that were probably meant."""
        return self._refusal(self._text)


class Rows(dict[str, int]):
    """The row of every name; labels and parts of joined names are found as well, and NoSuchRow is raised for others.

    >>> import numpy as np
    >>> from hypercone.hierarchy.labels import Labels
    >>> from hypercone.methods import Settings
    >>> heart = Embedding(["HP:1"], np.array([[0.5, 0.0]]), "order", Settings(), 0.0, labels=Labels(["Heart"]))
    >>> rows = Rows(heart)
    >>> rows["HP:1"], rows["heart"], "heart" in rows
    (0, 0, False)
    """

    def __init__(self, embedding: Embedding) -> None:
        super().__init__({name: row for row, name in enumerate(embedding.names)})
        self._embedding = embedding
        self._parts = _parts(embedding)
        texts = embedding.labels.texts if embedding.labels else ()
        self._longest = max(map(len, (*embedding.names, *texts)), default=0)

    def __missing__(self, text: str) -> int:
        labels = self._embedding.labels
        found = (labels.rows_of(text) if labels else []) or self._parts.get(text, [])
        if len(found) == 1:
            return found[0]
        raise NoSuchRow(text, self._refusal)

    def _refusal(self, text: str) -> Refusal:
        # Looking for names that are like a text takes the longer the longer it is, and no name is like a novel.
        if len(text) > self._longest:
            return _not_found(f"there is no node {short(text)!r}")
        try:
            self._embedding.row(text)
        except UnknownNameError as error:
            return _not_found(str(error))
        except InputError as error:
            return Refusal(400, "ambiguous_name", str(error))
        return _not_found(f"there is no node {short(text)!r}")


def _not_found(message: str) -> Refusal:
    return Refusal(404, "unknown_name", message)


def _parts(embedding: Embedding) -> dict[str, list[int]]:
    """The rows of nodes that were put together out of several, by each of their names."""
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(embedding.names):
        if SAME in name:
            for part in set(name.split(SAME)):
                rows.setdefault(part, []).append(row)
    return rows
