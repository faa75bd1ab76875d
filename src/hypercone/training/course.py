"""Where a stage is between two epochs: all that the next one depends on, and as a checkpoint."""

from __future__ import annotations

from dataclasses import dataclass

from hypercone.runs import Checkpoint
from hypercone.runs.checkpoint import reading
from hypercone.training.best import Best
from hypercone.training.epochs import Trainer
from hypercone.training.history import History


@dataclass
class Course:
    """The points and the optimiser's memory, the best so far, the history, and how many epochs are done."""

    stage: str
    trainer: Trainer
    best: Best
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
        with reading(found):
            self.best.restore(found, shape)
            self.history.restore(found.facts["history"])
        self.done = found.epoch
