"""Measures the loss and the time of each epoch, and tells whoever asked to be told."""

from __future__ import annotations

import time

from hypercone.methods.scoring import Calibration
from hypercone.training.epochs import Trainer
from hypercone.training.loss import LossMeter
from hypercone.training.progress import EpochReport, OnEpoch


class Reporter:
    """Of one stage: its name, the pairs of an epoch, and the epochs that are to come."""

    def __init__(
        self, on_epoch: OnEpoch, trainer: Trainer, meter: LossMeter, name: str, pairs: int, to_come: range
    ) -> None:
        self.on_epoch, self.trainer, self.meter = on_epoch, trainer, meter
        self.name, self.pairs, self.to_come = name, pairs, to_come
        self.started = time.perf_counter()
        self.after_first = 0.0

    def tell(self, number: int, violated: int, active: int, latest: Calibration | None) -> None:
        """Report that so many epochs are done."""
        seconds = time.perf_counter() - self.started
        report = EpochReport(
            stage=self.name,
            epoch=number,
            epochs=self.to_come.stop,
            loss=self.meter.measure(self.trainer.method, self.trainer.settings, self.trainer.points),
            violated=violated,
            active_negatives=active,
            pairs_per_second=self.pairs / max(self.trainer.seconds, 1e-9),
            seconds=seconds,
            seconds_left=self._seconds_left(number, seconds),
            validation_f1=latest.f1 if latest else None,
            points=self.trainer.points,
        )
        self.on_epoch(report)

    def _seconds_left(self, number: int, seconds: float) -> float | None:
        before = number - self.to_come.start - 1
        if before == 0:
            # Most of the time of the first may be the compiler's.
            self.after_first = seconds
            return None
        return (seconds - self.after_first) / before * (self.to_come.stop - number)
