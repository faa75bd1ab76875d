"""Two files for TensorFlow's Embedding Projector: the numbers alone, and what is known about each node."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hypercone.embedding.exports.table import Table, write_lines


def metadata_file(vectors: Path) -> Path:
    """The second file, beside the first.

    >>> metadata_file(Path("animals.tsv")).name
    'animals.metadata.tsv'
    """
    stem = vectors.name[: -len(".tsv")] if vectors.name.lower().endswith(".tsv") else vectors.name
    return vectors.with_name(f"{stem}.metadata.tsv")


def write(table: Table, vectors: Path, metadata: Path) -> None:
    """Write both; neither repeats what is in the other, for the Projector pairs them line by line."""
    write_lines(vectors, map("\t".join, table.numbers()))
    write_lines(metadata, _metadata(table))


def _metadata(table: Table) -> Iterator[str]:
    columns = {"name": table.names}
    if table.labels:
        # The Projector shows a node by one column, so where a label is missing the name stands in.
        columns["label"] = [label or name for label, name in zip(table.labels, table.names, strict=True)]
    hierarchy = table.embedding.hierarchy
    if hierarchy:
        columns["depth"] = list(map(str, hierarchy.depths().tolist()))
    # The Projector takes the first line for a header exactly when there are several columns.
    if len(columns) > 1:
        yield "\t".join(columns)
    yield from map("\t".join, zip(*columns.values(), strict=True))
