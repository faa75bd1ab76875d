"""The training loop: burn-in, epochs, validation, and the best points seen."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from hypercone.calibration import Calibration, calibrate
from hypercone.errors import ConfigError
from hypercone.hierarchy import LabelledPairs
from hypercone.methods import Points, find_method
from hypercone.training.config import FitConfig
from hypercone.training.epochs import Trainer
from hypercone.training.loss import LossMeter
from hypercone.training.negatives import Known, Rows, make_negatives
from hypercone.training.progress import EpochReport, OnEpoch
from hypercone.training.schedule import BURN_IN_FACTOR, rate_at


@dataclass(frozen=True)
class Trained:
    """The points of the best validated epoch (or the last), and how it was chosen."""

    points: Points
    epoch: int
    calibration: Calibration | None


@dataclass(frozen=True)
class Stage:
    """One run over the epochs of a configuration: what to learn from, what to choose by, whom to tell."""

    config: FitConfig
    edges: Rows
    known: Known
    validation: LabelledPairs | None = None
    on_epoch: OnEpoch | None = None
    name: str = "training"

    def train(self, points: Points) -> Trained:
        """Train from these points; the array given is left as it is."""
        config = self.config
        assert config.epochs is not None, "a stage needs a configuration with nothing left open"
        method = find_method(config.method)
        trainer = Trainer(
            method,
            config.settings,
            method.project(points, config.settings),
            np.zeros(len(points)),
            self.edges,
            self.known,
            config.seed,
            config.optimizer,
            config.threads,
        )
        plan = make_negatives(len(points), self.edges, config)
        by_degree = make_negatives(len(points), self.edges, config, "degree") if config.burn_in else plan
        meter = LossMeter(self.edges, self.known, plan, config.seed) if self.on_epoch else None
        total = config.burn_in + config.epochs
        best = _Best(config.patience)
        latest: Calibration | None = None
        started = time.perf_counter()
        for epoch in range(total if len(self.edges) else 0):
            burning = epoch < config.burn_in
            rate = config.rate * BURN_IN_FACTOR
            if not burning:
                rate = rate_at(epoch - config.burn_in, config.epochs, config.rate, config.schedule)
            before = time.perf_counter()
            violated, active = trainer.run(epoch, rate, by_degree if burning else plan)
            seconds = time.perf_counter() - before
            self._refuse_divergence(trainer.points, epoch)
            found = None if burning else self._validate(trainer, epoch + 1 - config.burn_in)
            latest = found or latest
            if self.on_epoch and meter:
                elapsed = time.perf_counter() - started
                report = EpochReport(
                    stage="burn-in" if burning and self.name == "training" else self.name,
                    epoch=epoch + 1,
                    epochs=total,
                    loss=meter.measure(method, config.settings, trainer.points),
                    violated=violated,
                    active_negatives=active,
                    pairs_per_second=len(self.edges) * (1 + config.negatives) / max(seconds, 1e-9),
                    seconds=elapsed,
                    seconds_left=elapsed / (epoch + 1) * (total - epoch - 1),
                    validation_f1=latest.f1 if latest else None,
                )
                self.on_epoch(report)
            if found and best.offer(found, trainer.points, epoch + 1 - config.burn_in):
                break
        return best.result or Trained(trainer.points, config.epochs, None)

    def _validate(self, trainer: Trainer, epoch: int) -> Calibration | None:
        due = epoch % self.config.validate_every == 0 or epoch == self.config.epochs
        if self.validation is None or not due:
            return None
        return calibrate(trainer.method, trainer.settings, trainer.points, self.validation)

    def _refuse_divergence(self, points: Points, epoch: int) -> None:
        if not np.isfinite(points).all():
            raise ConfigError(
                f"training diverged in epoch {epoch + 1}: a point is not finite;"
                f" try a lower rate than {self.config.rate}"
            )


class _Best:
    """Keeps the points with the highest validation F1, and says when patience has run out."""

    def __init__(self, patience: int) -> None:
        self.patience = patience
        self.result: Trained | None = None
        self.waited = 0

    def offer(self, found: Calibration, points: Points, epoch: int) -> bool:
        if self.result is None or self.result.calibration is None or found.f1 > self.result.calibration.f1:
            self.result, self.waited = Trained(points.copy(), epoch, found), 0
        else:
            self.waited += 1
        return bool(self.patience) and self.waited >= self.patience
