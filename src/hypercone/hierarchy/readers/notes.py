"""What readers say about the things they leave out."""

from __future__ import annotations

from collections.abc import Sequence

from hypercone.errors import counted, some


def left_out(thing: str, reason: str, names: Sequence[str]) -> tuple[str, ...]:
    """One note with the number and the first three, or none if there is nothing to tell.

    >>> left_out("target", "not in the file", ["A:1", "A:2"]), left_out("target", "obsolete", [])
    (('2 targets that are not in the file left out: A:1, A:2',), ())
    """
    if not names:
        return ()
    verb = "is" if len(names) == 1 else "are"
    return (f"{counted(len(names), thing)} that {verb} {reason} left out: {some(names)}",)
