"""hypercone bench: the speed of the training kernels and of the closure."""

from __future__ import annotations

import argparse
from typing import Any

from hypercone._system import describe_machine, pin_to_one_core
from hypercone.bench.closure import bench_closure
from hypercone.bench.kernel import bench_kernels
from hypercone.cli.options import whole_numbers
from hypercone.cli.output import add_json, print_answer, print_json
from hypercone.errors import InputError
from hypercone.methods import METHODS, find_method

BENCH_EXAMPLE = """examples:
  hypercone bench kernel
  hypercone bench kernel --methods hyperbolic-cones --dims 5,10 --json
  hypercone bench closure"""


def add_bench_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("what", choices=("kernel", "closure"), help="the training kernels, or closure and reduction")
    parser.add_argument("--methods", default=",".join(METHODS), help="for kernel, by commas (default all)")
    parser.add_argument("--dims", default="5,10", help="for kernel, by commas (default 5,10)")
    parser.add_argument("--repeats", type=int, default=20, help="the best of so many counts (default 20)")
    add_json(parser)


def run_bench(options: argparse.Namespace) -> int:
    """Measure and print."""
    if options.repeats < 1:
        raise InputError(f"--repeats is {options.repeats}, but must be at least 1")
    if options.what == "closure":
        print_answer(bench_closure(repeats=options.repeats), options.json)
        return 0
    methods = [find_method(name).name for name in options.methods.split(",")]
    rows = bench_kernels(methods, whole_numbers("--dims", options.dims, at_least=1), options.repeats)
    pin_to_one_core()
    if options.json:
        print_json({"machine": describe_machine(), "results": list(rows)})
        return 0
    print(f"{'method':18}{'dim':>4}  {'recipe':8}{'M pairs/s':>10}{'s/epoch':>9}{'violated':>10}{'active':>9}")
    for row in rows:
        print(_line(row), flush=True)
    return 0


def _line(row: dict[str, Any]) -> str:
    return (
        f"{row['method']:18}{row['dim']:>4}  {row['recipe']:8}{row['pairs_per_second'] / 1e6:>10.1f}"
        f"{row['cpu_seconds_per_epoch']:>9.3f}{row['violated_share']:>10.1%}{row['active_share']:>9.2%}"
    )
