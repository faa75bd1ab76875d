"""What a request may say: each field once, to be read from a query or from JSON, and to be described in OpenAPI."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import chain
from typing import Any

from hypercone.errors import short
from hypercone.service.refusals import Refusal, malformed, too_large

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
