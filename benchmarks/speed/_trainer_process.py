"""A process that holds trainers, and runs one epoch of one of them for each line that it reads.

It imports what versions before the tiers have as well, so that it can measure these.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import numpy as np

from benchmarks.speed.kernels import PAPER, PAPER_RATES
from hypercone.data import load_dataset
from hypercone.hierarchy.hierarchy import parent_lists
from hypercone.methods import find_method
from hypercone.training.config import FitConfig
from hypercone.training.loop import Trainer
from hypercone.training.sampling import make_negatives


def serve_epochs(method: str, dim: int, dataset: str, points: str, flags: list[str], core: int | None) -> None:
    """Print the recipes, then for each one that is read the pairs per second of an epoch, from the same state."""
    if core is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    if flags:
        from tools.same_bits import use_flags

        use_flags(flags)
    hierarchy = load_dataset(dataset)
    edges = hierarchy.split(50).train
    known, start = parent_lists(edges, len(hierarchy)), np.fromfile(points).reshape(len(hierarchy), dim)
    corrupt = "parent" if find_method(method).loss == "softmax" else "child"
    given = {"paper": FitConfig(method=method, dim=dim, corrupt=corrupt, rate=PAPER_RATES[method], **PAPER)}
    if method.endswith("cones"):
        given["default"] = FitConfig(method=method, dim=dim)
    ready: dict[str, tuple[Any, ...]] = {}
    for name, recipe in given.items():
        config = recipe.for_edges(len(edges))
        negatives = make_negatives(len(start), edges, config)
        arrays = (start.copy(), start[:, 0] * 0.0, edges, known)
        trainer = Trainer(find_method(method), config.settings, *arrays, config.seed, config.optimizer)
        # Compiles, and fills the state of Adagrad, so that its steps have their usual size.
        trainer.run(0, config.rate, negatives)
        ready[name] = trainer, config, negatives, trainer.points.copy(), trainer.memory.copy()
    print(*ready, flush=True)
    for line in sys.stdin:
        trainer, config, negatives, trainer.points[:], trainer.memory[:] = ready[line.strip()]
        before = time.process_time()
        trainer.run(1, config.rate, negatives)
        print(len(edges) * (1 + config.negatives) / max(time.process_time() - before, 1e-9), flush=True)


if __name__ == "__main__":
    serve_epochs(**json.loads(sys.argv[1]))
