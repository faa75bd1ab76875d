"""The speed of two checkouts, compared: the ratio after/before of common tasks.

    python -m tools.compare_speed --before other/checkout --after . -o speed.json

Both are measured in one run on one core, in turn, each turn in a process of its own, so that noise affects both alike;
the best of all turns counts, because noise only adds. A first round, which does not count, fills the caches of compiled
kernels. Exit code 1 if anything takes more than 5 % longer than before.
"""

from __future__ import annotations

import argparse
import inspect
import itertools
import json
import os
import platform
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import hypercone
from hypercone.construction import CONSTRUCTIONS

LARGEST_RATIO = 1.05
NOUNS, MAMMALS = "nouns", "mammals"
ASKED, CALLS = 800, 1_000
LEARNED: dict[str, Any] = {"method": "hyperbolic-cones", "dim": 5, "init": "random"}
# A checkout of version 0.1 has other names.
NESTED, OVERLAPPING = CONSTRUCTIONS
LISTENER = "callback" if "callback" in inspect.signature(hypercone.fit).parameters else "on_epoch"
# What a shell runs, by the name of the measure, and how often each turn repeats it.
STARTS = {
    "import hypercone": ("import hypercone", 12),
    "hypercone --help": ("from hypercone.cli.main import main; main(['--help'])", 12),
    "hypercone query": (f"from hypercone.cli.main import main; main(['query', '{MAMMALS}', 'parents', 'dog.n.01'])", 4),
}


def training() -> dict[str, float]:
    """CPU seconds of a fixed number of epochs on mammals, and of one epoch on nouns."""
    mammals, nouns = hypercone.load_dataset("wordnet-mammals"), hypercone.load_dataset("wordnet-nouns")
    ends: list[float] = []
    timed: dict[str, Any] = {LISTENER: lambda _: ends.append(time.process_time())}
    hypercone.fit(nouns, **LEARNED, epochs=24, **timed)
    epochs = (after - before for before, after in itertools.pairwise(ends))
    return {
        "learn mammals, 100 epochs": best(6, lambda: hypercone.fit(mammals, **LEARNED, epochs=100)),
        "learn nouns, one epoch": min(epochs),
    }


def construction() -> dict[str, float]:
    """CPU seconds of both constructions."""
    mammals, nouns = hypercone.load_dataset("wordnet-mammals"), hypercone.load_dataset("wordnet-nouns")
    return {
        "construct nouns": best(20, lambda: hypercone.fit(nouns, method=NESTED, dim=5)),
        "construct mammals, overlapping": best(40, lambda: hypercone.fit(mammals, method=OVERLAPPING, dim=5)),
    }


def best(times: int, action: Callable[[], object]) -> float:
    """The least CPU seconds of several times."""

    def one() -> float:
        started = time.process_time()
        action()
        return time.process_time() - started

    return min(one() for _ in range(times))


def queries() -> dict[str, float]:
    """Median seconds of a query on the constructed nouns, with the index built."""
    embedding = hypercone.load(NOUNS)
    _ = embedding.index
    names = embedding.names[:: len(embedding) // ASKED]
    other = dict(zip(names, reversed(names), strict=True))
    questions: dict[str, Callable[[str], object]] = {
        "descendants": lambda name: embedding.descendants(name, by="geometry"),
        "ancestors": lambda name: embedding.ancestors(name, by="geometry"),
        "nearest": embedding.nearest,
        "is_a": lambda name: embedding.is_a(name, other[name], by="geometry"),
    }
    return {f"ask nouns, {name}": median_of_best(question, names) for name, question in questions.items()}


def median_of_best(question: Callable[[str], object], names: Any, passes: int = 8) -> float:
    """The median over the names of the least time that each took in several passes."""
    least = dict.fromkeys(names, float("inf"))
    for _ in range(passes):
        for name in names:
            started = time.perf_counter()
            question(name)
            least[name] = min(least[name], time.perf_counter() - started)
    return statistics.median(least.values())


def service() -> dict[str, float]:
    """Seconds of one pair over HTTP, on one persistent connection: by the clock, and CPU time of the server."""
    names = list(hypercone.load(MAMMALS).names)
    with running_service(MAMMALS) as (process, address), socket.create_connection(address) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while not request(connection, "/readyz"):
            time.sleep(0.05)
        pairs = [f"/v1/is-a?child={quote(one)}&parent={quote(names[0])}" for one in names[:CALLS]]
        wall, used = [], []
        for _ in range(8):
            started, began = time.perf_counter(), cpu_seconds(process)
            if not all(request(connection, pair) for pair in pairs):
                raise SystemExit("the service refused a question")
            wall.append((time.perf_counter() - started) / len(pairs))
            used.append((cpu_seconds(process) - began) / len(pairs))
    return {"serve mammals, one pair": min(wall), "serve mammals, one pair, server's CPU": min(used)}


@contextmanager
def running_service(folder: str) -> Iterator[tuple[int, tuple[str, int]]]:
    """A service of a model on a free port of this machine: its process and its address."""
    command = [sys.executable, "-m", "hypercone.cli.main", "serve", folder, "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout
        url = urlsplit(process.stdout.readline().rsplit(" ", 1)[-1].strip())
        if url.hostname is None or url.port is None:
            raise SystemExit("the service did not start")
        yield process.pid, (url.hostname, url.port)
    finally:
        process.terminate()
        process.communicate(timeout=30)


def request(connection: socket.socket, path: str) -> bool:
    """Request a path and read the answer; whether it was 200."""
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += receive(connection)
    head, _, body = answer.partition(b"\r\n\r\n")
    missing = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0]) - len(body)
    while missing > 0:
        missing -= len(receive(connection))
    return head.split(b" ", 2)[1] == b"200"


def receive(connection: socket.socket) -> bytes:
    """The next bytes of an answer."""
    found = connection.recv(65_536)
    if not found:
        raise SystemExit("the service closed the connection")
    return found


def cpu_seconds(process: int) -> float:
    """The CPU time of a process so far, by its clock: clock_getcpuclockid(3)."""
    return time.clock_gettime((~process << 3) | 2)


def save_models() -> dict[str, float]:
    """Save the models for the queries in the working folder."""
    for name in (NOUNS, MAMMALS):
        hypercone.fit(hypercone.load_dataset(f"wordnet-{name}"), method=NESTED, dim=5).save(name)
    return {}


PARTS = {part.__name__: part for part in (training, construction, queries, service)}


def measure_part(tree: Path, part: str, folder: str) -> dict[str, float]:
    """The figures of one part, measured in a new process with the code of a checkout."""
    command = [sys.executable, str(Path(__file__).resolve()), "--part", part]
    done = subprocess.run(
        command, env=environment(tree), cwd=folder, stdout=subprocess.PIPE, text=True, check=True, timeout=600
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def cpu_seconds_of_start(tree: Path, code: str, folder: str) -> float:
    """CPU seconds of a Python that runs some code and ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", code], env=environment(tree), cwd=folder, stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{tree}: {code} failed")
    return used.ru_utime + used.ru_stime


def environment(tree: Path) -> dict[str, str]:
    """The variables with which Python finds the hypercone of a checkout, and works on one core."""
    return os.environ | {"PYTHONPATH": str(tree.resolve() / "src"), "OPENBLAS_NUM_THREADS": "1"}


def measure_turns(trees: dict[str, Path], rounds: int) -> dict[str, dict[str, list[float]]]:
    """Every turn of every measure of both checkouts, without the first round."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with tempfile.TemporaryDirectory() as folder:
        measure_part(trees["before"], save_models.__name__, folder)
        for turn in range(rounds + 1):
            print(f"round {turn} of {rounds}" if turn else "warming up", file=sys.stderr, flush=True)
            for part in PARTS:
                for side, tree in trees.items():
                    for name, value in measure_part(tree, part, folder).items():
                        found[name][side].append(value)
            for name, (code, times) in STARTS.items():
                for _ in range(times):
                    for side, tree in trees.items():
                        found[name][side].append(cpu_seconds_of_start(tree, code, folder))
            if not turn:
                found.clear()
    return found


def row_of(turns: dict[str, list[float]]) -> dict[str, Any]:
    """The best of each side, and their ratio."""
    before, after = min(turns["before"]), min(turns["after"])
    return {"before": before, "after": after, "ratio": round(after / before, 4), "turns": turns}


def table(rows: dict[str, dict[str, Any]]) -> str:
    """A Markdown table: a line for each measure."""
    lines = ["| measure | before | after | ratio |", "|---|---|---|---|"]
    for name, row in rows.items():
        lines.append(f"| {name} | {_seconds(row['before'])} | {_seconds(row['after'])} | {row['ratio']:.3f} |")
    return "\n".join(lines)


def _seconds(value: float) -> str:
    factor, unit = next((one for one in ((1, "s"), (1e3, "ms")) if value * one[0] >= 1), (1e6, "µs"))
    return f"{value * factor:.3g} {unit}"


def main() -> int:
    """Measure both and print the table; the exit code says whether anything became slower."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, metavar="DIR", help="a checkout")
    parser.add_argument("--after", type=Path, metavar="DIR", default=Path(), help="another one (default: this folder)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="turns that count (default 5)")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="the JSON file to write")
    parser.add_argument("--part", choices=[*PARTS, save_models.__name__], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        print(json.dumps((PARTS | {save_models.__name__: save_models})[options.part]()))
        return 0
    if options.before is None or options.rounds < 1:
        parser.error("--before is missing, or --rounds is below 1")
    # Inherited by every process that is started from here.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    turns = measure_turns({"before": options.before, "after": options.after}, options.rounds)
    rows = {name: row_of(found) for name, found in turns.items()}
    print(table(rows))
    if options.output:
        content = {"machine": platform.platform(), "rounds": options.rounds, "measures": rows}
        options.output.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return int(any(row["ratio"] > LARGEST_RATIO for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
