"""Damage every byte of a small model in every way, and cut every part at every length: is it always noticed?

    python -m tools.model_damage -o benchmarks/results/model_damage.json

Each byte of each part gets each of the 255 values that it does not have, and each part is cut to each length that is
shorter than its own; after each, the model is loaded. The card is not needed to load, so there the question is whether
``card_is_as_saved`` says no. Two controls stand beside: a description of format version 1, whose checksum was over its
meaning, and all parts with all checksums switched off. The tables go beside the JSON, as .md.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from hypercone._files import new_files
from hypercone._system import describe_machine
from hypercone.embedding import Embedding, folder_format, load
from hypercone.embedding.folder import card_is_as_saved
from hypercone.embedding.folder_format import Description
from hypercone.errors import ModelFileError
from hypercone.hierarchy.glossary import Glossary, Obsolete
from hypercone.hierarchy.names import Labels
from hypercone.methods import Settings

OLD = Path(__file__).parent.parent / "tests" / "embedding" / "models" / "version-1"
CARD = "README.md"
PARTS = (
    "config.json",
    "model.safetensors",
    "nodes.txt.gz",
    "labels.txt.gz",
    "edges.safetensors",
    "glossary.tsv.gz",
    CARD,
)
OUTCOMES = ("detected", "same model", "another model")
# Part and arm of the experiment.
NEW, OLD_VERSION, UNCHECKED = "", "format version 1", "without checksums"
JOBS = [*((part, NEW) for part in PARTS), ("config.json", OLD_VERSION), *((part, UNCHECKED) for part in PARTS[:-1])]


def small_model() -> Embedding:
    """Three nodes, with every part that a model can have."""
    return Embedding(
        names=["animal", "Löwe", "x y"],
        points=np.array([[0.5, 0.0], [0.9, 0.0], [0.0, 0.25]]),
        method="hyperbolic-cones",
        settings=Settings(),
        threshold=0.125,
        record={"kind": "learned", "epoch": 3, "config": {"dim": 2}, "calibration_f1": 0.5, "letters": "Löwe 猫"},
        labels=Labels(["Tier", "", "ex why"]),
        edges=np.array([[0, 1], [0, 2]], np.int32),
        glossary=Glossary.of_rows(3, {1: "A big cat."}, {1: ["lion"]}, {0: ["A:7"]}, {"A:9": Obsolete("beast")}),
    )


def flips(path: Path) -> Iterator[None]:
    """Each byte with each other value."""
    content = path.read_bytes()
    # In place: a file that is emptied and filled again is brought to the disk each time.
    with path.open("r+b", buffering=0) as file:
        for place, byte in enumerate(content):
            for other in range(256):
                if other != byte:
                    os.pwrite(file.fileno(), bytes([other]), place)
                    yield
            os.pwrite(file.fileno(), content[place : place + 1], place)


def cuts(path: Path) -> Iterator[None]:
    """Each length but its own, from the longest down to nothing."""
    for length in reversed(range(path.stat().st_size)):
        os.truncate(path, length)
        yield


def outcome(folder: Path, part: str, whole: Embedding) -> str:
    """The effect of one damage."""
    if part == CARD:
        return "same model" if card_is_as_saved(folder) else "detected"
    try:
        loaded = load(folder)
    except ModelFileError:
        return "detected"
    return "same model" if _values(loaded) == _values(whole) else "another model"


def _values(embedding: Embedding) -> list[Any]:
    edges = None if embedding.edges is None else embedding.edges.tolist()
    texts = [tuple(embedding.names), embedding.labels, embedding.glossary, embedding.method, embedding.record]
    return [*texts, embedding.points.tobytes(), embedding.settings, embedding.threshold, edges]


def count_outcomes(
    damages: Callable[[Path], Iterator[None]], folder: Path, part: str, whole: Embedding
) -> dict[str, int]:
    found = Counter(outcome(folder, part, whole) for _ in damages(folder / part))
    return {"tried": found.total(), **{name: found[name] for name in OUTCOMES}}


def measure(job: tuple[str, str]) -> dict[str, Any]:
    part, arm = job
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        folder = Path(place) / "model"
        if arm == OLD_VERSION:
            shutil.copytree(OLD, folder)
        else:
            small_model().save(folder)
        whole, size = load(folder), (folder / part).stat().st_size
        if arm == UNCHECKED:
            stack.enter_context(patch.object(folder_format, "_is_as_written", lambda *_: True))
            stack.enter_context(patch.object(folder_format, "sha256", lambda _: "0"))
            stack.enter_context(patch.object(Description, "checksum", lambda *_: "0"))
        row = {"part": part, "arm": arm, "bytes": size}
        return row | {what.__name__: count_outcomes(what, folder, part, whole) for what in (flips, cuts)}


def tables(rows: list[dict[str, Any]]) -> str:
    """Two tables in Markdown: flips and cuts."""
    lines = []
    for what, tried in (("flips", "flips tried"), ("cuts", "lengths tried")):
        lines += [
            "",
            f"| part | bytes | {tried} | detected | same model | another model |",
            "|---|--:|--:|--:|--:|--:|",
        ]
        for row in rows:
            figures = " | ".join(f"{row[what][name]:,}" for name in ("tried", *OUTCOMES))
            arm = f", {row['arm']}" if row["arm"] else ""
            lines.append(f"| `{row['part']}`{arm} | {row['bytes']:,} | {figures} |")
    return "\n".join(lines[1:]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the JSON file to write")
    options = parser.parse_args()
    with ProcessPoolExecutor(2) as pool:
        rows = list(pool.map(measure, JOBS))
    with new_files(options.output, options.output.with_suffix(".md")) as (data, table):
        data.write_text(json.dumps({"machine": describe_machine(), "rows": rows}, indent=1) + "\n", encoding="utf-8")
        table.write_text(tables(rows), encoding="utf-8")
    print(tables(rows))


if __name__ == "__main__":
    main()
