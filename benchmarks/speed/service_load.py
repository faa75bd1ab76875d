"""Calls a second and latency of every question of the service, as ratios to its own /healthz, in one run on one server.

    apt install wrk
    hypercone fit wordnet-nouns --method nested-caps --dim 5 -o nouns-5
    python benchmarks/service_load.py nouns-5 -o benchmarks/results/service.json

wrk asks one question for some seconds, about nodes drawn at random, then the next question, round after round, so that
noise from outside meets all of them alike; the best round of each counts, because noise only ever adds. Where the
machine has two cores, the service has one and wrk the other. /healthz is the least an answer can cost here: what the
ratio of one-pair calls lacks to 1 is the question itself. The processor time of the service for each call is told as
well: it says the same where the machine is busy with something else. Any answer that is not 200 ends the benchmark.

With ``--against PATH`` the service of another checkout (the path of its ``src``, and of what else it needs, with colons
between) runs beside this one, each is asked in turn, and the ratio to it is told as well.
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
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from operator import truediv
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from hypercone._system import describe_machine
from hypercone.embedding import load
from hypercone.errors import HyperconeError
from served import Served, served

BATCH, CONNECTIONS = 1_000, 16
BARS = {"one pair over /healthz": 0.4, "pairs of a batch over single pairs": 50.0}

# wrk runs `init` once a thread, `request` for each call and `done` at the end; latencies are in microseconds.
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


@dataclass
class Question:
    """What is asked, by what lines of path and body, and how many pairs or names one call carries."""

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
    found = shutil.which("wrk")
    if not found:
        raise HyperconeError("wrk is not installed; it is a package of Debian and others: apt install wrk")
    return found


def cpu_seconds(process: int) -> float:
    """What a process has used of the processor, in user and system mode."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ask(question: Question, where: Served, seconds: float, folder: Path) -> dict[str, float]:
    """What wrk counted in some seconds of one question."""
    script, lines = folder / "ask.lua", folder / "lines.txt"
    script.write_text(SCRIPT)
    lines.write_text("\n".join(question.lines) + "\n", encoding="utf-8")
    connections = 4 if question.carried > 1 else CONNECTIONS
    command = [wrk(), "-t1", f"-c{connections}", f"-d{seconds:.0f}s", "-s", str(script), where.url, "--", str(lines)]
    before = cpu_seconds(where.process.pid)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    used = cpu_seconds(where.process.pid) - before
    counted: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    if counted["errors"] or not counted["calls"]:
        raise HyperconeError(f"{question.name}: {counted['errors']} errors in {counted['calls']} calls\n{done.stdout}")
    return counted | {"cpu_us": 1e6 * used / counted["calls"]}


def measure(folder: str, rounds: int, seconds: float, against: str | None) -> list[list[dict[str, Any]]]:
    """One row a question, of its best round; the same of the other checkout, if there is one."""
    # What the first release called the limit is understood by both.
    questions = list(questions_of(list(load(folder).names), "limit" if against is None else "count"))
    paths = [None] if against is None else [None, against]
    found: list[dict[str, list[dict[str, float]]]] = [{question.name: [] for question in questions} for _ in paths]
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[0]})
    with contextlib.ExitStack() as stack:
        services = [stack.enter_context(served(folder, path=path)) for path in paths]
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        os.sched_setaffinity(0, set(cores[1:]) or {cores[0]})
        for _ in range(rounds):
            for question in questions:
                for where, mine in zip(services, found, strict=True):
                    mine[question.name].append(ask(question, where, seconds, scratch))
                    print(question.name, mine[question.name][-1], file=sys.stderr, flush=True)
    return [[row_of(question, mine[question.name]) for question in questions] for mine in found]


def compared(ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Our calls a second over theirs: of the best rounds, and the median round by round."""
    return {
        mine["question"]: {
            "best": round(mine["calls_a_second"] / other["calls_a_second"], 3),
            "median_of_rounds": round(
                statistics.median(map(truediv, mine["all_calls_a_second"], other["all_calls_a_second"])), 3
            ),
        }
        for mine, other in zip(ours, theirs, strict=True)
    }


def row_of(question: Question, rounds: list[dict[str, float]]) -> dict[str, Any]:
    best = max(rounds, key=lambda one: one["calls"] / one["seconds"])
    speeds = [one["calls"] / one["seconds"] for one in rounds]
    row: dict[str, Any] = {"question": question.name, "carried": question.carried, "calls_a_second": round(max(speeds))}
    row |= {
        "carried_a_second": round(max(speeds) * question.carried),
        "p50_us": best["p50_us"],
        "p99_us": best["p99_us"],
    }
    row["cpu_us_a_call"] = round(min(one["cpu_us"] for one in rounds), 1)
    return row | {"all_calls_a_second": [round(speed, 1) for speed in speeds], "calls": sum(r["calls"] for r in rounds)}


def ratios_of(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The two ratios of best rounds, and the medians of the ratios round by round."""
    health, one, batch = rows[:3]

    def both(above: dict[str, Any], below: dict[str, Any], factor: int) -> dict[str, float]:
        rounds = zip(above["all_calls_a_second"], below["all_calls_a_second"], strict=True)
        best = factor * above["calls_a_second"] / below["calls_a_second"]
        used = factor * below["cpu_us_a_call"] / above["cpu_us_a_call"]
        return {
            "best": round(best, 3),
            "by_cpu_time": round(used, 3),
            "median_of_rounds": round(statistics.median(factor * a / b for a, b in rounds), 3),
        }

    found = both(one, health, 1), both(batch, one, BATCH)
    return {name: ratio | {"bar": bar} for (name, bar), ratio in zip(BARS.items(), found, strict=True)}


def markdown(rows: list[dict[str, Any]], ratios: dict[str, Any]) -> str:
    """The table for the pages."""
    lines = ["| question | calls/s | pairs or names/s | p50 | p99 | CPU a call |", "|---|---|---|---|---|---|"]
    for row in rows:
        lines.append(
            f"| {row['question']} | {row['calls_a_second']:,} | {row['carried_a_second']:,} | "
            f"{row['p50_us'] / 1e3:.1f} ms | {row['p99_us'] / 1e3:.1f} ms | {row['cpu_us_a_call']:,.0f} µs |"
        )
    one, batch = (ratio["best"] for ratio in ratios.values())
    lines += [
        "",
        f"One-pair calls reach {one:.2f} of /healthz; a batch carries {batch:,.0f} × the pairs of single calls.",
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a model folder")
    parser.add_argument("--rounds", type=int, default=5, help="how often each question has its turn")
    parser.add_argument("--seconds", type=float, default=3, help="how long each turn lasts")
    parser.add_argument("--against", metavar="PATH", help="compare with the service of another checkout")
    parser.add_argument("-o", "--output", type=Path, help="the JSON file to write")
    options = parser.parse_args()
    try:
        wrk()
        rows, *others = measure(options.model, options.rounds, options.seconds, options.against)
    except HyperconeError as error:
        print(f"service_load: {error}", file=sys.stderr)
        return 2
    ratios = ratios_of(rows)
    content: dict[str, Any] = {"machine": describe_machine(), "questions": rows, "ratios": ratios}
    if others:
        content["ratios to the other checkout"] = compared(rows, others[0])
    print(json.dumps(content, indent=1))
    if options.output:
        options.output.write_text(json.dumps(content, indent=1) + "\n")
        options.output.with_suffix(".md").write_text(markdown(rows, ratios))
    return int(any(ratio["best"] < ratio["bar"] for ratio in ratios.values()))


if __name__ == "__main__":
    sys.exit(main())
