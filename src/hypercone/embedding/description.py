"""What config.json says of a model: written once, and believed only as far as it was checked."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from hypercone._files import is_intact, named_values, read_regular, sealed
from hypercone.embedding.domain import finite, out_of_range
from hypercone.embedding.embedding import Embedding
from hypercone.errors import InputError, ModelFileError, short
from hypercone.methods import METHODS, Settings

FORMAT = "hypercone-model"
# Version 1 was sealed over the meaning of its values; version 2 is sealed over its bytes, and knows its card.
FORMAT_VERSION = 2
POINTS, NODES, CONFIG, CARD = "model.safetensors", "nodes.txt.gz", "config.json", "README.md"
LABELS, EDGES = "labels.txt.gz", "edges.safetensors"
PARTS = (POINTS, NODES, LABELS, EDGES, CARD)
# A description larger than this is not one of ours.
LARGEST = 1 << 20


@dataclass(frozen=True)
class Description:
    """The values of config.json, each given out only if it is of the kind that it should be."""

    path: Path
    values: dict[str, Any]

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def text(self, name: str) -> str:
        """A text."""
        return str(self._of_kind(name, str))

    def whole(self, name: str, least: int = 0) -> int:
        """A whole number that is not too small, and such as files have."""
        value = self._of_kind(name, int)
        if isinstance(value, bool) or not least <= value < 2**63:
            raise self._damaged(name)
        return int(value)

    def number(self, name: str) -> float:
        """A finite number."""
        value = finite(self.values.get(name))
        if value is None:
            raise ModelFileError(f"{self.path}: {name} is not a number; the file is damaged")
        return value

    def named(self, name: str) -> dict[str, Any]:
        """Named values."""
        return dict(self._of_kind(name, dict))

    @property
    def method(self) -> str:
        """The name of a method that there is."""
        method = self.text("method")
        if method not in METHODS:
            raise ModelFileError(
                f"{self.path}: the method {short(method)!r} is not known to this version of hypercone; upgrade it"
            )
        return method

    @property
    def settings(self) -> Settings:
        """The constants of the method, each in the range that its formulas can work with."""
        values = Description(self.path, self.named("settings"))
        settings = Settings(**{field.name: values.number(field.name) for field in fields(Settings)})
        wrong = out_of_range(settings)
        if wrong:
            raise ModelFileError(f"{self.path}: {wrong}; the file is damaged")
        return settings

    def checksum(self, part: str) -> object:
        """What the SHA-256 of a part should be; None if nothing is said of it."""
        checksums = self.named("checksums")
        # Parts have the names above and no others, so that no path is ever made of what a file says.
        stranger = next((name for name in checksums if name not in PARTS), None)
        if stranger is not None:
            raise ModelFileError(f"{self.path}: speaks of a part {short(stranger)!r}, which no model has")
        return checksums.get(part)

    def _of_kind(self, name: str, kind: type) -> Any:
        value = self.values.get(name)
        if not isinstance(value, kind):
            raise self._damaged(name)
        return value

    def _damaged(self, name: str) -> ModelFileError:
        return ModelFileError(f"{self.path}: {name} is missing or malformed; the file is damaged")


def described(embedding: Embedding, sizes: dict[str, int], parts: dict[str, bytes]) -> bytes:
    """The content of config.json; InputError if reading it back would fail."""
    from hypercone import __version__

    values = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "hypercone_version": __version__,
        "method": embedding.method,
        "settings": {name: finite(value) for name, value in asdict(embedding.settings).items()},
        "threshold": finite(embedding.threshold),
        "nodes": len(embedding),
        **sizes,
        "dim": embedding.dim,
        "record": embedding.record,
        "checksums": {name: sha256(content) for name, content in parts.items()},
    }
    try:
        content = sealed(values).encode()
        named_values(content)
    except ValueError as error:
        raise InputError(f"its record cannot be kept as JSON ({error}); leave that out") from None
    if len(content) > LARGEST:
        raise InputError(
            f"its record is too long: {CONFIG} would have {len(content):,} bytes and may have {LARGEST:,}; shorten it"
        )
    return content


def read_description(target: Path) -> Description:
    """What the description of a model folder says, if it is of a known version and nobody changed it since."""
    if not os.path.exists(target):
        raise ModelFileError(f"{target}: there is no such model folder")
    path = target / CONFIG
    content = read_regular(path, LARGEST)
    try:
        values = named_values(content)
        if values.get("format") != FORMAT:
            raise ValueError("it does not describe a hypercone model")
    except ValueError as error:
        raise ModelFileError(f"{path}: is damaged or not a model's ({error})") from None
    _refuse_version(path, values.get("format_version"))
    if not _is_as_written(values, content):
        raise _changed(path, content)
    return Description(path, values)


def sha256(content: bytes) -> str:
    """The checksum of a part, as hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def _refuse_version(path: Path, version: object) -> None:
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ModelFileError(f"{path}: has no valid format version; the file is damaged")
    if version > FORMAT_VERSION:
        raise ModelFileError(
            f"{path}: format version {short(str(version))} is newer than this program reads ({FORMAT_VERSION});"
            " upgrade hypercone"
        )


def _is_as_written(values: dict[str, Any], content: bytes) -> bool:
    seal = values.pop("seal", None)
    if values["format_version"] > 1:
        return is_intact(content)
    return bool(seal == sha256(json.dumps(values, sort_keys=True).encode()))


def _changed(path: Path, content: bytes) -> ModelFileError:
    if is_intact(content.replace(b"\r\n", b"\n")):
        return ModelFileError(f"{path}: has other line ends than it was written with; copy it byte for byte")
    return ModelFileError(
        f"{path}: does not match its own checksum; the file was damaged or edited; take it from a copy, or save again"
    )
