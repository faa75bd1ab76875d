"""The points for other programs: TSV, NPZ, word2vec text."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from hypercone.atomic import new_file
from hypercone.embedding.embedding import Embedding
from hypercone.errors import InputError


def export(embedding: Embedding, path: str | Path, format: str | None = None) -> Path:
    """Write the points, by the file's extension (.tsv, .npz, .vec or .txt) or by ``format``."""
    target = Path(path)
    kind = format or EXTENSIONS.get(target.suffix.lower())
    if kind not in WRITERS:
        raise InputError(f"{target}: say which format to write: {', '.join(WRITERS)}")
    if target.is_dir():
        raise InputError(f"{target}: is a folder; give a file to write")
    with new_file(target) as temporary:
        WRITERS[kind](embedding, temporary)
    return target


def _write_tsv(embedding: Embedding, path: Path) -> None:
    header = "\t".join(["name", *(f"x{k}" for k in range(embedding.dim))])
    lines = ("\t".join([name, *map(repr, row)]) for name, row in _rows(embedding))
    _write_lines(path, header, lines)


def _write_word2vec(embedding: Embedding, path: Path) -> None:
    # The format separates by white space, so every such character of a name becomes an underscore.
    lines = (" ".join([re.sub(r"\s", "_", name), *map(repr, row)]) for name, row in _rows(embedding))
    _write_lines(path, f"{len(embedding)} {embedding.dim}", lines)


def _write_npz(embedding: Embedding, path: Path) -> None:
    with path.open("wb") as stream:
        np.savez_compressed(stream, names=np.array(embedding.names, dtype=np.str_), points=embedding.points)


def _rows(embedding: Embedding):  # type: ignore[no-untyped-def]
    return zip(embedding.names, embedding.points.tolist(), strict=True)


def _write_lines(path: Path, header: str, lines) -> None:  # type: ignore[no-untyped-def]
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(header + "\n")
        stream.writelines(line + "\n" for line in lines)


WRITERS: dict[str, Callable[[Embedding, Path], None]] = {
    "tsv": _write_tsv,
    "npz": _write_npz,
    "word2vec": _write_word2vec,
}
EXTENSIONS = {".tsv": "tsv", ".npz": "npz", ".vec": "word2vec", ".txt": "word2vec"}
