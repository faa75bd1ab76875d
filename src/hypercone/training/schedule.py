"""The learning rate of each epoch."""

from __future__ import annotations

BURN_IN_FACTOR = 0.1


def rate_at(epoch: int, epochs: int, rate: float, schedule: str) -> float:
    """The rate of one epoch; a linear schedule would reach zero one epoch after the last.

    >>> [rate_at(epoch, 4, 1.0, "linear") for epoch in range(4)]
    [1.0, 0.75, 0.5, 0.25]
    """
    return rate * (1.0 - epoch / epochs) if schedule == "linear" else rate
