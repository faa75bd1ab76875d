"""Headers that keep a browser from doing with an answer what it was not made for."""

from __future__ import annotations

import base64
import hashlib
import re

_ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
)

# An answer of the API is data: should a browser be led to show one, nothing in it may run, load or be framed.
API_HEADERS = (
    *_ALWAYS,
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)

_INLINE = re.compile(rb"<(script|style)\b([^>]*)>(.*?)</\1\s*>", re.DOTALL | re.IGNORECASE)
# A script of another type is data to a browser, and never run.
_DATA = re.compile(rb"""\btype\s*=\s*(?!["']?(?:module|text/javascript))""", re.IGNORECASE)


def page_headers(page: bytes) -> tuple[tuple[bytes, bytes], ...]:
    """The headers of a page: only the very scripts and styles that are in it may run, and nothing may be fetched.

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
    # A browser takes the digest of the element's text, in which line ends have become plain newlines.
    text = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return f"'sha256-{base64.b64encode(hashlib.sha256(text).digest()).decode()}'"
