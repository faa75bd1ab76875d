"""A split in the format that the authors of the paper released: files of ids with a common prefix.

For the prefix ``noun_closure.tsv`` there are ``noun_closure.tsv.vocab`` (id, name), ``.train_10percent`` and other
percentages, ``.valid``, ``.valid_neg``, ``.test`` and ``.test_neg`` (each the id of a parent, that of a child),
with tabs between columns and no header. Each may be compressed, as in ``noun_closure.tsv.vocab.gz``.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows
from hypercone._files import new_file
from hypercone.errors import HierarchyError, InputError, short, visible
from hypercone.formats.source import PACKINGS, Content, content_of
from hypercone.formats.tables import Table, table_of
from hypercone.hierarchy.graph import CycleError
from hypercone.hierarchy.hierarchy import Hierarchy, first_self_loop, self_loop
from hypercone.hierarchy.split import LabeledPairs, Split

HELD_OUT = ("valid", "valid_neg", "test", "test_neg")
ENDING = re.compile(rf"\.(?:vocab|{'|'.join(HELD_OUT)}|train_([0-9]+(?:\.[0-9]+)?(?:e-[0-9]+)?)percent)")
VOCABULARY = "?*.vocab"
LONGEST_ID = 9

Prefix = str | os.PathLike[str]


def read_released_split(prefix: Prefix, percent: float) -> tuple[Hierarchy, Split]:
    """The hierarchy of the training edges, with the ids as rows, and the split; its seed is unknown and set to 0.

    The prefix may be a folder that contains one split only. Pairs are in the order of the files, except that
    in ``train`` the direct edges come first. InputError, with the line, for anything that is not a valid split.

    >>> import tempfile
    >>> chain = Hierarchy.from_pairs([(str(i), str(i + 1)) for i in range(20)])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_released_split(chain.split(50), chain, f"{folder}/chain")
    ...     hierarchy, split = read_released_split(f"{folder}/chain", 50)
    >>> len(hierarchy), len(split.train), len(split.test.positives)
    (21, 115, 10)
    """
    files, percent = _Files.of(prefix), _plain_number(percent)
    names = _read_names(files.path("vocab"))
    train, valid, valid_neg, test, test_neg = (_read_pairs(files.path(key), names) for key in (percent, *HELD_OUT))
    hierarchy = _hierarchy(names, train)
    for judge, teacher in ((valid, train), (test, train), (test, valid)):
        judge.check_apart(teacher, names, "so the answer is given away")
    for negatives, positives in ((valid_neg, valid), (test_neg, test)):
        negatives.check_apart(positives, names, "so it would be true and false at once")
    held_out = LabeledPairs(valid.rows, valid_neg.rows), LabeledPairs(test.rows, test_neg.rows)
    return hierarchy, Split(_basic_first(hierarchy), *held_out, percent, seed=0)


def released_percentages(prefix: Prefix) -> list[float]:
    """The percentages that have training files, ascending.

    >>> import tempfile
    >>> chain = Hierarchy.from_pairs([(str(i), str(i + 1)) for i in range(20)])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_released_split([chain.split(percent) for percent in (0, 50, 12.5)], chain, f"{folder}/chain")
    ...     released_percentages(folder)
    [0, 12.5, 50]
    """
    return sorted(key for key in _Files.of(prefix).found if not isinstance(key, str))


def write_released_split(splits: Split | Iterable[Split], hierarchy: Hierarchy, prefix: Prefix) -> None:
    """Write one split, or several that differ only in their training edges; ids are the rows of the hierarchy.

    >>> import tempfile
    >>> chain = Hierarchy.from_pairs([(str(i), str(i + 1)) for i in range(20)])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_released_split(chain.split(50), chain, f"{folder}/chain")
    ...     sorted(os.listdir(folder))
    ['chain.test', 'chain.test_neg', 'chain.train_50percent', 'chain.valid', 'chain.valid_neg', 'chain.vocab']
    """
    start = os.fspath(prefix)
    if Path(start).is_dir() or start.endswith(("/", os.sep)):
        raise InputError(f"{start}: is a folder; give the beginning of the files' names, too, such as {Path(start)}/my")
    parts = _parts([splits] if isinstance(splits, Split) else list(splits))
    for ending, pairs in parts.items():
        _check_writable(f"{start}.{ending}", pairs, hierarchy)
    for ending, pairs in parts.items():
        _write(f"{start}.{ending}", [f"{parent}\t{child}\n" for parent, child in pairs.tolist()])
    # Written last: if there is a vocabulary, the other files are complete.
    _write(f"{start}.vocab", [f"{row}\t{name}\n" for row, name in enumerate(hierarchy.names)])


class _Files(NamedTuple):
    """The files of a split: training files by percentage, the others by ending."""

    start: Path
    found: dict[str | float, Path]

    @classmethod
    def of(cls, prefix: Prefix) -> _Files:
        start = Path(prefix)
        if start.is_dir():
            start = _only_vocabulary(start)
        listed = _files_by_name(start.parent)
        ours = {name.removeprefix(start.name): path for name, path in listed.items() if name.startswith(start.name)}
        found = {_key(match): ours[match.string] for match in map(ENDING.fullmatch, ours) if match}
        if not found:
            there = ", ".join(fnmatch.filter(listed, VOCABULARY)) or f"no {VOCABULARY}"
            raise InputError(f"{start}.vocab: there is no such file, in its folder there is {there}; check the path")
        return cls(start, found)

    def path(self, key: str | float) -> Path:
        if key not in self.found:
            missing = f"{self.start}.{key if isinstance(key, str) else _training(key)}"
            there = ", ".join(path.name for path in self.found.values())
            raise InputError(f"{missing}: there is no such file, of this split there is {there}; fetch the missing one")
        return self.found[key]


def _key(ending: re.Match[str]) -> str | float:
    return _plain_number(ending[1]) if ending[1] else ending.string[1:]


def _training(percent: float) -> str:
    return f"train_{_plain_number(percent)}percent"


def _plain_number(number: float | str) -> float:
    number = float(number)
    return int(number) if number.is_integer() else number


def _only_vocabulary(folder: Path) -> Path:
    names = fnmatch.filter(_files_by_name(folder), VOCABULARY)
    if len(names) != 1:
        there = ", ".join(names) or f"no {VOCABULARY}"
        raise InputError(f"{folder}: is a folder with {there}; give the beginning of a split's files, {folder}/…")
    return folder / names[0].removesuffix(".vocab")


def _files_by_name(folder: Path) -> dict[str, Path]:
    """The files in a folder by name without the compression suffix; a plain file takes precedence."""
    try:
        paths = sorted(folder.iterdir())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{folder}: cannot be read ({reason}); check the path") from None
    packed = {path.stem: path for path in paths if path.suffix.lower() in PACKINGS}
    return dict(sorted((packed | {path.name: path for path in paths}).items()))


class _Pairs(NamedTuple):
    """The rows of a file; pair ``i`` is in line ``i + 1``."""

    label: str
    rows: Rows

    def place(self, pair: int) -> str:
        return f"{self.label}:{pair + 1}"

    def keys(self) -> NDArray[np.int64]:
        return self.rows[:, 0].astype(np.int64) << 32 | self.rows[:, 1]

    def check_apart(self, other: _Pairs, names: Sequence[str], why: str) -> None:
        """Raise InputError with the first pair that is in both files."""
        mine, theirs = self.keys(), other.keys()
        shared = np.isin(mine, theirs)
        if shared.any():
            first, (parent, child) = int(shared.argmax()), self.rows[shared][0]
            twin = int((theirs == mine[first]).argmax())
            raise InputError(
                f"{self.place(first)}: the pair {parent} {child} ({visible(names[parent])} → {visible(names[child])}) "
                f"is also in {other.place(twin)}, {why}; remove one of them"
            )


def _hierarchy(names: Sequence[str], train: _Pairs) -> Hierarchy:
    try:
        return Hierarchy(names, train.rows)
    except CycleError as error:
        closing = (train.rows == (error.cycle[-1], error.cycle[0])).all(axis=1)
        raise HierarchyError(f"{train.place(int(closing.argmax()))}: {error}") from None


def _basic_first(hierarchy: Hierarchy) -> Rows:
    basic = np.isin(_Pairs("", hierarchy.edges).keys(), _Pairs("", hierarchy.reduction()).keys())
    return np.concatenate([hierarchy.edges[basic], hierarchy.edges[~basic]])


def _read_names(path: Path) -> list[str]:
    table = _table(content_of(path), "an id and a name")
    ids = [_id(table, place, 10**LONGEST_ID) for place in range(0, len(table.cells), 2)]
    names = table.column(1, 0)
    if "" in names:
        raise table.error(names.index(""), "the name is empty; give it a name or remove the line")
    _check_distinct(table, ids, "id")
    _check_distinct(table, names, "name")
    in_order = sorted(range(len(ids)), key=ids.__getitem__)
    for wanted, record in enumerate(in_order):
        if ids[record] != wanted:
            raise table.error(record, f"there is id {ids[record]} but no id {wanted}; number the nodes without gaps")
    return [names[record] for record in in_order]


def _check_distinct(table: Table, values: Sequence[Hashable], what: str) -> None:
    first: dict[Hashable, int] = {}
    for record, value in enumerate(values):
        if first.setdefault(value, record) != record:
            raise table.error(
                record, f"{what} {short(repr(value))} is already in line {first[value] + 1}; give each node its own"
            )


def _read_pairs(path: Path, names: Sequence[str]) -> _Pairs:
    content = content_of(path)
    ids = _clean_ids(content.data)
    # Other files are read again by the slower parser, which accepts unusual ones and reports errors with their line.
    if ids is None or ids.max() >= len(names):
        table = _table(content, "the ids of a parent and a child")
        ids = np.array([_id(table, place, len(names)) for place in range(len(table.cells))])
    pairs = _Pairs(content.label, ids.astype(np.int32).reshape(-1, 2))
    loop = first_self_loop(pairs.rows)
    if loop is not None:
        raise HierarchyError(f"{pairs.place(loop)}: {self_loop(names[pairs.rows[loop, 0]])}")
    return pairs


def _clean_ids(data: bytes) -> NDArray[np.int64] | None:
    """The ids in a file that has two numbers per line, separated by a tab, and nothing else; None for any other."""
    text = np.frombuffer(data, np.uint8)
    digits = text - np.uint8(ord("0"))
    ends = np.flatnonzero(digits > 9)
    if len(ends) % 2 or not data.endswith(b"\n") or bytes(text[ends]) != b"\t\n" * (len(ends) // 2):
        return None
    lengths = np.diff(ends, prepend=-1) - 1
    if lengths.min() < 1 or lengths.max() > LONGEST_ID:
        return None
    ids = np.zeros(len(ends), np.int64)
    for place in range(int(lengths.max())):
        long = np.flatnonzero(lengths > place)
        ids[long] += digits[ends[long] - 1 - place].astype(np.int64) * 10**place
    return ids


def _id(table: Table, place: int, size: int) -> int:
    cell = table.cells[place]
    if not (cell.isascii() and cell.isdigit() and len(cell) <= LONGEST_ID):
        raise table.error(place // 2, f"{cell[:40]!r} is not an id, which has 1 to {LONGEST_ID} digits; correct it")
    if int(cell) >= size:
        raise table.error(place // 2, f"there is no id {cell} in .vocab, only 0 … {size - 1}; correct one of them")
    return int(cell)


def _table(content: Content, columns: str) -> Table:
    if not content.data.strip():
        raise InputError(f"{content.label}: is empty; fetch or write the split again")
    first = content.data.split(b"\n", 1)[0].rstrip(b"\r")
    if first and (marks := first.count(b"\t")) != 1:
        raise InputError(f"{content.label}:1: expected 2 columns, {columns}, found {marks + 1}; put a tab between them")
    return table_of(content, "tsv")


def _parts(splits: list[Split]) -> dict[str, Rows]:
    train = {_training(split.percent): split.train for split in splits}
    if not 0 < len(train) == len(splits):
        raise InputError(f"{len(splits)} splits of {len(train)} percentages are given; give one or more, each once")
    held_out, *others = map(_held_out, splits)
    if not all(map(np.array_equal, held_out * len(others), chain.from_iterable(others))):
        raise InputError("the splits hold out different pairs, for which there is one file only; draw with one seed")
    return train | dict(zip(HELD_OUT, held_out, strict=True))


def _held_out(split: Split) -> tuple[Rows, ...]:
    return split.validation.positives, split.validation.negatives, split.test.positives, split.test.negatives


def _check_writable(label: str, pairs: Rows, hierarchy: Hierarchy) -> None:
    if not len(pairs):
        raise InputError(f"{label}: would be empty, which nobody could read; split a larger hierarchy")
    if pairs.max() >= len(hierarchy):
        there = f"the hierarchy has rows 0 … {len(hierarchy) - 1}; give the one that was split"
        raise InputError(f"{label}: would hold row {pairs.max()}, but {there}")


def _write(path: str, lines: list[str]) -> None:
    with new_file(Path(path)) as draft:
        draft.write_text("".join(lines), encoding="utf-8", newline="\n")
