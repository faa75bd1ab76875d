"""Other people's packages that come with an extra: loaded when they are needed, with the remedy where they are not."""

from __future__ import annotations

import importlib
from typing import Any

from hypercone.errors import HyperconeError


def needed(module: str, who: str, install: str) -> Any:
    """The module; where it is not installed, one sentence that says who needs it and how to get it.

    >>> needed("no_such_module", "tables need", "'hypercone[tables]'")
    Traceback (most recent call last):
    hypercone.errors.HyperconeError: tables need no_such_module, which is not installed; pip install 'hypercone[tables]'
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.split(".")[0]
        raise HyperconeError(f"{who} {package}, which is not installed; pip install {install}") from None
