"""What a user says about a run: where its checkpoints go, how often, and whether to go on with an earlier one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path

from hypercone.errors import ConfigError


@dataclass(frozen=True)
class Run:
    """A folder that keeps a fit safe: whatever kills it, the same call with ``resume=True`` goes on where it was.

    The result is the same to the last bit as that of a fit that nothing interrupted.

    >>> import tempfile
    >>> from hypercone import Hierarchy, fit
    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = fit(pets, dim=2, epochs=20, run=Run(folder))
    ...     again = fit(pets, dim=2, epochs=20, run=Run(folder, resume=True))
    >>> bool((first.points == again.points).all())
    True
    """

    folder: str | Path
    _: KW_ONLY
    resume: bool = False
    # A checkpoint after so many epochs, or when so many seconds have passed, whatever comes first.
    epochs: int | None = None
    seconds: float = 15.0
    # Asked after every epoch; once it says yes, the run keeps a checkpoint and raises Interrupted.
    should_stop: Callable[[], bool] | None = None
    # Told in a sentence what a person should know: a fresh start, a damaged checkpoint that was passed over.
    tell: Callable[[str], None] | None = None

    def __post_init__(self) -> None:
        if self.epochs is not None and self.epochs < 1:
            raise ConfigError(f"epochs between checkpoints is {self.epochs}, but must be at least 1")
        # Found now: whoever asks later may be in another folder.
        _ = self.path
        if not (self.seconds > 0 and math.isfinite(self.seconds)):
            raise ConfigError(f"seconds between checkpoints is {self.seconds}, but must be a number above 0")

    @cached_property
    def path(self) -> Path:
        """Where the folder is, wherever the program goes afterwards."""
        return Path(self.folder).absolute()

    def say(self, sentence: str) -> None:
        """Tell whoever wants to be told."""
        if self.tell:
            self.tell(sentence)
