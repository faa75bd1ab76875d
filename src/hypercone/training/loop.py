"""The training loop: burn-in, epochs, validation, and the best points seen."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hypercone.calibration import Calibration, calibrate
from hypercone.construction.table import CONSTRUCTIONS
from hypercone.errors import ConfigError
from hypercone.hierarchy import LabelledPairs
from hypercone.methods import Points, find_method
from hypercone.training.config import FitConfig
from hypercone.training.epochs import Trainer
from hypercone.training.history import History
from hypercone.training.loss import LossMeter
from hypercone.training.negatives import Known, Negatives, Rows, make_negatives
from hypercone.training.progress import EpochReport, OnEpoch
from hypercone.training.schedule import BURN_IN_FACTOR, rate_at


@dataclass(frozen=True)
class Trained:
    """The points of the best validated epoch (or the last), how it was chosen, and how training went."""

    points: Points
    epoch: int
    calibration: Calibration | None
    history: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Stage:
    """One run over the epochs of a configuration: what to learn from, what to choose by, whom to tell."""

    config: FitConfig
    edges: Rows
    known: Known
    validation: LabelledPairs | None = None
    on_epoch: OnEpoch | None = None
    name: str = "training"
    # Whether the loss is measured now and then for the record.
    keeps_history: bool = False

    def train(self, points: Points) -> Trained:
        """Train from these points; the array given is left as it is."""
        trainer = self._trainer(points)
        best, history = _Best(self.config.patience), self._history(len(points))
        if self.validation is not None and self.config.init in CONSTRUCTIONS:
            # A construction may be better than all that learning makes of it.
            best.offer(trainer, self.validation, 0)
            history.note_validation(0, best.f1)
        reporter = _Reporter(self, trainer) if self.on_epoch else None
        for number, (rate, negatives) in enumerate(self._plan(len(points))):
            violated, active = trainer.run(number, rate, negatives)
            self._refuse_divergence(trainer.points, number + 1)
            epoch = number + 1 - self.config.burn_in
            history.note(trainer, number + 1)
            if self._is_due(epoch):
                best.offer(trainer, self.validation, epoch)
                history.note_validation(epoch, best.f1)
            if reporter:
                reporter.tell(number + 1, violated, active, best.latest)
            if best.is_out_of_patience:
                break
        return replace(best.trained or Trained(trainer.points, self.epochs, None), history=history.as_dict())

    @property
    def epochs(self) -> int:
        """The epochs after burn-in."""
        assert self.config.epochs is not None, "a stage needs a configuration with nothing left open"
        return self.config.epochs

    @property
    def total(self) -> int:
        """All epochs, burn-in included; none where there is nothing to learn from."""
        return self.config.burn_in + self.epochs if len(self.edges) else 0

    def _trainer(self, points: Points) -> Trainer:
        config, method = self.config, find_method(self.config.method)
        return Trainer(
            method=method,
            settings=config.settings,
            points=np.array(method.project(points, config.settings), order="C"),
            memory=np.zeros(len(points)),
            edges=self.edges,
            known=self.known,
            seed=config.seed,
            optimizer=config.optimizer,
            threads=config.threads,
        )

    def _history(self, count: int) -> History:
        meter = _loss_meter(self, count) if self.keeps_history and self.total else None
        return History(meter, self.total, self.config.burn_in)

    def _plan(self, count: int) -> Iterator[tuple[float, Negatives]]:
        """The rate and the corrupted nodes of every epoch; burn-in goes gently and favours general nodes."""
        config = self.config
        if config.burn_in:
            by_degree = make_negatives(count, self.edges, config, "degree")
            for _ in range(min(config.burn_in, self.total)):
                yield config.rate * BURN_IN_FACTOR, by_degree
        negatives = make_negatives(count, self.edges, config)
        for epoch in range(self.total - config.burn_in):
            yield rate_at(epoch, self.epochs, config.rate, config.schedule), negatives

    def _is_due(self, epoch: int) -> bool:
        last = epoch == self.epochs
        return self.validation is not None and epoch > 0 and (last or epoch % self.config.validate_every == 0)

    def _refuse_divergence(self, points: Points, number: int) -> None:
        if not np.isfinite(points).all():
            raise ConfigError(
                f"training diverged in epoch {number}: a point is not finite; try a lower rate than {self.config.rate}"
            )


def _loss_meter(stage: Stage, count: int) -> LossMeter:
    return LossMeter(stage.edges, stage.known, make_negatives(count, stage.edges, stage.config), stage.config.seed)


class _Best:
    """Keeps the points with the highest validation F1, and knows when patience has run out."""

    def __init__(self, patience: int) -> None:
        self.patience = patience
        self.trained: Trained | None = None
        self.latest: Calibration | None = None
        self.waited = 0

    def offer(self, trainer: Trainer, validation: LabelledPairs | None, epoch: int) -> None:
        assert validation is not None
        self.latest = calibrate(trainer.method, trainer.settings, trainer.points, validation)
        self.waited += 1
        if self.trained is None or self.trained.calibration is None or self.latest.f1 > self.trained.calibration.f1:
            self.trained, self.waited = Trained(trainer.points.copy(), epoch, self.latest), 0

    @property
    def f1(self) -> float:
        """Of the latest validation."""
        assert self.latest is not None
        return self.latest.f1

    @property
    def is_out_of_patience(self) -> bool:
        return bool(self.patience) and self.waited >= self.patience


class _Reporter:
    """Measures the loss and the time, and tells whoever asked to be told."""

    def __init__(self, stage: Stage, trainer: Trainer) -> None:
        self.stage, self.trainer = stage, trainer
        self.meter = _loss_meter(stage, len(trainer.points))
        self.started = time.perf_counter()
        self.after_first = 0.0

    def tell(self, number: int, violated: int, active: int, latest: Calibration | None) -> None:
        stage, seconds = self.stage, time.perf_counter() - self.started
        assert stage.on_epoch is not None
        report = EpochReport(
            stage=stage.name,
            epoch=number,
            epochs=stage.total,
            loss=self.meter.measure(self.trainer.method, self.trainer.settings, self.trainer.points),
            violated=violated,
            active_negatives=active,
            pairs_per_second=len(stage.edges) * (1 + stage.config.negatives) / max(self.trainer.seconds, 1e-9),
            seconds=seconds,
            seconds_left=self._seconds_left(number, seconds),
            validation_f1=latest.f1 if latest else None,
            points=self.trainer.points,
        )
        stage.on_epoch(report)

    def _seconds_left(self, number: int, seconds: float) -> float | None:
        if number == 1:
            self.after_first = seconds
            return None
        return (seconds - self.after_first) / (number - 1) * (self.stage.total - number)
