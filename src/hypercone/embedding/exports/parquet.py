"""Parquet, for data frames and databases; needs pyarrow, which is loaded here and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

from hypercone._system import needed
from hypercone.embedding.domain import finite
from hypercone.embedding.exports.table import Table
from hypercone.errors import InputError


def write(table: Table, path: Path) -> None:
    """Write the columns name, label if there are any, and the numbers; method, K and threshold are its metadata."""
    arrow = needed("pyarrow", "a parquet file needs", "'hypercone[tables]'")
    parquet = needed("pyarrow.parquet", "a parquet file needs", "'hypercone[tables]'")
    columns = {"name": arrow.array(table.names, arrow.string())}
    if table.labels:
        # A node without a label has none, which is not the same as an empty one.
        columns["label"] = arrow.array([text or None for text in table.labels], arrow.string())
    columns |= {column: arrow.array(table.values[:, k]) for k, column in enumerate(table.columns)}
    whole = arrow.table(columns).replace_schema_metadata({"hypercone": _about(table)})
    parquet.write_table(whole, path, compression="zstd")


def _about(table: Table) -> str:
    embedding = table.embedding
    constants = {"K": embedding.settings.K, "alpha": embedding.settings.alpha, "threshold": embedding.threshold}
    for name, value in constants.items():
        if finite(value) is None:
            raise InputError(f"{name} is {value!r}, which no parquet file should hold; give a finite number")
    about = {"method": embedding.method, "coordinates": table.coordinates}
    return json.dumps(about | {name: finite(value) for name, value in constants.items()}, allow_nan=False)
