"""Read-only arrays for kernels, and adjacency lists in compressed sparse rows (CSR).

numba compiles a kernel separately for writable and read-only arrays, and for each memory layout. Kernels that only read
are always called with read-only C-contiguous arrays, so that each is compiled once.

Python code indexes an ``Adjacency``; kernels take its ``csr``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = TypeVar("Array", bound=NDArray[Any])


def read_only(array: Array) -> Array:
    """A read-only, C-contiguous view of the array, or the array itself if it already is one.

    >>> given = np.zeros((3, 2))
    >>> seen = read_only(given)
    >>> seen.flags.writeable, given.flags.writeable, seen.base is given
    (False, True, True)
    """
    if array.flags.c_contiguous and not array.flags.writeable:
        return array
    view: Array = np.ascontiguousarray(array).view()  # type: ignore[assignment]
    view.setflags(write=False)
    return view


Rows = NDArray[np.int32]
Offsets = NDArray[np.int64]


def freeze(array: Array) -> Array:
    """The same array, made read-only in place."""
    array.flags.writeable = False
    return array


def pair_keys(first: NDArray[np.integer], second: NDArray[np.integer], count: int) -> NDArray[np.int64]:
    """One integer per pair of rows below ``count``; sorting the keys sorts the pairs by ``first``, then ``second``.

    >>> pair_keys(np.array([0, 2], np.int32), np.array([1, 0], np.int32), 3).tolist()
    [1, 6]
    """
    # The product can exceed 32 bits, and NumPy before 2.0 does not promote int32 by itself.
    keys: NDArray[np.int64] = first.astype(np.int64) * count + second
    return keys


class CSR(NamedTuple):
    """Adjacency lists for kernels: the list of row ``i`` is ``rows[offsets[i]:offsets[i + 1]]``; both are read-only.

    Kernels read it by ``entries``, ``list_of``, ``list_length`` and ``is_listed`` of ``hierarchy.graph_kernels``.
    """

    offsets: Offsets
    rows: Rows


@dataclass(frozen=True, eq=False)
class Adjacency:
    """The neighbors of row ``i`` are ``rows[offsets[i]:offsets[i + 1]]``, in ascending order.

    >>> adjacency = Adjacency.of_groups(np.array([0, 2, 2]), np.array([7, 8, 9]), 3)
    >>> adjacency[2].tolist(), adjacency[1].tolist(), len(adjacency)
    ([8, 9], [], 3)
    """

    offsets: Offsets
    rows: Rows

    def __post_init__(self) -> None:
        freeze(self.offsets)
        freeze(self.rows)

    @classmethod
    def of_groups(cls, groups: NDArray[np.integer], rows: NDArray[np.integer], size: int) -> Adjacency:
        """From ``rows`` that are already sorted by the group (0 … size - 1) each belongs to."""
        offsets = np.zeros(size + 1, np.int64)
        np.cumsum(np.bincount(groups, minlength=size), out=offsets[1:])
        return cls(offsets, np.ascontiguousarray(rows, np.int32))

    @classmethod
    def of_pairs(cls, groups: NDArray[np.integer], rows: NDArray[np.integer], size: int) -> Adjacency:
        """From (group, row) pairs in any order, both in 0 … size - 1.

        >>> Adjacency.of_pairs(np.array([2, 0, 2]), np.array([1, 1, 0]), 3)[2].tolist()
        [0, 1]
        """
        # Sorting integers is several times faster than sorting pairs.
        return cls.of_groups(groups, np.sort(pair_keys(groups, rows, size)) % max(size, 1), size)

    @property
    def csr(self) -> CSR:
        """The same arrays in the form that kernels take."""
        return CSR(self.offsets, self.rows)

    def __getitem__(self, row: int) -> Rows:
        if not -len(self) <= row < len(self):
            raise IndexError(f"row {row} is outside 0 … {len(self) - 1}")
        row %= len(self)
        return self.rows[self.offsets[row] : self.offsets[row + 1]]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def counts(self) -> Offsets:
        """The number of neighbors of each row."""
        return np.diff(self.offsets)

    def groups(self) -> Rows:
        """For each entry of ``rows``, the row whose neighbor it is."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.counts)

    def keys(self) -> NDArray[np.int64]:
        """The key of each (row, neighbor) pair, ascending."""
        return pair_keys(self.groups(), self.rows, len(self))
