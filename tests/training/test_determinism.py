"""The same seed gives the same bytes: in this process, in another one, watched or not.

Run as a program, this file prints the digests of its process.
"""

import hashlib
import itertools
import json
import subprocess
import sys

import numpy as np
import pytest

from hypercone.data import load_dataset
from hypercone.hierarchy import LabeledPairs
from hypercone.hierarchy.hierarchy import parent_lists
from hypercone.methods import METHODS, find_method
from hypercone.training import FitConfig, fit
from hypercone.training.loop import Stage
from hypercone.training.start import random_points

OPTIMIZERS = ("sgd", "sgd-exp", "adagrad")
COMBINATIONS = list(itertools.product(METHODS, OPTIMIZERS))


def digest(name: str, optimizer: str, seed: int = 0) -> str:
    """SHA-256 of the points after a burn-in and three epochs on a small tree."""
    tree = load_dataset("tree-2-3")
    config = FitConfig(
        method=name, dim=2, seed=seed, optimizer=optimizer, init="random", epochs=3, burn_in=1, start_spread=0.3
    )
    edges = np.array(tree.closure(), np.int32)
    stage = Stage(config, edges, parent_lists(edges, len(tree)))
    return hashlib.sha256(stage.train(random_points(len(tree), config)).points.tobytes()).hexdigest()


@pytest.fixture(scope="module")
def digests():
    return {f"{name} {optimizer}": digest(name, optimizer) for name, optimizer in COMBINATIONS}


def test_another_process_comes_to_the_same_bytes(digests):
    printed = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=True, timeout=300).stdout
    assert json.loads(printed) == digests


@pytest.mark.parametrize(("name", "optimizer"), COMBINATIONS)
def test_the_same_seed_gives_the_same_bytes(name, optimizer, digests):
    assert digest(name, optimizer) == digests[f"{name} {optimizer}"]


@pytest.mark.parametrize(("name", "optimizer"), COMBINATIONS)
def test_another_seed_gives_other_bytes(name, optimizer, digests):
    assert digest(name, optimizer, seed=1) != digests[f"{name} {optimizer}"]


def test_no_two_methods_or_optimizers_give_the_same(digests):
    assert len(set(digests.values())) == len(COMBINATIONS)


def test_being_watched_changes_nothing(method, make_stage, tree):
    start = random_points(len(tree), make_stage(tree, method=method.name).config)
    unseen = make_stage(tree, method=method.name).train(start)
    seen = make_stage(tree, method=method.name, progress=lambda event: None).train(start)
    assert np.array_equal(unseen.points, seen.points)


def test_being_validated_changes_only_which_epoch_is_kept(make_stage, tree):
    closure = tree.closure()
    pairs = LabeledPairs(closure[:5], closure[:5, ::-1].copy())
    start = random_points(len(tree), make_stage(tree).config)
    plain = make_stage(tree, epochs=4).train(start)
    validated = make_stage(tree, epochs=4, validate_every=4, validation=pairs).train(start)
    assert np.array_equal(plain.points, validated.points)


def test_a_fit_is_reproducible_from_start_to_end(tree):
    one, other = (fit(tree, method="hyperbolic-cones", dim=2, epochs=4, init_epochs=3) for _ in range(2))
    assert one.points.tobytes() == other.points.tobytes()
    assert one.threshold == other.threshold
    assert one.record == other.record


def test_the_start_is_a_function_of_the_seed(tree):
    configs = [FitConfig(method="hyperbolic-cones", dim=2, seed=seed) for seed in (4, 4, 5)]
    a, b, c = (random_points(len(tree), config) for config in configs)
    assert np.array_equal(a, b)
    assert not np.array_equal(a, c)


def test_two_threads_stay_in_the_domain_and_learn_as_well():
    """Not the same bytes, since threads see each other's half-done work; the same quality, within a few points."""
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


if __name__ == "__main__":
    print(json.dumps({f"{name} {optimizer}": digest(name, optimizer) for name, optimizer in COMBINATIONS}))
