"""JSON read through a window, so that a file of a gigabyte is never a tree of objects in memory."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

from hypercone.errors import InputError

WINDOW = 4 * 2**20
# No single term of an ontology is nearly as long; an error of syntax must not pull in all of a large file.
LONGEST_VALUE = 256 * 2**20
# A number at the end of the window might go on beyond it.
MARGIN = 64
SPACE = re.compile(r"[ \t\r\n]*")


class JsonStream:
    """Members of objects and items of lists one after the other; the caller takes or skips the value of each.

    >>> stream = JsonStream("a.json", b'{"a": [1, 2], "b": {"c": 3}}')
    >>> [(key, stream.value()) for key in stream.members()]
    [('a', [1, 2]), ('b', {'c': 3})]
    """

    def __init__(self, label: str, data: bytes) -> None:
        """``data`` are known to be UTF-8."""
        self._label, self._data = label, data
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._scan = json.JSONDecoder().raw_decode
        self._text, self._at, self._read, self._line = "", 0, 0, 1

    def peek(self) -> str:
        """The character with which the next value begins; empty at the end."""
        while True:
            if self._text[self._at : self._at + 1] > " ":
                return self._text[self._at]
            self._at = SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text) or not self._more(WINDOW):
                return self._text[self._at : self._at + 1]

    def members(self) -> Iterator[str]:
        """The keys of the object that comes next."""
        for _ in self._between("{", "}"):
            if self.peek() != '"':
                raise self.error("a key should stand here, in quotes")
            key = self.value()
            self._take(":")
            yield key

    def items(self) -> Iterator[None]:
        """Once for each item of the list that comes next."""
        return self._between("[", "]")

    def skip(self) -> None:
        """Pass over the next value, item by item if it is a list."""
        if self.peek() == "[":
            for _ in self.items():
                self.value()
        else:
            self.value()

    def value(self) -> Any:
        """The next value, whole."""
        size = WINDOW
        self.peek()
        while True:
            try:
                value, end = self._scan(self._text, self._at)
                problem = ""
                if end + MARGIN < len(self._text):
                    break
            except json.JSONDecodeError as error:
                problem, end = error.msg, self._at
            except (ValueError, RecursionError):
                raise self.error("a number is too long or the nesting too deep") from None
            if len(self._text) - self._at > LONGEST_VALUE or not self._more(size):
                if problem:
                    raise self.error(problem)
                break
            size *= 2
        self._at = end
        return value

    def end(self) -> None:
        """InputError if anything follows."""
        if self.peek():
            raise self.error("something follows the end")

    def error(self, problem: str) -> InputError:
        """The error at the present place."""
        line = self._line + self._text.count("\n", 0, self._at)
        return InputError(f"{self._label}:{line}: is not valid JSON ({problem}); fetch the file again")

    def _between(self, first: str, last: str) -> Iterator[None]:
        self._take(first)
        if self.peek() != last:
            yield
            while self.peek() == ",":
                self._at += 1
                yield
        self._take(last)

    def _take(self, mark: str) -> None:
        if self.peek() != mark:
            raise self.error(f"a {mark} should stand here" if self.peek() else "it ends too early")
        self._at += 1

    def _more(self, size: int) -> bool:
        if self._read >= len(self._data):
            return False
        self._line += self._text.count("\n", 0, self._at)
        piece = self._data[self._read : self._read + size]
        self._read += len(piece)
        self._text = self._text[self._at :] + self._decoder.decode(piece)
        self._at = 0
        return True
