"""Fuzz every reader, the split and model and run folders, the configuration and the service's requests.

    pip install atheris          # coverage-guided; without it the inputs are changed at random only
    nice python -m tools.fuzz --minutes 35 -o benchmarks/results/fuzz.json

Each target is called in a process of its own, which is killed and counted as a hang if one input takes longer than a
minute. What is promised for every input is in tools/fuzz/promise.py. What was found before and has been fixed is in
tests/fuzz/findings.json and, as the smallest input that showed it, in tests/fuzz/corpus.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tools.fuzz import session, targets

from hypercone._system import describe_machine

FINDINGS = session.DATA / "findings.json"
CHILD = [sys.executable, "-m", "tools.fuzz"]
HANGS_AFTER = 60.0
SHARES = {"guided": 0.35, "by chance": 0.5, "grown": 0.15}


def run_as_child(options: argparse.Namespace) -> None:
    session.fuzz(
        options.target, options.way, options.seconds, options.seed, Path(options.report), Path(options.gathered)
    )


def fuzz_target(name: str, seconds: float, seed: int, folder: Path) -> dict[str, Any]:
    """The counts of one target: guided by coverage, then by chance from what that gathered, then grown."""
    total: dict[str, Any] = {"target": name, "executions": 0, "read": 0, "seconds": 0.0, "slowest_seconds": 0.0}
    total |= {"slowest_bytes": 0, "slowest_grown_seconds": 0.0, "found": {}}
    for way, share in SHARES.items():
        ends = time.monotonic() + share * seconds
        for attempt in range(20):
            left = ends - time.monotonic()
            if left < 1 and attempt:
                break
            report = folder / f"{name}-{way.replace(' ', '-')}-{attempt}.json"
            failure = _run_child(name, way, max(left, 1.0), seed + attempt, report)
            _add(total, json.loads(report.read_text()) if report.exists() else {})
            if not failure and way == "grown":
                break
            if failure:
                total["found"][failure] = {"message": failure, "input": _last_input(report).hex()}
    return total


def _last_input(report: Path) -> bytes:
    """The input that a process was reading when it ended early."""
    scratch = report.with_suffix(".input")
    content = scratch.read_bytes() if scratch.exists() else bytes(4)
    return content[4 : 4 + int.from_bytes(content[:4], "little")]


def _run_child(name: str, way: str, seconds: float, seed: int, report: Path) -> str:
    """How the process failed, or nothing; one that ends early or hangs is a finding."""
    command = [*CHILD, "--target", name, "--way", way, "--seconds", str(seconds), "--seed", str(seed)]
    command += ["--gathered", str(report.parent / f"{name}.gathered")]
    log = report.with_suffix(".log")
    with log.open("wb") as output:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(session.ROOT), *sys.path])}
        command += ["--report", str(report)]
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
    begun = time.time()
    while process.poll() is None:
        time.sleep(0.2)
        last = report.stat().st_mtime if report.exists() else begun + HANGS_AFTER
        if time.time() - last > HANGS_AFTER:
            process.kill()
            process.wait()
            return "hang: an input took longer than a minute"
    return "" if process.returncode == 0 else f"the process ended with {process.returncode}: {_last_line(log)}"


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1][:200] if lines else ""


def _add(total: dict[str, Any], part: dict[str, Any]) -> None:
    for key in ("executions", "read", "seconds"):
        total[key] += part.get(key, 0)
    if part.get("slowest_seconds", 0) > total["slowest_seconds"]:
        total |= {key: part[key] for key in ("slowest_seconds", "slowest_bytes")}
    total["slowest_grown_seconds"] = max(total["slowest_grown_seconds"], part.get("slowest_grown_seconds", 0.0))
    total["found"] |= part.get("found", {})


def table(results: list[dict[str, Any]], findings: list[dict[str, str]]) -> str:
    """The targets as a table in Markdown, and below it what was found."""
    lines = [
        "| target | inputs | seconds | read | found now | found before, fixed | slowest input | slowest of 256 kB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in results:
        before = sum(row["target"] in finding["targets"].split() for finding in findings)
        slow = f"{1000 * row['slowest_seconds']:.0f} ms ({row['slowest_bytes']:,} bytes)"
        grown = f"{row['slowest_grown_seconds']:.2f} s"
        cells = (
            f"{row['executions']:,}",
            f"{row['seconds']:.0f}",
            f"{row['read']:,}",
            len(row["found"]),
            before,
            slow,
            grown,
        )
        lines.append(f"| {row['target']} | " + " | ".join(map(str, cells)) + " |")
    sums = [sum(row[key] for row in results) for key in ("executions", "seconds", "read")]
    found = sum(len(row["found"]) for row in results)
    lines.append(f"| **all** | **{sums[0]:,}** | {sums[1]:,.0f} | {sums[2]:,} | {found} | {len(findings)} | | |")
    lines += ["", "| found and fixed | by | where | shown by |", "|---|---|---|---|"]
    lines += [f"| {it['what']} | {it['by']} | `{it['where']}` | `{it['test'].rpartition('/')[2]}` |" for it in findings]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", default="benchmarks/results/fuzz.json")
    parser.add_argument("--minutes", type=float, default=35.0, help="for all targets together")
    parser.add_argument("--only", nargs="*", help="these targets, not all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="a folder for reports and inputs (default: a temporary one)")
    parser.add_argument("--target", help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--way", help=argparse.SUPPRESS)
    parser.add_argument("--report", help=argparse.SUPPRESS)
    parser.add_argument("--gathered", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.target:
        run_as_child(options)
    names = options.only or list(targets.all_targets())
    with tempfile.TemporaryDirectory() as folder:
        place = Path(options.keep or folder)
        place.mkdir(parents=True, exist_ok=True)
        results = []
        for name in names:
            results.append(fuzz_target(name, 60 * options.minutes / len(names), options.seed, place))
            print(json.dumps(results[-1])[:1500], flush=True)
    findings = json.loads(FINDINGS.read_text(encoding="utf-8")) if FINDINGS.exists() else []
    report = {"machine": describe_machine(), "guided": session.is_guided(), "targets": results, "mended": findings}
    output = Path(options.output)
    output.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    output.with_suffix(".md").write_text(table(results, findings), encoding="utf-8")


if __name__ == "__main__":
    main()
