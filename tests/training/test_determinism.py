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
from hypercone.hierarchy import LabeledPairs
from hypercone.hierarchy.hierarchy import parent_lists
from hypercone.methods import METHODS, find_method
from hypercone.training import FitConfig
from hypercone.training.loop import Stage, Trainer
from hypercone.training.start import random_points

COMBINATIONS = list(itertools.product(METHODS, ("sgd", "sgd-exp", "adagrad")))


def digest(name: str, optimizer: str, seed: int = 0) -> str:
    """SHA-256 of the points after a burn-in and three epochs on a small tree."""
    tree = load_dataset("tree-2-3")
    given = {"init": "random", "epochs": 3, "burn_in": 1, "start_spread": 0.3}
    config = FitConfig(method=name, dim=2, seed=seed, optimizer=optimizer, **given)
    edges = np.array(tree.closure(), np.int32)
    stage = Stage(config, edges, parent_lists(edges, len(tree)))
    return hashlib.sha256(stage.train(random_points(len(tree), config)).points.tobytes()).hexdigest()


def all_digests(seed: int = 0) -> dict[str, str]:
    return {f"{name} {optimizer}": digest(name, optimizer, seed) for name, optimizer in COMBINATIONS}


def test_every_process_and_repetition_gives_the_same_bytes_and_everything_else_different_ones():
    printed = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=True, timeout=300).stdout
    first = all_digests()
    assert json.loads(printed) == all_digests() == first
    # No two methods, optimizers or seeds give the same.
    assert len({*first.values(), *all_digests(seed=1).values()}) == 2 * len(COMBINATIONS)


def test_a_callback_changes_nothing(method, make_stage, tree):
    start = random_points(len(tree), make_stage(tree, method=method.name).config)
    unseen = make_stage(tree, method=method.name).train(start)
    seen = make_stage(tree, method=method.name, progress=lambda event: None).train(start)
    assert np.array_equal(unseen.points, seen.points)


def test_validation_changes_only_which_epoch_is_returned(make_stage, tree):
    closure = tree.closure()
    pairs = LabeledPairs(closure[:5], closure[:5, ::-1].copy())
    start = random_points(len(tree), make_stage(tree).config)
    plain = make_stage(tree, epochs=4).train(start)
    validated = make_stage(tree, epochs=4, validate_every=4, validation=pairs).train(start)
    assert np.array_equal(plain.points, validated.points)


def test_a_fit_is_reproducible_with_its_record(tree):
    one, other = (fit(tree, method="hyperbolic-cones", dim=2, epochs=4, init_epochs=3) for _ in range(2))
    assert one.points.tobytes() == other.points.tobytes()
    assert one.threshold == other.threshold
    assert one.record == other.record


def test_the_start_depends_on_the_seed_only(tree):
    configs = [FitConfig(method="hyperbolic-cones", dim=2, seed=seed) for seed in (4, 4, 5)]
    a, b, c = (random_points(len(tree), config) for config in configs)
    assert np.array_equal(a, b)
    assert not np.array_equal(a, c)


def test_two_threads_stay_in_the_domain_and_reach_the_same_quality():
    """Not the same bytes, because threads see each other's unfinished updates; but F1 within a few points."""
    tree = load_dataset("tree-3-5")
    split = tree.split(50)
    found = {}
    for threads in (1, 2):
        embedding = fit(tree, dim=2, epochs=60, init_epochs=30, threads=threads, split=split)
        method, settings = find_method(embedding.method), embedding.settings
        norms = np.linalg.norm(embedding.points, axis=1)
        inner, outer = method.shell(settings)
        assert np.isfinite(embedding.points).all()
        assert (norms >= inner * (1 - 1e-12)).all()
        assert (norms <= outer * (1 + 1e-12)).all()
        assert embedding.record["reproducible"] == (threads == 1)
        found[threads] = embedding.record["calibration_f1"]
    assert found[1] > 0.5
    assert abs(found[2] - found[1]) < 0.1


SHORT = {"method": "hyperbolic-cones", "dim": 5, "epochs": 6, "init": "random"}
COMMON = {"dim": 5, "epochs": 9, "init_epochs": 6, "validate_every": 2}
CASES = {
    "pre-trained cones": {},
    "caps": {"init": "caps"},
    "from a construction": {"init": "nested-caps"},
    "burn-in": {"method": "poincare", "burn_in": 3},
    "with a memory": {"optimizer": "adagrad", "init": "random"},
    "patience": {"patience": 4, "init": "random", "rate": 1e-6, "validate_every": 1},
}


class Stopper:
    """Stops a run after so many more epochs."""

    def __init__(self, epochs: int) -> None:
        self.epochs = epochs

    def __call__(self) -> bool:
        self.epochs -= 1
        return self.epochs < 0


@pytest.fixture(scope="module")
def larger():
    return load_dataset("tree-3-4")


@pytest.fixture(scope="module")
def split(larger):
    return larger.split(50)


def _bytes(embedding, folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in embedding.save(folder).iterdir()}


def _fit_with_interruptions(larger, config, split, folder, epochs: int):
    """Fit with a stop after every so many epochs; returns the embedding and the number of stops."""
    stops = 0
    while True:
        run = Checkpointing(folder, resume=stops > 0, should_stop=Stopper(epochs))
        try:
            return fit(larger, recipe=config, split=split, checkpoint=run), stops
        except Interrupted:
            stops += 1


@pytest.mark.parametrize("epochs", [0, 1, 4])
@pytest.mark.parametrize("case", CASES)
def test_a_fit_interrupted_repeatedly_ends_with_the_same_bytes(larger, split, tmp_path, case, epochs):
    config = FitConfig.from_dict({**COMMON, **CASES[case]})
    plain = fit(larger, recipe=config, split=split)
    stopped, stops = _fit_with_interruptions(larger, config, split, tmp_path / "run", epochs)
    assert stops >= 1
    assert _bytes(stopped, tmp_path / "stopped") == _bytes(plain, tmp_path / "plain")


def test_given_points_are_part_of_the_identity_of_a_run(larger, tmp_path):
    start = np.random.default_rng(1).uniform(-0.3, 0.3, (len(larger), 5))
    config = FitConfig(method="hyperbolic-cones", dim=5, epochs=6, init_epochs=3)
    with pytest.raises(Interrupted):
        fit(larger, recipe=config, start=start, checkpoint=Checkpointing(tmp_path / "other", should_stop=Stopper(2)))
    with pytest.raises(InputError, match=r"start was [0-9a-f]{12}…, is not given"):
        fit(larger, recipe=config, checkpoint=Checkpointing(tmp_path / "other", resume=True))
    started = fit(larger, recipe=config, start=start, checkpoint=Checkpointing(tmp_path / "other", resume=True))
    assert (started.points == fit(larger, recipe=config, start=start).points).all()
    assert not (started.points == fit(larger, recipe=config).points).all()


def test_an_interruption_states_the_progress_and_the_safe_checkpoint(larger, tmp_path):
    message = f"interrupted after epoch 3 of 6; the checkpoint of training epoch 3 is safe in {tmp_path / 'run'}"
    with pytest.raises(Interrupted, match=re.escape(message)):
        fit(larger, **SHORT, checkpoint=Checkpointing(tmp_path / "run", should_stop=Stopper(2)))


def test_changed_settings_data_or_split_are_refused_with_the_difference(larger, split, tmp_path):
    run = Checkpointing(tmp_path / "run", should_stop=Stopper(1))
    with pytest.raises(Interrupted):
        fit(larger, dim=5, epochs=6, init="random", split=split, checkpoint=run)
    run = Checkpointing(tmp_path / "run", resume=True)
    with pytest.raises(
        InputError, match=r"started differently: rate was 0\.3, is 0\.1; seed was 0, is 1; give the same"
    ):
        fit(larger, dim=5, epochs=6, init="random", split=split, rate=0.1, seed=1, checkpoint=run)
    with pytest.raises(InputError, match=r"percent was 50, is not given; split was [0-9a-f]{12}…, is not given"):
        fit(larger, **SHORT, checkpoint=run)
    other = load_dataset("tree-3-3")
    with pytest.raises(InputError, match=r"hierarchy was .*nodes was 121, is 40"):
        fit(other, dim=5, epochs=6, init="random", split=other.split(50), checkpoint=run)


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


def _forge(folder, **changes) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest.pop("seal")
    manifest["checkpoints"][0] |= changes
    path.write_text(with_checksum(manifest), encoding="utf-8")


@pytest.mark.parametrize(
    "changes",
    [
        {"epoch": 7},
        {"stage": "elsewhere"},
        {"stage": "pretraining"},
        {"facts": {}},
        {"facts": {"best": {}, "history": []}},
        {"facts": {"best": {"epoch": 1}, "history": {"loss": [], "validation_f1": []}}},
        {"facts": {"best": {}, "history": {"loss": [[1]], "validation_f1": []}}},
        {"facts": {"best": {}, "history": {"loss": [["x", 1]], "validation_f1": []}}},
        {"facts": {"best": 3, "history": {"loss": [], "validation_f1": []}}},
    ],
    ids=str,
)
def test_a_checkpoint_that_does_not_fit_the_run_is_refused_in_a_sentence(larger, tmp_path, changes):
    config = FitConfig(method="hyperbolic-cones", dim=5, epochs=6, init="caps", init_epochs=3)
    with pytest.raises(Interrupted):
        fit(larger, recipe=config, checkpoint=Checkpointing(tmp_path / "run", should_stop=Stopper(5)))
    _forge(tmp_path / "run", **changes)
    with pytest.raises(ModelFileError) as error:
        fit(larger, recipe=config, checkpoint=Checkpointing(tmp_path / "run", resume=True))
    assert "\n" not in str(error.value)


def test_a_construction_can_be_resumed_and_its_folder_is_protected(larger, tmp_path):
    made = fit(larger, dim=5, checkpoint=Checkpointing(tmp_path / "run"))
    assert (made.points == fit(larger, dim=5).points).all()
    with pytest.raises(InputError, match="holds a run already"):
        fit(larger, dim=5, checkpoint=Checkpointing(tmp_path / "run", resume=False))
    again = fit(larger, dim=5, checkpoint=Checkpointing(tmp_path / "run", resume=True))
    assert (again.points == made.points).all()


class StopEvery:
    """Stops a run at every so many calls."""

    def __init__(self, every: int) -> None:
        self.every, self.calls = every, 0

    def __call__(self) -> bool:
        self.calls += 1
        return self.calls % self.every == 0


@pytest.fixture(scope="module")
def crossed():
    """A hierarchy whose nodes have several parents each, so that caps move until the last iteration."""
    rng = np.random.default_rng(7)
    pairs = {(str(int(parent)), str(child)) for child in range(1, 80) for parent in rng.integers(0, child, 4)}
    return Hierarchy.from_pairs(sorted(pairs))


@pytest.mark.parametrize(
    "settings",
    [{}, {"method": "hyperbolic-cones", "init": "overlapping-caps", "epochs": 4}],
    ids=["constructed", "a start"],
)
def test_a_construction_interrupted_repeatedly_ends_with_the_same_bytes(crossed, tmp_path, settings):
    plain = fit(crossed, dim=5, **settings)
    stages = set()
    for attempt in range(100):
        try:
            run = Checkpointing(tmp_path / "run", resume=attempt > 0, should_stop=StopEvery(60 if attempt < 3 else 9))
            stopped = fit(crossed, dim=5, **settings, checkpoint=run)
            break
        except Interrupted as interrupted:
            stages.add(re.search("checkpoint of ([a-z]+)", str(interrupted))[1])
    assert stages >= {"nested", "free"}
    assert _bytes(stopped, tmp_path / "stopped") == _bytes(plain, tmp_path / "plain")


if __name__ == "__main__":
    print(json.dumps(all_digests()))
