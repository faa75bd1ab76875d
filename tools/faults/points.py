"""Where a process can be killed, by name: which of the program's functions is under way, and before, in or after it.

The program's functions are wrapped in the child that is killed; the program itself has no hooks for this.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import json
import mmap
import os
import re
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

Call = Callable[..., Any]


class SharedFacts:
    """Memory that parent and child share; its content survives the child, however it ends."""

    SIZE = 1 << 14

    def __init__(self) -> None:
        self.memory = mmap.mmap(-1, 2 * self.SIZE + 1)
        self.note({})

    def note(self, facts: dict[str, Any]) -> None:
        """Replace the content: write the buffer that is not in use, then switch to it."""
        text = json.dumps(facts).encode()
        buffer = 1 - self.memory[-1]
        at = buffer * self.SIZE
        self.memory[at : at + 4 + len(text)] = len(text).to_bytes(4, "little") + text
        self.memory[-1] = buffer

    def read(self) -> dict[str, Any]:
        """The content."""
        while True:
            at = self.memory[-1] * self.SIZE
            length = int.from_bytes(self.memory[at : at + 4], "little")
            # A live writer may have switched the buffers twice in the meantime.
            with contextlib.suppress(ValueError):
                facts: dict[str, Any] = json.loads(self.memory[at + 4 : at + 4 + length])
                return facts


@dataclass(frozen=True)
class Point:
    """A moment: before, half-way through, during or after a call of a function with such a path."""

    function: str
    when: str
    # Looked for in "folder/file" of the first path that the function is given.
    path: str = ""
    stage: str = ""


CHECKPOINT, MANIFEST, RUN = r"/\.?checkpoint-", r"/\.?manifest\.json", r"/\.?run\.json"
FOLDER = "hypercone.runs.folder:RunFolder"
# A part of a model, in the folder that is to become it.
PART, MODEL = r"^(\.model\.hypercone-\w+|model)/", r"/(\.model\.hypercone-|model$)"
POINTS = {
    "run.json: before": Point("hypercone._files:make_file", "before", RUN),
    "run.json: half written": Point("pathlib:Path.write_text", "half", RUN),
    "run.json: in its place": Point("pathlib:Path.replace", "after", RUN),
    "checkpoint: temporary made": Point("hypercone._files:make_file", "after", CHECKPOINT),
    "checkpoint: half written": Point("pathlib:Path.write_bytes", "half", CHECKPOINT),
    "checkpoint: written": Point("pathlib:Path.write_bytes", "after", CHECKPOINT),
    "checkpoint: synced": Point("hypercone._files:_sync", "after", CHECKPOINT),
    "checkpoint: renamed": Point("pathlib:Path.replace", "after", CHECKPOINT),
    "before the manifest": Point(f"{FOLDER}.write_manifest", "before"),
    "manifest: half written": Point("pathlib:Path.write_text", "half", MANIFEST),
    "manifest: synced": Point("hypercone._files:_sync", "after", MANIFEST),
    "manifest: renamed": Point("pathlib:Path.replace", "after", MANIFEST),
    "after the manifest": Point(f"{FOLDER}.write_manifest", "after"),
    "old checkpoint removed": Point(f"{FOLDER}.remove_unnamed", "after"),
    "between two epochs": Point("hypercone.training.loop:Trainer.run", "before"),
    "mid-epoch": Point("hypercone.training.loop:Trainer.run", "during", stage="training"),
    "mid-epoch of pre-training": Point("hypercone.training.loop:Trainer.run", "during", stage="pre-training"),
    "mid-validation": Point("hypercone.training.loop:calibrate", "during"),
    "model: temporary made": Point("hypercone._files:make_folder", "after", MODEL),
    "model: a part half written": Point("pathlib:Path.write_bytes", "half", PART),
    "model: a part written": Point("pathlib:Path.write_bytes", "after", PART),
    "model: a part synced": Point("hypercone._files:_sync", "after", PART),
    "model: before it takes its place": Point("hypercone._files:_take_place", "before", MODEL),
    "model: before the swap": Point("hypercone._files:_exchange", "before", MODEL),
    "model: after the swap": Point("hypercone._files:_exchange", "after", MODEL),
    "model: in its place": Point("hypercone._files:_take_place", "after", MODEL),
    "model: old one half removed": Point("hypercone._files:remove", "half", MODEL),
    "model: saved": Point("hypercone.embedding.folder:save", "after"),
}
# Where the system cannot exchange two folders, there is a moment without any.
STEPPED_ASIDE = "model: the old one stepped aside"
OTHER_POINTS = {STEPPED_ASIDE: Point("pathlib:Path.rename", "after", "/model$")}
# What a process is doing, for kills at random times: the innermost of these that is under way.
PHASES = {
    "reading": "hypercone.cli.fit:read_source",
    "constructing": "hypercone.training.fitting:_construct",
    "epoch": "hypercone.training.loop:Trainer.run",
    "validation": "hypercone.training.loop:calibrate",
    "writing a checkpoint": f"{FOLDER}.write_checkpoint",
    "writing the manifest": f"{FOLDER}.write_manifest",
    "removing old checkpoints": f"{FOLDER}.remove_unnamed",
    "saving": "hypercone.embedding.folder:save",
    "saving: removing leftovers": "hypercone._files:remove_leftovers",
    "saving: writing": "pathlib:Path.write_bytes",
    "saving: syncing": "hypercone._files:_sync",
    "saving: changing places": "hypercone._files:_take_place",
    "saving: removing the old": "hypercone._files:remove",
}


class Witness:
    """Watches the program in a child: writes what is under way to the shared memory, and kills at the given point."""

    def __init__(self, shared: SharedFacts) -> None:
        self.shared = shared
        self.phases: list[str] = []
        self.stage = ""
        self.fired = ""
        self.is_ready = False
        self.calls: Counter[str] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def report(self, **more: Any) -> None:
        """Update the shared memory."""
        phase = self.phases[-1] if self.phases else ""
        is_in_a_save = "saving" in self.phases
        if phase.startswith("saving: ") and not is_in_a_save:
            phase = next((other for other in reversed(self.phases) if not other.startswith("saving: ")), "")
        facts = {"phase": phase, "stage": self.stage, "fired": self.fired, "ready": self.is_ready}
        self.shared.note(facts | more)

    def watch(self) -> None:
        """Follow the phases and the stages."""
        for phase, function in PHASES.items():
            wrap(function, functools.partial(self._in_phase, phase))
        wrap("hypercone.training.loop:Stage._finish", self._in_stage)

    def kill_at(self, name: str, turn: int, delay: float = 0.0) -> None:
        """Die at the nth time that the point is reached; in the middle of a call, after so many seconds."""
        point = (POINTS | OTHER_POINTS)[name]
        wrap(point.function, functools.partial(self._at_point, name, point, turn, delay))

    def count_points(self) -> None:
        """Count how often each point is reached, and how long the calls take, without killing."""
        for name, point in POINTS.items():
            wrap(point.function, functools.partial(self._at_point, name, point, 0, 0.0))

    def die(self, name: str) -> NoReturn:
        """End at once, as by kill -9."""
        self.fired = name
        self.report()
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("the process should have been killed")

    def ready(self) -> None:
        """Let the parent know that the work to disturb has begun."""
        if not self.is_ready:
            self.is_ready = True
            self.report()

    def _in_phase(self, phase: str, real: Call, *arguments: Any, **options: Any) -> Any:
        self.phases.append(phase)
        self.report()
        try:
            return real(*arguments, **options)
        finally:
            self.phases.pop()
            # From here on, there is work to lose.
            self.is_ready |= phase == "reading"
            self.report()

    def _in_stage(self, real: Call, stage: Any, *arguments: Any) -> Any:
        self.stage = str(stage.name).partition(" ")[0]
        return real(stage, *arguments)

    def _at_point(
        self, name: str, point: Point, turn: int, delay: float, real: Call, *arguments: Any, **options: Any
    ) -> Any:
        if point.stage not in ("", self.stage) or not _is_about(point.path, arguments):
            return real(*arguments, **options)
        self.calls[name] += 1
        is_turn = bool(turn) and self.calls[name] >= turn
        if is_turn and point.when == "before":
            self.die(name)
        if is_turn and point.when == "half":
            _half(real, *arguments)
            self.die(name)
        began = time.perf_counter()
        if is_turn and point.when == "during":
            result = self._with_timer(name, delay, real, *arguments, **options)
        else:
            result = real(*arguments, **options)
        self.seconds[name] += time.perf_counter() - began
        if is_turn and point.when == "after":
            self.die(name)
        return result

    def _with_timer(self, name: str, delay: float, real: Call, *arguments: Any, **options: Any) -> Any:
        # The alarm's default is to end the process wherever it is, in compiled code too.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        self.fired = name
        self.report()
        signal.setitimer(signal.ITIMER_REAL, delay)
        try:
            return real(*arguments, **options)
        finally:
            # It came too late; the next call is another chance.
            signal.setitimer(signal.ITIMER_REAL, 0)
            self.fired = ""
            self.report()


def wrap(function: str, around: Call) -> None:
    """Put ``around(real, …)`` in the place of "module:name" or "module:Class.name", in this process only."""
    module, _, name = function.partition(":")
    owner: Any = importlib.import_module(module)
    *classes, attribute = name.split(".")
    for one in classes:
        owner = getattr(owner, one)
    real = getattr(owner, attribute)

    def replacement(*arguments: Any, **options: Any) -> Any:
        return around(real, *arguments, **options)

    setattr(owner, attribute, replacement)


def _is_about(pattern: str, arguments: tuple[Any, ...]) -> bool:
    path = next((argument for argument in arguments if isinstance(argument, Path)), None)
    return not pattern or (path is not None and re.search(pattern, f"{path.parent.name}/{path.name}") is not None)


def _half(real: Call, path: Path, *arguments: Any) -> None:
    """Half of what the function would do: half of the bytes, or half of the files gone."""
    if arguments:
        real(path, arguments[0][: len(arguments[0]) // 2])
    elif path.is_dir():
        for part in sorted(path.iterdir())[::2]:
            part.unlink()
