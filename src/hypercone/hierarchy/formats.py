"""Which format a file is in: what the caller says, what its extension says, or what its first lines look like."""

from __future__ import annotations

from collections.abc import Mapping

from hypercone.errors import InputError
from hypercone.hierarchy.files import Content
from hypercone.hierarchy.readers import READERS
from hypercone.hierarchy.table import FORMATS as TABLES

TABLE_OPTIONS = ("direction", "parent_column", "child_column")
EXTENSIONS = TABLES | {ending: name for name, format in READERS.items() for ending in format.extensions}
NAMES = ("tsv", "csv", *READERS)
# A .txt may be an outline or a list of paths; this much of it tells.
LOOKED_AT = 2**16


def format_of(content: Content, format: str | None = None) -> str:
    r"""The name of the format; InputError with all names if nothing tells.

    >>> format_of(Content("go.obo.gz", ".obo", b"")), format_of(Content("a.txt", ".txt", b"animal\n  dog\n"))
    ('obo', 'indented')
    """
    if format is not None:
        if format not in NAMES:
            raise InputError(f"format {format!r} is unknown; it is one of {', '.join(NAMES)}")
        return format
    if content.extension == ".txt":
        return _plain_text(content.data)
    if content.extension in EXTENSIONS:
        return EXTENSIONS[content.extension]
    first = content.data[:LOOKED_AT].split(b"\n", 1)[0]
    for mark, name in ((b"\t", "tsv"), (b",", "csv")):
        if mark in first:
            return name
    if not content.data.strip():
        raise InputError(f"{content.label}: is empty; it should hold a hierarchy")
    raise InputError(
        f"{content.label}: neither its name nor its first line tells the format; say which it is (--format): "
        f"{', '.join(NAMES)}"
    )


def checked_options(content: Content, name: str, given: Mapping[str, object]) -> None:
    """InputError for an option that is given but means nothing in this format."""
    understood = READERS[name].options if name in READERS else TABLE_OPTIONS
    for option, value in given.items():
        if value is not None and option not in understood:
            raise InputError(
                f"{content.label}: --{option.replace('_', '-')} means nothing in the format {name}; leave it out"
            )


def _plain_text(data: bytes) -> str:
    lines = data[:LOOKED_AT].removeprefix(b"\xef\xbb\xbf").splitlines()
    if not lines or b"\t" in lines[0].strip():
        return "tsv"
    if any(b" > " in line for line in lines):
        return "paths"
    if any(line[:1] in (b" ", b"\t") and line.strip() for line in lines):
        return "indented"
    return "tsv"
