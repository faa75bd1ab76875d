"""The course of a training as the model's record keeps it: the loss now and then, and every validation."""

from __future__ import annotations

from typing import Any

from hypercone.training.epochs import Trainer
from hypercone.training.loss import LossMeter

# A curve needs no more points, and a measurement takes a few milliseconds.
MOST_LOSSES = 50
# Validations are made anyway, but the record of a model must not grow without end.
MOST_VALIDATIONS = 1_000


class History:
    """Collects (epoch, loss) and (epoch, F1) as training goes; the epochs of burn-in count from below up to 0."""

    def __init__(self, meter: LossMeter | None, epochs: int, burn_in: int = 0) -> None:
        self.meter, self.burn_in = meter, burn_in
        self.every = -(-epochs // MOST_LOSSES) if epochs else 1
        self.validations_every = -(-epochs // MOST_VALIDATIONS) if epochs else 1
        self.epochs = epochs
        self.losses: list[list[float]] = []
        self.validations: list[list[float]] = []

    def note(self, trainer: Trainer, number: int) -> None:
        """Measure the loss after so many epochs in all (0: before the first), if it is one of those that are kept."""
        if self.meter and (number % self.every == 0 or number in (1, self.epochs)):
            loss = self.meter.measure(trainer.method, trainer.settings, trainer.points)
            self.losses.append([number - self.burn_in, float(f"{loss:.6g}")])

    def note_validation(self, epoch: int, f1: float) -> None:
        """Keep the F1 of a validation; of very many, so many epochs apart, and the last."""
        latest = self.validations[-1][0] if self.validations else None
        is_last = epoch == self.epochs - self.burn_in
        if latest is None or is_last or epoch - latest >= self.validations_every:
            self.validations.append([epoch, float(f"{f1:.6g}")])

    def notes(self, rate: float) -> list[str]:
        """What a person should know of it: steps that are too long can leave the points worse than they were.

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
        """Plain lists, for the record.

        >>> History(None, 0).as_dict()
        {'loss': [], 'validation_f1': []}
        """
        # Copies: a checkpoint must not see what comes after it.
        return {"loss": [*self.losses], "validation_f1": [*self.validations]}

    def restore(self, values: dict[str, Any]) -> None:
        """Go on from what ``as_dict`` gave."""
        self.losses, self.validations = (
            [[int(epoch), float(value)] for epoch, value in values[name]] for name in ("loss", "validation_f1")
        )
