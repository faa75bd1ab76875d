"""Tab-separated text with a header: name, label if there are any, and the numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hypercone.embedding.exports.table import Table, write_lines


def write(table: Table, path: Path) -> None:
    """Write the lines. No name or label holds a tab, so nothing is quoted."""
    write_lines(path, _lines(table))


def _lines(table: Table) -> Iterator[str]:
    titles = ["name", "label"] if table.labels else ["name"]
    yield "\t".join([*titles, *table.columns])
    texts = zip(table.names, table.labels, strict=True) if table.labels else zip(table.names, strict=True)
    for text, numbers in zip(texts, table.numbers(), strict=True):
        yield "\t".join([*text, *numbers])
