"""Old names go on working for one release, with a warning that says the new one."""

from __future__ import annotations

import sys
import warnings

REMOVED_IN = "1.1"
# What the constructions were called in version 0.1: models and runs of then say so.
OLD_METHODS = {"construction": "nested-caps", "overlapping": "overlapping-caps"}


def warn_renamed(old: str, new: str) -> None:
    """Tell whoever called a function of ours by its old name what it is called now; the warning is of their line.

    >>> with warnings.catch_warnings(record=True) as seen:
    ...     warnings.simplefilter("always")
    ...     warn_renamed("hypercone.evaluate", "hypercone.evaluation.link_prediction")
    >>> str(seen[0].message)
    'hypercone.evaluate is deprecated and goes in version 1.1; use hypercone.evaluation.link_prediction'
    """
    frame, level = sys._getframe(0), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "hypercone":
        frame, level = frame.f_back, level + 1
    message = f"{old} is deprecated and goes in version {REMOVED_IN}; use {new}"
    warnings.warn(message, DeprecationWarning, stacklevel=level)
