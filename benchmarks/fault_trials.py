"""Trials: kill a fit, look at what is left, go on, and compare every byte with what nothing interrupted."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fault_parent import Fault, Outcome, Parent
from fault_points import POINTS

Bytes = dict[str, bytes]
# Fits of a fraction of a second, which between them have all that a checkpoint must hold.
CONES = "fit TREE --dim 2 --quiet --method hyperbolic-cones"
LEARNERS = {
    "cones, pre-trained, validated": f"{CONES} --percent 50 --epochs 24 --init-epochs 12 --validate-every 3",
    "cones by adagrad, validated": f"{CONES} --percent 25 --epochs 24 --init random --optimizer adagrad"
    " --validate-every 4",
    "cones, pre-trained, not validated": f"{CONES} --epochs 12 --init-epochs 8",
    "poincare, burn-in, patience": "fit TREE --dim 2 --quiet --method poincare --percent 50 --epochs 24"
    " --burn-in 5 --validate-every 2 --patience 6",
    "overlapping caps, constructed": "fit EDGES --dim 5 --quiet --method overlapping-caps",
}
# Epochs between checkpoints; of a construction, iterations.
EVERY = dict.fromkeys(LEARNERS, 4) | {"overlapping caps, constructed": 100}
# The swap of two folders needs an old one.
NEEDS_OLD = ("model: before the swap", "model: after the swap")
RANDOM = "at a random time"


@dataclass(frozen=True)
class Reference:
    """A fit that nothing interrupted: its model's bytes, how often each point came, and how long the calls took."""

    model: Path
    content: Bytes
    calls: dict[str, int]
    seconds: dict[str, float]
    length: float

    def delay(self, point: str, luck: random.Random) -> float:
        """A moment within a call."""
        return max(1e-6, luck.uniform(0.05, 0.9) * self.seconds.get(point, 0.0) / max(1, self.calls.get(point, 0)))


@dataclass
class Trial:
    """What became of one fit that was killed, once or several times."""

    learner: str
    seed: int
    kills: list[dict[str, str]] = field(default_factory=list)
    torn: list[str] = field(default_factory=list)
    leftovers: list[str] = field(default_factory=list)
    is_identical: bool = False
    # Of the last process, which resumed it.
    code: int = 0
    said: str = ""

    @property
    def is_well(self) -> bool:
        """Whether nothing was lost, torn or left."""
        return self.is_identical and not self.torn and not self.leftovers


def arguments_of(learner: str, folder: Path, tree: str) -> list[str]:
    """What is typed for a learner; EDGES is a file in the folder, in which many nodes have two parents."""
    edges = folder / "edges.tsv"
    if not edges.exists():
        luck = random.Random(3)
        pairs = sorted({(luck.randrange(i), i) for i in range(1, 300) for _ in range(luck.randint(1, 2))})
        edges.write_text("parent\tchild\n" + "".join(f"n{parent}\tn{child}\n" for parent, child in pairs))
    sources = {"EDGES": str(edges), "TREE": tree}
    return [sources.get(word, word) for word in LEARNERS[learner].split()]


class Trials:
    """All trials of one parent process, in one folder."""

    def __init__(self, folder: Path, learners: Sequence[str] = tuple(LEARNERS), tree: str = "tree-3-6") -> None:
        self.folder = folder
        self.arguments = {name: arguments_of(name, folder, tree) for name in learners}
        self.parent = Parent(list(self.arguments.values()))
        self.references = {name: self._reference(name) for name in learners}

    def _reference(self, learner: str) -> Reference:
        """Fitted twice, with a run and without, which must not make a difference."""
        place = self.folder / f"reference-{len(list(self.folder.iterdir()))}"
        plain = self.parent.run(*self.arguments[learner], "-o", place / "plain")
        counted = self.fit(learner, place, faults=[{"kind": "count"}])
        content = content_of(place / "model")
        assert plain.code == counted.code == 0, plain.err + counted.err
        assert content_of(place / "plain") == content, "with --run, the model is another"
        facts = counted.facts
        return Reference(place / "model", content, facts["calls"], facts["seconds"], counted.seconds)

    def fit(
        self, learner: str, place: Path, *more: str, faults: Sequence[Fault] = (), kill_after: float | None = None
    ) -> Outcome:
        """Fit at a place, which holds a model and a run."""
        place.mkdir(parents=True, exist_ok=True)
        every = ("--checkpoint-epochs", str(EVERY[learner]))
        arguments = (*self.arguments[learner], "-o", place / "model", "--run", place / "run", *every, *more)
        return self.parent.run(*arguments, faults=faults, kill_after=kill_after)

    def killed_fit(
        self,
        seed: int,
        point: str,
        learner: str = "",
        *,
        faults: Sequence[Fault] = (),
        on_resume: Sequence[Fault] = (),
        most_kills: int = 3,
        has_old: bool | None = None,
    ) -> Trial:
        """Kill a fit at the point, perhaps kill those that resume it, then resume to the end, and compare.

        A kill that did not happen, because the process came to its end first, is drawn again.
        """
        luck = random.Random(f"{seed} {point}")
        learner = learner or luck.choice([name for name in self.references if self._has(name, point)])
        place = self.folder / "trial"
        trial = Trial(learner, seed)
        has_old = (point in NEEDS_OLD or luck.random() < 0.5) if has_old is None else has_old
        wholes = self._lay_old_model(place, learner, has_old)
        while not trial.kills:
            shutil.rmtree(place / "run", ignore_errors=True)
            self._kill(trial, place, luck, point, wholes, faults)
        while len(trial.kills) < most_kills and luck.random() < 0.5:
            another = luck.choice([RANDOM, *(name for name in POINTS if self._has(learner, name))])
            if not self._kill(trial, place, luck, another, wholes, faults, "--resume"):
                break
        last = self.fit(learner, place, "--resume", faults=on_resume)
        trial.code, trial.said = last.code, last.err
        trial.is_identical = last.code == 0 and self.same_model(learner, place)
        trial.leftovers = leftovers(place)
        shutil.rmtree(place)
        return trial

    def same_model(self, learner: str, place: Path) -> bool:
        """Whether the model there is, in every byte, what an uninterrupted fit makes."""
        return content_of(place / "model") == self.references[learner].content

    def _has(self, learner: str, point: str) -> bool:
        return point == RANDOM or point in NEEDS_OLD or self.references[learner].calls.get(point, 0) > 0

    def _lay_old_model(self, place: Path, learner: str, is_there: bool) -> list[Bytes | None]:
        """Put another model where the new one will go, or none; what may be found there, whole."""
        place.mkdir()
        if not is_there:
            return [None, self.references[learner].content]
        old = next((one for name, one in self.references.items() if name != learner), self.references[learner])
        shutil.copytree(old.model, place / "model")
        return [old.content, self.references[learner].content]

    def _kill(
        self,
        trial: Trial,
        place: Path,
        luck: random.Random,
        point: str,
        wholes: list[Bytes | None],
        faults: Sequence[Fault],
        *more: str,
    ) -> bool:
        reference = self.references[trial.learner]
        if point == RANDOM:
            moment = luck.uniform(0, reference.length)
            outcome = self.fit(trial.learner, place, *more, faults=faults, kill_after=moment)
        else:
            turn = luck.randint(1, reference.calls.get(point, 1))
            kill = {"kind": "kill", "point": point, "turn": turn, "delay": reference.delay(point, luck)}
            outcome = self.fit(trial.learner, place, *more, faults=[*faults, kill])
        if not outcome.was_killed:
            assert outcome.code == 0 or faults, outcome.err
            return False
        trial.kills.append({"point": point, "phase": outcome.phase})
        trial.torn += torn_files(place, wholes)
        return True


def content_of(folder: Path) -> Bytes:
    """Every byte of a folder of files."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def torn_files(place: Path, wholes: Sequence[Bytes | None]) -> list[str]:
    """What a kill left that is neither old nor new: a model of which a part is, a file that its manifest belies."""
    model = place / "model"
    torn = [] if (content_of(model) if model.exists() else None) in wholes else ["model"]
    run = place / "run"
    for name in ("run.json", "manifest.json"):
        if (run / name).exists():
            try:
                listed = json.loads((run / name).read_bytes()).get("checkpoints", [])
            except ValueError:
                torn.append(name)
                continue
            torn += [entry["file"] for entry in listed if not _is_whole(run, entry)]
    return torn


def _is_whole(run: Path, entry: dict[str, Any]) -> bool:
    path = run / str(entry["file"])
    return path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == entry["sha256"]


def leftovers(place: Path) -> list[str]:
    """What should not be there after the end: temporaries, and more checkpoints than two."""
    temporaries = temporaries_in(place) + temporaries_in(place / "run")
    checkpoints = sorted(path.name for path in place.glob("run/checkpoint-*"))
    return temporaries + (checkpoints if len(checkpoints) > 2 else [])


def temporaries_in(folder: Path) -> list[str]:
    """The temporaries that somebody left."""
    return [name for name in os.listdir(folder) if ".hypercone-" in name]
