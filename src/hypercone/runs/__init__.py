"""Runs that survive being killed: a folder with a lock, checkpoints, and what they belong to."""

from hypercone.runs.checkpoint import Checkpoint
from hypercone.runs.folder import RunFolder, opened
from hypercone.runs.run import Run

__all__ = ["Checkpoint", "Run", "RunFolder", "opened"]
