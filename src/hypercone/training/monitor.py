"""The loss meter and the training history.

The loss is measured on a sample of edges, separately from training: angles need transcendental functions, which the
training loop avoids. The history is what the record of a model keeps: the loss at some epochs, and the validations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Adjacency, Rows, pair_keys
from hypercone._math_kernels import exp_each, log_each
from hypercone.methods import Method, Points, Settings
from hypercone.methods.scoring import Scorer
from hypercone.training.draw_kernels import MOST_DRAWS
from hypercone.training.sampling import Negatives

if TYPE_CHECKING:
    from hypercone.training.loop import Trainer


SAMPLE = 2_000


class LossMeter:
    """The mean loss per positive pair, on a fixed sample of positive and negative pairs."""

    def __init__(self, edges: Rows, known: Adjacency, negatives: Negatives, seed: int) -> None:
        random = np.random.default_rng([seed, 0x1055])
        self.positives = edges[random.choice(len(edges), min(SAMPLE, len(edges)), replace=False)]
        width = negatives.children + negatives.parents
        shape = (len(self.positives), width)
        self.negatives = np.repeat(self.positives[:, None, :], width, axis=1)
        for side, columns, pool in (
            (1, slice(0, negatives.children), negatives.child_pool),
            (0, slice(negatives.children, width), negatives.parent_pool),
        ):
            self.negatives[:, columns, side] = pool[random.integers(0, len(pool), shape)][:, columns]
        self.is_negative = ~self._draw_again(known, negatives, random).reshape(shape)

    def _draw_again(self, known: Adjacency, negatives: Negatives, random: np.random.Generator) -> NDArray[np.bool_]:
        """Draw negatives again that are known to be true, as training does; returns which are left."""
        pairs = self.negatives.reshape(-1, 2)
        replaces_child = np.tile(np.arange(self.negatives.shape[1]) < negatives.children, len(self.positives))
        keys = known.keys()
        taken = _are_known(pairs, keys, len(known))
        for _ in range(MOST_DRAWS - 1):
            for side, pool in ((1, negatives.child_pool), (0, negatives.parent_pool)):
                rows = np.flatnonzero(taken & (replaces_child == bool(side)))
                pairs[rows, side] = pool[random.integers(0, len(pool), len(rows))]
            taken[taken] = _are_known(pairs[taken], keys, len(known))
        return taken

    def measure(self, method: Method, settings: Settings, points: Points) -> float:
        """The mean margin or softmax loss per positive pair at these points."""
        scorer = Scorer(points, method, settings)
        positive = scorer.energies(self.positives)
        negative = scorer.energies(self.negatives.reshape(-1, 2)).reshape(len(positive), -1)
        # Pairs that training would not use as negatives get an infinite energy, so that they do not contribute.
        negative = np.where(self.is_negative, negative, np.inf)
        if method.loss == "margin":
            return float(np.mean(positive + np.maximum(0.0, settings.margin - negative).sum(axis=1)))
        return float(np.mean(softmax_loss(positive, negative)))


def _are_known(pairs: Rows, keys: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    """Whether the key of each pair is among the sorted ones of the known pairs, or it is a node with itself."""
    wanted = pair_keys(pairs[:, 1], pairs[:, 0], count)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    true: NDArray[np.bool_] = keys[places] == wanted if len(keys) else np.zeros(len(pairs), np.bool_)
    itself: NDArray[np.bool_] = pairs[:, 0] == pairs[:, 1]
    return true | itself


def softmax_loss(positive: NDArray[np.float64], negative: NDArray[np.float64]) -> NDArray[np.float64]:
    """−log softmax of the positive distance among all, by the stable log-sum-exp."""
    distances = np.concatenate([positive[:, None], negative], axis=1)
    nearest = distances.min(axis=1, keepdims=True)
    weights = exp_each((nearest - distances).ravel()).reshape(distances.shape)
    shares: NDArray[np.float64] = log_each(weights.sum(axis=1)) + positive - nearest[:, 0]
    return shares


# Enough points for a curve; a measurement takes a few milliseconds.
MOST_LOSSES = 50
# Limits the size of a model's record.
MOST_VALIDATIONS = 1_000


class History:
    """Collects (epoch, loss) and (epoch, F1) during training; the epochs of burn-in are negative and end at 0."""

    def __init__(self, meter: LossMeter | None, epochs: int, burn_in: int = 0) -> None:
        self.meter, self.burn_in = meter, burn_in
        self.every = -(-epochs // MOST_LOSSES) if epochs else 1
        self.validations_every = -(-epochs // MOST_VALIDATIONS) if epochs else 1
        self.epochs = epochs
        self.losses: list[list[float]] = []
        self.validations: list[list[float]] = []

    def note(self, trainer: Trainer, number: int) -> None:
        """Measure the loss after so many epochs in total (0: before the first), if this epoch is to be recorded."""
        if self.meter and (number % self.every == 0 or number in (1, self.epochs)):
            loss = self.meter.measure(trainer.method, trainer.settings, trainer.points)
            self.losses.append([number - self.burn_in, float(f"{loss:.6g}")])

    def note_validation(self, epoch: int, f1: float) -> None:
        """Record the F1 of a validation; if there are very many, only some and the last."""
        latest = self.validations[-1][0] if self.validations else None
        is_last = epoch == self.epochs - self.burn_in
        if latest is None or is_last or epoch - latest >= self.validations_every:
            self.validations.append([epoch, float(f"{f1:.6g}")])

    def notes(self, rate: float) -> list[str]:
        """Notes for the user: too high a rate can leave the points worse than they were at the start.

        >>> history = History(None, 3)
        >>> history.losses = [[0, 0.7], [3, 3.1]]
        >>> history.notes(rate=1000.0)
        ['the loss was 0.7 before training and is 3.1 after it; try a lower rate than 1000.0']
        """
        if not self.losses or self.losses[-1][1] <= self.losses[0][1]:
            return []
        before, after = self.losses[0][1], self.losses[-1][1]
        return [f"the loss was {before:.3g} before training and is {after:.3g} after it; try a lower rate than {rate}"]

    def as_dict(self) -> dict[str, Any]:
        """The history as plain lists, for the record.

        >>> History(None, 0).as_dict()
        {'loss': [], 'validation_f1': []}
        """
        # Copies: a checkpoint must not change after it was made.
        return {"loss": [*self.losses], "validation_f1": [*self.validations]}

    def restore(self, values: dict[str, Any]) -> None:
        """Continue from the result of ``as_dict``."""
        self.losses, self.validations = (
            [[int(epoch), float(value)] for epoch, value in values[name]] for name in ("loss", "validation_f1")
        )
