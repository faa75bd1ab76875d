"""Settings from a TOML file, whoever wrote it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from hypercone.errors import InputError

# Settings take a few thousand bytes; what the parser needs grows with the square of some larger files.
LARGEST = 16_384


def read_settings_file(path: str | Path) -> dict[str, Any]:
    """What the lines ``name = value`` say; InputError in one sentence if they cannot be read."""
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise InputError(f"{path}: is larger than a file of settings can be ({LARGEST:,} bytes)")
        return tomllib.loads(content.decode())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except RecursionError:
        raise InputError(f"{path}: is not valid TOML (it is nested too deeply)") from None
    except ValueError as error:
        # Wrong TOML, wrong UTF-8, and numbers of too many digits.
        raise InputError(f"{path}: is not valid TOML ({str(error)[:200]})") from None
