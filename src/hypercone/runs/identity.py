"""What a run is of, and the words for how another call differs from it."""

from __future__ import annotations

from typing import Any

Identity = dict[str, Any]


def differences(was: Identity, now: Identity) -> list[str]:
    """One phrase for each value that is not the same; a long digest is cut to its beginning.

    >>> differences({"rate": 0.1, "dim": 5}, {"rate": 0.2, "dim": 5})
    ['rate was 0.1, is 0.2']
    """
    names = sorted(was.keys() | now.keys())
    return [
        f"{name} was {_shown(was.get(name))}, is {_shown(now.get(name))}"
        for name in names
        if was.get(name) != now.get(name)
    ]


def _shown(value: Any) -> str:
    text = "not given" if value is None else str(value)
    return text if len(text) <= 40 else f"{text[:12]}…"
