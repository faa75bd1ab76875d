"""Other people's packages, loaded when they are needed, with a remedy where they are missing."""

from __future__ import annotations

import importlib
from typing import Any

from hypercone.errors import HyperconeError


def needed(module: str, what: str, install: str) -> Any:
    """The module; where it is not installed, one sentence that says what needs it and how to get it.

    >>> needed("no_such_module", "a table", "no-such-package")
    Traceback (most recent call last):
    hypercone.errors.HyperconeError: a table needs no_such_module, which is not installed; pip install no-such-package
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.split(".")[0]
        raise HyperconeError(f"{what} needs {package}, which is not installed; pip install {install}") from None
