"""The model folder: points (safetensors), names, a description with checksums, and a model card.

::

    model.safetensors   the points, float64
    nodes.txt.gz        the names, one per line, in the order of the points
    labels.txt.gz       the labels in the same order, if there are any; an empty line for a node without one
    edges.safetensors   the edges of the hierarchy as (parent, child) rows, int32, if they are known
    glossary.tsv.gz     definitions, synonyms, other and obsolete ids, if there are any: kind, row or id, text
    config.json         format version, method, settings, threshold, record of the fit, checksums
    README.md           the model card (not needed to load)
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypercone._files import OpenFolder, new_folder, parse_json_object, read_folder, refuse_unwritable
from hypercone.embedding.checks import InvalidField, as_finite, check_record
from hypercone.embedding.embedding import Embedding
from hypercone.embedding.folder_format import (
    CARD,
    CONFIG,
    EDGES,
    FORMAT,
    GLOSSARY,
    LABELS,
    LARGEST,
    NODES,
    PARTS,
    POINTS,
    Description,
    description_bytes,
    read_by_point,
    read_description,
    read_edges,
    read_glossary,
    read_labels,
    read_names,
    read_points,
    serialize_parts,
    sha256,
)
from hypercone.embedding.headline import headline_sentences
from hypercone.embedding.origin import kind_in_words, method_in_words
from hypercone.errors import InputError, ModelFileError, plural, short

# The file of each field of an embedding; all others are in config.json.
FILES = {"names": NODES, "points": POINTS, "labels": LABELS, "edges": EDGES, "glossary": GLOSSARY}
# Far larger than any card that is written.
LARGEST_CARD = 1 << 24
ALL_FILES = (*PARTS, CONFIG)


def save(embedding: Embedding, folder: str | Path, headline: dict[str, Any] | None = None) -> Path:
    """Write the model folder; an older model there is replaced, anything else raises InputError and is left alone.

    A model that could not be loaded again is refused before anything is written. The card begins with the headline.
    """
    target = Path(folder)
    refuse_to_overwrite(target)
    with explain_not_written(target):
        contents = contents_of(embedding, headline)
    # A symbolic link is kept, and its target replaced.
    with new_folder(target.resolve() if target.is_symlink() else target) as temporary:
        for name, content in contents.items():
            (temporary / name).write_bytes(content)
    return target


def load(folder: str | Path) -> Embedding:
    """Read a model folder and verify every part; ModelFileError if it is damaged, newer or hostile.

    >>> import tempfile
    >>> from hypercone.methods import Settings
    >>> points = [[0.5, 0.0], [0.9, 0.0]]
    >>> saved = Embedding(["animal", "dog"], points, "hyperbolic-cones", Settings(), threshold=0.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load(saved.save(folder)).is_a("dog", "animal")
    True
    """
    return read_folder(Path(folder), ALL_FILES, _load)


def _load(folder: OpenFolder) -> Embedding:
    description = read_description(folder)
    method, settings = description.method, description.settings
    points = read_points(folder, description)
    try:
        return Embedding(
            names=read_names(folder, description, len(points)),
            points=points,
            method=method,
            settings=settings,
            threshold=description.number("threshold"),
            record=description.mapping("record"),
            labels=read_labels(folder, description, len(points)),
            edges=read_edges(folder, description),
            by_point=read_by_point(description),
            glossary=read_glossary(folder, description, len(points)),
        )
    except InvalidField as error:
        path = folder.path / FILES.get(error.field, CONFIG)
        problem = str(error).rpartition("; ")[0]
        raise ModelFileError(f"{path}: {problem}; the file is damaged") from None


def contents_of(embedding: Embedding, headline: dict[str, Any] | None = None) -> dict[str, bytes]:
    """The files of a model folder; InputError if they could not be read back."""
    # Everything else was validated by the embedding, but a record is mutable.
    check_record(embedding.record)
    parts, sizes = serialize_parts(embedding)
    parts[CARD] = model_card(embedding, headline).encode()
    return parts | {CONFIG: description_bytes(embedding, sizes, parts)}


def card_is_as_saved(folder: str | Path) -> bool:
    """Whether the card of a model is unchanged since it was saved; a deleted card counts as unchanged.

    >>> import tempfile
    >>> from hypercone.methods import Settings
    >>> saved = Embedding(["dog"], [[0.5, 0.0]], "hyperbolic-cones", Settings(), threshold=0.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     card = saved.save(folder) / "README.md"
    ...     before = card_is_as_saved(folder)
    ...     _ = card.write_text("Ask Ada before you use this.")
    ...     before, card_is_as_saved(folder)
    (True, False)
    """
    return read_folder(Path(folder), ALL_FILES, lambda opened: _card_is_unchanged(opened, read_description(opened)))


def refuse_to_overwrite(folder: str | Path) -> None:
    """InputError if the folder is anything but missing, empty, or an unmodified model."""
    target = checked_path(folder)
    try:
        if target.is_file():
            raise InputError(f"{target}: is a file; give a folder for the model")
        if target.is_dir():
            read_folder(target, ALL_FILES, _refuse_to_replace)
        elif os.path.lexists(target):
            raise InputError(f"{target}: is neither a file nor a folder; give a new one for the model")
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror})") from None


def refuse_unwritable_folder(folder: str | Path) -> None:
    """InputError if a model could not be written there; called before a long computation."""
    refuse_to_overwrite(folder)
    refuse_unwritable(Path(folder))


def _refuse_to_replace(folder: OpenFolder) -> None:
    names = folder.names()
    if not names:
        return
    description = _description_in(folder, names)
    if description is None:
        raise InputError(f"{folder.path}: is a folder with other things in it; give a new one for the model")
    if not _card_is_unchanged(folder, description):
        raise InputError(
            f"{folder.path / CARD}: was changed since the model was saved, and would be lost; move it away"
        )


def _description_in(folder: OpenFolder, names: list[str]) -> Description | None:
    """The description in a folder that contains only the parts of a model; None if it is not a model."""
    for name in names:
        path = folder.path / name
        is_folder = path.is_dir() and not path.is_symlink()
        if is_folder or name not in ALL_FILES:
            return None
    try:
        # Many programs have a config.json; the format field identifies ours.
        values = parse_json_object(folder.read(CONFIG, LARGEST))
    except (ModelFileError, ValueError):
        return None
    return Description(folder.path / CONFIG, values) if values.get("format") == FORMAT else None


def _card_is_unchanged(folder: OpenFolder, description: Description) -> bool:
    checksums = description.values.get("checksums")
    known = checksums.get(CARD) if isinstance(checksums, dict) else None
    # Version 1 had no checksum of the card.
    if known is None or CARD not in folder.names():
        return True
    try:
        return bool(sha256(folder.read(CARD, LARGEST_CARD)) == known)
    except ModelFileError:
        return False


def checked_path(path: str | Path) -> Path:
    """The path; InputError if it contains a NUL character, which no system allows."""
    if "\0" in str(path):
        raise InputError(f"{str(path)!r}: cannot be written (there is a NUL character in it); give another name")
    return Path(path)


@contextlib.contextmanager
def explain_not_written(target: Path) -> Iterator[None]:
    """Prefix an InputError raised inside with the target that is not written."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{target}: not written: {error}") from None


def model_card(embedding: Embedding, headline: dict[str, Any] | None = None) -> str:
    """The model card in Markdown: what the model is, how it was made, how to use it. Tolerates any record."""
    record = embedding.record
    judged = "of a construction, judged" if record.get("kind") == "constructed" else "chosen"
    example = embedding.names[len(embedding) // 2] if len(embedding) else "a name"
    return f"""# {len(embedding):,} nodes as {method_in_words(embedding)} in {embedding.dim} dimensions

{_headline_table(headline)}An embedding made by hypercone: {kind_in_words(embedding)}.
By geometry, a node *is a* another when the energy of the pair is at most
{embedding.threshold:.6g}, the threshold {judged} on {_line(record.get("calibrated_on", "unknown pairs"))}{_f1(record)}.

{_reproducibility(embedding)}

```python
import hypercone

embedding = hypercone.load("this folder")
embedding.ancestors({example!r})
```

## How it was fitted

{_how_it_was_made(record)} Data digest `{_line(record.get("hierarchy_digest", "?"))}`.
{_placement_note(record)}
{_settings_table(record)}
"""


def _headline_table(headline: dict[str, Any] | None) -> str:
    if headline is None:
        return ""
    rows = [f"| {title} | {line} |" for title, line in headline_sentences(headline).items()]
    return "\n".join(["| how much of the hierarchy holds | |", "|---|---|", *rows]) + "\n\n"


def _f1(record: dict[str, Any]) -> str:
    f1 = as_finite(record.get("calibration_f1"))
    return "" if f1 is None or not 0 <= f1 <= 1 else f"\n(F1 there: {100 * f1:.2f})"


def _how_it_was_made(record: dict[str, Any]) -> str:
    edges = record.get("training_edges", 0)
    counted_edges = f"{edges:,} edges" if isinstance(edges, int) else f"{_line(edges)} edges"
    aware = "; everything these imply was used as well" if record.get("closure_aware") else ""
    if record.get("kind") == "constructed":
        notes = (f"{note.rstrip('.')}." for note in notes_of(record))
        return " ".join([f"Constructed from {counted_edges}{aware}.", *notes])
    start = " from a construction" if record.get("kind") == "learned from a construction" else ""
    return f"Trained{start} on {counted_edges}{aware}; points of epoch {_line(record.get('epoch', '?'))}."


def _reproducibility(embedding: Embedding) -> str:
    if embedding.record.get("reproducible", True):
        return "Fitted with one thread: the same data, settings and version give the same bytes again."
    return "**Not reproducible**: fitted with several threads at once, so another run gives slightly different points."


def notes_of(record: dict[str, Any]) -> list[str]:
    """The notes in any record, each on one line."""
    notes = record.get("notes", [])
    return list(map(_line, notes if isinstance(notes, list | tuple) else [notes]))


def count_placed(record: dict[str, Any]) -> int:
    """The number of nodes that were placed after the fit, according to any record."""
    placed = record.get("placed")
    count = placed.get("nodes", 0) if isinstance(placed, dict) else 0
    return count if isinstance(count, int) else 0


def _placement_note(record: dict[str, Any]) -> str:
    count = count_placed(record)
    if not count:
        return ""
    return f"\n{plural(count, 'node')} {'was' if count == 1 else 'were'} placed after the fit.\n"


def _settings_table(record: dict[str, Any]) -> str:
    config = record.get("config")
    settings = config.items() if isinstance(config, dict) else ()
    rows = [f"| {_cell(name)} | {_cell(value)} |" for name, value in settings]
    return "\n".join(["| setting | value |", "|---|---|", *rows])


def _line(value: object) -> str:
    """The value on one line, shortened."""
    return short(" ".join(str(value).split()), 200)


def _cell(value: object) -> str:
    return _line(value).replace("|", "\\|")
