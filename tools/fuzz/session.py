"""Fuzz one target for a while in its own process: guided by coverage if atheris is installed, else at random.

The current input is always in a file shared with the parent, so that an input that ends or hangs the process is known.
"""

from __future__ import annotations

import importlib.util
import json
import mmap
import os
import re
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from tools.fuzz.growth import LARGEST_FACTOR, factor, pumps
from tools.fuzz.mutations import Mutator, words_in

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "fuzz"
CORPUS, DICTIONARIES = DATA / "corpus", DATA / "dictionaries"
SCRATCH = 1 << 16
LONGEST_INPUT = 8_192
# More than what is there before the first input; packed files alone may unpack to 64 MiB.
MEMORY = 512 << 20
WAYS = ("guided", "by chance", "grown")
GUIDED = ["hypercone.hierarchy", "hypercone.embedding", "hypercone.runs", "hypercone._files", "hypercone.service",
          "hypercone.training.config", "tomllib", "json"]  # fmt: skip


class Session:
    """Counts the inputs of one target and keeps the smallest for each way in which a promise was broken."""

    def __init__(self, target: Any, broken: type[Exception], seconds: float, report: Path) -> None:
        self.target, self.broken, self.report = target, broken, report
        self.executions, self.read = 0, 0
        self.began = time.monotonic()
        self.ends = self.began + seconds
        self.reported = self.began
        self.found: dict[str, tuple[str, bytes]] = {}
        self.slowest = (0.0, b"")
        self.slowest_growth = 0.0
        self.base = _peak()
        scratch = report.with_suffix(".input")
        scratch.write_bytes(bytes(SCRATCH))
        self.scratch = mmap.mmap(os.open(scratch, os.O_RDWR), SCRATCH)

    def one(self, data: bytes) -> None:
        """Check one input; ends the process when the time is over."""
        data = data[:LONGEST_INPUT]
        self.scratch[: 4 + len(data)] = len(data).to_bytes(4, "little") + data
        self.executions += 1
        try:
            outcome = self.target.check(data, twice=self.executions % 8 == 0)
            self.read += outcome.kind == "read"
            self.slowest = max(self.slowest, (outcome.seconds, data))
        except self.broken as error:
            self.record(str(error), data)
        if _peak() - self.base > MEMORY:
            self.record(f"memory: {(_peak() - self.base) >> 20} MiB more", data)
            self.base = _peak()
        if self.executions % 256 == 0 or time.monotonic() > self.reported + 1:
            self.write_report()
        if time.monotonic() > self.ends:
            self.write_report()
            os._exit(0)

    def write_report(self) -> None:
        """Write the counts so far."""
        self.reported = time.monotonic()
        report = {
            "executions": self.executions,
            "read": self.read,
            "seconds": round(self.reported - self.began, 1),
            "slowest_seconds": round(self.slowest[0], 4),
            "slowest_bytes": len(self.slowest[1]),
            "slowest_grown_seconds": round(self.slowest_growth, 3),
            "found": {key: {"message": message, "input": data.hex()} for key, (message, data) in self.found.items()},
        }
        draft = self.report.with_suffix(".draft")
        draft.write_text(json.dumps(report))
        draft.replace(self.report)

    def record(self, message: str, data: bytes) -> None:
        """The input, if it is the smallest that breaks the promise like this."""
        key = re.sub(r"[0-9]+|'[^']*'|\"[^\"]*\"", "_", message)[:70]
        if key not in self.found or len(data) < len(self.found[key][1]):
            self.found[key] = message, data


def is_guided() -> bool:
    """Whether atheris is there."""
    return importlib.util.find_spec("atheris") is not None


def fuzz(name: str, way: str, seconds: float, seed: int, report: Path, gathered: Path) -> None:
    """Fuzz a target in one of the WAYS; inputs that coverage selects are gathered, and changed at random later."""
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    gathered.mkdir(exist_ok=True)
    if way == "guided" and is_guided():
        _run_guided(name, seconds, seed, report, gathered)
    session, words, seeds = _session(name, seconds, report)
    if way == "grown":
        _grow(session, words, seeds)
    seeds += [path.read_bytes() for path in sorted(gathered.iterdir())]
    mutator, choose = Mutator(seed, words), Random(seed)
    while True:
        session.one(mutator.mutate(choose.choice(seeds), choose.choice(seeds)))


def _grow(session: Session, words: list[bytes], seeds: list[bytes]) -> None:
    """Inputs whose time grows faster than they do; ends the process."""
    for pump in pumps(seeds, words):
        session.executions += 2
        grows, seconds = factor(session.target.call, pump)
        if grows > LARGEST_FACTOR and min(factor(session.target.call, pump)[0] for _ in range(3)) > LARGEST_FACTOR:
            session.record(
                f"grows {grows:.0f} times when it gets 4 times as long: {pump.piece[:40]!r}", pump.of_size(500)
            )
        session.slowest_growth = max(session.slowest_growth, seconds)
        if time.monotonic() > session.ends:
            break
    session.write_report()
    os._exit(0)


def _session(name: str, seconds: float, report: Path) -> tuple[Session, list[bytes], list[bytes]]:
    # Imported here, so that they are instrumented if coverage guides the inputs.
    from tools.fuzz import targets
    from tools.fuzz.promise import Broken

    targets.warm()
    target = targets.all_targets(_folder(report))[name]
    seeds = seeds_of(name)
    for seed in seeds:
        # Lazy imports and caches of the libraries are not what the first input does.
        _try(target.call, seed)
    return Session(target, Broken, seconds, report), words_of(target.words), seeds


def _try(call: Callable[[bytes], object], data: bytes) -> None:
    try:
        call(data)
    except Exception:
        return


def _folder(report: Path) -> Path:
    folder = report.with_suffix(".files")
    folder.mkdir(exist_ok=True)
    return folder


def seeds_of(name: str) -> list[bytes]:
    """The committed inputs of a target, and those of the plain file for one with companion files."""
    return [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]


def words_of(dictionary: str) -> list[bytes]:
    """The words of a committed dictionary."""
    return words_in((DICTIONARIES / f"{dictionary}.dict").read_text())


def _run_guided(name: str, seconds: float, seed: int, report: Path, gathered: Path) -> None:
    import atheris

    import hypercone

    source = Path(hypercone.__file__).parent
    kernels = [
        ".".join(("hypercone", *path.relative_to(source).with_suffix("").parts))
        for path in source.rglob("*_kernels.py")
    ]
    with atheris.instrument_imports(include=GUIDED, exclude=kernels):
        session, _, _ = _session(name, seconds, report)
        words = session.target.words
    options = [f"-seed={seed}", f"-max_len={LONGEST_INPUT}", "-timeout=60", "-rss_limit_mb=0", "-print_final_stats=0",
               f"-dict={DICTIONARIES / words}.dict", "-verbosity=0", str(gathered), str(CORPUS / name)]  # fmt: skip
    atheris.Setup([sys.argv[0], *options], session.one)
    atheris.Fuzz()


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
