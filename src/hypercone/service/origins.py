"""Which web pages may read answers (CORS): none, unless asked for by origin."""

from __future__ import annotations

import re

from hypercone.errors import InputError
from hypercone.service.refusals import Headers

_ORIGIN = re.compile(r"https?://(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:[0-9]{1,5})?")
_PREFLIGHT = (
    (b"access-control-allow-methods", b"GET, HEAD, POST"),
    (b"access-control-allow-headers", b"authorization, content-type"),
    (b"access-control-max-age", b"600"),
)


class Origins:
    """The origins whose pages may read answers.

    >>> Origins(["https://app.example.org"]).headers(b"https://app.example.org")[0]
    (b'access-control-allow-origin', b'https://app.example.org')
    >>> Origins([]).headers(b"https://app.example.org")
    ()
    """

    def __init__(self, origins: list[str] | tuple[str, ...]) -> None:
        self._origins = {checked_origin(origin).encode() for origin in origins}

    def __bool__(self) -> bool:
        return bool(self._origins)

    def headers(self, origin: bytes | None) -> tuple[tuple[bytes, bytes], ...]:
        """What an answer says to a browser; that it depends on the origin is said to caches in any case."""
        if not self._origins:
            return ()
        if origin not in self._origins:
            return ((b"vary", b"origin"),)
        return ((b"access-control-allow-origin", origin), (b"vary", b"origin"))

    def preflight(self, origin: bytes) -> Headers:
        """What a browser that asks before it sends is told on top of that: nothing, if it may not."""
        return _PREFLIGHT if origin in self._origins else ()


def checked_origin(origin: str) -> str:
    """The origin as browsers write it; InputError for anything else, and for all the web at once."""
    plain = origin.lower().rstrip("/")
    if not _ORIGIN.fullmatch(plain):
        raise InputError(f"{origin!r} is no origin; give the scheme and host of a page, like https://app.example.org")
    return plain
