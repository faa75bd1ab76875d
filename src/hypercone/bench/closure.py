"""How long the closure and the reduction of a hierarchy take, warm."""

from __future__ import annotations

import time
from typing import Any

from hypercone.data import load_dataset
from hypercone.hierarchy import Hierarchy


def bench_closure(dataset: str = "wordnet-nouns", repeats: int = 5) -> dict[str, Any]:
    """The least wall time of closure + reduction of a named dataset, after one run to compile."""
    source = load_dataset(dataset)
    times = []
    for _ in range(repeats + 1):
        fresh = Hierarchy.from_rows(source.names, source.edges)
        before = time.perf_counter()
        closure, basic = fresh.closure(), fresh.reduction()
        times.append(time.perf_counter() - before)
    return {
        "dataset": dataset,
        "closure_edges": len(closure),
        "basic_edges": len(basic),
        "seconds": min(times[1:]),
    }
