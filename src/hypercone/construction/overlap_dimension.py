"""How the dimension is given to the kernels of the overlapping construction."""

from __future__ import annotations

from typing import Any

from hypercone._jit import dimension_type

# Code made for one dimension is faster, but is compiled for each anew, which takes longer than moving so few.
FEW_NODES = 5_000


def dimension_for(size: int, dim: int) -> Any:
    """The dimension for kernels that move so many balls: a type of its own where that pays, else a number.

    >>> dimension_for(10, 4), dimension_for(100_000, 4)
    (4, (0, 0, 0, 0))
    """
    return dimension_type(dim) if size > FEW_NODES else dim
