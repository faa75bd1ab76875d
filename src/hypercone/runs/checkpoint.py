"""A checkpoint: the arrays and the small facts from which a stage of a run goes on."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone.errors import ModelFileError

# What a file of ours is called; nothing else that a manifest may name is ever opened.
FILE_NAME = re.compile(r"checkpoint-[a-z]{1,20}-[0-9]{1,12}\.safetensors")


def file_name(stage: str, epoch: int) -> str:
    """What the file of a checkpoint is called."""
    return f"checkpoint-{stage}-{epoch}.safetensors"


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """After so many epochs of a stage: its arrays, float64, and facts that JSON can hold."""

    stage: str
    epoch: int
    arrays: dict[str, NDArray[np.float64]]
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def file_name(self) -> str:
        """Where it is kept.

        >>> Checkpoint("training", 40, {}).file_name
        'checkpoint-training-40.safetensors'
        """
        return file_name(self.stage, self.epoch)

    def array(self, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """A copy of one array, if it is there, of this shape and finite."""
        found = self.arrays.get(name)
        if found is None or found.shape != shape or found.dtype != np.float64 or not np.isfinite(found).all():
            raise ModelFileError(f"{self.file_name}: does not hold {name} of the shape {shape}; it is not this run's")
        return np.array(found, np.float64, order="C")

    def fill(self, arrays: dict[str, NDArray[np.float64]]) -> None:
        """Write what is kept into arrays of the same names and shapes."""
        for name, array in arrays.items():
            array[:] = self.array(name, array.shape)


@contextlib.contextmanager
def reading(found: Checkpoint) -> Iterator[None]:
    """ModelFileError if the facts of a checkpoint turn out not to be what the block takes them for."""
    try:
        yield
    except (LookupError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise ModelFileError(f"{found.file_name}: its state is not this run's ({str(error)[:100]!r})") from None


def to_bytes(checkpoint: Checkpoint) -> bytes:
    """The arrays as safetensors."""
    from safetensors.numpy import save

    return save({name: np.ascontiguousarray(array, np.float64) for name, array in checkpoint.arrays.items()})


def arrays_from(path: Path, content: bytes) -> dict[str, NDArray[np.float64]]:
    """The arrays of a file's content; ModelFileError if it is no safetensors file."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        return dict(load(content))
    except (SafetensorError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise ModelFileError(f"{path}: is not a safetensors file ({str(error)[:100]!r})") from None
