"""Kill fits and saves at every step, and count what is lost.

    python -m tools.faults -o benchmarks/results/faults.json

Fits are killed at every named point (tools/faults/points.py) and at random times, once or several times, and then
resumed: every byte of the model must be the same as without a kill. Saves are killed while one model replaces another:
the folder must hold all of one or all of the other. Only kills that fired are counted: one that came after the end of
its process is drawn again.

The control arms do the same with one protection removed; they must fail, or the counts above would mean nothing.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tools.faults.points import POINTS, STEPPED_ASIDE
from tools.faults.processes import Fault
from tools.faults.trials import RANDOM, Trial, Trials, killed_saves

ADAGRAD, VALIDATED = "cones by adagrad, validated", "cones, pre-trained, validated"
PATIENT = "poincare, burn-in, patience"
# What is taken away: where the fit is killed, what is missing from the start, what only when it is resumed.
CONTROLS: dict[str, tuple[str, str, Sequence[str], Sequence[str]]] = {
    "resumed without the optimizer's memory": ("mid-epoch", ADAGRAD, (), ("forget_memory",)),
    "resumed without the best validated points": ("model: temporary made", PATIENT, (), ("forget_best",)),
    "resumed without the history": ("mid-epoch", VALIDATED, (), ("forget_history",)),
    "resumed with another seed": ("mid-epoch", VALIDATED, (), ("another_seed",)),
    "resumed an epoch too late": ("mid-epoch", VALIDATED, (), ("one_epoch_less",)),
    "checkpoints written straight into their files": ("manifest: half written", VALIDATED, ("unprotected_files",), ()),
    "the manifest written before the checkpoint": ("checkpoint: half written", VALIDATED, ("manifest_first",), ()),
}
SAVE_CONTROLS: dict[str, tuple[str, Sequence[str]]] = {
    "models written straight into their folder": (
        "unprotected_folders",
        ("model: a part half written", "model: a part written"),
    ),
    "folders cannot be exchanged (no renameat2)": ("without_exchange", (STEPPED_ASIDE,)),
}


def fits(trials: Trials, kills: int, seed: int) -> dict[str, Any]:
    """Kill that many fits, three in four at the named points in turn, and count the outcomes."""
    named = itertools.cycle(POINTS)
    points = [RANDOM if i % 4 == 3 else next(named) for i in range(kills)]
    found = [trials.killed_fit(seed + i, point) for i, point in enumerate(points)]
    for trial in found:
        if not trial.is_well:
            print(trial, file=sys.stderr)
    fired = [kill for trial in found for kill in trial.kills]
    return {
        "fits": len(found),
        "kills": len(fired),
        "killed_more_than_once": sum(len(trial.kills) > 1 for trial in found),
        "identical": sum(trial.is_identical for trial in found),
        "torn": sum(len(trial.torn) for trial in found),
        "leftovers": sum(len(trial.leftovers) for trial in found),
        "by_point": dict(sorted(Counter(kill["point"] for kill in fired).items())),
        "random_landed_in": dict(sorted(Counter(k["phase"] or "-" for k in fired if k["point"] == RANDOM).items())),
        "by_learner": dict(sorted(Counter(trial.learner for trial in found).items())),
    }


def control(trials: Trials, name: str, count: int, seed: int = 0) -> dict[str, Any]:
    """The same with one protection removed: how often it then fails."""
    point, learner, always, on_resume = CONTROLS[name]
    found = [
        trials.killed_fit(
            seed + i, point, learner, faults=_faults(always), on_resume=_faults(on_resume), most_kills=1, has_old=False
        )
        for i in range(count)
    ]
    return {"fits": count, "failures": sum(not trial.is_well for trial in found), "how": _how(found)}


def _faults(names: Sequence[str]) -> list[Fault]:
    return [{"kind": name} for name in names]


def _how(found: Sequence[Trial]) -> dict[str, int]:
    kinds = Counter[str]()
    for trial in found:
        kinds["torn files"] += bool(trial.torn)
        kinds["not resumed"] += trial.code != 0
        kinds["other bytes"] += trial.code == 0 and not trial.is_identical
    return {name: count for name, count in kinds.items() if count}


def all_arms(trials: Trials, options: argparse.Namespace) -> dict[str, Any]:
    """Run the trials and all control arms."""
    models = [reference.model for reference in trials.references.values()]
    place, two = trials.folder / "saves", (models[0], models[1])
    found: dict[str, Any] = {"fit": fits(trials, options.kills, options.seed)}
    found["save"] = asdict(killed_saves(trials.parent, place, two, options.saves, seed=options.seed))
    found["control"] = {name: control(trials, name, options.controls) for name in CONTROLS}
    for name, (fault, points) in SAVE_CONTROLS.items():
        kills, faults = 3 * options.controls, _faults([fault])
        arm = killed_saves(trials.parent, place, two, kills, points=points, faults=faults)
        found["control"][name] = asdict(arm)
    return found


def markdown(found: dict[str, Any]) -> str:
    """The tables for the docs: what survived, and what the control arms lost."""
    fit, save = found["fit"], found["save"]
    lines = [
        "| what was killed | kills | outcome |",
        "|---|---|---|",
        f"| {fit['fits']} fits, then resumed | {fit['kills']} | **{fit['identical']} of {fit['fits']} models byte for"
        f" byte as without a kill**; {fit['torn']} torn files, {fit['leftovers']} leftovers |",
        f"| saves over an old model | {save['kills']} | **{save['torn'] + save['absent']} torn**, {save['whole']} whole"
        f" (old or new); {save['left_by_kills']} temporaries left by kills,"
        f" {save['left_after_next_save']} after the next save |",
        "",
        "| control arm: without the protection | kills | failures |",
        "|---|---|---|",
    ]
    for name, arm in found["control"].items():
        if "fits" in arm:
            how = ", ".join(f"{count} {kind}" for kind, count in arm["how"].items())
            lines.append(f"| {name} | {arm['fits']} | {arm['failures']} ({how}) |")
        else:
            kinds = {
                "torn": "torn",
                "absent": "without a model at its place",
                "whole_aside": "of these whole beside it",
            }
            how = ", ".join(f"{arm[kind]} {shown}" for kind, shown in kinds.items() if arm[kind])
            lines.append(f"| {name} | {arm['kills']} | {arm['torn'] + arm['absent']} ({how}) |")
    return "\n".join(lines) + "\n"


def markdown_of_points(found: dict[str, Any]) -> str:
    """Where the kills landed."""
    fit, save = found["fit"]["by_point"], found["save"]["landed"]
    lines = ["| kill point | fits killed there | saves killed there |", "|---|---|---|"]
    for point in sorted(fit.keys() | save.keys(), key=lambda name: (name.startswith("saving"), name)):
        shown = f"at a random time, {point}" if point.startswith("saving") else point
        lines.append(f"| {shown} | {fit.get(point, '')} | {save.get(point, '')} |")
    return "\n".join(lines) + "\n"


def is_well(found: dict[str, Any]) -> bool:
    """Whether nothing was lost, and every control arm failed as it must."""
    fit, save = found["fit"], found["save"]
    same = fit["identical"] == fit["fits"] and not fit["torn"] + fit["leftovers"]
    saved = not save["torn"] + save["absent"] + save["left_after_next_save"]
    failures = [arm.get("failures", arm.get("torn", 0) + arm.get("absent", 0)) for arm in found["control"].values()]
    return bool(same and saved and all(failures))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100, help="fits to kill and to resume (default 100)")
    parser.add_argument("--saves", type=int, default=200, help="saves to kill (default 200)")
    parser.add_argument("--controls", type=int, default=10, help="fits to kill in each control arm (default 10)")
    parser.add_argument("--seed", type=int, default=0, help="of the draw of the kills (default 0)")
    parser.add_argument("-o", "--output", type=Path, help="the JSON file to write, with a table beside it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trials = Trials(Path(folder))
        try:
            found = all_arms(trials, options)
        finally:
            trials.parent.close()
    print(json.dumps(found, indent=1))
    if options.output:
        from hypercone._system import describe_machine

        options.output.write_text(json.dumps({"machine": describe_machine(), **found}, indent=1) + "\n")
        options.output.with_suffix(".md").write_text(markdown(found))
        options.output.with_name(f"{options.output.stem}_points.md").write_text(markdown_of_points(found))
    return int(not is_well(found))


if __name__ == "__main__":
    sys.exit(main())
