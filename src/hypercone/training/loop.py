"""Stage, Trainer, TrainingState, best epoch, rate schedule.

The training loop: burn-in, epochs, validation, and the best points seen.

One epoch: the order of the edges, the compiled loop of the method's loss, and threads if asked for.

The learning rate of each epoch.

Where a stage is between two epochs: all that the next one depends on, and as a checkpoint.

The best validated points so far, and when to stop waiting for better ones.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Adjacency, Rows
from hypercone._jit import dimension_type
from hypercone.construction import CONSTRUCTIONS
from hypercone.errors import ConfigError, option
from hypercone.hierarchy import LabeledPairs
from hypercone.methods import FARTHEST, Method, Points, Settings, find_method, generic_kernels
from hypercone.methods.scoring import Calibration, Scorer, calibrate
from hypercone.progress import Reporter
from hypercone.runs import Checkpoint
from hypercone.runs.checkpoint import reading_state
from hypercone.runs.folder import DEFAULT_CONTEXT, PRETRAINING, TRAINING, FitContext
from hypercone.training.config import TrainingConfig
from hypercone.training.epoch_kernels import margin_epoch, shuffled_order, softmax_epoch
from hypercone.training.monitor import History, LossMeter
from hypercone.training.sampling import Examples, Negatives, make_negatives


@dataclass(frozen=True)
class Stage:
    """One run over the epochs of a configuration: what to learn from, what to choose by, whom to tell."""

    config: TrainingConfig
    edges: Rows
    known: Adjacency
    validation: LabeledPairs | None = None
    context: FitContext = DEFAULT_CONTEXT
    name: str = "training"
    # Whether the loss is measured now and then for the record.
    records_history: bool = False

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

    def _finish(self, course: TrainingState) -> Trained:
        """Run the epochs that are not done yet."""
        trainer, best, history = course.trainer, course.best, course.history
        report = self._reporter(course)
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
            if report:
                report(number + 1, violated, active)
            course.done = number + 1
            self.context.checkpoints.offer(course.done, self.total, course.checkpoint)
        found = best.trained or Trained(trainer.points, self.config.epochs, None)
        return replace(found, history=history.as_dict(), notes=history.notes(self.config.rate))

    @property
    def total(self) -> int:
        """All epochs, burn-in included; none where there is nothing to learn from."""
        return self.config.burn_in + self.config.epochs if len(self.edges) else 0

    @property
    def key(self) -> str:
        """What its checkpoints are called."""
        return TRAINING if self.name == TRAINING else PRETRAINING

    def _course(self, points: Points) -> TrainingState:
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
        meter = self._loss_meter(count) if self.records_history and self.total else None
        return TrainingState(
            self.key, trainer, EarlyStopping(config.patience), History(meter, self.total, config.burn_in)
        )

    def _reporter(self, course: TrainingState) -> Callable[[int, int, int], None] | None:
        """What takes the number of an epoch, its violated positives and active negatives, where anybody listens."""
        if self.context.progress is None:
            return None
        tell = Reporter(self.context.progress, self.name, self.total)
        trainer, best = course.trainer, course.best
        meter = course.history.meter or self._loss_meter(len(trainer.points))
        pairs = len(self.edges) * (1 + self.config.negatives)

        def report(epoch: int, violated: int, active: int) -> None:
            tell(
                epoch,
                loss=meter.measure(trainer.method, trainer.settings, trainer.points),
                violated=violated,
                active_negatives=active,
                pairs_per_second=pairs / max(trainer.seconds, 1e-9),
                validation_f1=best.latest.f1 if best.latest else None,
                points=trainer.points,
            )

        return report

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
            yield rate_at(epoch, config.epochs, config.rate, config.schedule), negatives

    def _is_due(self, epoch: int) -> bool:
        last = epoch == self.config.epochs
        return self.validation is not None and epoch > 0 and (last or epoch % self.config.validate_every == 0)

    def _refuse_divergence(self, points: Points, number: int) -> None:
        if not (np.abs(points) <= FARTHEST).all():
            how = "is beyond all bounds" if np.isfinite(points).all() else "is not finite"
            raise ConfigError(
                f"training diverged at epoch {number}: a point {how}; try a lower {option('rate')} than "
                f"{self.config.rate}{self.context.checkpoints.kept()}"
            )


@dataclass
class Trainer:
    """Everything an epoch needs; ``points`` and the optimiser's ``memory`` change in place, the rest does not."""

    method: Method
    settings: Settings
    points: Points
    memory: NDArray[np.float64]
    edges: Rows
    known: Adjacency
    seed: int
    optimizer: str
    threads: int = 1
    # Of the latest epoch, wall time.
    seconds: float = 0.0

    def run(self, epoch: int, rate: float, negatives: Negatives) -> tuple[int, int]:
        """Visit every edge once; returns (violated positives, active negatives)."""
        started = time.perf_counter()
        order = shuffled_order(len(self.edges), self.seed, epoch)
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
            Examples(self.edges, self.known.csr, negatives),
            order,
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


BURN_IN_FACTOR = 0.1


def rate_at(epoch: int, epochs: int, rate: float, schedule: str) -> float:
    """The rate of one epoch; a linear schedule would reach zero one epoch after the last.

    >>> [rate_at(epoch, 4, 1.0, "linear") for epoch in range(4)]
    [1.0, 0.75, 0.5, 0.25]
    """
    return rate * (1.0 - epoch / epochs) if schedule == "linear" else rate


@dataclass
class TrainingState:
    """The points and the optimiser's memory, the best so far, the history, and how many epochs are done."""

    stage: str
    trainer: Trainer
    best: EarlyStopping
    history: History
    done: int = 0

    def checkpoint(self) -> Checkpoint:
        """The state as it is now; the arrays are the live ones."""
        arrays = {"points": self.trainer.points, "memory": self.trainer.memory}
        if self.best.trained is not None:
            arrays["best"] = self.best.trained.points
        facts = {"best": self.best.facts(), "history": self.history.as_dict()}
        return Checkpoint(self.stage, self.done, arrays, facts)

    def restore(self, found: Checkpoint) -> None:
        """Be as at the time of the checkpoint; ModelFileError if it cannot be one of this stage."""
        shape = self.trainer.points.shape
        self.trainer.points = found.array("points", shape)
        self.trainer.memory = found.array("memory", shape[:1])
        with reading_state(found):
            self.best.restore(found, shape)
            self.history.restore(found.facts["history"])
        self.done = found.epoch


@dataclass(frozen=True)
class Trained:
    """The points of the best validated epoch (or the last), how it was chosen, and how training went."""

    points: Points
    epoch: int
    calibration: Calibration | None
    history: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class EarlyStopping:
    """Keeps the points with the highest validation F1, and knows when patience has run out."""

    def __init__(self, patience: int) -> None:
        self.patience = patience
        self.trained: Trained | None = None
        self.latest: Calibration | None = None
        self.waited = 0

    def offer(self, trainer: Trainer, validation: LabeledPairs | None, epoch: int) -> None:
        """Validate, and keep the points if they are better than all before."""
        assert validation is not None
        self.latest = calibrate(Scorer(trainer.points, trainer.method, trainer.settings), validation)
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
        """Whether it has waited long enough."""
        return bool(self.patience) and self.waited >= self.patience

    def facts(self) -> dict[str, Any]:
        """All but the points, for a checkpoint."""
        if self.trained is None or self.trained.calibration is None or self.latest is None:
            return {}
        chosen, latest = asdict(self.trained.calibration), asdict(self.latest)
        return {"epoch": self.trained.epoch, "calibration": chosen, "latest": latest, "waited": self.waited}

    def restore(self, checkpoint: Checkpoint, shape: tuple[int, ...]) -> None:
        """Be as at the time of the checkpoint."""
        facts = checkpoint.facts["best"]
        if not facts:
            return
        chosen = Calibration(**facts["calibration"])
        self.trained = Trained(checkpoint.array("best", shape), int(facts["epoch"]), chosen)
        self.latest, self.waited = Calibration(**facts["latest"]), int(facts["waited"])
