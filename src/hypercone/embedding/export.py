"""The points for other programs: which format, which coordinates, which file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypercone._files import new_files
from hypercone.embedding.embedding import Embedding
from hypercone.embedding.exports import npz, parquet, projector, tsv, word2vec
from hypercone.embedding.exports.table import Table, table_of
from hypercone.embedding.savable import (
    checked_path,
    refuse_infinite,
    refuse_names,
    refuse_points,
    refuse_shape,
    unwritten,
)
from hypercone.errors import InputError

WRITERS: dict[str, Callable[..., None]] = {
    "tsv": tsv.write,
    "npz": npz.write,
    "word2vec": word2vec.write,
    "parquet": parquet.write,
    "projector": projector.write,
}
EXTENSIONS = {".tsv": "tsv", ".npz": "npz", ".vec": "word2vec", ".txt": "word2vec", ".parquet": "parquet"}


def export(embedding: Embedding, path: str | Path, format: str | None = None, *, coordinates: str = "own") -> Path:
    """Write the points, by the file's extension (.tsv, .npz, .vec, .txt or .parquet) or by ``format``.

    ``projector`` writes a second file beside the first, FILE.metadata.tsv. All files appear, or none.
    """
    target = checked_path(path)
    kind = format or EXTENSIONS.get(target.suffix.lower())
    if kind not in WRITERS:
        raise InputError(f"{target}: say which format to write: {', '.join(WRITERS)}")
    targets = files_of(target, kind)
    for file in targets:
        if file.is_dir():
            raise InputError(f"{file}: is a folder; give a file to write")
    table = _checked_table(target, embedding, coordinates)
    with new_files(*targets) as temporaries:
        WRITERS[kind](table, *temporaries)
    return target


def _checked_table(target: Path, embedding: Embedding, coordinates: str) -> Table:
    with unwritten(target):
        refuse_names(embedding.names, embedding.labels)
        refuse_shape(embedding)
        if coordinates != "own":
            # The other coordinates of a point outside the domain are no numbers, or no coordinates.
            refuse_points(embedding)
    table = table_of(embedding, coordinates)
    with unwritten(target):
        refuse_infinite(table.names, table.values)
    return table


def files_of(target: Path, format: str | None) -> list[Path]:
    """The files that an export writes."""
    return [target, projector.metadata_file(target)] if format == "projector" else [target]
