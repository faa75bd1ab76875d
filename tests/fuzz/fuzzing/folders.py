"""Targets that are folders of files: neighbours of a file, splits, models and runs, resealed on demand.

An enemy who changes a model can make every checksum fit again, so the fuzzer does that too: only then does it get to
what lies behind them.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fuzzing.bundle import unbundled, written
from fuzzing.promise import checked_message

import hypercone
from hypercone._files import CHECKSUM_MARK
from hypercone.embedding import load
from hypercone.formats import read_split
from hypercone.formats.reading import ON_CYCLE
from hypercone.hierarchy import Hierarchy
from hypercone.reproduce.released_split import read_released_split
from hypercone.runs import Checkpointing, open_run
from hypercone.training import FitConfig

Files = dict[str, bytes]
PERCENT = 50
CHAIN = [(f"n{i}", f"n{i + 1}") for i in range(8)]
# What the seeds of the target "run" are a run of.
IDENTITY = {"method": "hyperbolic-cones", "rate": 0.1, "nodes": 2}


@dataclass
class InFolder:
    """A call on a folder; the files are written before it is watched."""

    place: Path
    read: Callable[[Path], Any]
    files: Callable[[bytes], Files] = unbundled
    may_write: bool = False

    def prepared(self, data: bytes) -> Path:
        """The folder with the files that the bytes stand for."""
        self.place.mkdir(exist_ok=True)
        return written(self.files(data), self.place)

    def __call__(self, data: bytes) -> Any:
        """The result of the call."""
        return self.read(self.prepared(data))


def only(name: str) -> Callable[[bytes], Files]:
    """The bytes as the one file of this name."""
    return lambda data: {name: data}


def config(place: Path) -> InFolder:
    """The settings of a fit in a TOML file."""
    return InFolder(place / "config", lambda folder: FitConfig.from_toml(folder / "config.toml"), only("config.toml"))


def beside(place: Path, main: str) -> InFolder:
    """A hierarchy from a file that has another beside it."""

    def read(folder: Path) -> Hierarchy:
        data = (folder / main).read_bytes() if (folder / main).exists() else b""
        return hypercone.read(folder / main, on_cycle=ON_CYCLE[zlib.crc32(data) % 3])

    return InFolder(place / main, read)


@cache
def chain() -> Hierarchy:
    """The hierarchy of which the seeds of the target "split" are splits."""
    return Hierarchy.from_pairs(CHAIN)


def split(place: Path) -> InFolder:
    """A folder with split.json and its files of pairs."""

    def read(folder: Path) -> str:
        found = read_split(folder, chain())
        parts = (found.train, found.validation.positives, found.validation.negatives)
        return f"{[part.tolist() for part in parts]} {found.percent} {found.seed}"

    return InFolder(place / "split", read)


def released_split(place: Path) -> InFolder:
    """A folder with a split as the authors of the paper released it."""

    def read(folder: Path) -> Hierarchy:
        hierarchy, found = read_released_split(folder, PERCENT)
        assert len(found.train) == len(hierarchy.edges)
        return hierarchy

    return InFolder(place / "released", read)


def model(place: Path, *, reseal: bool = False) -> InFolder:
    """A model's folder."""

    def read(folder: Path) -> str:
        found = load(folder)
        return f"{found.names} {found.points.tolist()} {found.settings} {found.labels and found.labels.texts}"

    return InFolder(place / f"model-{reseal}", read, _resealed_model if reseal else unbundled)


def run(place: Path, *, reseal: bool = False) -> InFolder:
    """A run's folder, resumed."""

    def read(folder: Path) -> str:
        said: list[str] = []
        with open_run(Checkpointing(folder, resume=True, tell=said.append), IDENTITY) as found:
            latest = found.latest
            if latest is not None:
                latest.array("points", (2, 2))
        for sentence in said:
            checked_message(sentence)
        return f"{said} {latest and (latest.stage, latest.epoch, latest.facts)}"

    def files(data: bytes) -> Files:
        # Without run.json a run would begin, which is not what is asked here.
        return {"run.json": b""} | (_resealed_run(data) if reseal else unbundled(data))

    return InFolder(place / f"run-{reseal}", read, files, may_write=True)


def _resealed_model(data: bytes) -> Files:
    files = _with_packed_lines(unbundled(data))
    config = _parsed(files.get("config.json", b""))
    if isinstance(config, dict):
        config["checksums"] = {
            name: hashlib.sha256(content).hexdigest() for name, content in files.items() if name != "config.json"
        }
        for size, name in (("nodes_bytes", "nodes.txt.gz"), ("labels_bytes", "labels.txt.gz")):
            if size in config and config[size] == "fits":
                config[size] = _unpacked_size(files.get(name, b""))
        files["config.json"] = _sealed(config)
    return files


def _resealed_run(data: bytes) -> Files:
    files = unbundled(data)
    manifest = _parsed(files.get("manifest.json", b""))
    if isinstance(manifest, dict) and isinstance(manifest.get("checkpoints"), list):
        for entry in manifest["checkpoints"]:
            content = files.get(str(entry.get("file"))) if isinstance(entry, dict) else None
            if content is not None:
                entry["bytes"], entry["sha256"] = len(content), hashlib.sha256(content).hexdigest()
    for name, values in (("manifest.json", manifest), ("run.json", _parsed(files.get("run.json", b"")))):
        if isinstance(values, dict):
            files[name] = _sealed(values)
    return files


def _with_packed_lines(files: Files) -> Files:
    """Lines of text are packed here, where they are given plain, so that their text can be changed."""
    plain = ("nodes.txt", "labels.txt")
    packed = {f"{name}.gz": gzip.compress(files[name], mtime=0) for name in plain if name in files}
    return {name: content for name, content in files.items() if name not in plain} | packed


def _unpacked_size(content: bytes) -> int:
    with contextlib.suppress(OSError, EOFError, zlib.error):
        return len(gzip.decompress(content))
    return 0


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _sealed(values: dict[str, Any]) -> bytes:
    """The values with a seal that fits, NaN and all."""
    values.pop("seal", None)
    try:
        head = json.dumps(values, indent=2).removesuffix("\n}").encode()
    except RecursionError:
        return b""
    return head + f'{CHECKSUM_MARK}{hashlib.sha256(head).hexdigest()}"\n}}\n'.encode()
