"""The training loop.

``Stage`` runs burn-in, epochs and validations; ``Trainer`` runs one epoch, in threads if configured; ``TrainingState``
is everything that the next epoch depends on, and can be saved as a checkpoint; ``EarlyStopping`` keeps the points of
the best validation.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Adjacency, Rows
from hypercone._jit import dimension_type
from hypercone.construction import CONSTRUCTIONS, LEARNERS
from hypercone.errors import ConfigError, option
from hypercone.hierarchy import LabeledPairs
from hypercone.methods import FARTHEST, Method, Points, Settings, find_method, generic_kernels
from hypercone.methods.scoring import Calibration, Scorer, calibrate
from hypercone.progress import Reporter
from hypercone.runs import Checkpoint
from hypercone.runs.checkpoint import reading_state
from hypercone.runs.folder import DEFAULT_CONTEXT, PRETRAINING, TRAINING, FitContext
from hypercone.training.config import TrainingConfig
from hypercone.training.draw_kernels import shuffled_order
from hypercone.training.epoch_kernels import margin_epoch, softmax_epoch
from hypercone.training.monitor import History, LossMeter
from hypercone.training.sampling import Examples, KnownPairs, Negatives, make_negatives
from hypercone.training.update_kernels import make_updates

# Counts the changes after which the same settings and seed give other points. Results and checkpoints of another count
# are not continued. 2: known negative pairs are drawn again.
DIGITS = 2


@dataclass(frozen=True)
class Stage:
    """Training or pre-training by a configuration: the data, the validation pairs, and the context."""

    config: TrainingConfig
    edges: Rows
    known: Adjacency
    validation: LabeledPairs | None = None
    context: FitContext = DEFAULT_CONTEXT
    name: str = "training"
    # Whether to measure the loss at some epochs for the record.
    records_history: bool = False

    def train(self, points: Points) -> Trained:
        """Train from these points; the array itself is not changed."""
        state = self._new_state(find_method(self.config.method).project(points, self.config.settings))
        state.history.note(state.trainer, 0)
        if self.validation is not None and self.config.init in CONSTRUCTIONS.keys() | LEARNERS.keys():
            # Such a start may be better than every epoch of learning from it.
            state.best.offer(state.trainer, self.validation, 0)
            state.history.note_validation(0, state.best.f1)
        return self._finish(state)

    def moments(self, points: Points, visits: Collection[int]) -> Iterator[tuple[int, float, Points]]:
        """Train from these points, and yield the points after these numbers of visited edges, with the loss.

        The array is the same every time. The last points are those of ``train``.
        """
        trainer = self._new_state(find_method(self.config.method).project(points, self.config.settings)).trainer
        meter, count = self._loss_meter(len(points)), len(self.edges)
        for number, (rate, negatives) in enumerate(self._plan(len(points))):
            stops = [
                visit - number * count for visit in sorted(visits) if number * count < visit <= (number + 1) * count
            ]
            for stop in trainer.run_until(number, rate, negatives, stops):
                loss = meter.measure(trainer.method, trainer.settings, trainer.points)
                yield number * count + stop, loss, trainer.points

    def resume(self, found: Checkpoint, count: int) -> Trained:
        """Continue from a checkpoint of this stage with ``count`` nodes."""
        state = self._new_state(np.zeros((count, self.config.dim)))
        state.restore(found)
        return self._finish(state)

    def _finish(self, state: TrainingState) -> Trained:
        """Run the remaining epochs."""
        trainer, best, history = state.trainer, state.best, state.history
        report = self._reporter(state)
        plan = enumerate(self._plan(len(trainer.points)))
        for number, (rate, negatives) in itertools.islice(plan, state.done, None):
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
            state.done = number + 1
            self.context.checkpoints.offer(state.done, self.total, state.checkpoint)
        found = best.trained or Trained(trainer.points, self.config.epochs, None)
        return replace(found, history=history.as_dict(), notes=history.notes(self.config.rate))

    @property
    def total(self) -> int:
        """The number of epochs including burn-in; 0 without edges."""
        return self.config.burn_in + self.config.epochs if len(self.edges) else 0

    @property
    def key(self) -> str:
        """The stage name of its checkpoints."""
        return TRAINING if self.name == TRAINING else PRETRAINING

    def _new_state(self, points: Points) -> TrainingState:
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
            batch_size=config.batch_size,
        )
        meter = self._loss_meter(count) if self.records_history and self.total else None
        return TrainingState(
            self.key, trainer, EarlyStopping(config.patience), History(meter, self.total, config.burn_in)
        )

    def _reporter(self, state: TrainingState) -> Callable[[int, int, int], None] | None:
        """A function of an epoch, its violated positives and its active negatives; None without a callback."""
        if self.context.progress is None:
            return None
        tell = Reporter(self.context.progress, self.name, self.total)
        trainer, best = state.trainer, state.best
        meter = state.history.meter or self._loss_meter(len(trainer.points))
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
        """The rate and the negatives of every epoch; burn-in uses a low rate and favors general nodes."""
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
                f"{self.config.rate}{self.context.checkpoints.safe_checkpoint()}"
            )


@dataclass
class Trainer:
    """Everything an epoch needs; only ``points`` and the optimizer's ``memory`` change, in place."""

    method: Method
    settings: Settings
    points: Points
    memory: NDArray[np.float64]
    edges: Rows
    known: Adjacency
    seed: int
    optimizer: str
    threads: int = 1
    batch_size: int = 1
    # Wall time of the latest epoch.
    seconds: float = 0.0
    _prepared: Examples | None = field(default=None, init=False, repr=False)

    def run(self, epoch: int, rate: float, negatives: Negatives) -> tuple[int, int]:
        """Visit every edge once; returns (violated positives, active negatives)."""
        started = time.perf_counter()
        order = shuffled_order(len(self.edges), self.seed, epoch)
        visit = self._visit if self.threads == 1 else self._visit_in_threads
        counts = visit(order, epoch, rate, negatives)
        self.seconds = time.perf_counter() - started
        return counts

    def run_until(self, epoch: int, rate: float, negatives: Negatives, stops: Sequence[int]) -> Iterator[int]:
        """Visit every edge once, and yield each of the ascending numbers of edges when so many are visited."""
        order, done = shuffled_order(len(self.edges), self.seed, epoch), 0
        for stop in stops:
            self._visit(order[done:stop], epoch, rate, negatives)
            yield stop
            done = stop
        if done < len(order):
            self._visit(order[done:], epoch, rate, negatives)

    def _examples(self, negatives: Negatives) -> Examples:
        """The data for the kernels, made once for each plan of negatives."""
        if self._prepared is None or self._prepared.negatives is not negatives:
            self._prepared = Examples(self.edges, KnownPairs.of(self.known, negatives.child_pool), negatives)
        return self._prepared

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
        dim = dimension_type(self.points.shape[1], len(self.edges))
        constants = self.method.constants(self.settings)
        step = _optimizer(self.optimizer, rate)
        drawn = negatives.children + negatives.parents + negatives.relatives
        updates = make_updates(self.batch_size, len(self.points), self.points.shape[1], drawn)
        violated, active = kernel(
            self.points,
            self.memory,
            self._examples(negatives),
            order,
            constants,
            step,
            updates,
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
    """The state between two epochs: points, optimizer memory, best validation, history, and epochs done."""

    stage: str
    trainer: Trainer
    best: EarlyStopping
    history: History
    done: int = 0

    def checkpoint(self) -> Checkpoint:
        """The current state as a checkpoint; the arrays are not copied."""
        arrays = {"points": self.trainer.points, "memory": self.trainer.memory}
        if self.best.trained is not None:
            arrays["best"] = self.best.trained.points
        facts = {"best": self.best.facts(), "history": self.history.as_dict()}
        return Checkpoint(self.stage, self.done, arrays, facts)

    def restore(self, found: Checkpoint) -> None:
        """Restore the state from a checkpoint; ModelFileError if it does not fit this stage."""
        shape = self.trainer.points.shape
        self.trainer.points = found.array("points", shape)
        self.trainer.memory = found.array("memory", shape[:1])
        with reading_state(found):
            self.best.restore(found, shape)
            self.history.restore(found.facts["history"])
        self.done = found.epoch


@dataclass(frozen=True)
class Trained:
    """The points of the best validated epoch (or the last), with its calibration, history and notes."""

    points: Points
    epoch: int
    calibration: Calibration | None
    history: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class EarlyStopping:
    """Keeps the points with the highest validation F1, and decides when to stop."""

    def __init__(self, patience: int) -> None:
        self.patience = patience
        self.trained: Trained | None = None
        self.latest: Calibration | None = None
        self.waited = 0

    def offer(self, trainer: Trainer, validation: LabeledPairs | None, epoch: int) -> None:
        """Validate the current points, and keep a copy if they are the best so far."""
        assert validation is not None
        self.latest = calibrate(Scorer(trainer.points, trainer.method, trainer.settings), validation)
        self.waited += 1
        if self.trained is None or self.trained.calibration is None or self.latest.f1 > self.trained.calibration.f1:
            self.trained, self.waited = Trained(trainer.points.copy(), epoch, self.latest), 0

    @property
    def f1(self) -> float:
        """The F1 of the latest validation."""
        assert self.latest is not None
        return self.latest.f1

    @property
    def is_out_of_patience(self) -> bool:
        """Whether ``patience`` validations have passed without a better F1."""
        return bool(self.patience) and self.waited >= self.patience

    def facts(self) -> dict[str, Any]:
        """Everything but the points, for a checkpoint."""
        if self.trained is None or self.trained.calibration is None or self.latest is None:
            return {}
        chosen, latest = asdict(self.trained.calibration), asdict(self.latest)
        return {"epoch": self.trained.epoch, "calibration": chosen, "latest": latest, "waited": self.waited}

    def restore(self, checkpoint: Checkpoint, shape: tuple[int, ...]) -> None:
        """Restore from a checkpoint."""
        facts = checkpoint.facts["best"]
        if not facts:
            return
        chosen = Calibration(**facts["calibration"])
        self.trained = Trained(checkpoint.array("best", shape), int(facts["epoch"]), chosen)
        self.latest, self.waited = Calibration(**facts["latest"]), int(facts["waited"])
