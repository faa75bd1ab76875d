"""What every format writes: a line a node with its name, its label if there are any, and its numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hypercone.embedding.coordinates import coordinates_of
from hypercone.embedding.embedding import Embedding
from hypercone.methods import Points


@dataclass(frozen=True, eq=False)
class Table:
    """The nodes of an embedding with their coordinates, a column for each number."""

    embedding: Embedding
    coordinates: str
    columns: tuple[str, ...]
    values: Points

    @property
    def names(self) -> Sequence[str]:
        """The name of each line."""
        return self.embedding.names

    @property
    def labels(self) -> Sequence[str] | None:
        """The label of each line, empty where a node has none; None if no node has one."""
        return self.embedding.labels.texts if self.embedding.labels else None

    def numbers(self) -> Iterator[list[str]]:
        """The coordinates of each line, each the shortest text that reads back as the same number."""
        for row in self.values.tolist():
            yield list(map(repr, row))


def table_of(embedding: Embedding, coordinates: str) -> Table:
    """The table of an embedding."""
    return Table(embedding, coordinates, *coordinates_of(embedding, coordinates))


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """UTF-8, each line ended in the same way on every system."""
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(line + "\n" for line in lines)
