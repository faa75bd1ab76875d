"""Options of the service and access checks: the bearer token, the Host and the Origin of a request.

A website can point its own domain to 127.0.0.1 (DNS rebinding); a browser then treats a service on this machine as part
of that site and lets its pages read the answers. The browser still sends the site's domain as Host, so only requests
with a Host that is one of the service's own names are answered.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import math
import os
import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from hypercone.errors import InputError, option
from hypercone.service.errors import Headers, Refusal, bad_request

TOKEN_VARIABLE = "HYPERCONE_TOKEN"
LARGEST_TOKEN_FILE = 4096
# What RFC 6750 allows after "Bearer".
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")


class Token:
    """The token that requests must have; with None, no token is needed.

    >>> Token(None).refusal(None) is None, Token("s3cret").refusal(b"Bearer s3cret") is None
    (True, True)
    >>> Token("s3cret").refusal(b"Bearer guess").status
    401
    """

    def __init__(self, token: str | None) -> None:
        self._token = None if token is None else token.encode()

    def __bool__(self) -> bool:
        return self._token is not None

    def refusal(self, authorization: bytes | None, *, is_page: bool = False) -> Refusal | None:
        """The refusal of a request with this Authorization header, or None if it is accepted.

        On pages the token is also accepted as a Basic password, the only credential that browsers prompt for. The API
        does not accept that, since browsers would attach it to requests that other sites trigger.
        """
        if self._token is None:
            return None
        scheme, _, given = (authorization or b"").partition(b" ")
        given = given.strip()
        if is_page and scheme.lower() == b"basic":
            given = _password(given)
        elif scheme.lower() != b"bearer":
            given = b""
        # Compared in constant time, which does not reveal how much of a guess is correct.
        if hmac.compare_digest(given, self._token):
            return None
        error = b"" if authorization is None else b', error="invalid_token"'
        challenge = b'Basic realm="hypercone: the token is the password"' if is_page else b'Bearer realm="hypercone"'
        return Refusal(
            401,
            "unauthorized",
            "this service needs a token: send the header Authorization: Bearer TOKEN",
            ((b"www-authenticate", challenge + error * (not is_page)),),
        )


def _password(credentials: bytes) -> bytes:
    try:
        return base64.b64decode(credentials, validate=True).partition(b":")[2]
    except binascii.Error:
        return b""


def read_token(file: str | None) -> str | None:
    """The token in the file, else in the environment; None if neither is given."""
    if file is not None:
        return checked_token(_content(file), f"{file}: the token")
    given = os.environ.get(TOKEN_VARIABLE)
    return None if given is None else checked_token(given.strip(), f"{TOKEN_VARIABLE}: the token")


def checked_token(token: str, what: str) -> str:
    """The token; InputError, which does not show it, if it cannot be sent in a header."""
    if not _TOKEN.fullmatch(token):
        raise InputError(f"{what} is empty or has other characters than letters, digits and -._~+/; make another")
    return token


def _content(file: str) -> str:
    try:
        with Path(file).open("rb") as stream:
            return stream.read(LARGEST_TOKEN_FILE).decode("ascii", "replace").strip()
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror})") from None


LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_NAME = re.compile(r"\[[0-9a-f:.]+\]|[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?")
_HOST = re.compile(rb"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_.-]+)(?::[0-9]{0,5})?")
HOST_CACHE_SIZE = 256


class Hosts:
    """The allowed host names, in any case and with any port.

    >>> hosts = Hosts(["models.example.org"])
    >>> hosts.refusal(b"LOCALHOST:8000") is None, hosts.refusal(b"models.example.org") is None
    (True, True)
    >>> hosts.refusal(b"evil.example.com").status
    421
    """

    def __init__(self, names: list[str] | tuple[str, ...]) -> None:
        self._names = {*LOOPBACK, *(checked_host_name(name) for name in names)}
        # The port is ignored, since a tunnel may use another one. Cached, since clients repeat the same header.
        self._is_allowed = lru_cache(maxsize=HOST_CACHE_SIZE)(self._allows)

    def refusal(self, host: bytes | None) -> Refusal | None:
        """The refusal of a request with this Host header, or None if it is accepted."""
        if host is None:
            return bad_request("the request has no Host header; send one")
        if self._is_allowed(host):
            return None
        return Refusal(
            421,
            "wrong_host",
            f"this service does not answer to this Host; whoever runs it can allow that with {option('allow_hosts')}",
        )

    def _allows(self, host: bytes) -> bool:
        match = _HOST.fullmatch(host)
        return match is not None and match[1].decode().lower() in self._names


def checked_host_name(name: str) -> str:
    """The name in lower case, with brackets around an IPv6 address; InputError if it is not a valid host name.

    >>> checked_host_name("Models.Example.org"), checked_host_name("::1")
    ('models.example.org', '[::1]')
    """
    lower = name.lower()
    if lower.count(":") > 1 and not lower.startswith("["):
        lower = f"[{lower}]"
    if not _NAME.fullmatch(lower):
        raise InputError(
            f"{name!r} is not a host name; give a name or an address without a port, like models.example.org"
        )
    return lower


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
        """The CORS headers of an answer; with ``Vary: Origin`` for caches in any case."""
        if not self._origins:
            return ()
        if origin not in self._origins:
            return ((b"vary", b"origin"),)
        return ((b"access-control-allow-origin", origin), (b"vary", b"origin"))

    def preflight(self, origin: bytes) -> Headers:
        """The additional headers of a preflight answer; none if the origin is not allowed."""
        return _PREFLIGHT if origin in self._origins else ()


def checked_origin(origin: str) -> str:
    """The origin as browsers send it; InputError for anything else, including ``*``."""
    plain = origin.lower().rstrip("/")
    if not _ORIGIN.fullmatch(plain):
        raise InputError(
            f"{origin!r} is not an origin; give the scheme and host of a page, like https://app.example.org"
        )
    return plain


# Upper bounds: a longer deadline gives no protection, and more concurrent requests only use memory.
LONGEST_DEADLINE, MOST_AT_ONCE = 3600.0, 10_000


@dataclass(frozen=True)
class Options:
    """The options of the service; invalid values raise InputError.

    >>> Options(port=70_000)
    Traceback (most recent call last):
    hypercone.errors.InputError: port is 70000, but must be from 0 (any free one) to 65535
    """

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = field(default=None, repr=False)
    allow_hosts: tuple[str, ...] = ()
    cors: tuple[str, ...] = ()
    deadline: float = 10.0
    concurrency: int = 64
    explorer: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise InputError(f"{option('port')} is {self.port}, but must be from 0 (any free one) to 65535")
        if not (math.isfinite(self.deadline) and 0 < self.deadline <= LONGEST_DEADLINE):
            raise InputError(
                f"{option('deadline')} is {self.deadline:g}, but must be above 0 and at most {LONGEST_DEADLINE:g} s"
            )
        if not 1 <= self.concurrency <= MOST_AT_ONCE:
            raise InputError(f"{option('concurrency')} is {self.concurrency}, but must be from 1 to {MOST_AT_ONCE:,}")
        if self.token is not None:
            checked_token(self.token, "the token")
        for name in (self.host, *self.allow_hosts):
            checked_host_name(name)
        for origin in self.cors:
            checked_origin(origin)
