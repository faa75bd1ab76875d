"""How what runs for long keeps itself safe: it offers its state now and then, and asks where it was."""

from __future__ import annotations

import time
from collections.abc import Callable

from hypercone.errors import HyperconeError, Interrupted, ModelFileError
from hypercone.runs.cadence import Cadence
from hypercone.runs.checkpoint import Checkpoint
from hypercone.runs.folder import RunFolder
from hypercone.runs.run import Run

# The stages of a fit, in their order: a checkpoint of one makes those before it needless.
NESTED, FREE, PRETRAINING, TRAINING = STAGES = ("nested", "free", "pretraining", "training")


class Checkpoints:
    """For a fit that is not kept anywhere: there is nothing to go on from, and nothing is written."""

    def of(self, stage: str, epochs: int) -> Checkpoint | None:
        """Where the stage of so many epochs was, if an earlier run got that far and no further."""
        return None

    def offer(self, epoch: int, epochs: int, state: Callable[[], Checkpoint], *, unit: str = "epoch") -> None:
        """Say that so many epochs of all are done; the state is asked for only if it is to be written."""

    def kept(self) -> str:
        """What is safe, in words to end a sentence of bad news with."""
        return ""


class KeptCheckpoints(Checkpoints):
    """For a fit with a run's folder."""

    def __init__(self, run: Run, folder: RunFolder) -> None:
        self.run, self.folder = run, folder
        self.cadence = Cadence(run)

    def of(self, stage: str, epochs: int) -> Checkpoint | None:
        """The run's newest checkpoint, if it is of this stage."""
        latest = self.folder.latest
        if latest is None:
            return None
        if latest.stage not in STAGES:
            raise ModelFileError(f"{self.run.folder}: there is no stage {latest.stage!r}; the manifest is damaged")
        if latest.stage != stage:
            return None
        if latest.epoch > epochs:
            raise ModelFileError(f"{self.run.path / latest.file_name}: is beyond the {epochs} epochs of this run")
        return latest

    def offer(self, epoch: int, epochs: int, state: Callable[[], Checkpoint], *, unit: str = "epoch") -> None:
        """Write it if it is due, if it is the last, or if the run is to stop, which it then does."""
        stops = self.run.should_stop is not None and self.run.should_stop()
        if self.cadence.is_due() or stops or epoch == epochs:
            self._keep(state())
        if stops:
            raise Interrupted(f"interrupted after {unit} {epoch} of {epochs}{self.kept()}")

    def _keep(self, checkpoint: Checkpoint) -> None:
        started = time.perf_counter()
        try:
            self.folder.keep(checkpoint)
        except HyperconeError as error:
            raise type(error)(f"{error}{self.kept()}") from error
        self.cadence.wrote(started)

    def kept(self) -> str:
        """Which checkpoint is safe, and where."""
        if not self.folder.lock.is_in_place():
            return ""
        if not self.folder.entries:
            return f"; {self.run.folder} holds no checkpoint yet"
        newest = self.folder.entries[0]
        return f"; the checkpoint of {newest.stage} epoch {newest.epoch} is safe in {self.run.folder}"
