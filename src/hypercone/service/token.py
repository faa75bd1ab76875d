"""The bearer token: where it comes from, and whether a request has it."""

from __future__ import annotations

import base64
import binascii
import hmac
import os
import re
from pathlib import Path

from hypercone.errors import InputError
from hypercone.service.refusals import Refusal

VARIABLE = "HYPERCONE_TOKEN"
LARGEST_FILE = 4096
# What RFC 6750 allows after "Bearer".
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")


class Token:
    """The token that requests must have; without one, all may ask.

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
        """Why a request with this Authorization header is not answered; None if it is.

        A browser asks people for a password and for nothing else, so on a page the token may come as one. Not in the
        API: a browser would send it along with whatever other pages make it ask.
        """
        if self._token is None:
            return None
        scheme, _, given = (authorization or b"").partition(b" ")
        given = given.strip()
        if is_page and scheme.lower() == b"basic":
            given = _password(given)
        elif scheme.lower() != b"bearer":
            given = b""
        # Compared in a time that does not tell how much of a guess is right.
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
    given = os.environ.get(VARIABLE)
    return None if given is None else checked_token(given.strip(), f"{VARIABLE}: the token")


def checked_token(token: str, what: str) -> str:
    """The token; InputError if a header cannot carry it. It is never shown."""
    if not _TOKEN.fullmatch(token):
        raise InputError(f"{what} is empty or has other characters than letters, digits and -._~+/; make another")
    return token


def _content(file: str) -> str:
    try:
        with Path(file).open("rb") as stream:
            return stream.read(LARGEST_FILE).decode("ascii", "replace").strip()
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror})") from None
