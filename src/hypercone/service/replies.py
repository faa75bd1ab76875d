"""Answers on their way out: bytes with the headers that every answer carries."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Any

from hypercone.service.headers import API_HEADERS
from hypercone.service.refusals import Headers, Refusal

Send = Callable[[Any], Awaitable[None]]
Receive = Callable[[], Awaitable[Any]]
Scope = dict[str, Any]

JSON = b"application/json"
# Where our protocol tells whether more of the body of a request is on its way.
BODY_IS_COMING = "hypercone.body_is_coming"


async def reply(send: Send, status: int, body: bytes, kind: bytes = JSON, headers: Headers = API_HEADERS) -> None:
    """Send one whole answer."""
    about = [(b"content-type", kind), (b"content-length", b"%d" % len(body)), *headers]
    await send({"type": "http.response.start", "status": status, "headers": about})
    await send({"type": "http.response.body", "body": body})


async def reply_empty(send: Send, headers: Headers) -> None:
    """Send an answer that is all in its headers."""
    await send({"type": "http.response.start", "status": 204, "headers": [*API_HEADERS, *headers]})
    await send({"type": "http.response.body", "body": b""})


async def reply_refusal(scope: Scope, send: Send, refusal: Refusal) -> None:
    """Send an error as JSON; to who is refused in the middle, that this was all."""
    body = error_body(refusal.code, refusal.message)
    is_coming = scope.get(BODY_IS_COMING)
    closing = ((b"connection", b"close"),) if is_coming is not None and is_coming() else ()
    await reply(send, refusal.status, body, headers=(*API_HEADERS, *refusal.headers, *closing))


@lru_cache(maxsize=64)
def error_body(code: str, message: str) -> bytes:
    """The JSON of an error.

    >>> error_body("not_found", "there is no such path")
    b'{"error":{"code":"not_found","message":"there is no such path"}}'
    """
    import orjson

    return orjson.dumps({"error": {"code": code, "message": message}})
