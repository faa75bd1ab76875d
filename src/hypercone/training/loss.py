"""The loss, measured on a sample of edges: angles need transcendental functions, which the training loop avoids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypercone.methods import Method, Points, Settings
from hypercone.methods.scoring import energies_of_pairs
from hypercone.training.negatives import Known, Negatives, Rows

SAMPLE = 2_000


class LossMeter:
    """The mean loss a positive pair, over the same sample of positives and wrong pairs every time."""

    def __init__(self, edges: Rows, known: Known, negatives: Negatives, seed: int) -> None:
        random = np.random.default_rng([seed, 0x1055])
        self.positives = edges[random.choice(len(edges), min(SAMPLE, len(edges)), replace=False)]
        width = negatives.children + negatives.parents
        shape = (len(self.positives), width)
        self.wrong = np.repeat(self.positives[:, None, :], width, axis=1)
        for side, columns, pool in (
            (1, slice(0, negatives.children), negatives.child_pool),
            (0, slice(negatives.children, width), negatives.parent_pool),
        ):
            self.wrong[:, columns, side] = pool[random.integers(0, len(pool), shape)][:, columns]
        self.is_wrong = ~_are_known(self.wrong.reshape(-1, 2), known).reshape(shape)

    def measure(self, method: Method, settings: Settings, points: Points) -> float:
        """The margin or softmax loss a positive, at these points."""
        positive = energies_of_pairs(method, settings, points, self.positives)
        wrong = energies_of_pairs(method, settings, points, self.wrong.reshape(-1, 2)).reshape(len(positive), -1)
        # What training would not use as a wrong pair counts as infinitely far away, and so not at all.
        wrong = np.where(self.is_wrong, wrong, np.inf)
        if method.loss == "margin":
            return float(np.mean(positive + np.maximum(0.0, settings.margin - wrong).sum(axis=1)))
        return float(np.mean(softmax_loss(positive, wrong)))


def _are_known(pairs: Rows, known: Known) -> NDArray[np.bool_]:
    """Whether each pair is a node with itself or known to be true."""
    count = len(known.offsets)
    children = np.repeat(np.arange(count - 1), np.diff(known.offsets))
    # In 64 bits, which NumPy before 2.0 would not choose by itself for rows of 32 times a small number.
    keys = pairs[:, 1].astype(np.int64) * count + pairs[:, 0]
    true: NDArray[np.bool_] = np.isin(keys, children * count + known.parents)
    itself: NDArray[np.bool_] = pairs[:, 0] == pairs[:, 1]
    return true | itself


def softmax_loss(positive: NDArray[np.float64], wrong: NDArray[np.float64]) -> NDArray[np.float64]:
    """−log of the share of the true distance among all, by the stable log-sum-exp."""
    distances = np.concatenate([positive[:, None], wrong], axis=1)
    nearest = distances.min(axis=1, keepdims=True)
    shares: NDArray[np.float64] = np.log(np.exp(nearest - distances).sum(axis=1)) + positive - nearest[:, 0]
    return shares
