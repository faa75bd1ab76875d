"""NumPy's own archive: the arrays names, points, and labels if there are any."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hypercone.embedding.exports.table import Table


def write(table: Table, path: Path) -> None:
    """Write the archive. Texts are arrays of text, so that it loads without running any code."""
    arrays: dict[str, Any] = {"names": np.array(table.names, dtype=np.str_), "points": table.values}
    if table.labels:
        arrays["labels"] = np.array(table.labels, dtype=np.str_)
    with path.open("wb") as stream:
        np.savez_compressed(stream, **arrays)
