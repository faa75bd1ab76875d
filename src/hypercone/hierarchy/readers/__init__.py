"""Readers, one file a format: each turns the content of a file into a Reading."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from hypercone.hierarchy.files import Content
from hypercone.hierarchy.readers.reading import Reading

__all__ = ["READERS", "Format", "Reading"]

Reader = Callable[..., Reading]


@dataclass(frozen=True)
class Format:
    """A file format: its extensions, what it is, and the options its reader understands."""

    summary: str
    extensions: tuple[str, ...]
    options: tuple[str, ...] = ()

    def reader(self, name: str) -> Reader:
        """The function ``read(content, **options)`` of the format's file."""
        module = importlib.import_module(f"hypercone.hierarchy.readers.{name.replace('-', '_')}")
        return cast(Reader, module.read)


READERS: dict[str, Format] = {}


def read_content(name: str, content: Content, **options: object) -> Reading:
    """What a file in this format says."""
    return READERS[name].reader(name)(content, **options)
