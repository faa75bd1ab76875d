"""What nodes are called by people, beside the names that identify them: "Abnormal heart" for HP:0001627."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import compress

from hypercone.errors import HierarchyError, InputError, counted
from hypercone.hierarchy.names import no_such_node

# How a node that stands for several is named, and how its label is put together.
SAME = " = "
SHOWN = 5


class Labels:
    """The label of each row, empty for a row that has none.

    >>> Labels(["heart", "", "Heart"]).rows_of("heart")
    [0]
    >>> Labels(["heart", "", "Heart"]).rows_of("HEART")
    [0, 2]
    """

    def __init__(self, texts: Iterable[str]) -> None:
        """White space inside a label becomes one space, for a label is one line of a file."""
        self.texts = tuple(_one_line(text) for text in texts)

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, row: int) -> str:
        return self.texts[row]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Labels) and self.texts == other.texts

    def __hash__(self) -> int:
        return hash(self.texts)

    def __add__(self, other: Labels) -> Labels:
        """These labels and, for the rows behind them, those."""
        both = Labels(())
        both.texts = self.texts + other.texts
        return both

    def rows_of(self, text: str) -> list[int]:
        """The rows with this label; if there are none, those whose label differs in case alone."""
        return self._exactly.get(text) or self._roughly.get(text.casefold(), [])

    def part(self, kept: Iterable[bool]) -> Labels:
        """The labels of some of the rows."""
        return Labels(compress(self.texts, kept))

    @cached_property
    def _exactly(self) -> dict[str, list[int]]:
        return _grouped(self.texts)

    @cached_property
    def _roughly(self) -> dict[str, list[int]]:
        return _grouped(text.casefold() for text in self.texts)


def checked_labels(labels: Labels | Iterable[str] | None, size: int) -> Labels | None:
    """The labels if each of so many rows has one, if only an empty one; None if no row is labelled."""
    if labels is None:
        return None
    labels = labels if isinstance(labels, Labels) else Labels(labels)
    if len(labels) != size:
        raise HierarchyError(
            f"there are {len(labels)} labels for {counted(size, 'node')}; give each one, or none at all"
        )
    return labels if any(labels.texts) else None


def find_row(name: object, row_of: Mapping[str, int], names: Sequence[str], labels: Labels | None) -> int:
    """The row of a node by its name or else its label; what is unknown or ambiguous is refused with the candidates."""
    if isinstance(name, str):
        if name in row_of:
            return row_of[name]
        rows = (labels.rows_of(name) if labels else []) or _standing_for(name, names)
        if len(rows) == 1:
            return rows[0]
        if rows:
            raise _ambiguous(name, [names[row] for row in rows])
    known = [*names, *(text for text in labels.texts if text)] if labels else names
    raise no_such_node(name, known)


def _standing_for(name: str, names: Sequence[str]) -> list[int]:
    """The rows of nodes that were put together out of several, this one among them."""
    return [row for row, known in enumerate(names) if SAME in known and name in known.split(SAME)]


def _ambiguous(label: str, names: list[str]) -> InputError:
    shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    return InputError(f"{label!r} is the label of {len(names)} nodes: {shown}; give one of these names")


def _grouped(texts: Iterable[str]) -> dict[str, list[int]]:
    groups = defaultdict(list)
    for row, text in enumerate(texts):
        if text:
            groups[text].append(row)
    return groups


def _one_line(text: str) -> str:
    # Splitting a million labels takes a second, and hardly any needs it.
    if text.isprintable() and "  " not in text and text[:1] != " " and text[-1:] != " ":
        return text
    return " ".join(text.replace("\0", " ").encode(errors="replace").decode().split())
