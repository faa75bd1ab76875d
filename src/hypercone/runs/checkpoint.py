"""What a user says about a run, a checkpoint of it, when one is due, and what a run is of."""

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
    """A folder that keeps a fit safe: whatever kills it, the same call goes on where it was.

    The result is the same to the last bit as that of a fit that nothing interrupted. With ``resume=False`` a folder
    that holds a run already is refused.

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
    # A checkpoint when so many seconds have passed, or after so many epochs, whatever comes first.
    every_seconds: float = 15.0
    every_epochs: int | None = None
    # Asked after every epoch; once it says yes, the run keeps a checkpoint and raises Interrupted.
    should_stop: Callable[[], bool] | None = None
    # Told in a sentence what a person should know: a fresh start, a damaged checkpoint that was passed over.
    tell: Callable[[str], None] | None = None

    def __post_init__(self) -> None:
        if self.every_epochs is not None and self.every_epochs < 1:
            raise ConfigError(
                f"{option('every_epochs')} is {self.every_epochs}, but must be at least 1 from a checkpoint to the next"
            )
        # Found now: whoever asks later may be in another folder.
        _ = self.path
        if not (self.every_seconds > 0 and math.isfinite(self.every_seconds)):
            raise ConfigError(
                f"{option('every_seconds')} is {self.every_seconds}, but must be a number above 0 from a checkpoint to"
                " the next"
            )

    @cached_property
    def path(self) -> Path:
        """Where the folder is, wherever the program goes afterwards."""
        return Path(self.folder).absolute()

    def say(self, sentence: str) -> None:
        """Tell whoever wants to be told."""
        if self.tell:
            self.tell(sentence)


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
def reading_state(found: Checkpoint) -> Iterator[None]:
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


# Writing may take this part of the time at most, where the user has not said after how many epochs to write.
LARGEST_SHARE = 0.03


class Cadence:
    """Counts epochs and seconds since the last checkpoint, and what that cost."""

    def __init__(self, run: Checkpointing) -> None:
        self.run = run
        self.epochs = 0
        self.cost = 0.0
        self.last = time.perf_counter()

    def is_due(self) -> bool:
        """Whether to write one after this epoch."""
        self.epochs += 1
        if self.run.every_epochs is not None and self.epochs >= self.run.every_epochs:
            return True
        elapsed = time.perf_counter() - self.last
        # A clock that was set back must not put checkpoints off.
        return not 0 <= elapsed < max(self.run.every_seconds, self.cost / LARGEST_SHARE)

    def wrote(self, started: float) -> None:
        """Begin to count anew, after a checkpoint whose writing began then."""
        self.epochs, self.last = 0, time.perf_counter()
        self.cost = max(0.0, self.last - started)


Identity = dict[str, Any]
MOST_LISTED = 12


def differences(was: Identity, now: Identity) -> list[str]:
    """One phrase for each value that is not the same; a long digest is cut to its beginning.

    >>> differences({"rate": 0.1, "dim": 5}, {"rate": 0.2, "dim": 5})
    ['rate was 0.1, is 0.2']
    """
    names = [name for name in sorted(was.keys() | now.keys()) if was.get(name) != now.get(name)]
    told = [f"{_shown(name)} was {_shown(was.get(name))}, is {_shown(now.get(name))}" for name in names[:MOST_LISTED]]
    return told + ([f"and {len(names) - MOST_LISTED} more"] if len(names) > MOST_LISTED else [])


def _shown(value: Any) -> str:
    """In one short line, whatever a file that an enemy wrote may hold."""
    text = "not given" if value is None else str(value)
    text = text if len(text) <= 40 else f"{text[:12]}…"
    return one_line(text)
