"""Several files as one input, so that whatever changes bytes can change any of them."""

from __future__ import annotations

import re
from pathlib import Path

MARK = re.compile(rb"(?:\A|\n)==> ([A-Za-z0-9_.-]{1,60}) <==\n")


def bundled(files: dict[str, bytes]) -> bytes:
    """The files one after the other, each below a line with its name."""
    return b"\n".join(b"==> %s <==\n%s" % (name.encode(), content) for name, content in files.items())


def unbundled(data: bytes) -> dict[str, bytes]:
    """The files in a bundle; what stands before the first name belongs to none."""
    _, *parts = MARK.split(data)
    named = zip(parts[::2], parts[1::2], strict=True)
    return {name.decode(): content for name, content in named if name.strip(b".")}


def written(files: dict[str, bytes], folder: Path) -> Path:
    """The folder, with these files in it and no others."""
    for path in folder.iterdir():
        if path.name not in files:
            path.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder
