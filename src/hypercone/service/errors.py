"""Refusals (status, code, message), and replies with the headers that every answer has."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

Headers = Iterable[tuple[bytes, bytes]]

# Every status an answer can have besides 200, and its meaning; the OpenAPI document uses this table.
STATUSES = {
    400: "the request is malformed: not JSON, or a parameter is missing, unknown or of the wrong type",
    401: "the token is missing or wrong",
    404: "there is no such node, model or path",
    405: "the path exists, but not for this method",
    408: "the request arrived too slowly",
    413: "the body, the batch or the answer is too large",
    415: "the body is not plain JSON",
    421: "the Host header names a host that this service does not accept",
    431: "the request line and headers are too large",
    500: "an internal error of the service",
    503: "the service is loading, shutting down or overloaded; try again after Retry-After seconds",
    504: "the answer took longer than the deadline",
}
RETRY_SOON = ((b"retry-after", b"1"),)


class Refusal(Exception):
    """A request that is not answered, and why."""

    def __init__(self, status: int, code: str, message: str, headers: Headers = (), index: int | None = None) -> None:
        """``index`` is the position of the item in a batch that the refusal is about."""
        super().__init__(message)
        self.status, self.code, self.message, self.headers = status, code, message, tuple(headers)
        self.index = index


def bad_request(message: str) -> Refusal:
    """The refusal of a malformed request.

    >>> bad_request("child is missing").status
    400
    """
    return Refusal(400, "bad_request", message)


def too_large(message: str) -> Refusal:
    """The refusal of a request that would take too much memory or time."""
    return Refusal(413, "too_large", message)


def busy(message: str) -> Refusal:
    """The refusal of a request that may be answered a little later."""
    return Refusal(503, "unavailable", message, RETRY_SOON)


def late(seconds: float) -> Refusal:
    """The refusal of a request that has exceeded its deadline."""
    return Refusal(504, "deadline", f"the answer took longer than {seconds:g} seconds; ask for less at a time")


_ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
)

# API answers are data: if a browser displays one, nothing in it may run, load or be framed.
API_HEADERS = (
    *_ALWAYS,
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)

_INLINE = re.compile(rb"<(script|style)\b([^>]*)>(.*?)</\1\s*>", re.DOTALL | re.IGNORECASE)
# A browser treats a script of another type as data and does not run it.
_DATA = re.compile(rb"""\btype\s*=\s*(?!["']?(?:module|text/javascript))""", re.IGNORECASE)


def page_headers(page: bytes) -> tuple[tuple[bytes, bytes], ...]:
    """The headers of a page: only the scripts and styles that it contains are allowed, and nothing may be fetched.

    >>> dict(page_headers(b"<style>p{}</style>"))[b"content-security-policy"].decode()[:50]
    "default-src 'none'; script-src 'none'; style-src '"
    """
    scripts, styles = [], []
    for kind, attributes, content in _INLINE.findall(page):
        if kind.lower() == b"style":
            styles.append(_source(content))
        elif not _DATA.search(attributes):
            scripts.append(_source(content))
    policy = (
        f"default-src 'none'; script-src {' '.join(scripts) or _NOTHING}; style-src {' '.join(styles) or _NOTHING}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return (
        *_ALWAYS,
        (b"content-security-policy", policy.encode()),
        (b"cross-origin-resource-policy", b"same-origin"),
        (b"cache-control", b"no-cache"),
    )


_NOTHING = "'none'"


def _source(content: bytes) -> str:
    # Browsers hash the element's text after normalizing line ends to \n.
    text = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return f"'sha256-{base64.b64encode(hashlib.sha256(text).digest()).decode()}'"


Send = Callable[[Any], Awaitable[None]]
Receive = Callable[[], Awaitable[Any]]
Scope = MutableMapping[str, Any]

JSON = b"application/json"
# The scope key under which the protocol says whether more of the request's body is expected.
BODY_IS_COMING = "hypercone.body_is_coming"


async def reply(send: Send, status: int, body: bytes, kind: bytes = JSON, headers: Headers = API_HEADERS) -> None:
    """Send a complete answer."""
    about = [(b"content-type", kind), (b"content-length", b"%d" % len(body)), *headers]
    await send({"type": "http.response.start", "status": status, "headers": about})
    await send({"type": "http.response.body", "body": body})


async def reply_empty(send: Send, headers: Headers) -> None:
    """Send an answer without a body."""
    await send({"type": "http.response.start", "status": 204, "headers": [*API_HEADERS, *headers]})
    await send({"type": "http.response.body", "body": b""})


async def reply_refusal(scope: Scope, send: Send, refusal: Refusal) -> None:
    """Send an error as JSON; if the body is still arriving, close the connection afterwards."""
    body = error_body(refusal.code, refusal.message, refusal.index)
    is_coming = scope.get(BODY_IS_COMING)
    closing = ((b"connection", b"close"),) if is_coming is not None and is_coming() else ()
    await reply(send, refusal.status, body, headers=(*API_HEADERS, *refusal.headers, *closing))


class Reason(Struct):
    """An error: a code for programs, a sentence for people, and the position in a batch, if it is about one item."""

    code: str
    message: str
    index: int | UnsetType = UNSET


class Error(Struct):
    """The body of every refusal."""

    error: Reason


@lru_cache(maxsize=64)
def error_body(code: str, message: str, index: int | None = None) -> bytes:
    """The JSON of an error.

    >>> error_body("not_found", "there is no such path")
    b'{"error":{"code":"not_found","message":"there is no such path"}}'
    """
    return msgspec.json.encode(Error(Reason(code, message, UNSET if index is None else index)))
