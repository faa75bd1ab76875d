"""The best validated points so far, and when to stop waiting for better ones."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from hypercone.hierarchy import LabelledPairs
from hypercone.methods import Points
from hypercone.methods.scoring import Calibration, calibrate
from hypercone.runs import Checkpoint
from hypercone.training.epochs import Trainer


@dataclass(frozen=True)
class Trained:
    """The points of the best validated epoch (or the last), how it was chosen, and how training went."""

    points: Points
    epoch: int
    calibration: Calibration | None
    history: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class Best:
    """Keeps the points with the highest validation F1, and knows when patience has run out."""

    def __init__(self, patience: int) -> None:
        self.patience = patience
        self.trained: Trained | None = None
        self.latest: Calibration | None = None
        self.waited = 0

    def offer(self, trainer: Trainer, validation: LabelledPairs | None, epoch: int) -> None:
        """Validate, and keep the points if they are better than all before."""
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
