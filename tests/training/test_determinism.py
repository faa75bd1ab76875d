"""The same seed gives the same bytes: in this process and another, with and without a callback, interrupted or not.

Run as a program, this file prints the digests of its process.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import subprocess
import sys

import numpy as np
import pytest

from hypercone import Checkpointing, Hierarchy, fit, load_dataset
from hypercone._files import with_checksum
from hypercone.errors import ConfigError, InputError, Interrupted, ModelFileError
from hypercone.methods import METHODS
from hypercone.training import FitConfig
from hypercone.training.loop import Trainer

COMBINATIONS = list(itertools.product(METHODS, ("sgd", "sgd-exp", "adagrad")))


def all_digests(seed: int = 0, callback=None) -> dict[str, str]:
    """SHA-256 of the points after a burn-in and three epochs on a small tree, of each method and optimizer."""
    given = {"dim": 2, "init": "random", "epochs": 3, "burn_in": 1, "start_spread": 0.3, "seed": seed}
    found = {}
    for name, optimizer in COMBINATIONS:
        embedding = fit("tree-2-3", name, optimizer=optimizer, **given, callback=callback)
        found[f"{name} {optimizer}"] = hashlib.sha256(embedding.points.tobytes()).hexdigest()
    return found


def test_every_process_and_repetition_gives_the_same_bytes_and_everything_else_different_ones():
    printed = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=True, timeout=300).stdout
    first = all_digests()
    # A callback changes nothing.
    assert json.loads(printed) == all_digests(callback=lambda event: None) == all_digests() == first
    # No two methods, optimizers or seeds give the same.
    assert len({*first.values(), *all_digests(seed=1).values()}) == 2 * len(COMBINATIONS)


SHORT = {"method": "hyperbolic-cones", "dim": 5, "epochs": 6, "init": "random"}
COMMON = {"dim": 5, "epochs": 9, "init_epochs": 6, "validate_every": 2}
CASES = {
    "pre-trained cones": {},
    "caps": {"init": "caps"},
    "from a construction": {"init": "nested-caps"},
    "burn-in": {"method": "poincare", "burn_in": 3},
    "with a memory": {"optimizer": "adagrad", "init": "random"},
    "batches of cones": {"batch_size": 10},
    "batches of distances": {"method": "poincare", "batch_size": 7, "burn_in": 3},
    "patience": {"patience": 4, "init": "random", "rate": 1e-6, "validate_every": 1},
}


def stop_after(epochs: int):
    """Stops a run after so many more epochs."""
    calls = itertools.count()
    return lambda: next(calls) >= epochs


@pytest.fixture(scope="module")
def larger():
    return load_dataset("tree-3-4")


def _bytes(embedding, folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in embedding.save(folder).iterdir()}


def _fit_with_interruptions(folder, stops, *given, **options):
    """The embedding of a fit that is stopped as each of the functions says, and the messages of the stops."""
    messages = []
    for should_stop in stops:
        try:
            run = Checkpointing(folder, resume=bool(messages), should_stop=should_stop)
            return fit(*given, **options, checkpoint=run), messages
        except Interrupted as interrupted:
            messages.append(str(interrupted))
    pytest.fail("it was not done after the last stop")


@pytest.mark.parametrize("epochs", [0, 1, 4])
@pytest.mark.parametrize("case", CASES)
def test_a_fit_interrupted_repeatedly_ends_with_the_same_bytes(larger, tmp_path, case, epochs):
    given = {"recipe": FitConfig.from_dict({**COMMON, **CASES[case]}), "split": larger.split(50)}
    plain = fit(larger, **given)
    stops = (stop_after(epochs) for _ in range(100))
    stopped, messages = _fit_with_interruptions(tmp_path / "run", stops, larger, **given)
    assert messages
    assert _bytes(stopped, tmp_path / "stopped") == _bytes(plain, tmp_path / "plain")


def test_given_points_are_part_of_the_identity_of_a_run(larger, tmp_path):
    start = np.random.default_rng(1).uniform(-0.3, 0.3, (len(larger), 5))
    config, again = SHORT | {"init": "poincare", "init_epochs": 3}, Checkpointing(tmp_path / "run", resume=True)
    with pytest.raises(Interrupted):
        fit(larger, **config, start=start, checkpoint=Checkpointing(tmp_path / "run", should_stop=stop_after(2)))
    with pytest.raises(InputError, match=r"start was [0-9a-f]{12}…, is not given"):
        fit(larger, **config, checkpoint=again)
    started = fit(larger, **config, start=start, checkpoint=again)
    assert (started.points == fit(larger, **config, start=start).points).all()
    assert not (started.points == fit(larger, **config).points).all()


def test_a_divergence_leaves_the_previous_checkpoint(larger, tmp_path, monkeypatch):
    real = Trainer.run

    def diverge(self, epoch, rate, negatives):
        counts = real(self, epoch, rate, negatives)
        if epoch == 4:
            self.points[0, 0] = np.nan
        return counts

    monkeypatch.setattr(Trainer, "run", diverge)
    message = r"training diverged at epoch 5: .*; try a lower rate than 0.3; the checkpoint of training epoch 4 is safe"
    with pytest.raises(ConfigError, match=message):
        fit(larger, **SHORT, checkpoint=Checkpointing(tmp_path / "run", every_epochs=1))
    monkeypatch.setattr(Trainer, "run", real)
    resumed = fit(larger, **SHORT, checkpoint=Checkpointing(tmp_path / "run", resume=True))
    assert (resumed.points == fit(larger, **SHORT).points).all()


@pytest.mark.parametrize(
    "changes",
    [
        *({"epoch": 7}, {"stage": "elsewhere"}, {"stage": "pretraining"}, {"facts": {}}),
        {"facts": {"best": {}, "history": []}},
        *(
            {"facts": {"best": best, "history": {"loss": loss, "validation_f1": []}}}
            for best, loss in (({"epoch": 1}, []), ({}, [[1]]), ({}, [["x", 1]]), (3, []))
        ),
    ],
    ids=str,
)
def test_a_checkpoint_that_does_not_fit_the_run_is_refused_in_a_sentence(larger, tmp_path, changes):
    config = SHORT | {"init": "caps", "init_epochs": 3}
    with pytest.raises(Interrupted):
        fit(larger, **config, checkpoint=Checkpointing(tmp_path / "run", should_stop=stop_after(5)))
    path = tmp_path / "run" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest.pop("seal")
    manifest["checkpoints"][0] |= changes
    path.write_text(with_checksum(manifest), encoding="utf-8")
    with pytest.raises(ModelFileError) as error:
        fit(larger, **config, checkpoint=Checkpointing(tmp_path / "run", resume=True))
    assert "\n" not in str(error.value)


def test_a_finished_construction_can_be_resumed(larger, tmp_path):
    made = fit(larger, dim=5, checkpoint=Checkpointing(tmp_path / "run"))
    again = fit(larger, dim=5, checkpoint=Checkpointing(tmp_path / "run", resume=True))
    assert (again.points == made.points).all()
    assert (again.points == fit(larger, dim=5).points).all()


@pytest.mark.parametrize(
    ("settings", "stages"),
    [
        ({}, {"nested", "free", "jumps"}),
        ({"dim": 3}, {"nested", "free", "again", "jumps"}),
        ({"method": "hyperbolic-cones", "init": "overlapping-caps", "epochs": 4}, {"nested", "free"}),
        ({"method": "hyperbolic-cones", "init": "given-edges", "epochs": 0}, {"nested"}),
        (
            {"method": "hyperbolic-cones", "init": "exact-caps", "init_epochs": 370, "epochs": 0},
            {"pretraining", "free"},
        ),
    ],
    ids=["constructed", "in two levels", "a start", "given edges", "exact caps"],
)
def test_a_construction_interrupted_repeatedly_ends_with_the_same_bytes(tmp_path, settings, stages):
    """Nodes have several parents each, so that caps move until the last iteration."""
    rng, settings = np.random.default_rng(7), {"dim": 5, **settings}
    if "again" in stages:
        pairs = {(f"above {row}", f"below {c}") for c in range(90) for row in rng.choice(60, 4, replace=False)}
    else:
        pairs = {(str(int(parent)), str(child)) for child in range(1, 80) for parent in rng.integers(0, child, 4)}
    crossed = Hierarchy.from_pairs(sorted(pairs))
    plain = fit(crossed, **settings)
    # Jumps are few: the later stops come soon after each other.
    stops = (stop_after(59 if attempt < 6 else 8 if attempt < 20 else 2) for attempt in range(100))
    stopped, messages = _fit_with_interruptions(tmp_path / "run", stops, crossed, **settings)
    assert {re.search("checkpoint of ([a-z]+)", message)[1] for message in messages} >= stages
    assert _bytes(stopped, tmp_path / "stopped") == _bytes(plain, tmp_path / "plain")


if __name__ == "__main__":
    print(json.dumps(all_digests()))
