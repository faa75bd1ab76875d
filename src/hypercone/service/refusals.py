"""What the service says no to: a status, a code for programs and a sentence for people."""

from __future__ import annotations

from collections.abc import Iterable

Headers = Iterable[tuple[bytes, bytes]]

# Every status an answer can have beside 200, and what it means here; the OpenAPI document is made from this table.
STATUSES = {
    400: "the request is malformed: not JSON, a parameter that is missing, unknown or of the wrong kind",
    401: "a token is needed, and none or another one was given",
    404: "there is no such node, model or path",
    405: "the path exists, but not for this method",
    408: "the request came too slowly",
    413: "the body, the batch or the answer is too large",
    415: "the body is not plain JSON",
    421: "the Host header names a host that this service does not answer for",
    431: "the request line and headers are too large",
    500: "a mistake of the service",
    503: "the service is loading, ending or has too much to do; try again after Retry-After seconds",
    504: "the answer took longer than the deadline",
}
RETRY_SOON = ((b"retry-after", b"1"),)


class Refusal(Exception):
    """A request that is not answered, and why."""

    def __init__(self, status: int, code: str, message: str, headers: Headers = ()) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.headers = status, code, message, tuple(headers)


def malformed(message: str) -> Refusal:
    """The refusal of a request that does not say what it should.

    >>> malformed("child is missing").status
    400
    """
    return Refusal(400, "bad_request", message)


def too_large(message: str) -> Refusal:
    """The refusal of what would take too much memory or time."""
    return Refusal(413, "too_large", message)


def busy(message: str) -> Refusal:
    """The refusal of what could be answered a little later."""
    return Refusal(503, "unavailable", message, RETRY_SOON)


def late(seconds: float) -> Refusal:
    """The refusal of what has taken too long."""
    return Refusal(504, "deadline", f"the answer took longer than {seconds:g} seconds; ask for less at a time")
