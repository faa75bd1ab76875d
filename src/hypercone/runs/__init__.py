"""Runs that survive being killed: a folder with a lock, checkpoints, and the identity of the run."""

from hypercone.runs.checkpoint import Checkpoint, Checkpointing
from hypercone.runs.folder import FitContext, RunFolder, open_run

__all__ = ["Checkpoint", "Checkpointing", "FitContext", "RunFolder", "open_run"]
