"""Changes to bytes: flips, cuts, repeats, splices with other inputs, and words of the format put in or swapped."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

LONGEST = 8_192
NUMBERS = (b"0", b"-1", b"1", b"255", b"65536", b"2147483647", b"4294967296", b"1e999", b"NaN", b"9" * 40, b"0x1F", b"")
# Where text and files have surprised programs before: odd spaces, halves of characters, marks of direction, NUL.
SURPRISES = (
    b"\0", b"\r", b"\x0b", b"\x0c", b"\x1b[2J", b"\x1c", b"\x7f", b"\\u0000", b"\\ud800", b"\\n", b"\xff\xfe",
    b"\xef\xbb\xbf", b"\xc2\x85", b"\xc2\xa0", b"\xc3\x85", b"\xc3\xa0", b"\xe2\x80\xa8", b"\xe2\x80\xae",
    b"\xed\xa0\x80", b"\xf0\x9f\x90\xa9",
)  # fmt: skip
NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")


class Mutator:
    """Makes new inputs out of known ones; the same seed makes the same."""

    def __init__(self, seed: int | str, words: Sequence[bytes]) -> None:
        self.random = Random(seed)
        self.words = (*words, *SURPRISES)

    def mutate(self, data: bytes, other: bytes) -> bytes:
        """The input after a few changes; ``other`` is one to splice with."""
        kinds = (self._flip, self._word, self._word, self._cut, self._repeat, self._swap, self._number, self._line)
        for _ in range(1 + int(self.random.expovariate(0.6))):
            change: Callable[[bytes], bytes] = self.random.choice(kinds)
            data = change(data) if self.random.random() < 0.93 else self._splice(data, other)
        return data[:LONGEST]

    def _place(self, data: bytes) -> int:
        return self.random.randint(0, len(data))

    def _span(self, data: bytes) -> tuple[int, int]:
        start = self._place(data)
        longest = self.random.choice((1, 4, 16, 64, 1024))
        return start, min(len(data), start + self.random.randint(1, longest))

    def _flip(self, data: bytes) -> bytes:
        if not data:
            return bytes([self.random.randrange(256)])
        place = self.random.randrange(len(data))
        changed = self.random.choice((data[place] ^ (1 << self.random.randrange(8)), self.random.randrange(256)))
        return data[:place] + bytes([changed]) + data[place + 1 :]

    def _word(self, data: bytes) -> bytes:
        start, stop = self._span(data)
        stop = start if self.random.random() < 0.5 else stop
        return data[:start] + self.random.choice(self.words) + data[stop:]

    def _cut(self, data: bytes) -> bytes:
        start, stop = self._span(data)
        return data[:start] if self.random.random() < 0.15 else data[:start] + data[stop:]

    def _repeat(self, data: bytes) -> bytes:
        start, stop = self._span(data)
        times = self.random.choice((2, 3, 10, 300))
        return data[:start] + data[start:stop] * times + data[stop:]

    def _swap(self, data: bytes) -> bytes:
        (a, b), (c, d) = sorted((self._span(data), self._span(data)))
        return data if b > c else data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]

    def _splice(self, data: bytes, other: bytes) -> bytes:
        return data[: self._place(data)] + other[self._place(other) :]

    def _number(self, data: bytes) -> bytes:
        found = list(NUMBER.finditer(data[:LONGEST]))
        if not found:
            return self._word(data)
        chosen = self.random.choice(found)
        return data[: chosen.start()] + self.random.choice(NUMBERS) + data[chosen.end() :]

    def _line(self, data: bytes) -> bytes:
        """A line doubled, left out or moved: what stays is often still of the format, but says something else."""
        lines = data.split(b"\n")
        taken = lines.pop(self.random.randrange(len(lines)))
        for _ in range(self.random.choice((0, 1, 2))):
            lines.insert(self.random.randint(0, len(lines)), taken)
        return b"\n".join(lines)


def words_in(text: str) -> list[bytes]:
    r"""The words of a dictionary in libFuzzer's format: one quoted word per line, with ``\x00`` escapes.

    >>> words_in('# marks\n"<a>"\n"\\x00\\""\n')
    [b'<a>', b'\x00"']
    """
    lines = [line for line in text.splitlines() if line.strip()[:1] not in ("#", "")]
    quoted = [line[line.index('"') + 1 : line.rindex('"')] for line in lines]
    return [_unescape(word) for word in quoted]


def _unescape(word: str) -> bytes:
    escape = re.compile(rb'\\(?:x([0-9A-Fa-f]{2})|([\\"]))')
    return escape.sub(lambda found: bytes([int(found[1], 16)]) if found[1] else found[2], word.encode())
