"""Splits as folders of pair files, and files of pairs of names of a known hierarchy."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hypercone._arrays import Rows
from hypercone._files import new_file
from hypercone.errors import InputError, visible
from hypercone.formats.parsed import ParsedEdges
from hypercone.formats.registry import read_names
from hypercone.hierarchy.hierarchy import Hierarchy
from hypercone.hierarchy.split import LabeledPairs, Split
from hypercone.progress import Step

SUMMARY = "split.json"


def write_split(split: Split, hierarchy: Hierarchy, folder: str | os.PathLike[str]) -> None:
    """Write train.tsv, validation.tsv, test.tsv, the negatives of the last two, and split.json.

    >>> import tempfile
    >>> chain = Hierarchy.from_pairs([("a", "b"), ("b", "c"), ("c", "d")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_split(chain.split(50), chain, folder)
    ...     sorted(os.listdir(folder))[-2:]
    ['validation.tsv', 'validation_negatives.tsv']
    """
    target = Path(folder)
    parts = _parts(split)
    with Step("writing the split", sum(map(len, parts.values()))) as step:
        for name, pairs in parts.items():
            write_pairs(target / f"{name}.tsv", pairs, hierarchy)
            step.advance(len(pairs))
    # Written last, so that a folder with a summary is complete.
    with new_file(target / SUMMARY) as draft:
        draft.write_text(json.dumps(_summary(split, hierarchy, parts), indent=2) + "\n", encoding="utf-8")


def read_split(folder: str | os.PathLike[str], hierarchy: Hierarchy, digest: str | None = None) -> Split:
    """The split in a folder; InputError if a file is missing or changed, or belongs to another hierarchy.

    ``digest`` is that of the hierarchy it was made from, if only the training edges are at hand.

    >>> import tempfile
    >>> chain = Hierarchy.from_pairs([("a", "b"), ("b", "c"), ("c", "d")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_split(chain.split(50, seed=7), chain, folder)
    ...     read_split(folder, chain).seed
    7
    """
    source = Path(folder)
    summary = _read_summary(source / SUMMARY)
    if summary["hierarchy"] != (digest or hierarchy.digest):
        raise InputError(f"{source}: is a split of another hierarchy; read the hierarchy it was made from")
    parts = {}
    with Step("reading the split", sum(summary["counts"].values())) as step:
        for name, count in summary["counts"].items():
            parts[name] = _read_part(source / f"{name}.tsv", count, hierarchy)
            step.advance(count)
    return Split(
        parts["train"],
        LabeledPairs(parts["validation"], parts["validation_negatives"]),
        LabeledPairs(parts["test"], parts["test_negatives"]),
        summary["percent"],
        summary["seed"],
        hierarchy.digest,
    )


def _parts(split: Split) -> dict[str, Rows]:
    return {
        "train": split.train,
        "validation": split.validation.positives,
        "validation_negatives": split.validation.negatives,
        "test": split.test.positives,
        "test_negatives": split.test.negatives,
    }


def _summary(split: Split, hierarchy: Hierarchy, parts: dict[str, Rows]) -> dict[str, Any]:
    counts = {name: len(pairs) for name, pairs in parts.items()}
    return {"percent": split.percent, "seed": split.seed, "counts": counts, "hierarchy": hierarchy.digest}


def _read_summary(path: Path) -> dict[str, Any]:
    try:
        summary = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file, so its folder holds no split; write one first") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise InputError(f"{path}: is not JSON ({visible(str(error), 100)}); write the split again") from None
    except RecursionError:
        raise InputError(f"{path}: is nested too deeply; write the split again") from None
    if not _is_summary(summary):
        raise InputError(f"{path}: is not the summary of a split; write the split again")
    return dict(summary)


def _is_summary(summary: Any) -> bool:
    if not isinstance(summary, dict) or not isinstance(summary.get("counts"), dict):
        return False
    kinds = {"percent": (int, float), "seed": (int,), "hierarchy": (str,)}
    parts = {"train", "validation", "validation_negatives", "test", "test_negatives"}
    if summary["counts"].keys() != parts or not all(type(count) is int for count in summary["counts"].values()):
        return False
    # Not isinstance, because bool is a subclass of int.
    return all(type(summary.get(key)) in kind for key, kind in kinds.items()) and 0 <= summary["percent"] <= 100


def _read_part(path: Path, count: int, hierarchy: Hierarchy) -> Rows:
    pairs = read_pairs(path, hierarchy)
    if len(pairs) != count:
        raise InputError(f"{path}: has {len(pairs)} pairs, {SUMMARY} says {count}; write the split again")
    return pairs


def read_pairs(path: str | os.PathLike[str], hierarchy: Hierarchy, **columns: Any) -> Rows:
    """The (parent, child) rows of a pair file; InputError with the line if the hierarchy has no such name.

    The columns are named ``parent`` and ``child``, or given by the arguments of ``read``. A header without pairs is
    valid.
    """
    pairs = read_names(path, **columns)
    return np.stack([_rows(pairs, names, hierarchy) for names in (pairs.parents, pairs.children)], axis=1)


def write_pairs(path: Path, pairs: Rows, hierarchy: Hierarchy) -> None:
    """Write pairs as names under the header ``parent``, ``child``, atomically."""
    names = hierarchy.names
    lines = [f"{names[parent]}\t{names[child]}\n" for parent, child in pairs.tolist()]
    with new_file(path) as draft:
        draft.write_text("parent\tchild\n" + "".join(lines), encoding="utf-8", newline="\n")


def _rows(pairs: ParsedEdges, names: Sequence[str], hierarchy: Hierarchy) -> Rows:
    try:
        return hierarchy.rows(names)
    except InputError:
        for position, name in enumerate(names):
            try:
                hierarchy.row(name)
            except InputError as error:
                raise InputError(f"{pairs.location(position)}: {error}") from None
        raise
