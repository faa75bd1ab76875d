"""Trials: kill the save of one model over another, and look whether the folder holds all of one or all of the other."""

from __future__ import annotations

import contextlib
import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fault_parent import Fault, Parent
from fault_points import POINTS
from fault_trials import RANDOM, Bytes, content_of, temporaries_in

# All but the last, which is after the save.
SAVE_POINTS = tuple(name for name in POINTS if name.startswith("model: ") and name != "model: saved")


@dataclass
class Saves:
    """What became of a folder into which two models were saved in turn, by processes that were killed."""

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
        # Ready is who has saved once, so that there is something to lose.
        outcome = parent.run(*arguments, job="save in turn", faults=faults, kill_after=luck.uniform(0, 0.04))
        assert outcome.was_killed, outcome.err
        return outcome.phase if outcome.phase.startswith("saving") else ""
    kill = {"kind": "kill", "point": point, "turn": luck.randint(2, 9)}
    outcome = parent.run(*arguments, job="save in turn", faults=[*faults, kill])
    assert outcome.was_killed, outcome.err
    return outcome.fired


def _look(found: Saves, target: Path, wholes: list[Bytes]) -> None:
    from hypercone.embedding import load
    from hypercone.errors import ModelFileError

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
