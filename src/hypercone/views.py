"""Arrays as kernels see them: in rows, and only to be read.

The compiler makes one version of a kernel for arrays that can be written to and another for those that cannot, and one
for each order in memory. Whoever calls a kernel that only reads gives it one kind, and it is compiled once.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = TypeVar("Array", bound=NDArray[Any])


def read_only(array: Array) -> Array:
    """A view of the array that cannot be written to, or the array itself if it is such a one.

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
