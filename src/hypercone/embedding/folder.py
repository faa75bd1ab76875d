"""A model on disk: a folder of points (safetensors), names, a checksummed description, and a card for people.

::

    model.safetensors   the points, float64
    nodes.txt.gz        the names, one a line, in the order of the points
    labels.txt.gz       the labels in the same order, if there are any; an empty line for a node without
    edges.safetensors   the edges of the hierarchy as (parent, child) rows, int32, if they are known
    config.json         format version, method, settings, threshold, how it was fitted, checksums
    README.md           the model card (not needed to load)
"""

from __future__ import annotations

import os
from pathlib import Path

from hypercone._files import named_values, new_folder, read_regular, refuse_unwritable
from hypercone.embedding.card import model_card
from hypercone.embedding.description import (
    CARD,
    CONFIG,
    FORMAT,
    LARGEST,
    PARTS,
    POINTS,
    Description,
    described,
    read_description,
    sha256,
)
from hypercone.embedding.domain import first_outside
from hypercone.embedding.embedding import Embedding
from hypercone.embedding.parts import read_edges, read_labels, read_names, read_points, written
from hypercone.embedding.savable import checked_path, refuse_unsavable, unwritten
from hypercone.errors import InputError, ModelFileError

# No card that we write comes near this.
LARGEST_CARD = 1 << 24


def save(embedding: Embedding, folder: str | Path) -> Path:
    """Write the model folder; an older model there is replaced, anything else there is left and refused.

    What could not be loaded again is refused before anything is touched.
    """
    target = Path(folder)
    refuse_to_overwrite(target)
    with unwritten(target):
        contents = contents_of(embedding)
    # A link stays one, and what it leads to is replaced.
    with new_folder(target.resolve() if target.is_symlink() else target) as temporary:
        for name, content in contents.items():
            (temporary / name).write_bytes(content)
    return target


def load(folder: str | Path) -> Embedding:
    """Read a model folder back, checking every part; what is damaged, newer or hostile is refused in one sentence.

    >>> import tempfile
    >>> from hypercone.methods import Settings
    >>> points = [[0.5, 0.0], [0.9, 0.0]]
    >>> saved = Embedding(["animal", "dog"], points, "hyperbolic-cones", Settings(), threshold=0.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load(saved.save(folder)).is_a("dog", "animal")
    True
    """
    target = Path(folder)
    description = read_description(target)
    method, settings = description.method, description.settings
    points = read_points(target, description)
    if first_outside(points, method, settings) is not None:
        raise ModelFileError(f"{target / POINTS}: a point lies outside the domain of {method}; the file is damaged")
    return Embedding(
        names=read_names(target, description, len(points)),
        points=points,
        method=method,
        settings=settings,
        threshold=description.number("threshold"),
        record=description.named("record"),
        labels=read_labels(target, description, len(points)),
        edges=read_edges(target, description, len(points)),
    )


def contents_of(embedding: Embedding) -> dict[str, bytes]:
    """The files of a model folder; InputError with the reason if they could not be read back."""
    refuse_unsavable(embedding)
    parts, sizes = written(embedding)
    parts[CARD] = model_card(embedding).encode()
    return parts | {CONFIG: described(embedding, sizes, parts)}


def card_is_as_saved(folder: str | Path) -> bool:
    """Whether the card of a model is the one that was written with it; a card that is gone was not changed.

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
    return _knows_its_card(Path(folder), read_description(Path(folder)))


def refuse_to_overwrite(folder: str | Path) -> None:
    """InputError if something is there that a model must not replace: anything but a model or an empty folder."""
    target = checked_path(folder)
    try:
        if target.is_file():
            raise InputError(f"{target}: is a file; give a folder for the model")
        if target.is_dir() and any(target.iterdir()):
            _refuse_to_replace(target)
        elif os.path.lexists(target) and not target.is_dir():
            raise InputError(f"{target}: is neither a file nor a folder; give a new one for the model")
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror})") from None


def refuse_in_vain(folder: str | Path) -> None:
    """InputError if a model could not be written there in the end: asked before what takes long."""
    refuse_to_overwrite(folder)
    refuse_unwritable(Path(folder))


def _refuse_to_replace(target: Path) -> None:
    description = _model_in(target)
    if description is None:
        raise InputError(f"{target}: is a folder with other things in it; give a new one for the model")
    if not _knows_its_card(target, description):
        raise InputError(f"{target / CARD}: was changed since the model was saved, and would be lost; move it away")


def _model_in(target: Path) -> Description | None:
    """What a folder with nothing but the parts of a model says of itself; it may be damaged otherwise."""
    for path in target.iterdir():
        is_folder = path.is_dir() and not path.is_symlink()
        if is_folder or path.name not in (*PARTS, CONFIG):
            return None
    try:
        # Many programs have a config.json; ours says so.
        values = named_values(read_regular(target / CONFIG, LARGEST))
    except (ModelFileError, ValueError):
        return None
    return Description(target / CONFIG, values) if values.get("format") == FORMAT else None


def _knows_its_card(target: Path, description: Description) -> bool:
    checksums = description.values.get("checksums")
    known = checksums.get(CARD) if isinstance(checksums, dict) else None
    # Version 1 did not know its card.
    if known is None or not os.path.lexists(target / CARD):
        return True
    try:
        return bool(sha256(read_regular(target / CARD, LARGEST_CARD)) == known)
    except ModelFileError:
        return False
