"""Which names the service answers to.

A page on the web can give its own domain the address 127.0.0.1 (DNS rebinding), and a browser then takes a service on
this machine for part of that page and lets it read everything. But the browser still sends the page's domain as Host:
so only requests that call the service by one of its own names are answered.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hypercone.errors import InputError
from hypercone.service.refusals import Refusal, malformed

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_NAME = re.compile(r"\[[0-9a-f:.]+\]|[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?")
_HOST = re.compile(rb"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_.-]+)(?::[0-9]{0,5})?")
MOST_REMEMBERED = 256


class Hosts:
    """The names that are allowed, in whatever case and with any port.

    >>> hosts = Hosts(["models.example.org"])
    >>> hosts.refusal(b"LOCALHOST:8000") is None, hosts.refusal(b"models.example.org") is None
    (True, True)
    >>> hosts.refusal(b"evil.example.com").status
    421
    """

    def __init__(self, names: list[str] | tuple[str, ...]) -> None:
        self._names = {*LOOPBACK, *(checked_host_name(name) for name in names)}
        # The port is not looked at, for a tunnel has another one. What was asked once is asked again.
        self._is_allowed = lru_cache(maxsize=MOST_REMEMBERED)(self._allows)

    def refusal(self, host: bytes | None) -> Refusal | None:
        """Why a request with this Host header is not answered; None if it is."""
        if host is None:
            return malformed("the request has no Host header; send one")
        if self._is_allowed(host):
            return None
        return Refusal(
            421, "wrong_host", "this service does not answer to this Host; allow it with hypercone serve --allow-host"
        )

    def _allows(self, host: bytes) -> bool:
        match = _HOST.fullmatch(host)
        return match is not None and match[1].decode().lower().rstrip(".") in self._names


def checked_host_name(name: str) -> str:
    """The name in lower case, an IPv6 address in brackets; InputError for what no Host header can say.

    >>> checked_host_name("Models.Example.org"), checked_host_name("::1")
    ('models.example.org', '[::1]')
    """
    lower = name.lower().rstrip(".")
    if lower.count(":") > 1 and not lower.startswith("["):
        lower = f"[{lower}]"
    if not _NAME.fullmatch(lower):
        raise InputError(f"{name!r} is no host name; give a name or an address without a port, like models.example.org")
    return lower
