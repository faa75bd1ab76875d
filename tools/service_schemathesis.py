"""Let schemathesis generate thousands of requests from the OpenAPI document, and check every answer.

    pip install schemathesis
    hypercone fit wordnet-nouns --method nested-caps --dim 5 -o nouns-5
    python -m tools.service_schemathesis nouns-5 -o benchmarks/results/service_schemathesis.json

All of schemathesis' checks are on: no 5xx, documented status codes, content types, headers and bodies, invalid data
refused, valid data accepted (but for names that are not there, and answers of more than 100,000 names, which no schema
can tell), other methods refused. Seven strings of ten are names that exist, because random words
alone would only ever test the answer 404. The seed is fixed; what is counted is what went over the wire.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from hypercone._system import describe_machine
from hypercone.embedding import load
from hypercone.errors import HyperconeError
from tools.served import served

REAL = 0.7

# Loaded by schemathesis in its own process: counts each answer by operation, status and whether the request was valid.
HOOKS = """
import atexit, collections, json, pathlib, schemathesis
counts = collections.Counter()

@schemathesis.hook
def after_call(context, case, response):
    meant = case.meta.generation.mode.value if case.meta else "unknown"
    counts[f"{case.operation.label}|{response.status_code}|{meant}"] += 1

@atexit.register
def write():
    pathlib.Path("counts.json").write_text(json.dumps(counts))
"""


def settings(names: list[str], model: str) -> str:
    """The configuration of schemathesis: which words are names, and which the model."""
    quoted = json.dumps(names)
    likely = f"probability = {REAL}"
    return f"""
[dictionaries.names]
values = {quoted}
[dictionaries.models]
values = {json.dumps([model])}
[generation.dictionaries.string]
dictionary = "names"
{likely}
[parameters]
"query.model" = {{ dictionary = "models", probability = 0.95 }}
"body.model" = {{ dictionary = "models", probability = 0.95 }}
[checks.negative_data_rejection]
expected-statuses = [400, 404, 405, 413, 415]
[checks.positive_data_acceptance]
expected-statuses = ["2xx", 404, 413]
"""


def run(folder: str, cases: int, seed: int) -> dict[str, Any]:
    """Serve the model, run schemathesis against it, and gather what it reports and what was counted."""
    drawn = random.Random(seed).sample(list(load(folder).names), 20)
    with served(folder) as where, tempfile.TemporaryDirectory() as scratch:
        here = Path(scratch)
        (here / "schemathesis.toml").write_text(settings(drawn, Path(folder).name), encoding="utf-8")
        (here / "counting.py").write_text(HOOKS)
        command = [sys.executable, "-m", "schemathesis.cli", "--config-file", "schemathesis.toml", "run"]
        command += [f"{where.url}/openapi.json", "--checks", "all", "--seed", str(seed), "--max-examples", str(cases)]
        command += ["--report", "json", "--report-json-path", "report.json", "--generation-database", "none"]
        command += ["--no-color", "--continue-on-failure"]
        environment = os.environ | {"SCHEMATHESIS_HOOKS": "counting", "PYTHONPATH": scratch}
        done = subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, check=False)
        if not (here / "report.json").exists():
            raise HyperconeError(f"schemathesis did not run: {done.stdout}{done.stderr}")
        report, counts = (json.loads((here / name).read_text()) for name in ("report.json", "counts.json"))
        if report["failures"] or report["errors"]:
            print(shortened(done.stdout), file=sys.stderr)
        alive = where.process.poll() is None and "Traceback" not in where.log.read_text()
    return summary(report, counts) | {"server_alive_without_a_traceback": alive}


def shortened(text: str) -> str:
    """Its lines, cut: a case may be a list of ten thousand names."""
    return "\n".join(line[:200] for line in text.splitlines())


def summary(report: dict[str, Any], counts: dict[str, int]) -> dict[str, Any]:
    """Cases by operation and by status, the share of 200 among valid and all requests, and every failure."""
    operations: dict[str, Counter[str]] = {}
    statuses, valid = Counter[str](), Counter[str]()
    for key, count in counts.items():
        operation, status, meant = key.split("|")
        operations.setdefault(operation, Counter())[status] += count
        statuses[status] += count
        valid[status] += count if meant == "positive" else 0
    total = statuses.total()
    return {
        "schemathesis": report["schemathesis_version"],
        "seed": report["seed"],
        "seconds": round(report["running_time"], 1),
        "cases": total,
        "generated": report["test_cases"]["generated"],
        "statuses": dict(sorted(statuses.items())),
        "server_errors": sum(count for status, count in statuses.items() if status.startswith("5")),
        "share_of_200": round(statuses["200"] / total, 3),
        "share_of_200_among_valid": round(valid["200"] / max(1, valid.total()), 3),
        "operations": {name: dict(sorted(found.items())) for name, found in sorted(operations.items())},
        "failures": report["failures"],
        "errors": report["errors"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a model folder")
    parser.add_argument("--cases", type=int, default=1000, metavar="N", help="cases per operation, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, help="the JSON file to write")
    options = parser.parse_args()
    try:
        found = run(options.model, options.cases, options.seed)
    except HyperconeError as error:
        print(f"service_schemathesis: {error}", file=sys.stderr)
        return 2
    print(json.dumps(found, indent=1))
    if options.output:
        options.output.write_text(json.dumps({"machine": describe_machine()} | found, indent=1) + "\n")
    return int(bool(found["failures"] or found["errors"] or found["server_errors"]))


if __name__ == "__main__":
    sys.exit(main())
