"""Export of the points: five file formats, data frames, and other coordinate systems."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._files import new_files
from hypercone._system import available_bytes, import_optional
from hypercone.embedding.embedding import Embedding
from hypercone.embedding.folder import checked_path
from hypercone.errors import InputError, ResourceError, option, unknown_name
from hypercone.geometry import caps, euclidean_cones, hyperboloid, klein
from hypercone.methods import Points, find_method
from hypercone.progress import Step

EXTENSIONS = {".tsv": "tsv", ".npz": "npz", ".vec": "word2vec", ".txt": "word2vec", ".parquet": "parquet"}


def export(embedding: Embedding, path: str | Path, format: str | None = None, *, coordinates: str = "own") -> Path:
    """Write the points in the format of the extension (.tsv, .npz, .vec, .txt or .parquet) or in ``format``.

    ``projector`` writes a second file, FILE.metadata.tsv. Either all files are written, or none.
    """
    target = checked_path(path)
    kind = format or EXTENSIONS.get(target.suffix.lower())
    if kind not in WRITERS:
        raise InputError(f"{target}: say which format to write with {option('format')}: {', '.join(WRITERS)}")
    targets = files_of(target, kind)
    for file in targets:
        if file.is_dir():
            raise InputError(f"{file}: is a folder; give a file to write")
    table = table_of(embedding, coordinates)
    with new_files(*targets) as temporaries, table.step:
        WRITERS[kind](table, *temporaries)
    return target


def files_of(target: Path, format: str | None) -> list[Path]:
    """The files that an export writes."""
    return [target, metadata_file(target)] if format == "projector" else [target]


def to_frame(embedding: Embedding, coordinates: str = "own") -> Any:
    """A pandas DataFrame of the coordinates, indexed by name.

    >>> import numpy as np
    >>> from hypercone.methods import Settings
    >>> embedding = Embedding(["dog"], np.array([[0.5, 0.0]]), "hyperbolic-cones", Settings(), threshold=0.0)
    >>> to_frame(embedding, "klein").loc["dog"].tolist()
    [0.8, 0.0]
    """
    pandas = import_optional("pandas", "a data frame needs", "pandas")
    columns, values = coordinates_of(embedding, coordinates)
    index = pandas.Index(list(embedding.names), name="name")
    # A copy: a frame may be modified, the points of an embedding may not.
    return pandas.DataFrame(values.copy(), index=index, columns=list(columns))


@dataclass(frozen=True, eq=False)
class Table:
    """The nodes of an embedding with their coordinates, one column per coordinate."""

    embedding: Embedding
    coordinates: str
    columns: tuple[str, ...]
    values: Points

    @cached_property
    def step(self) -> Step:
        """Progress in lines written."""
        return Step("export", len(self.values))

    @property
    def names(self) -> Sequence[str]:
        """The name in each line."""
        return self.embedding.names

    @property
    def labels(self) -> Sequence[str] | None:
        """The label in each line, empty if the node has none; None if no node has one."""
        return self.embedding.labels.texts if self.embedding.labels else None

    def numbers(self) -> Iterator[list[str]]:
        """The coordinates in each line, as the shortest strings that round-trip."""
        for row in self.values.tolist():
            yield list(map(repr, row))
            self.step.advance()


def table_of(embedding: Embedding, coordinates: str) -> Table:
    """The table of an embedding."""
    return Table(embedding, coordinates, *coordinates_of(embedding, coordinates))


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write the lines in UTF-8, with the same line endings on every system."""
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(line + "\n" for line in lines)


class Coordinates(NamedTuple):
    """Column names, and the values of each column."""

    columns: tuple[str, ...]
    values: Points


def coordinates_of(embedding: Embedding, kind: str = "own") -> Coordinates:
    """The points as stored (own), or as klein, lorentz or cap if the method has such coordinates.

    ``klein`` is 2x/(1+|x|²), where geodesics are straight lines. ``lorentz`` is the hyperboloid, time x_t first.
    ``cap`` is the direction of the point and the angular radius R of its cone's cap: a cone contains another exactly
    if the angle between the directions is at most the difference of the radii.

    >>> from hypercone.methods import Settings
    >>> embedding = Embedding(["dog"], np.array([[0.5, 0.0]]), "hyperbolic-cones", Settings(), threshold=0.0)
    >>> coordinates_of(embedding, "klein")
    Coordinates(columns=('k0', 'k1'), values=array([[0.8, 0. ]]))
    >>> coordinates_of(embedding, "lorentz").columns, coordinates_of(embedding, "cap").columns
    (('x_t', 'x0', 'x1'), ('u0', 'u1', 'R'))
    """
    if kind not in KINDS:
        raise unknown_name("kind of coordinates", str(kind), KINDS)
    return KINDS[kind](embedding)


def _own_coordinates(embedding: Embedding) -> Coordinates:
    return Coordinates(_column_names("x", embedding.dim), embedding.points)


def _klein(embedding: Embedding) -> Coordinates:
    _refuse_flat(embedding, "klein")
    return Coordinates(_column_names("k", embedding.dim), np.asarray(klein.to_klein(embedding.points), np.float64))


def _lorentz(embedding: Embedding) -> Coordinates:
    _refuse_flat(embedding, "lorentz")
    values = np.asarray(hyperboloid.to_hyperboloid(embedding.points), np.float64)
    return Coordinates(("x_t", *_column_names("x", embedding.dim)), values)


def _cap(embedding: Embedding) -> Coordinates:
    points, K = embedding.points, embedding.settings.K
    if embedding.method not in CAP_RADII:
        raise InputError(
            f"{embedding.method} has no cones, so its points have no cap coordinates; "
            f"{_available_coordinates(embedding)}"
        )
    norms = np.linalg.norm(points, axis=1, keepdims=True)
    directions = points / np.where(norms > 0, norms, 1.0)
    radii = CAP_RADII[embedding.method](points, K)
    return Coordinates((*_column_names("u", embedding.dim), "R"), np.column_stack([directions, radii]))


def _refuse_flat(embedding: Embedding, kind: str) -> None:
    if not find_method(embedding.method).is_hyperbolic:
        raise InputError(
            f"{embedding.method} is flat, so its points have no {kind} coordinates; {_available_coordinates(embedding)}"
        )


def _available_coordinates(embedding: Embedding) -> str:
    curved = ["klein", "lorentz"] if find_method(embedding.method).is_hyperbolic else []
    kinds = ["own", *curved, *(["cap"] if embedding.method in CAP_RADII else [])]
    return f"use {option('coordinates', *kinds)}"


def _column_names(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{k}" for k in range(count))


KINDS: dict[str, Callable[[Embedding], Coordinates]] = {
    "own": _own_coordinates,
    "klein": _klein,
    "lorentz": _lorentz,
    "cap": _cap,
}


# At infinity the cap of a Euclidean cone is as wide as the cone, so R is its half aperture.
CAP_RADII = {"hyperbolic-cones": caps.cap_radius, "euclidean-cones": euclidean_cones.half_aperture}


def write_tsv(table: Table, path: Path) -> None:
    """Write the lines. Names and labels contain no tabs, so nothing is quoted."""
    write_lines(path, _tsv_lines(table))


def _tsv_lines(table: Table) -> Iterator[str]:
    titles = ["name", "label"] if table.labels else ["name"]
    yield "\t".join([*titles, *table.columns])
    texts = zip(table.names, table.labels, strict=True) if table.labels else zip(table.names, strict=True)
    for text, numbers in zip(texts, table.numbers(), strict=True):
        yield "\t".join([*text, *numbers])


def write_npz(table: Table, path: Path) -> None:
    """Write the archive. Strings are stored as string arrays, so that it loads without pickle."""
    arrays: dict[str, Any] = {"names": _texts(table.names), "points": table.values}
    if table.labels:
        arrays["labels"] = _texts(table.labels)
    with path.open("wb") as stream:
        np.savez_compressed(stream, **arrays)


def _texts(texts: Sequence[str]) -> NDArray[np.str_]:
    longest = max(map(len, texts), default=0)
    # All strings of an array take the width of the longest, four bytes per character.
    if 4 * longest * len(texts) > available_bytes():
        raise ResourceError(
            f"an npz file stores every name in the width of the longest, here {longest:,} characters, and "
            f"{len(texts):,} such names do not fit into memory; use another format"
        )
    return np.array(texts, dtype=np.str_)


def write_parquet(table: Table, path: Path) -> None:
    """Write name, label, definition, synonyms and other ids if there are any, and the numbers.

    Method, K and threshold are its metadata.
    """
    arrow = import_optional("pyarrow", "a parquet file needs", "'hypercone[tables]'")
    parquet = import_optional("pyarrow.parquet", "a parquet file needs", "'hypercone[tables]'")
    columns = {"name": arrow.array(table.names, arrow.string())}
    if table.labels:
        # A missing label is null, not an empty string.
        columns["label"] = arrow.array([text or None for text in table.labels], arrow.string())
    glossary = table.embedding.glossary
    if glossary is not None:
        columns["definition"] = arrow.array([text or None for text in glossary.definitions], arrow.string())
        columns["synonyms"] = arrow.array(glossary.synonyms, arrow.list_(arrow.string()))
        columns["other_ids"] = arrow.array(glossary.other_ids, arrow.list_(arrow.string()))
    columns |= {column: arrow.array(table.values[:, k]) for k, column in enumerate(table.columns)}
    whole = arrow.table(columns).replace_schema_metadata({"hypercone": _metadata_json(table)})
    parquet.write_table(whole, path, compression="zstd")


def _metadata_json(table: Table) -> str:
    embedding = table.embedding
    constants = {"K": embedding.settings.K, "alpha": embedding.settings.alpha, "threshold": embedding.threshold}
    about = {"method": embedding.method, "coordinates": table.coordinates}
    return json.dumps(about | {name: float(value) for name, value in constants.items()}, allow_nan=False)


def metadata_file(vectors: Path) -> Path:
    """The second file of the projector format.

    >>> metadata_file(Path("animals.tsv")).name
    'animals.metadata.tsv'
    """
    stem = vectors.name[: -len(".tsv")] if vectors.name.lower().endswith(".tsv") else vectors.name
    return vectors.with_name(f"{stem}.metadata.tsv")


def write_projector(table: Table, vectors: Path, metadata: Path) -> None:
    """Write both files, which the Projector pairs line by line."""
    write_lines(vectors, map("\t".join, table.numbers()))
    write_lines(metadata, _metadata(table))


def _metadata(table: Table) -> Iterator[str]:
    columns = {"name": table.names}
    if table.labels:
        # The Projector shows one column per node, so the name replaces a missing label.
        columns["label"] = [label or name for label, name in zip(table.labels, table.names, strict=True)]
    glossary = table.embedding.glossary
    if glossary is not None:
        columns["definition"] = glossary.definitions
        columns["synonyms"] = list(map("; ".join, glossary.synonyms))
    hierarchy = table.embedding.hierarchy
    if hierarchy:
        columns["depth"] = list(map(str, hierarchy.depths.tolist()))
    # The Projector expects a header exactly if there are several columns.
    if len(columns) > 1:
        yield "\t".join(columns)
    yield from map("\t".join, zip(*columns.values(), strict=True))


def write_word2vec(table: Table, path: Path) -> None:
    """Write the lines; InputError if two names would become the same word, as readers keep only the first."""
    write_lines(path, _word2vec_lines(table, words_of(table.names)))


def words_of(names: Sequence[str]) -> list[str]:
    """The names with ``_`` for white space, which separates columns here; InputError if two become equal.

    >>> words_of(["white pelican", "owl"])
    ['white_pelican', 'owl']
    >>> words_of(["white pelican", "white_pelican"])
    Traceback (most recent call last):
    hypercone.errors.InputError: 'white pelican' and 'white_pelican' would both be written white_pelican as word2vec \
text, which has no spaces in a name; rename one of them, or use another format
    """
    words = [re.sub(r"\s", "_", name) for name in names]
    if len(set(words)) < len(words):
        raise _duplicate_word_error(names, words)
    return words


def _duplicate_word_error(names: Sequence[str], words: list[str]) -> InputError:
    first: dict[str, str] = {}
    one, other, word = next(
        (earlier, name, word)
        for name, word in zip(names, words, strict=True)
        if (earlier := first.setdefault(word, name)) is not name
    )
    return InputError(
        f"{one!r} and {other!r} would both be written {word} as word2vec text, which has no spaces in a name;"
        " rename one of them, or use another format"
    )


def _word2vec_lines(table: Table, words: list[str]) -> Iterator[str]:
    yield f"{len(words)} {len(table.columns)}"
    for word, numbers in zip(words, table.numbers(), strict=True):
        yield " ".join([word, *numbers])


WRITERS: dict[str, Callable[..., None]] = {
    "tsv": write_tsv,
    "npz": write_npz,
    "word2vec": write_word2vec,
    "parquet": write_parquet,
    "projector": write_projector,
}
