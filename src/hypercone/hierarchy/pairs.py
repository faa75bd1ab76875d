"""Pairs of nodes of a known hierarchy, to and from files of names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hypercone._arrays import Rows
from hypercone._files import new_file
from hypercone.errors import InputError, UnknownNameError
from hypercone.hierarchy.hierarchy import Hierarchy
from hypercone.hierarchy.read import read_names
from hypercone.hierarchy.readers.reading import Reading


def read_pairs(path: str | os.PathLike[str], hierarchy: Hierarchy, **columns: Any) -> Rows:
    """The (parent, child) rows of a pair file; InputError with the line if the hierarchy has no such name.

    The file has columns named ``parent`` and ``child``; if not, ``direction`` or the columns are given as
    for ``read_edges``. A header without pairs is fine.
    """
    pairs = read_names(path, **columns)
    return np.stack([_rows(pairs, names, hierarchy) for names in (pairs.parents, pairs.children)], axis=1)


def write_pairs(path: Path, pairs: Rows, hierarchy: Hierarchy) -> None:
    """Write pairs as names, with the header ``parent``, ``child``; the file appears whole or not at all."""
    names = hierarchy.names
    lines = [f"{names[parent]}\t{names[child]}\n" for parent, child in pairs.tolist()]
    with new_file(path) as draft:
        draft.write_text("parent\tchild\n" + "".join(lines), encoding="utf-8", newline="\n")


def _rows(pairs: Reading, names: Sequence[str], hierarchy: Hierarchy) -> Rows:
    try:
        return hierarchy.rows(names)
    except UnknownNameError as error:
        stranger = next(i for i, name in enumerate(names) if name not in hierarchy)
        raise InputError(f"{pairs.place(stranger)}: {error}") from None
