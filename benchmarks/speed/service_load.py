"""Calls per second and latency of every question to the service, as ratios to its own /healthz, in one run.

wrk repeats one question for some seconds, about random nodes, then the next question, round after round, so that noise
affects all of them alike; the best round of each counts, because noise only adds. On a machine with two cores the
service has one and wrk the other. /healthz is the least that an answer can cost: the rest is the question itself. The
CPU time of the service per call is reported too; it is less sensitive to other load. Any answer that is not 200 ends
the benchmark. Without a model folder, WordNet nouns are constructed in five dimensions.

    apt install wrk
    python -m benchmarks service_load -o FILE

With ``--against PATH`` the service of another checkout runs beside this one and is called in turn. PATH is its ``src``,
and whatever else it needs, separated by colons.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import statistics
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from operator import truediv
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tools.results import Row, markdown_table
from tools.served import Served, served

import hypercone
from hypercone.errors import HyperconeError

KEY = ("question", "path")
SMOKE = {"dataset": "tree-3-4", "rounds": 1, "seconds": 1.0, "questions": 3}
BATCH, CONNECTIONS = 1_000, 16
BARS = {"one pair over /healthz": 0.4, "pairs of a batch over single pairs": 50.0}

# wrk runs `init` once per thread, `request` for each call and `done` at the end; latencies are in microseconds.
SCRIPT = """
local requests = {}
init = function(arguments)
  math.randomseed(1)
  for line in io.lines(arguments[1]) do
    local path, body = line:match("^([^\\t]*)\\t(.*)$")
    local headers = {["Content-Type"] = "application/json"}
    requests[#requests + 1] = body == "" and wrk.format("GET", path) or wrk.format("POST", path, headers, body)
  end
end
request = function() return requests[math.random(#requests)] end
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format('\\n{"calls":%d,"seconds":%.6f,"p50_us":%.0f,"p99_us":%.0f,"errors":%d}\\n', summary.requests,
    summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", nargs="?", help="a model folder (default: construct --dataset in 5-D)")
    parser.add_argument("--dataset", default="wordnet-nouns")
    parser.add_argument("--rounds", type=int, default=5, help="how often each question takes its turn (default 5)")
    parser.add_argument("--seconds", type=float, default=3, help="how long each turn lasts (default 3)")
    parser.add_argument("--questions", type=int, default=8, help="only the first N questions, at least 3 (default 8)")
    parser.add_argument("--against", metavar="PATH", help="compare with the service of another checkout")


def parts(options: argparse.Namespace) -> Iterator[Row]:
    """One part: the questions take turns."""
    yield {"model": options.model or options.dataset, "rounds": options.rounds, "seconds": options.seconds}


def run(settings: Row, options: argparse.Namespace) -> list[Row]:
    wrk()
    folder = options.model
    if folder is None:
        folder = str(options.scratch / "model")
        hypercone.fit(hypercone.load_dataset(options.dataset), method="nested-caps", dim=5).save(folder)
    # Both checkouts understand the name of the limit in the first release.
    limit = "limit" if options.against is None else "count"
    questions = list(questions_of(list(hypercone.load(folder).names), limit))[: options.questions]
    paths = [None, options.against] if options.against else [None]
    cores = sorted(os.sched_getaffinity(0))
    try:
        return measure(folder, questions, paths, options, cores)
    finally:
        os.sched_setaffinity(0, cores)


def measure(
    folder: str, questions: list[Question], paths: list[str | None], options: argparse.Namespace, cores: list[int]
) -> list[Row]:
    """One row per question and checkout."""
    found: dict[tuple[str, str | None], list[dict[str, float]]] = {}
    with contextlib.ExitStack() as stack:
        # The services inherit the first core; wrk gets the others.
        os.sched_setaffinity(0, {cores[0]})
        services = {path: stack.enter_context(served(folder, path=path)) for path in paths}
        os.sched_setaffinity(0, set(cores[1:]) or {cores[0]})
        for _ in range(options.rounds):
            for question in questions:
                for path, service in services.items():
                    counted = ask(question, service, options.seconds, options.scratch)
                    found.setdefault((question.name, path), []).append(counted)
    return [row_of(question, found[question.name, path], path) for path in paths for question in questions]


@dataclass
class Question:
    """One kind of call: its lines of path and body, and how many pairs or names one call carries."""

    name: str
    lines: list[str]
    carried: int = 1


def questions_of(names: list[str], limit: str = "limit") -> Iterator[Question]:
    """Thousands of one-pair calls and dozens of batches, about nodes drawn at random."""
    draw = random.Random(1)

    def pair() -> list[str]:
        return [draw.choice(names), draw.choice(names)]

    def get(path: str, **arguments: Any) -> str:
        return f"{path}?{urlencode(arguments)}\t"

    def post(path: str, **body: Any) -> str:
        return f"{path}\t{json.dumps(body)}"

    def batch() -> list[list[str]]:
        return [pair() for _ in range(BATCH)]

    many, some = range(5_000), range(40)
    yield Question("/healthz", ["/healthz\t"])
    yield Question(
        "is-a, one pair", [get("/v1/is-a", child=draw.choice(names), parent=draw.choice(names)) for _ in many]
    )
    yield Question(f"is-a, {BATCH:,} pairs", [post("/v1/is-a", pairs=batch()) for _ in some], BATCH)
    yield Question(f"energy, {BATCH:,} pairs", [post("/v1/energy", pairs=batch()) for _ in some], BATCH)
    yield Question("ancestors", [get("/v1/ancestors", name=draw.choice(names)) for _ in many])
    yield Question("descendants", [get("/v1/descendants", name=draw.choice(names)) for _ in many])
    yield Question("nearest 10", [get("/v1/nearest", name=draw.choice(names), **{limit: 10}) for _ in many])
    hundreds = [[draw.choice(names) for _ in range(100)] for _ in some]
    yield Question(
        "nearest 10, 100 names", [post("/v1/nearest", names=asked, **{limit: 10}) for asked in hundreds], 100
    )


def wrk() -> str:
    """The path of wrk."""
    found = shutil.which("wrk")
    if not found:
        raise HyperconeError("wrk is not installed; it is a package of Debian and others: apt install wrk")
    return found


def cpu_seconds(process: int) -> float:
    """The CPU time of a process, in user and system mode."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ask(question: Question, service: Served, seconds: float, folder: Path) -> dict[str, float]:
    """What wrk counted in some seconds of one kind of call."""
    script, lines = folder / "ask.lua", folder / "lines.txt"
    script.write_text(SCRIPT)
    lines.write_text("\n".join(question.lines) + "\n", encoding="utf-8")
    connections = 4 if question.carried > 1 else CONNECTIONS
    limits = ["-t1", f"-c{connections}", f"-d{max(seconds, 1):.0f}s"]
    command = [wrk(), *limits, "-s", str(script), service.url, "--", str(lines)]
    before = cpu_seconds(service.process.pid)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    used = cpu_seconds(service.process.pid) - before
    counted: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    if counted["errors"] or not counted["calls"]:
        raise HyperconeError(f"{question.name}: {counted['errors']} errors in {counted['calls']} calls\n{done.stdout}")
    return counted | {"cpu_us": 1e6 * used / counted["calls"]}


def row_of(question: Question, rounds: list[dict[str, float]], path: str | None) -> Row:
    best = max(rounds, key=lambda one: one["calls"] / one["seconds"])
    speeds = [one["calls"] / one["seconds"] for one in rounds]
    row: Row = {"question": question.name, "carried": question.carried, "calls_a_second": round(max(speeds))}
    if path is not None:
        row["path"] = path
    row |= {
        "carried_a_second": round(max(speeds) * question.carried),
        "p50_us": best["p50_us"],
        "p99_us": best["p99_us"],
    }
    row["cpu_us_a_call"] = round(min(one["cpu_us"] for one in rounds), 1)
    return row | {"all_calls_a_second": [round(speed, 1) for speed in speeds], "calls": sum(r["calls"] for r in rounds)}


def _ours(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row.get("path") is None]


def summarize(rows: list[Row]) -> dict[str, Any]:
    """The ratios of one run: of best rounds, by CPU time, and the median round by round."""
    ours = _ours(rows)
    health, one, batch = ours[:3]
    found = (_ratios(one, health, 1), _ratios(batch, one, BATCH))
    summary = {"ratios": {name: ratio | {"bar": bar} for (name, bar), ratio in zip(BARS.items(), found, strict=True)}}
    theirs = {row["question"]: row for row in rows if row.get("path") is not None}
    if theirs:
        both = [(row, theirs[row["question"]]) for row in ours if row["question"] in theirs]
        summary["ratios to the other checkout"] = {mine["question"]: _ratios(mine, other, 1) for mine, other in both}
    return summary


def _ratios(above: Row, below: Row, factor: int) -> dict[str, float]:
    rounds = map(truediv, above["all_calls_a_second"], below["all_calls_a_second"])
    return {
        "best": round(factor * above["calls_a_second"] / below["calls_a_second"], 3),
        "by_cpu_time": round(factor * below["cpu_us_a_call"] / max(above["cpu_us_a_call"], 0.1), 3),
        "median_of_rounds": round(statistics.median(factor * ratio for ratio in rounds), 3),
    }


def problems(rows: list[Row]) -> list[str]:
    ratios = summarize(rows)["ratios"]
    missed = {name: ratio for name, ratio in ratios.items() if ratio["best"] < ratio["bar"]}
    return [f"{name} is {ratio['best']}, but must be at least {ratio['bar']}" for name, ratio in missed.items()]


def tables(rows: list[Row]) -> dict[str, str]:
    head = ("question", "calls/s", "pairs or names/s", "p50", "p99", "CPU per call")
    cells = (
        (
            row["question"],
            f"{row['calls_a_second']:,}",
            f"{row['carried_a_second']:,}",
            f"{row['p50_us'] / 1e3:.1f} ms",
            f"{row['p99_us'] / 1e3:.1f} ms",
            f"{row['cpu_us_a_call']:,.0f} µs",
        )
        for row in _ours(rows)
    )
    one, batch = (ratio["best"] for ratio in summarize(rows)["ratios"].values())
    said = f"One-pair calls reach {one:.2f} of /healthz; a batch carries {batch:,.0f} × the pairs of single calls."
    return {"": f"{markdown_table(head, cells)}\n{said}\n"}
