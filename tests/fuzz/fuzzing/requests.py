"""The requests that the service reads, as bytes: one that chooses the operation, then the query or the body."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypercone.service.errors import Refusal
from hypercone.service.handlers import OPERATIONS
from hypercone.service.requests import from_body, from_query


def query(data: bytes) -> Any:
    """The values of a query; the first byte chooses what it is asked of."""
    return _asked(from_query, data, "GET")


def body(data: bytes) -> Any:
    """The values of a body; the first byte chooses what it is asked of."""
    return _asked(from_body, data, "POST")


def _asked(read: Callable[..., Any], data: bytes, method: str) -> Any:
    asked = [operation for operation in OPERATIONS if operation.method == method]
    chosen = asked[(*data[:1], 0)[0] % len(asked)]
    try:
        return read(data[1:], chosen.takes)
    except Refusal as refusal:
        # It is sent as JSON, where what cannot be printed is an escape.
        message = "".join(letter if letter.isprintable() else "\\" for letter in refusal.message)
        raise Refusal(refusal.status, refusal.code, message) from None
