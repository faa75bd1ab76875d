"""Targets that are folders of files: files with companions, splits, models and runs.

An attacker who changes a model can update every checksum, so the fuzzer does that too; only then does it reach the code
behind the checks.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tools.fuzz.promise import check_message

import hypercone
from hypercone._files import CHECKSUM_MARK
from hypercone.embedding import load
from hypercone.formats import read_split
from hypercone.formats.parsed import ON_CYCLE
from hypercone.hierarchy import Hierarchy
from hypercone.reproduce.released_split import read_released_split
from hypercone.runs import Checkpointing, open_run
from hypercone.training import FitConfig

Files = dict[str, bytes]
# Several files are one input, so that whatever changes bytes can change any of them.
MARK = re.compile(rb"(?:\A|\n)==> ([A-Za-z0-9_.-]{1,60}) <==\n")
PERCENT = 50
CHAIN = [(f"n{i}", f"n{i + 1}") for i in range(8)]
# What the seeds of the target "run" are a run of.
IDENTITY = {"method": "hyperbolic-cones", "rate": 0.1, "nodes": 2}


def bundled(files: dict[str, bytes]) -> bytes:
    """The files one after the other, each after a line with its name."""
    return b"\n".join(b"==> %s <==\n%s" % (name.encode(), content) for name, content in files.items())


def unbundled(data: bytes) -> dict[str, bytes]:
    """The files in a bundle; bytes before the first name are ignored."""
    _, *parts = MARK.split(data)
    named = zip(parts[::2], parts[1::2], strict=True)
    return {name.decode(): content for name, content in named if name.strip(b".")}


def write_files(files: dict[str, bytes], folder: Path) -> Path:
    """The folder, with these files in it and no others."""
    for path in folder.iterdir():
        if path.name not in files:
            path.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


@dataclass
class InFolder:
    """A call on a folder; the files are written before it is watched."""

    place: Path
    read: Callable[[Path], Any]
    files: Callable[[bytes], Files] = unbundled
    may_write: bool = False

    def prepare(self, data: bytes) -> Path:
        """The folder with the files that the bytes stand for."""
        self.place.mkdir(exist_ok=True)
        return write_files(self.files(data), self.place)

    def __call__(self, data: bytes) -> Any:
        """The result of the call."""
        return self.read(self.prepare(data))


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


def model(place: Path, *, fix_checksums: bool = False) -> InFolder:
    """A model's folder."""

    def read(folder: Path) -> str:
        found = load(folder)
        return f"{found.names} {found.points.tolist()} {found.settings} {found.labels and found.labels.texts}"

    return InFolder(place / f"model-{fix_checksums}", read, _model_with_checksums if fix_checksums else unbundled)


def run(place: Path, *, fix_checksums: bool = False) -> InFolder:
    """A run's folder, resumed."""

    def read(folder: Path) -> str:
        messages: list[str] = []
        with open_run(Checkpointing(folder, resume=True, tell=messages.append), IDENTITY) as found:
            latest = found.latest
            if latest is not None:
                latest.array("points", (2, 2))
        for sentence in messages:
            check_message(sentence)
        return f"{messages} {latest and (latest.stage, latest.epoch, latest.facts)}"

    def files(data: bytes) -> Files:
        # Without run.json a new run would begin, which is not the target here.
        return {"run.json": b""} | (_run_with_checksums(data) if fix_checksums else unbundled(data))

    return InFolder(place / f"run-{fix_checksums}", read, files, may_write=True)


def _model_with_checksums(data: bytes) -> Files:
    files = _with_packed_lines(unbundled(data))
    config = _parse(files.get("config.json", b""))
    if isinstance(config, dict):
        config["checksums"] = {
            name: hashlib.sha256(content).hexdigest() for name, content in files.items() if name != "config.json"
        }
        for size, name in (("nodes_bytes", "nodes.txt.gz"), ("labels_bytes", "labels.txt.gz")):
            if size in config and config[size] == "fits":
                config[size] = _unpacked_size(files.get(name, b""))
        files["config.json"] = _with_checksum(config)
    return files


def _run_with_checksums(data: bytes) -> Files:
    files = unbundled(data)
    manifest = _parse(files.get("manifest.json", b""))
    if isinstance(manifest, dict) and isinstance(manifest.get("checkpoints"), list):
        for entry in manifest["checkpoints"]:
            content = files.get(str(entry.get("file"))) if isinstance(entry, dict) else None
            if content is not None:
                entry["bytes"], entry["sha256"] = len(content), hashlib.sha256(content).hexdigest()
    for name, values in (("manifest.json", manifest), ("run.json", _parse(files.get("run.json", b"")))):
        if isinstance(values, dict):
            files[name] = _with_checksum(values)
    return files


def _with_packed_lines(files: Files) -> Files:
    """Compress the lines of text, which are plain in the input so that their text can be changed."""
    plain = ("nodes.txt", "labels.txt")
    packed = {f"{name}.gz": gzip.compress(files[name], mtime=0) for name in plain if name in files}
    return {name: content for name, content in files.items() if name not in plain} | packed


def _unpacked_size(content: bytes) -> int:
    with contextlib.suppress(OSError, EOFError, zlib.error):
        return len(gzip.decompress(content))
    return 0


def _parse(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _with_checksum(values: dict[str, Any]) -> bytes:
    """The values with a matching checksum, NaN included."""
    values.pop("seal", None)
    try:
        head = json.dumps(values, indent=2).removesuffix("\n}").encode()
    except RecursionError:
        return b""
    return head + f'{CHECKSUM_MARK}{hashlib.sha256(head).hexdigest()}"\n}}\n'.encode()
