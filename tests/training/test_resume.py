"""A fit that was stopped anywhere and resumed gives the same bytes as one that was not."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from hypercone import Checkpointing, Hierarchy, fit, load_dataset
from hypercone._files import with_checksum
from hypercone.errors import ConfigError, InputError, Interrupted, ModelFileError
from hypercone.training import FitConfig

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
    """Asks a run to stop after so many more epochs."""

    def __init__(self, epochs: int) -> None:
        self.epochs = epochs

    def __call__(self) -> bool:
        self.epochs -= 1
        return self.epochs < 0


@pytest.fixture(scope="module")
def tree():
    return load_dataset("tree-3-4")


@pytest.fixture(scope="module")
def split(tree):
    return tree.split(50)


def _bytes(embedding, folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in embedding.save(folder).iterdir()}


def _resumed_again_and_again(tree, config, split, folder, epochs: int):
    """Fit with a stop after every so many epochs, from the beginning to the end; returns it and the stops."""
    stops = 0
    while True:
        run = Checkpointing(folder, resume=stops > 0, should_stop=Stopper(epochs))
        try:
            return fit(tree, recipe=config, split=split, checkpoint=run), stops
        except Interrupted:
            stops += 1


@pytest.mark.parametrize("epochs", [0, 1, 4])
@pytest.mark.parametrize("case", CASES)
def test_stopped_again_and_again_it_ends_with_the_same_bytes(tree, split, tmp_path, case, epochs):
    config = FitConfig.from_dict({**COMMON, **CASES[case]})
    plain = fit(tree, recipe=config, split=split)
    stopped, stops = _resumed_again_and_again(tree, config, split, tmp_path / "run", epochs)
    assert stops >= 1
    assert _bytes(stopped, tmp_path / "stopped") == _bytes(plain, tmp_path / "plain")


def test_points_to_start_from_are_part_of_what_a_run_is(tree, tmp_path):
    start = np.random.default_rng(1).uniform(-0.3, 0.3, (len(tree), 5))
    config = FitConfig(method="hyperbolic-cones", dim=5, epochs=6, init_epochs=3)
    with pytest.raises(Interrupted):
        fit(tree, recipe=config, start=start, checkpoint=Checkpointing(tmp_path / "other", should_stop=Stopper(2)))
    with pytest.raises(InputError, match=r"start was [0-9a-f]{12}…, is not given"):
        fit(tree, recipe=config, checkpoint=Checkpointing(tmp_path / "other", resume=True))
    started = fit(tree, recipe=config, start=start, checkpoint=Checkpointing(tmp_path / "other", resume=True))
    assert (started.points == fit(tree, recipe=config, start=start).points).all()
    assert not (started.points == fit(tree, recipe=config).points).all()


def test_the_stop_says_how_far_it_came_and_what_is_safe(tree, tmp_path):
    words = f"interrupted after epoch 3 of 6; the checkpoint of training epoch 3 is safe in {tmp_path / 'run'}"
    with pytest.raises(Interrupted, match=re.escape(words)):
        fit(tree, **SHORT, checkpoint=Checkpointing(tmp_path / "run", should_stop=Stopper(2)))


def test_changed_settings_data_or_split_are_refused_with_the_difference(tree, split, tmp_path):
    run = Checkpointing(tmp_path / "run", should_stop=Stopper(1))
    with pytest.raises(Interrupted):
        fit(tree, dim=5, epochs=6, init="random", split=split, checkpoint=run)
    run = Checkpointing(tmp_path / "run", resume=True)
    with pytest.raises(InputError, match=r"started differently: rate was 0\.3, is 0\.1; seed was 0, is 1; give the same"):
        fit(tree, dim=5, epochs=6, init="random", split=split, rate=0.1, seed=1, checkpoint=run)
    with pytest.raises(InputError, match=r"percent was 50, is not given; split was [0-9a-f]{12}…, is not given"):
        fit(tree, **SHORT, checkpoint=run)
    other = load_dataset("tree-3-3")
    with pytest.raises(InputError, match=r"hierarchy was .*nodes was 121, is 40"):
        fit(other, dim=5, epochs=6, init="random", split=other.split(50), checkpoint=run)


def test_a_divergence_keeps_the_checkpoint_before_it(tree, tmp_path, monkeypatch):
    from hypercone.training.loop import Trainer

    real = Trainer.run

    def diverge(self, epoch, rate, negatives):
        counts = real(self, epoch, rate, negatives)
        if epoch == 4:
            self.points[0, 0] = np.nan
        return counts

    monkeypatch.setattr(Trainer, "run", diverge)
    words = r"training diverged at epoch 5: .*; try a lower rate than 0.3; the checkpoint of training epoch 4 is safe"
    with pytest.raises(ConfigError, match=words):
        fit(tree, **SHORT, checkpoint=Checkpointing(tmp_path / "run", every_epochs=1))
    monkeypatch.setattr(Trainer, "run", real)
    resumed = fit(tree, **SHORT, checkpoint=Checkpointing(tmp_path / "run", resume=True))
    assert (resumed.points == fit(tree, **SHORT).points).all()


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
def test_a_state_that_cannot_be_this_runs_is_refused_in_a_sentence(tree, tmp_path, changes):
    config = FitConfig(method="hyperbolic-cones", dim=5, epochs=6, init="caps", init_epochs=3)
    with pytest.raises(Interrupted):
        fit(tree, recipe=config, checkpoint=Checkpointing(tmp_path / "run", should_stop=Stopper(5)))
    _forge(tmp_path / "run", **changes)
    with pytest.raises(ModelFileError) as error:
        fit(tree, recipe=config, checkpoint=Checkpointing(tmp_path / "run", resume=True))
    assert "\n" not in str(error.value)


def test_a_construction_with_a_run_is_the_same_and_guards_its_folder(tree, tmp_path):
    made = fit(tree, dim=5, checkpoint=Checkpointing(tmp_path / "run"))
    assert (made.points == fit(tree, dim=5).points).all()
    with pytest.raises(InputError, match="holds a run already"):
        fit(tree, dim=5, checkpoint=Checkpointing(tmp_path / "run", resume=False))
    again = fit(tree, dim=5, checkpoint=Checkpointing(tmp_path / "run", resume=True))
    assert (again.points == made.points).all()


class Looks:
    """Asks a run to stop at the next offer, and counts the offers."""

    def __init__(self, every: int) -> None:
        self.every, self.offers = every, 0

    def __call__(self) -> bool:
        self.offers += 1
        return self.offers % self.every == 0


@pytest.fixture(scope="module")
def crossed():
    """A hierarchy whose nodes have several parents each, so that caps are moved to the very end."""
    rng = np.random.default_rng(7)
    pairs = {(str(int(parent)), str(child)) for child in range(1, 80) for parent in rng.integers(0, child, 4)}
    return Hierarchy.from_pairs(sorted(pairs))


@pytest.mark.parametrize(
    "settings",
    [{}, {"method": "hyperbolic-cones", "init": "overlapping-caps", "epochs": 4}],
    ids=["constructed", "a start"],
)
def test_a_construction_stopped_again_and_again_ends_with_the_same_bytes(crossed, tmp_path, settings):
    plain = fit(crossed, dim=5, **settings)
    stages = set()
    for attempt in range(100):
        try:
            run = Checkpointing(tmp_path / "run", resume=attempt > 0, should_stop=Looks(60 if attempt < 3 else 9))
            stopped = fit(crossed, dim=5, **settings, checkpoint=run)
            break
        except Interrupted as interrupted:
            stages.add(re.search("checkpoint of ([a-z]+)", str(interrupted))[1])
    assert stages >= {"nested", "free"}
    assert _bytes(stopped, tmp_path / "stopped") == _bytes(plain, tmp_path / "plain")
