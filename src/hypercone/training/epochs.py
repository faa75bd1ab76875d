"""One epoch: the order of the edges, the compiled loop of the method's loss, and threads if asked for."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone._jit import dimension_type
from hypercone.methods import Method, Points, Settings, generic_kernels
from hypercone.training.margin_kernels import margin_epoch
from hypercone.training.negatives import Known, Negatives, Rows
from hypercone.training.random_kernels import shuffled
from hypercone.training.softmax_kernels import softmax_epoch


@dataclass
class Trainer:
    """Everything an epoch needs; ``points`` and the optimiser's ``memory`` change in place, the rest does not."""

    method: Method
    settings: Settings
    points: Points
    memory: NDArray[np.float64]
    edges: Rows
    known: Known
    seed: int
    optimizer: str
    threads: int = 1
    # Of the latest epoch, wall time.
    seconds: float = 0.0

    def run(self, epoch: int, rate: float, negatives: Negatives) -> tuple[int, int]:
        """Visit every edge once; returns (violated positives, active negatives)."""
        started = time.perf_counter()
        order = shuffled(len(self.edges), self.seed, epoch)
        visit = self._visit if self.threads == 1 else self._visit_in_threads
        counts = visit(order, epoch, rate, negatives)
        self.seconds = time.perf_counter() - started
        return counts

    def _visit_in_threads(
        self, order: NDArray[np.uint32], epoch: int, rate: float, negatives: Negatives
    ) -> tuple[int, int]:
        counts: list[tuple[int, int]] = []
        parts = np.array_split(order, self.threads)
        workers = [
            threading.Thread(target=lambda part=part: counts.append(self._visit(part, epoch, rate, negatives)))
            for part in parts
            if len(part)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        violated, active = np.sum(counts, axis=0)
        return int(violated), int(active)

    def _visit(self, order: NDArray[np.uint32], epoch: int, rate: float, negatives: Negatives) -> tuple[int, int]:

        kernel = _epoch_kernel(self.method)
        dim = dimension_type(self.points.shape[1])
        constants = self.method.constants(self.settings)
        step = _optimizer(self.optimizer, rate)
        violated, active = kernel(
            self.points,
            self.memory,
            self.edges,
            order,
            self.known,
            negatives,
            constants,
            step,
            self.seed,
            epoch,
            dim,
        )
        return int(violated), int(active)


def _epoch_kernel(method: Method) -> Any:
    if method.loss == "margin":
        return margin_epoch

    return softmax_epoch


def _optimizer(name: str, rate: float) -> Any:

    return {"sgd": generic_kernels.Sgd, "sgd-exp": generic_kernels.GeodesicSgd, "adagrad": generic_kernels.Adagrad}[
        name
    ](rate)
