"""Many searches at once, on all cores: the kernels let go of the interpreter, so threads are enough."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from hypercone._system import usable_cores
from hypercone.methods.scoring import Rows

Search = Callable[[NDArray[np.int64]], tuple[Rows, NDArray[np.int64]]]
# A part for each core at a time would wait for the slowest; many small ones even out.
PARTS_A_CORE = 8


def search_many(search: Search, queries: NDArray[np.int64]) -> list[Rows]:
    """The answer to each query, ascending; ``search`` gives those of a part, one after another, and where each ends."""
    cores = usable_cores()
    parts = np.array_split(queries, min(len(queries), cores * PARTS_A_CORE)) if len(queries) else []
    with ThreadPoolExecutor(cores) as pool:
        answers = list(pool.map(search, parts))
    return [np.sort(rows) for flat, ends in answers for rows in np.split(flat, ends[:-1])]
