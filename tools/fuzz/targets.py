"""What is fuzzed: each target makes one call of the library out of some bytes."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import itertools
import lzma
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import zstandard
from tools.fuzz import folders
from tools.fuzz.promise import Errors, Outcome, check_promise

from hypercone import _jit
from hypercone.errors import InputError, ModelFileError
from hypercone.formats import read
from hypercone.formats.parsed import ON_CYCLE
from hypercone.formats.registry import EXTENSIONS, NAMES, READERS
from hypercone.formats.shapes import TABLE_OPTIONS
from hypercone.service.errors import Refusal
from hypercone.service.handlers import OPERATIONS
from hypercone.service.requests import from_body, from_query

RELATIONS = (("is_a",), ("is_a", "part_of"))
DIRECTIONS = ("parent-child", "child-parent")
# Choices of options for a table, most of which are refused for most tables.
TABLE_WAYS: tuple[dict[str, Any], ...] = (
    {"direction": "parent-child"},
    {"direction": "child-parent"},
    {},
    {},
    {"parent_separator": "|"},
    {"levels": [1, 2], "fill_down": True},
    {"id": 1, "parent": 2},
    {"merge_names": True},
)
# As many as there are choices for a cycle, times those for a table.
WAYS = 24
# None, three formats that are supported, and two that are not.
PACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".xz": lzma.compress,
    ".zst": lambda data: zstandard.ZstdCompressor().compress(data),
    ".bz2": bz2.compress,
    ".zip": lambda data: _archive_of({"file.tsv": data}),
}
ENDINGS = (*sorted(EXTENSIONS), "", ".unknown")
CORPUS = Path(__file__).parents[2] / "tests" / "fuzz" / "corpus"


@dataclass(frozen=True)
class Target:
    """A call of the library, the error it may raise, and whose dictionary and seeds it uses."""

    name: str
    call: Callable[[bytes], Any]
    errors: Errors
    words: str

    def check(self, data: bytes, *, twice: bool = False) -> Outcome:
        """What comes of these bytes; Broken if the promise is."""
        if not isinstance(self.call, folders.InFolder):
            return check_promise(lambda: self.call(data), self.errors, len(data), twice=twice)
        read, folder = self.call.read, self.call.prepare(data)
        if self.call.may_write:
            # Resuming a run changes it, so the second reading may differ.
            return check_promise(lambda: read(folder), self.errors, len(data), may_write=folder)
        return check_promise(lambda: read(folder), self.errors, len(data), twice=twice)


class Named(io.BytesIO):
    """Bytes with a file's name, which is all that the format is guessed from."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


def options_of(format: str, pick: int) -> dict[str, Any]:
    """One choice of the options that mean something in a format."""
    understood = READERS[format].options if format in READERS else TABLE_OPTIONS
    options: dict[str, Any] = {"on_cycle": ON_CYCLE[pick % 3]}
    if understood[: len(TABLE_OPTIONS)] == TABLE_OPTIONS:
        return options | TABLE_WAYS[pick // 3 % len(TABLE_WAYS)]
    if "relations" in understood:
        options["relations"] = RELATIONS[pick // 3 % 4 == 0]
    if "direction" in understood:
        options["direction"] = DIRECTIONS[pick // 3 % 2]
    return options


def read_as(format: str, data: bytes, pick: int | None = None) -> Any:
    """The hierarchy of a file in a known format; the options follow from ``pick``, or from the bytes themselves."""
    options = options_of(format, zlib.crc32(data) if pick is None else pick)
    return read(Named(data, "a file"), format=format, **options)


def _read_picked(format: str, pick: int, data: bytes) -> Any:
    return read_as(format, data, pick)


def in_every_way(format: str) -> list[Target]:
    """A target for each choice of options for a format."""
    different = {str(options_of(format, pick)): pick for pick in reversed(range(WAYS))}
    return [
        Target(f"{format} {pick}", partial(_read_picked, format, pick), InputError, format)
        for pick in sorted(different.values())
    ]


def read_guessed(data: bytes) -> Any:
    """The hierarchy of a file whose first two bytes choose its ending and its packing."""
    ending, packing = (*data[:2], 0, 0)[:2]
    pack = list(PACK)[packing % len(PACK)]
    name = "file" + ENDINGS[ending % len(ENDINGS)] + pack
    return read(Named(PACK[pack](data[2:]), name))


def read_packed(data: bytes) -> Any:
    """The hierarchy of a table that is packed, or that its name says is packed."""
    suffix = (".gz", ".xz", ".zst", "")[zlib.crc32(data) % 4]
    return read(Named(data, "file.tsv" + suffix))


def read_sheet(data: bytes) -> Any:
    """The hierarchy of a workbook of Excel whose one sheet has these bytes for its XML."""
    with zipfile.ZipFile(io.BytesIO((CORPUS / "xlsx" / "seed-animals").read_bytes())) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = next(name for name in parts if "worksheets/" in name)
    return read_as("xlsx", _archive_of(parts | {sheet: data}), zlib.crc32(data))


def read_document(data: bytes) -> Any:
    """The hierarchy of a workbook of OpenDocument with these bytes for its XML."""
    return read_as("ods", _archive_of({"content.xml": data}), zlib.crc32(data))


def _archive_of(parts: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return packed.getvalue()


def read_query(data: bytes) -> Any:
    """The values of a query; the first byte chooses the operation."""
    return _read_request(from_query, data, "GET")


def read_body(data: bytes) -> Any:
    """The values of a body; the first byte chooses the operation."""
    return _read_request(from_body, data, "POST")


def _read_request(read: Callable[..., Any], data: bytes, method: str) -> Any:
    possible = [operation for operation in OPERATIONS if operation.method == method]
    chosen = possible[(*data[:1], 0)[0] % len(possible)]
    try:
        return read(data[1:], chosen.takes)
    except Refusal as refusal:
        # The service sends it as JSON, which escapes what cannot be printed.
        message = "".join(letter if letter.isprintable() else "\\" for letter in refusal.message)
        raise Refusal(refusal.status, refusal.code, message) from None


def _reader(format: str) -> Target:
    return Target(format, lambda data: read_as(format, data), InputError, format)


def all_targets(folder: Path | None = None) -> dict[str, Target]:
    """All targets by name; those that need files write them into the folder."""
    place = Path(tempfile.mkdtemp(prefix="fuzz-")) if folder is None else folder
    others = [
        Target("guessed", read_guessed, InputError, "guessed"),
        Target("packed", read_packed, InputError, "packed"),
        Target("xlsx-sheet", read_sheet, InputError, "xlsx"),
        Target("ods-content", read_document, InputError, "ods"),
        Target("ncbi-names", folders.beside(place, "nodes.dmp"), InputError, "ncbi"),
        Target("wordnet-index", folders.beside(place, "data.noun"), InputError, "wordnet"),
        Target("split", folders.split(place), InputError, "split"),
        Target("released-split", folders.released_split(place), InputError, "split"),
        Target("config", folders.config(place), InputError, "config"),
        Target("model", folders.model(place), ModelFileError, "model"),
        Target("model-resealed", folders.model(place, fix_checksums=True), ModelFileError, "model"),
        Target("run", folders.run(place), (InputError, ModelFileError), "run"),
        Target("run-resealed", folders.run(place, fix_checksums=True), (InputError, ModelFileError), "run"),
        Target("query", read_query, Refusal, "query"),
        Target("body", read_body, Refusal, "body"),
    ]
    return {target.name: target for target in [*map(_reader, NAMES), *others]}


def warm() -> None:
    """Load all that a reader may need, so that nothing is compiled or cached while it is watched."""
    tables = (b"parent\tchild\nb\ta\nc\tb\nc\ta\n", b"parent\tchild\na\tb\nb\tc\nc\ta\n", b"parent\tchild\na\ta\n")
    # A kernel that is compiled once stays so, and is not run as plain Python for small inputs.
    with _jit.use_tier(_jit.COMPILED):
        for on_cycle, edges in itertools.product(ON_CYCLE, tables):
            with contextlib.suppress(InputError):
                found = read(io.BytesIO(edges), on_cycle=on_cycle)
                found.depths, found.reduction(), found.closure()
