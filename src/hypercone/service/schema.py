"""What a request may say, and how it is read: each field once, for queries, for JSON and for OpenAPI."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any
from urllib.parse import unquote_to_bytes

import orjson

from hypercone.errors import short
from hypercone.service.errors import Receive, Refusal, Scope, malformed, too_large
from hypercone.service.workers import Deadline

MOST_IN_BATCH = 10_000
_WHOLE = re.compile(r"-?[0-9]{1,18}")


@dataclass(frozen=True)
class Field:
    """A field that is a text: the name or label of a node, or the name of a model."""

    name: str
    about: str
    required: bool = True
    default: Any = None

    def from_query(self, text: str) -> Any:
        """The value of a query parameter."""
        return self.from_json(text)

    def from_json(self, value: Any) -> Any:
        """The value of a member of the body."""
        if type(value) is not str or not value:
            raise self.wrong("a text that is not empty", value)
        return value

    def schema(self) -> dict[str, Any]:
        """The same in the words of JSON Schema."""
        return {"type": "string", "minLength": 1}

    def wrong(self, wanted: str, value: Any) -> Refusal:
        """The refusal of a value that is not what is wanted."""
        return malformed(f"{self.name} is {_shown(value)}, but must be {wanted}")


@dataclass(frozen=True)
class Whole(Field):
    """A whole number in a range.

    >>> Whole("count", "how many", least=1, most=100).from_query("20")
    20
    """

    least: int = 0
    most: int = 1_000_000

    def from_query(self, text: str) -> int:
        """The number that the digits say."""
        if not _WHOLE.fullmatch(text):
            raise self.wrong("a whole number", text)
        return self._in_range(int(text))

    def from_json(self, value: Any) -> int:
        """The number; JSON knows one kind of them, so that 10.0 is whole as well."""
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int:
            raise self.wrong("a whole number", value)
        return self._in_range(value)

    def schema(self) -> dict[str, Any]:
        """The same in the words of JSON Schema."""
        return {"type": "integer", "minimum": self.least, "maximum": self.most, "default": self.default}

    def _in_range(self, number: int) -> int:
        if not self.least <= number <= self.most:
            raise self.wrong(f"from {self.least} to {self.most}", number)
        return number


@dataclass(frozen=True)
class Texts(Field):
    """A list of names."""

    least: int = 0
    most: int = MOST_IN_BATCH

    def from_json(self, value: Any) -> list[str]:
        """The names, if that is what they are."""
        self.check_list(value)
        check_texts(self, value)
        names: list[str] = value
        return names

    def check_list(self, value: Any) -> None:
        """Refuse what is no list, or has too many in it or too few."""
        if type(value) is not list:
            raise self.wrong("a list", value)
        if len(value) > self.most:
            raise too_large(f"{self.name} has {len(value):,} items, but at most {self.most:,} are taken at a time")
        if len(value) < self.least:
            raise self.wrong(f"a list of at least {self.least}", value)

    def schema(self) -> dict[str, Any]:
        """The same in the words of JSON Schema."""
        return {"type": "array", "minItems": self.least, "maxItems": self.most, "items": super().schema()}


@dataclass(frozen=True)
class Pairs(Texts):
    """A list of [child, parent].

    >>> Pairs("pairs", "what to ask").from_json([["dog", "animal"]])
    [['dog', 'animal']]
    """

    def from_json(self, value: Any) -> Any:
        """The pairs, if each is two names."""
        self.check_list(value)
        # Asked of all at once, for a batch may have thousands.
        if value and (set(map(type, value)) != {list} or set(map(len, value)) != {2}):
            raise malformed(f"{self.name} must be a list of [child, parent], each of them two names")
        check_texts(self, list(chain.from_iterable(value)))
        return value

    def schema(self) -> dict[str, Any]:
        """The same in the words of JSON Schema."""
        pair = {"type": "array", "minItems": 2, "maxItems": 2, "items": Field.schema(self)}
        return {"type": "array", "minItems": self.least, "maxItems": self.most, "items": pair}


def check_texts(field: Field, texts: list[Any]) -> None:
    """Refuse what is no text, or an empty one."""
    if texts and (set(map(type, texts)) != {str} or "" in texts):
        culprit = next(text for text in texts if type(text) is not str or not text)
        raise field.wrong("names, each a text that is not empty", culprit)


def _shown(value: Any) -> str:
    # Never all of it: a body may be megabytes of text, or lists a thousand deep.
    if isinstance(value, str):
        return repr(short(value))
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    # By identity, since 1 equals True.
    return json.dumps(value) if value is None or value is True or value is False else repr(value)


LARGEST_BODY = 8 * 1024 * 1024
_BROKEN_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")


def query_values(query: bytes, fields: Sequence[Field]) -> dict[str, Any]:
    """The values of the query parameters; what is missing, twice, unknown or not UTF-8 is refused.

    >>> query_values(b"name=white+pelican", [Field("name", "a node")])
    {'name': 'white pelican'}
    """
    given: dict[str, str] = {}
    for part in query.split(b"&") if query else ():
        name, equals, text = part.partition(b"=")
        key = _decoded(name)
        if not equals:
            raise malformed(f"the parameter {short(key)!r} has no value; write {short(key)}=…")
        if key in given:
            raise malformed(f"the parameter {short(key)!r} is given twice; give it once")
        given[key] = _decoded(text)
    values = {field.name: field.from_query(given[field.name]) for field in fields if field.name in given}
    return _complete(values, given, fields, "parameter")


def body_values(body: bytes, fields: Sequence[Field]) -> dict[str, Any]:
    """The values of the members of a JSON object; what is missing, twice, unknown or of the wrong kind is refused.

    >>> body_values(b'{"model": "animals"}', [Field("model", "which model")])
    {'model': 'animals'}
    """
    given = _parsed(body)
    if type(given) is not dict:
        raise malformed("the body is JSON, but must be an object: {…}")
    known = {field.name: field for field in fields}
    values = {name: known[name].from_json(value) for name, value in given.items() if name in known}
    return _complete(values, given, fields, "member")


async def read_body(scope: Scope, receive: Receive, deadline: Deadline) -> bytes:
    """The body, if it is JSON by its headers, not too large and not too slow; counted while it comes."""
    _check_kind(scope)
    try:
        async with asyncio.timeout(deadline.left()):
            return await _whole_body(receive)
    except TimeoutError:
        raise Refusal(408, "timeout", f"the body did not come within {deadline.seconds:g} seconds") from None


async def _whole_body(receive: Receive) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refusal(400, "disconnected", "the body ended early")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > LARGEST_BODY:
            raise _body_too_large()
        if not message.get("more_body", False):
            return b"".join(parts)


def _check_kind(scope: Scope) -> None:
    kind, coding, length = b"", b"identity", b"0"
    for name, value in scope["headers"]:
        if name == b"content-type":
            kind = value
        elif name == b"content-encoding":
            coding = value
        elif name == b"content-length":
            length = value
    main, _, rest = kind.partition(b";")
    charset = rest.strip().lower().replace(b'"', b"").replace(b" ", b"")
    if main.strip().lower() != b"application/json" or charset not in (b"", b"charset=utf-8"):
        raise Refusal(415, "not_json", "the body must be sent as Content-Type: application/json, in UTF-8")
    if coding.strip().lower() != b"identity":
        raise Refusal(415, "compressed", "the body must not be compressed", ((b"accept-encoding", b"identity"),))
    if not length.isdigit() or len(length) > 18 or int(length) > LARGEST_BODY:
        raise _body_too_large()


def _body_too_large() -> Refusal:
    return too_large(f"the body is larger than {LARGEST_BODY // 1024**2} MB; send it in several parts")


def _decoded(text: bytes) -> str:
    if b"%" in text or b"+" in text:
        if _BROKEN_ESCAPE.search(text):
            raise malformed("the query has a % that is not followed by two hexadecimal digits; write %25 for it")
        text = unquote_to_bytes(text.replace(b"+", b" "))
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise malformed("the query is not UTF-8") from None


def _parsed(body: bytes) -> Any:
    try:
        given = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise malformed(f"the body is not valid JSON: {error}") from None
    # Of two members with one name orjson keeps the last. Each has a colon, so that as many colons as members are proof
    # that none was lost; only bodies with colons inside names are read again.
    if type(given) is dict and body.count(b":") != len(given):
        try:
            json.loads(body, object_pairs_hook=_without_doubles)
        except RecursionError:
            raise malformed("the body is nested too deeply") from None
    return given


def _without_doubles(members: list[tuple[str, Any]]) -> dict[str, Any]:
    once = dict(members)
    if len(once) < len(members):
        raise malformed("the body has two members with one name; give each once")
    return once


def _complete(values: dict[str, Any], given: Mapping[str, Any], fields: Sequence[Field], what: str) -> dict[str, Any]:
    if len(given) > len(values):
        known = [field.name for field in fields]
        unknown = next(name for name in given if name not in known)
        raise malformed(f"there is no {what} {short(unknown)!r} here; known are {', '.join(known) or 'none'}")
    for field in fields:
        if field.name not in values:
            if field.required:
                raise malformed(f"the {what} {field.name} is missing: {field.about}")
            values[field.name] = field.default
    return values
