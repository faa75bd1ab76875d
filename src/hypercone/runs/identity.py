"""What a run is of, and the words for how another call differs from it."""

from __future__ import annotations

from typing import Any

from hypercone.errors import one_line

Identity = dict[str, Any]
MOST_TOLD = 12


def differences(was: Identity, now: Identity) -> list[str]:
    """One phrase for each value that is not the same; a long digest is cut to its beginning.

    >>> differences({"rate": 0.1, "dim": 5}, {"rate": 0.2, "dim": 5})
    ['rate was 0.1, is 0.2']
    """
    names = [name for name in sorted(was.keys() | now.keys()) if was.get(name) != now.get(name)]
    told = [f"{_shown(name)} was {_shown(was.get(name))}, is {_shown(now.get(name))}" for name in names[:MOST_TOLD]]
    return told + ([f"and {len(names) - MOST_TOLD} more"] if len(names) > MOST_TOLD else [])


def _shown(value: Any) -> str:
    """In one short line, whatever a file that an enemy wrote may hold."""
    text = "not given" if value is None else str(value)
    text = text if len(text) <= 40 else f"{text[:12]}…"
    return one_line(text)
