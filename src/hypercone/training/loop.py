"""The training loop: burn-in, epochs, validation, and the best points seen."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from hypercone.construction import CONSTRUCTIONS
from hypercone.errors import ConfigError
from hypercone.hierarchy import LabelledPairs
from hypercone.methods import FARTHEST, Points, find_method
from hypercone.runs import Checkpoint
from hypercone.runs.folder import PRETRAINING, TRAINING, Checkpoints
from hypercone.training.best import Best, Trained
from hypercone.training.config import FitConfig
from hypercone.training.course import Course
from hypercone.training.epochs import Trainer
from hypercone.training.history import History
from hypercone.training.loss import LossMeter
from hypercone.training.negatives import Known, Negatives, Rows, make_negatives
from hypercone.training.progress import OnEpoch
from hypercone.training.reporter import Reporter
from hypercone.training.schedule import BURN_IN_FACTOR, rate_at


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
    checkpoints: Checkpoints = field(default_factory=Checkpoints)

    def train(self, points: Points) -> Trained:
        """Train from these points; the array given is left as it is."""
        course = self._course(find_method(self.config.method).project(points, self.config.settings))
        course.history.note(course.trainer, 0)
        if self.validation is not None and self.config.init in CONSTRUCTIONS:
            # A construction may be better than all that learning makes of it.
            course.best.offer(course.trainer, self.validation, 0)
            course.history.note_validation(0, course.best.f1)
        return self._finish(course)

    def resume(self, found: Checkpoint, count: int) -> Trained:
        """Go on from a checkpoint of this stage of so many nodes."""
        course = self._course(np.zeros((count, self.config.dim)))
        course.restore(found)
        return self._finish(course)

    def _finish(self, course: Course) -> Trained:
        """Run the epochs that are not done yet."""
        trainer, best, history = course.trainer, course.best, course.history
        reporter = self._reporter(course)
        plan = enumerate(self._plan(len(trainer.points)))
        for number, (rate, negatives) in itertools.islice(plan, course.done, None):
            if best.is_out_of_patience:
                break
            violated, active = trainer.run(number, rate, negatives)
            self._refuse_divergence(trainer.points, number + 1)
            epoch = number + 1 - self.config.burn_in
            history.note(trainer, number + 1)
            if self._is_due(epoch):
                best.offer(trainer, self.validation, epoch)
                history.note_validation(epoch, best.f1)
            if reporter:
                reporter.tell(number + 1, violated, active, best.latest)
            course.done = number + 1
            self.checkpoints.offer(course.done, self.total, course.checkpoint)
        found = best.trained or Trained(trainer.points, self.epochs, None)
        return replace(found, history=history.as_dict(), notes=history.notes(self.config.rate))

    @property
    def epochs(self) -> int:
        """The epochs after burn-in."""
        assert self.config.epochs is not None, "a stage needs a configuration with nothing left open"
        return self.config.epochs

    @property
    def total(self) -> int:
        """All epochs, burn-in included; none where there is nothing to learn from."""
        return self.config.burn_in + self.epochs if len(self.edges) else 0

    @property
    def key(self) -> str:
        """What its checkpoints are called."""
        return TRAINING if self.name == TRAINING else PRETRAINING

    def _course(self, points: Points) -> Course:
        config, count = self.config, len(points)
        trainer = Trainer(
            method=find_method(config.method),
            settings=config.settings,
            points=np.array(points, order="C"),
            memory=np.zeros(count),
            edges=self.edges,
            known=self.known,
            seed=config.seed,
            optimizer=config.optimizer,
            threads=config.threads,
        )
        meter = self._loss_meter(count) if self.keeps_history and self.total else None
        return Course(self.key, trainer, Best(config.patience), History(meter, self.total, config.burn_in))

    def _reporter(self, course: Course) -> Reporter | None:
        if self.on_epoch is None:
            return None
        meter = self._loss_meter(len(course.trainer.points))
        pairs = len(self.edges) * (1 + self.config.negatives)
        return Reporter(self.on_epoch, course.trainer, meter, self.name, pairs, range(course.done, self.total))

    def _loss_meter(self, count: int) -> LossMeter:
        negatives = make_negatives(count, self.edges, self.config)
        return LossMeter(self.edges, self.known, negatives, self.config.seed)

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
        if not (np.abs(points) <= FARTHEST).all():
            how = "is beyond all bounds" if np.isfinite(points).all() else "is not finite"
            raise ConfigError(
                f"training diverged at epoch {number}: a point {how}; try a lower rate than {self.config.rate}"
                f"{self.checkpoints.kept()}"
            )
