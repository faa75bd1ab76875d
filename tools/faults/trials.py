"""Trials: kill a fit, resume it and compare every byte with an undisturbed fit; kill a save and check the folder."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.faults.points import POINTS
from tools.faults.processes import Fault, Outcome, Parent

from hypercone.embedding import load
from hypercone.errors import ModelFileError

Bytes = dict[str, bytes]
# Fits of a fraction of a second; together they use everything that a checkpoint holds.
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
    """The outcome of one fit that was killed, once or several times."""

    learner: str
    seed: int
    kills: list[dict[str, str]] = field(default_factory=list)
    torn: list[str] = field(default_factory=list)
    leftovers: list[str] = field(default_factory=list)
    is_identical: bool = False
    # Of the last process, which resumed it.
    code: int = 0
    stderr: str = ""

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
        wholes = self._place_old_model(place, learner, has_old)
        while not trial.kills:
            shutil.rmtree(place / "run", ignore_errors=True)
            self._kill(trial, place, luck, point, wholes, faults)
        while len(trial.kills) < most_kills and luck.random() < 0.5:
            another = luck.choice([RANDOM, *(name for name in POINTS if self._has(learner, name))])
            if not self._kill(trial, place, luck, another, wholes, faults, "--resume"):
                break
        last = self.fit(learner, place, "--resume", faults=on_resume)
        trial.code, trial.stderr = last.code, last.err
        trial.is_identical = last.code == 0 and self.same_model(learner, place)
        trial.leftovers = leftovers(place)
        shutil.rmtree(place)
        return trial

    def same_model(self, learner: str, place: Path) -> bool:
        """Whether the model there is, in every byte, what an uninterrupted fit makes."""
        return content_of(place / "model") == self.references[learner].content

    def _has(self, learner: str, point: str) -> bool:
        return point == RANDOM or point in NEEDS_OLD or self.references[learner].calls.get(point, 0) > 0

    def _place_old_model(self, place: Path, learner: str, is_there: bool) -> list[Bytes | None]:
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
    """What a kill left that is neither old nor new: an incomplete model, a file that does not match its manifest."""
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
    """What should not exist after the end: temporaries, and more than two checkpoints."""
    temporaries = temporaries_in(place) + temporaries_in(place / "run")
    checkpoints = sorted(path.name for path in place.glob("run/checkpoint-*"))
    return temporaries + (checkpoints if len(checkpoints) > 2 else [])


def temporaries_in(folder: Path) -> list[str]:
    """The temporary files and folders in a folder."""
    return [name for name in os.listdir(folder) if ".hypercone-" in name]


# All but the last, which is after the save.
SAVE_POINTS = tuple(name for name in POINTS if name.startswith("model: ") and name != "model: saved")


@dataclass
class Saves:
    """The state of a folder into which two models were saved in turn, by processes that were killed."""

    landed: dict[str, int] = field(default_factory=dict)
    kills: int = 0
    # Kills between two saves, which do not count.
    missed: int = 0
    whole: int = 0
    torn: int = 0
    # No model at its place, and how many of these stood whole beside it.
    absent: int = 0
    whole_aside: int = 0
    left_by_kills: int = 0
    left_after_next_save: int = 0


def killed_saves(
    parent: Parent,
    folder: Path,
    models: tuple[Path, Path],
    kills: int,
    *,
    seed: int = 0,
    points: Sequence[str] = SAVE_POINTS,
    faults: Sequence[Fault] = (),
) -> Saves:
    """Kill that many saves, half of them at named points, and look at the folder after each; then save once more."""
    luck = random.Random(seed)
    found = Saves()
    wholes = [content_of(model) for model in models]
    while found.kills < kills:
        shutil.rmtree(folder, ignore_errors=True)
        # There is something to lose from the beginning.
        shutil.copytree(models[1], folder / "model")
        point = points[found.kills // 2 % len(points)] if found.kills % 2 else RANDOM
        landed = _kill_a_save(parent, (*models, folder / "model"), point, luck, faults)
        if not landed:
            found.missed += 1
            continue
        found.kills += 1
        found.landed[landed] = found.landed.get(landed, 0) + 1
        _look(found, folder / "model", wholes)
        found.left_by_kills += len(temporaries_in(folder))
        again = parent.run(models[0], folder / "model", job="save once", faults=faults)
        found.left_after_next_save += len(temporaries_in(folder))
        assert again.code == 0 or faults, again.err
    return found


def _kill_a_save(
    parent: Parent, arguments: tuple[Path, ...], point: str, luck: random.Random, faults: Sequence[Fault]
) -> str:
    """Where in a save the kill landed; nothing if it was between two."""
    if point == RANDOM:
        # A child is ready after its first save, so that there is something to lose.
        outcome = parent.run(*arguments, job="save in turn", faults=faults, kill_after=luck.uniform(0, 0.04))
        assert outcome.was_killed, outcome.err
        return outcome.phase if outcome.phase.startswith("saving") else ""
    kill = {"kind": "kill", "point": point, "turn": luck.randint(2, 9)}
    outcome = parent.run(*arguments, job="save in turn", faults=[*faults, kill])
    assert outcome.was_killed, outcome.err
    return outcome.fired


def _look(found: Saves, target: Path, wholes: list[Bytes]) -> None:
    if not target.exists():
        found.absent += 1
        found.whole_aside += any(content_of(old) in wholes for old in target.parent.glob(".model.hypercone-old-*/old"))
        return
    with contextlib.suppress(ModelFileError):
        load(target)
        if content_of(target) in wholes:
            found.whole += 1
            return
    found.torn += 1
