"""The worst error of every function in every part of its domain, against fifty digits, beside the one that is stated.

    python benchmarks/numerics.py -o benchmarks/results/numerics.json

The functions, the parts of the domain and the stated errors are those of tests/numerics. Points are a function of the
seed: so many for each function and part, in 2, 5 and 10 dimensions, float64 and float32, and five cone constants. The
tables of docs/explanation/robustness.md are written beside the JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from hypercone._files import new_file
from hypercone._system import describe_machine

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "numerics"))

import bounds  # type: ignore[import-not-found]
import comparing  # type: ignore[import-not-found]
import regions  # type: ignore[import-not-found]

SEED = 7
Row = dict[str, Any]


def measure(name: str, points: int) -> Row:
    """The worst of one function: by part of the domain, (the error in eps, the share of the stated error)."""
    law = next(law for law in bounds.LAWS if law.name == name)
    return {
        "function": name,
        "stated": law.error.words,
        "origin": law.error.origin,
        "c": law.c,
        "worst": {region: worst(law, region, points) for region in regions.REGIONS},
    }


def worst(law: Any, region: str, points: int) -> Row:
    """The largest share of the stated error in one part of the domain, the error there, and of how many points."""
    constants = regions.COMPILED_CONSTANTS if law.is_compiled else regions.CONSTANTS["float64"]
    cases = list(product(law.types, regions.DIMS, range(len(constants))))
    found: Row = {"points": 0, "share": 0.0, "error": 0.0, "type": "float64"}
    for number, (type_, dim, place) in enumerate(cases):
        K = constants[place] if law.is_compiled else regions.CONSTANTS[type_][place]
        count = -(-points // len(cases))
        given, answers = comparing.answers(law, region, [SEED, number], count, dim, K, type_)
        assert comparing.is_in_range(law, answers, K), (law.name, region)
        for row in range(count):
            error, share = comparing.share_of_bound(law, given, answers, row, K)
            if share > found["share"]:
                found |= {"share": float(f"{share:.3g}"), "error": float(f"{error:.3g}"), "type": type_}
        found["points"] += count
    return found


def stated(rows: list[Row]) -> str:
    """The table of stated errors."""
    lines = ["| function | off by at most, with e = c·eps | c | the form is |", "|---|---|---|---|"]
    lines += [f"| `{row['function']}` | {row['stated']} | {row['c']} | {row['origin']} |" for row in rows]
    return "\n".join(lines) + "\n"


def shares(rows: list[Row]) -> str:
    """The table of the worst found: its share of the stated error, and the error itself."""
    names = list(rows[0]["worst"])
    lines = [f"| function | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for row in rows:
        cells = [f"{100 * cell['share']:.0f} % ({cell['error']:.0e})" for cell in map(row["worst"].get, names)]
        lines.append(f"| `{row['function']}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, help="the JSON file to write")
    parser.add_argument("--points", type=int, default=450, help="for each function and part of the domain")
    options = parser.parse_args()
    with ProcessPoolExecutor(2) as pool:
        rows = list(pool.map(partial(measure, points=options.points), [law.name for law in bounds.LAWS]))
    total = sum(cell["points"] for row in rows for cell in row["worst"].values())
    result = {"machine": describe_machine(), "seed": SEED, "points": total, "results": rows}
    for suffix, text in (
        (".json", json.dumps(result, indent=1, ensure_ascii=False) + "\n"),
        ("_stated.md", stated(rows)),
        ("_worst.md", shares(rows)),
    ):
        with new_file(options.output.with_name(options.output.stem + suffix)) as path:
            path.write_text(text, encoding="utf-8")
    print(f"{total:,} points; the largest share of a stated error is", max(_shares(rows)))


def _shares(rows: list[Row]) -> list[float]:
    return [cell["share"] for row in rows for cell in row["worst"].values()]


if __name__ == "__main__":
    main()
