"""Does the time grow faster than the input? A word, or a piece of an input, is repeated until the input is long."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

SMALL, LARGE = 1 << 16, 1 << 18
# Four times the bytes may take six times as long, for sorting and caches; what is quick anyway is not measured.
LARGEST_FACTOR, QUICK = 6.5, 0.1
PIECES = (1, 3, 20)


class Pump(NamedTuple):
    """An input that can be made as long as one likes: what comes before, what is repeated, what comes after."""

    before: bytes
    piece: bytes
    after: bytes

    def of_size(self, size: int) -> bytes:
        """The input with so many bytes of the repeated piece; a ``%d`` in it is the number of the repeat."""
        times = size // len(self.piece)
        if b"%d" in self.piece:
            return self.before + b"".join(self.piece.replace(b"%d", b"%d" % i) for i in range(times)) + self.after
        return self.before + self.piece * times + self.after


def pumps(seeds: Sequence[bytes], words: Sequence[bytes]) -> Iterator[Pump]:
    """Every word repeated alone and in the middle of every seed, and every line of a seed repeated where it stands."""
    for word in words:
        yield Pump(b"", word, b"")
        for seed in seeds:
            for place in range(0, len(seed), max(1, len(seed) // 6)):
                yield Pump(seed[:place], word, seed[place:])
    for seed in seeds:
        lines = seed.splitlines(keepends=True)
        for i, line in enumerate(lines):
            yield Pump(b"".join(lines[:i]), line, b"".join(lines[i:]))
            for size in PIECES:
                middle = len(line) // 2
                before, after = b"".join(lines[:i]) + line[:middle], line[middle + size :] + b"".join(lines[i + 1 :])
                if line[middle : middle + size]:
                    yield Pump(before, line[middle : middle + size], after)


def factor(call: Callable[[bytes], object], pump: Pump) -> tuple[float, float]:
    """How many times longer four times the bytes take, and how long that is; 0 if it is quick."""
    slow = _seconds(call, pump.of_size(LARGE))
    if slow < QUICK:
        return 0.0, slow
    quick = min(_seconds(call, pump.of_size(SMALL)) for _ in range(2))
    return min(slow, _seconds(call, pump.of_size(LARGE))) / max(quick, 1e-4), slow


def _seconds(call: Callable[[bytes], object], data: bytes) -> float:
    began = time.process_time()
    with contextlib.suppress(Exception):
        call(data)
    return time.process_time() - began
