"""The types of requests, and reading them from the query string or from a JSON body."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Iterable
from functools import cache
from typing import Annotated, Any, Literal, NoReturn, get_args
from urllib.parse import unquote_to_bytes

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, defstruct

from hypercone.errors import short
from hypercone.hierarchy.similarity import MEASURES, Measure
from hypercone.queries.questions import NAME, PAIR, TEXT, TWO, Question
from hypercone.service.errors import Receive, Refusal, Scope, bad_request, busy, too_large
from hypercone.service.workers import Deadline

MOST_IN_BATCH, MOST_TEXTS, MOST_PARENTS, LARGEST_LIMIT = 10_000, 500, 100, 1_000_000
# Every node of one set is compared with every node of the other.
MOST_IN_SET = 500
ANY_NAME = Annotated[str, Meta(min_length=1)]


class Request(Struct, forbid_unknown_fields=True):
    """The base of all requests; an omitted optional field is UNSET."""


class Nothing(Request):
    """A request without fields."""


class Pair(Request):
    """A child and a parent, each by name or label."""

    child: ANY_NAME
    parent: ANY_NAME


class Two(Request):
    """Two nodes, each by name or label."""

    name: ANY_NAME
    other: ANY_NAME


def text(description: str) -> Any:
    """The type of a non-empty text, with its description for the OpenAPI document."""
    return Annotated[str, Meta(min_length=1, description=description)]


def many(of: Any, description: str, least: int = 0, most: int = MOST_IN_BATCH) -> Any:
    """The type of a list with limits on its length."""
    return Annotated[list[of], Meta(min_length=least or None, max_length=most, description=description)]


def whole(description: str, **more: Any) -> Any:
    """The type of an optional whole number."""
    limits = Meta(ge=0, le=LARGEST_LIMIT, description=description, extra_json_schema=more)
    return Annotated[int, limits] | UnsetType


def request_type(name: str, fields: Iterable[tuple[str, Any]]) -> type[Request]:
    """The type of a request with these fields and the optional field ``model``."""
    every = [*fields, ("model", text("which model to ask") | UnsetType)]
    given = [(field, kind, UNSET) if _is_optional(kind) else (field, kind) for field, kind in every]
    return defstruct(name, given, bases=(Request,), forbid_unknown_fields=True)  # type: ignore[return-value]


def _is_optional(kind: Any) -> bool:
    return UnsetType in getattr(kind, "__args__", ())


ONE = {
    "child": text("the name or label of the node that may be a kind of the parent"),
    "parent": text("the name or label of the node that it may be a kind of"),
    "name": text("the name or label of a node"),
    "other": text("the name or label of another node"),
    "text": text("a part of the name or label of nodes, in any case"),
}
MANY = {
    # Pairs were lists of two in the first release, and are still accepted in that form.
    PAIR: ("pairs", many(Pair | tuple[ANY_NAME, ANY_NAME], "children and parents, each by name or label")),
    TWO: ("pairs", many(Two, "pairs of nodes, each by name or label")),
    NAME: ("names", many(ANY_NAME, "names or labels of nodes")),
    # A search scans all names, so the limit is lower.
    TEXT: ("texts", many(ANY_NAME, "parts of the names or labels of nodes, in any case", 0, MOST_TEXTS)),
}
PLACE = request_type(
    "AskPlace",
    [
        ("parents", many(ANY_NAME, "what the new node is", 1, MOST_PARENTS)),
        ("not_under", many(ANY_NAME, "what the new node is not", 0, MOST_PARENTS) | UnsetType),
    ],
)
MEASURE = Annotated[Measure, Meta(description=f"how similarity is measured; by default {MEASURES[0]}")] | UnsetType
SETS = request_type(
    "AskSetSimilarity",
    [
        ("names", many(ANY_NAME, "names or labels of the nodes of one set", 1, MOST_IN_SET)),
        ("others", many(ANY_NAME, "names or labels of the nodes of the other set", 1, MOST_IN_SET)),
        ("measure", MEASURE),
    ],
)


def one_of(name: str, question: Question) -> type[Request]:
    """The type of a request about one node, one pair or one text."""
    parts = [(part, ONE[part]) for part in question.arguments.lower().split()]
    return request_type(_title(name), [*parts, *_options(name, question)])


def many_of(name: str, question: Question) -> type[Request]:
    """The type of a request about many items; for questions about a group of nodes, about one or several groups."""
    if not question.is_open:
        return request_type(_title(name) + "Many", [MANY[question.arguments], *_options(name, question)])
    group = many(ANY_NAME, "names or labels of nodes", question.least)
    groups = many(group, "several groups of them, instead of names")
    fields = [("names", group | UnsetType), ("groups", groups | UnsetType), *_options(name, question)]
    return request_type(_title(name), fields)


def _options(name: str, question: Question) -> list[tuple[str, Any]]:
    by = [("by", _by(question))] if question.answered_by else []
    by += [("measure", MEASURE)] if question.has_measure else []
    if question.limit is None:
        return by
    limit = ("limit", whole("the most to list, 0 for all", default=question.limit))
    # The name in the first release.
    count = ("count", whole("the old name of limit, which is preferred where both are given", deprecated=True))
    return [*by, limit, count] if name == "nearest" else [*by, limit]


def _by(question: Question) -> Any:
    description = "what answers; by default the graph, if the model has one and was not fitted to a split"
    if len(question.answered_by) == 1:
        description = f"what answers, which is always the {question.answered_by[0]}"
    return Annotated[Literal[question.answered_by], Meta(description=description)] | UnsetType


def _title(name: str) -> str:
    return "Ask" + name.title().replace("-", "")


LARGEST_BODY, MOST_DIGITS = 8 * 1024 * 1024, 100
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_WHOLE = re.compile(r"-?[0-9]{1,18}")
_WITH_POINT = re.compile(r"(-?[0-9]{1,18})\.0+")
_SPACE_BEFORE_COLON = re.compile(rb'"[ \t\r\n]+:')


def from_query(query: bytes, wanted: type[Request]) -> Any:
    """The request in a query string; refused if a parameter is missing, repeated, unknown or not UTF-8.

    >>> from_query(b"name=white+pelican", request_type("AboutNode", [("name", text("a node"))])).name
    'white pelican'
    """
    given: dict[str, Any] = {}
    is_escaped = b"%" in query or b"+" in query
    for part in _utf8(query).split("&") if query else ():
        key, equals, value = map(_unescape, part.partition("=")) if is_escaped else part.partition("=")
        if not equals:
            raise bad_request(f"the parameter {short(key)!r} has no value; write {short(key)}=…")
        if key in given:
            raise bad_request(f"the parameter {short(key)!r} is given twice; give it once")
        given[key] = value
    for key in ("limit", "count"):
        if key in given and _WHOLE.fullmatch(given[key]):
            given[key] = int(given[key])
    return _convert(given, wanted, "parameter")


def from_body(body: bytes, wanted: type[Request]) -> Any:
    """The request in a JSON object; refused if a member is missing, repeated, unknown or of the wrong type.

    >>> from_body(b'{"names": ["owl", "eel"]}', request_type("AboutNodes", [("names", many(ANY_NAME, "nodes"))])).names
    ['owl', 'eel']
    """
    try:
        request = _decoder(wanted).decode(body)
    except msgspec.ValidationError:
        # Parse again with the slow path, which accepts 10.0 as a whole number and names the wrong value otherwise.
        return _convert(_parse(body), wanted, "member")
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _not_json(error) from None
    if not _has_each_member_once(body, request):
        _parse(body)
    return request


@cache
def _decoder(wanted: type[Request]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(wanted)


def _has_each_member_once(body: bytes, request: Any) -> bool:
    """A fast check that no member is repeated, which msgspec would accept; False means "unknown".

    Each member has a colon, so as many colons as members prove it. Colons inside names are excluded by counting only
    those after a quotation mark.
    """
    members = sum(getattr(request, field) is not UNSET for field in request.__struct_fields__)
    pairs = getattr(request, "pairs", None)
    if pairs:
        members += 2 * (len(pairs) - [*map(type, pairs)].count(tuple))
    if body.count(b":") == members:
        return True
    return body.count(b'":') == members and not _SPACE_BEFORE_COLON.search(body)


def _convert(given: Any, wanted: type[Request], what: str) -> Any:
    try:
        return msgspec.convert(given, wanted)
    except msgspec.ValidationError as error:
        raise _refusal(given, wanted, what, str(error)) from None


_PLACE = re.compile(r"(.*?)(?: - at `\$\.(.*)`)?", re.DOTALL)
_STEP = re.compile(r"\[([0-9]+)\]|(\w+)")
A_PAIR, TWO_NODES = '{"child": …, "parent": …}, each a name', '{"name": …, "other": …}, each a name'
# Messages of msgspec, and the corresponding descriptions of a valid value.
_WANTED = (
    (re.compile("Expected `int`, got"), "a whole number"),
    (re.compile("Expected `int`"), f"from 0 to {LARGEST_LIMIT}"),
    (re.compile("Integer value"), f"from 0 to {LARGEST_LIMIT}"),
    (re.compile("Expected `str`"), "a text that is not empty"),
    (re.compile("Expected `array`, got"), "a list"),
    (re.compile("Expected `array` of length >= ([0-9]+)"), "a list of at least %s"),
    (re.compile("Expected `(?:object|array)|Object"), A_PAIR),
)


def _refusal(given: Any, wanted: type[Request], what: str, problem: str) -> Refusal:
    """The refusal with what is unknown or missing, or with the place of a value, the value, and what it must be."""
    if type(given) is not dict:
        return bad_request("the body is JSON, but must be an object: {…}")
    known = wanted.__struct_fields__
    for name in given:
        if name not in known:
            return bad_request(f"there is no {what} {short(name)!r} here; known are {', '.join(known) or 'none'}")
    for field in msgspec.structs.fields(wanted):
        if field.required and field.name not in given:
            return bad_request(f"the {what} {field.name} is missing: {field.type.__metadata__[0].description}")
    found = _PLACE.fullmatch(problem)
    assert found, "a text of any form matches"
    path, value = found[2] or "", given
    for index, name in _STEP.findall(path):
        value = value[int(index)] if index else value[name]
    most = re.search("of length <= ([0-9]+)", found[1])
    if most:
        return too_large(f"{path} has {len(value):,} items, but at most {int(most[1]):,} are taken at a time")
    if path in ("by", "measure"):
        return bad_request(f"{path} is {_show(value)}, but must be {' or '.join(_choices(wanted, path))}")
    fitting = (words % match.groups() for sign, words in _WANTED if (match := sign.match(found[1])))
    must_be = next(fitting, "of another kind")
    if must_be == A_PAIR and "measure" in known:
        must_be = TWO_NODES
    return bad_request(f"{path} is {_show(value)}, but must be {must_be}")


def _choices(wanted: type[Request], name: str) -> tuple[str, ...]:
    """The values of a field with a fixed set of them."""
    field = next(field for field in msgspec.structs.fields(wanted) if field.name == name)
    kind = next(part for part in get_args(field.type) if part is not UnsetType)
    return get_args(get_args(kind)[0])


def _show(value: Any) -> str:
    # Shortened, since a body may be megabytes of text or deeply nested lists.
    if isinstance(value, str):
        return repr(short(value))
    if isinstance(value, list | dict):
        return f"a list of {len(value):,}" if isinstance(value, list) else "an object"
    return short(json.dumps(value))


# A body up to this size is parsed within a millisecond, and always accepted: there are few connections.
SMALL_BODY = 64 * 1024
MOST_ARRIVING = 512 * 1024**2


class ArrivingBytes:
    """The bytes of all larger bodies that are arriving: they wait in memory for the rest, which may never come."""

    def __init__(self) -> None:
        self.size = 0

    def add(self, size: int) -> None:
        """Count more bytes; a refusal if they are too many."""
        self.size += size
        if size > 0 and self.size > MOST_ARRIVING:
            raise busy(f"{MOST_ARRIVING >> 20} MB of other requests are arriving; try again, or with a smaller request")


async def read_body(scope: Scope, receive: Receive, deadline: Deadline, arriving: ArrivingBytes) -> bytes:
    """The body; refused if its headers do not say JSON, or if it is too large or arrives too slowly."""
    _check_kind(scope)
    try:
        async with asyncio.timeout(deadline.seconds_left()):
            return await _whole_body(receive, arriving)
    except TimeoutError:
        raise Refusal(408, "timeout", f"the body did not come within {deadline.seconds:g} seconds") from None


async def _whole_body(receive: Receive, arriving: ArrivingBytes) -> bytes:
    parts: list[bytes] = []
    size = counted = 0
    try:
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Refusal(400, "disconnected", "the body ended early")
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > LARGEST_BODY:
                raise _body_too_large()
            if size > SMALL_BODY:
                counted, more = size, size - counted
                arriving.add(more)
            if not message.get("more_body", False):
                return b"".join(parts)
    finally:
        arriving.add(-counted)


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


def _unescape(part: str) -> str:
    if _BROKEN_ESCAPE.search(part):
        raise bad_request("the query has a % that is not followed by two hexadecimal digits; write %25 for it")
    return _utf8(unquote_to_bytes(part.replace("+", " ")))


def _utf8(part: bytes) -> str:
    try:
        return part.decode()
    except UnicodeDecodeError:
        raise bad_request("the query is not UTF-8") from None


def _parse(body: bytes) -> Any:
    """The JSON value; refused if an object has a repeated member."""
    try:
        # msgspec is stricter: Python's decoder accepts lone surrogates.
        msgspec.json.decode(body)
        return _PARSER.decode(body.decode())
    except RecursionError:
        raise bad_request("the body is nested too deeply") from None
    except (msgspec.DecodeError, ValueError) as error:
        raise _not_json(error) from None


def _not_json(error: Exception) -> Refusal:
    words = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error).partition(" - at `")[0]
    return bad_request(f"the body is not valid JSON: {words.removeprefix('JSON is malformed: ')}")


def _without_duplicates(members: list[tuple[str, Any]]) -> dict[str, Any]:
    once = dict(members)
    if len(once) < len(members):
        raise bad_request("the body has two members with one name; give each once")
    return once


def _number(digits: str) -> int | float:
    # JSON has a single number type, so 10.0 is a whole number as well.
    pointed = _WITH_POINT.fullmatch(digits)
    number = int(pointed[1]) if pointed else float(digits)
    return number if math.isfinite(number) else _out_of_range(digits)


def _whole_number(digits: str) -> int:
    return int(digits) if len(digits) <= MOST_DIGITS else _out_of_range(digits)


def _out_of_range(digits: str) -> NoReturn:
    raise ValueError(f"the number {short(digits, 20)} is out of range")


_PARSER = json.JSONDecoder(object_pairs_hook=_without_duplicates, parse_float=_number, parse_int=_whole_number)
