"""The list of a run's checkpoints, newest first, with what it takes to trust and to use each."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hypercone._files import read_sealed, sealed
from hypercone.errors import ModelFileError
from hypercone.runs.checkpoint import FILE_NAME, file_name

FORMAT, FORMAT_VERSION = "hypercone-run", 1
# Larger than the validations of a million epochs need.
LARGEST = 64 << 20


@dataclass(frozen=True)
class Entry:
    """One checkpoint: its file with size and checksum, and the facts that go with its arrays."""

    file: str
    bytes: int
    sha256: str
    stage: str
    epoch: int
    facts: dict[str, Any]


def manifest_text(entries: list[Entry]) -> str:
    """The manifest as it is written."""
    return sealed(_headed({"checkpoints": [asdict(entry) for entry in entries]}))


def read_manifest(path: Path) -> list[Entry]:
    """The entries of a manifest; ModelFileError if it cannot be trusted."""
    listed = read_headed(path).get("checkpoints")
    try:
        entries = [Entry(**values) for values in listed] if isinstance(listed, list) else None
    except TypeError:
        entries = None
    if entries is None or not all(_is_sound(entry) for entry in entries):
        raise ModelFileError(f"{path}: does not list checkpoints; the file is damaged")
    return entries


def run_text(identity: dict[str, Any]) -> str:
    """The description of a run as it is written."""
    return sealed(_headed({"identity": identity}))


def read_headed(path: Path) -> dict[str, Any]:
    """The values of a run's sealed file, if it is one and of a version that this program knows."""
    values = read_sealed(path, LARGEST)
    if values.get("format") != FORMAT:
        raise ModelFileError(f"{path}: is not a run's; give the folder of a run")
    version = values.get("format_version")
    if not isinstance(version, int) or version > FORMAT_VERSION:
        raise ModelFileError(f"{path}: is of a newer format than this program reads; upgrade hypercone")
    return values


def _headed(values: dict[str, Any]) -> dict[str, Any]:
    return {"format": FORMAT, "format_version": FORMAT_VERSION, **values}


def _is_sound(entry: Entry) -> bool:
    texts = (entry.file, entry.sha256, entry.stage)
    counts = (entry.bytes, entry.epoch)
    return (
        all(isinstance(text, str) for text in texts)
        and all(isinstance(count, int) and count >= 0 for count in counts)
        and isinstance(entry.facts, dict)
        and FILE_NAME.fullmatch(entry.file) is not None
        and entry.file == file_name(entry.stage, entry.epoch)
    )
