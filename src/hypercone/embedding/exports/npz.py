"""NumPy's own archive: the arrays names, points, and labels if there are any."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone._system import available_bytes
from hypercone.embedding.exports.table import Table
from hypercone.errors import ResourceError


def write(table: Table, path: Path) -> None:
    """Write the archive. Texts are arrays of text, so that it loads without running any code."""
    arrays: dict[str, Any] = {"names": _texts(table.names), "points": table.values}
    if table.labels:
        arrays["labels"] = _texts(table.labels)
    with path.open("wb") as stream:
        np.savez_compressed(stream, **arrays)


def _texts(texts: Sequence[str]) -> NDArray[np.str_]:
    longest = max(map(len, texts), default=0)
    # All texts of an array are as wide as its longest, at four bytes a letter.
    if 4 * longest * len(texts) > available_bytes():
        raise ResourceError(
            f"an npz file keeps every name as wide as the longest, here of {longest:,} letters, and {len(texts):,} such"
            " names do not fit into memory; use another format"
        )
    return np.array(texts, dtype=np.str_)
