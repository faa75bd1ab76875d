"""The user's checkpointing options, the checkpoint itself, when one is due, and the identity of a run."""

from __future__ import annotations

import contextlib
import math
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone.errors import ConfigError, ModelFileError, one_line, option


@dataclass(frozen=True)
class Checkpointing:
    """A folder for checkpoints of a fit: if the fit is killed, the same call resumes it.

    The result is the same to the last bit as without the interruption. With ``resume=False``, a folder that already
    holds a run is refused.

    >>> import tempfile
    >>> from hypercone import Hierarchy, fit
    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = fit(pets, dim=2, method="order", epochs=20, checkpoint=Checkpointing(folder))
    ...     again = fit(pets, dim=2, method="order", epochs=20, checkpoint=Checkpointing(folder))
    >>> bool((first.points == again.points).all())
    True
    """

    folder: str | Path
    _: KW_ONLY
    resume: bool = True
    # Write a checkpoint after this many seconds or this many epochs, whichever comes first.
    every_seconds: float = 15.0
    every_epochs: int | None = None
    # Called after every epoch; if it returns True, the run writes a checkpoint and raises Interrupted.
    should_stop: Callable[[], bool] | None = None
    # Called with a sentence for the user: a fresh start, or a damaged checkpoint that was skipped.
    tell: Callable[[str], None] | None = None

    def __post_init__(self) -> None:
        if self.every_epochs is not None and self.every_epochs < 1:
            raise ConfigError(
                f"{option('every_epochs')} is {self.every_epochs}, but must be at least 1 from a checkpoint to the next"
            )
        # Resolved now: the working directory may change later.
        _ = self.path
        if not (self.every_seconds > 0 and math.isfinite(self.every_seconds)):
            raise ConfigError(
                f"{option('every_seconds')} is {self.every_seconds}, but must be a number above 0 from a checkpoint to"
                " the next"
            )

    @cached_property
    def path(self) -> Path:
        """The absolute path of the folder, fixed when the object was created."""
        return Path(self.folder).absolute()

    def say(self, sentence: str) -> None:
        """Pass a sentence for the user to ``tell``, if given."""
        if self.tell:
            self.tell(sentence)


# The names of checkpoint files; a manifest that names any other file is refused.
FILE_NAME = re.compile(r"checkpoint-[a-z]{1,20}-[0-9]{1,12}\.safetensors")


def file_name(stage: str, epoch: int) -> str:
    """The file name of a checkpoint."""
    return f"checkpoint-{stage}-{epoch}.safetensors"


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The state after an epoch of a stage: float64 arrays, and facts as JSON values."""

    stage: str
    epoch: int
    arrays: dict[str, NDArray[np.float64]]
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def file_name(self) -> str:
        """The name of its file.

        >>> Checkpoint("training", 40, {}).file_name
        'checkpoint-training-40.safetensors'
        """
        return file_name(self.stage, self.epoch)

    def array(self, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """A copy of the array of this name; ModelFileError unless it has this shape and is finite."""
        found = self.arrays.get(name)
        if found is None or found.shape != shape or found.dtype != np.float64 or not np.isfinite(found).all():
            raise ModelFileError(f"{self.file_name}: does not hold {name} of the shape {shape}; it is not this run's")
        return np.array(found, np.float64, order="C")

    def fill(self, arrays: dict[str, NDArray[np.float64]]) -> None:
        """Copy the stored arrays into the given ones of the same names and shapes."""
        for name, array in arrays.items():
            array[:] = self.array(name, array.shape)


@contextlib.contextmanager
def reading_state(found: Checkpoint) -> Iterator[None]:
    """Turn errors of the block into ModelFileError: the facts of the checkpoint do not have the expected form."""
    try:
        yield
    except (LookupError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise ModelFileError(f"{found.file_name}: its state is not this run's ({str(error)[:100]!r})") from None


def to_bytes(checkpoint: Checkpoint) -> bytes:
    """The arrays as safetensors."""
    from safetensors.numpy import save

    return save({name: np.ascontiguousarray(array, np.float64) for name, array in checkpoint.arrays.items()})


def arrays_from(path: Path, content: bytes) -> dict[str, NDArray[np.float64]]:
    """The arrays in the content of a safetensors file; ModelFileError if it is not one."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        return dict(load(content))
    except (SafetensorError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise ModelFileError(f"{path}: is not a safetensors file ({str(error)[:100]!r})") from None


# Writing may take at most this share of the time, unless the user has set ``every_epochs``.
LARGEST_SHARE = 0.03


class Cadence:
    """Decides when a checkpoint is due, by the epochs and seconds since the last one and the time it took."""

    def __init__(self, run: Checkpointing) -> None:
        self.run = run
        self.epochs = 0
        self.cost = 0.0
        self.last = time.perf_counter()

    def is_due(self) -> bool:
        """Whether to write a checkpoint after this epoch."""
        self.epochs += 1
        if self.run.every_epochs is not None and self.epochs >= self.run.every_epochs:
            return True
        elapsed = time.perf_counter() - self.last
        # If the clock was set back, a checkpoint is due at once.
        return not 0 <= elapsed < max(self.run.every_seconds, self.cost / LARGEST_SHARE)

    def wrote(self, started: float) -> None:
        """Reset the counters after a checkpoint whose writing began at ``started``."""
        self.epochs, self.last = 0, time.perf_counter()
        self.cost = max(0.0, self.last - started)


Identity = dict[str, Any]
MOST_LISTED = 12


def differences(was: Identity, now: Identity) -> list[str]:
    """One phrase for each value that differs; long digests are truncated.

    >>> differences({"rate": 0.1, "dim": 5}, {"rate": 0.2, "dim": 5})
    ['rate was 0.1, is 0.2']
    """
    names = [name for name in sorted(was.keys() | now.keys()) if was.get(name) != now.get(name)]
    listed = names[:MOST_LISTED]
    phrases = [f"{_format(name)} was {_format(was.get(name))}, is {_format(now.get(name))}" for name in listed]
    return phrases + ([f"and {len(names) - MOST_LISTED} more"] if len(names) > MOST_LISTED else [])


def _format(value: Any) -> str:
    """The value as one short line without control characters: it may come from a malicious file."""
    text = "not given" if value is None else str(value)
    text = text if len(text) <= 40 else f"{text[:12]}…"
    return one_line(text)
