"""The learners with exact negative pairs: what they use, how good they are, and how they are named."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.hierarchies import shape

from hypercone import Hierarchy, fit, load_dataset
from hypercone._random import unit_vectors
from hypercone.cli.main import main
from hypercone.construction.layout import balls_from_caps, caps_from_balls
from hypercone.errors import ConfigError
from hypercone.evaluation import all_pairs, link_prediction
from hypercone.runs import Checkpointing


@pytest.fixture(scope="module")
def mammals():
    return load_dataset("wordnet-mammals")


@pytest.fixture(scope="module")
def tangled():
    return shape("random_dag", 120, seed=5)


@pytest.mark.parametrize("percent", [0, 50])
def test_in_a_forest_of_the_training_edges_mammals_are_learned_exactly(mammals, percent):
    split = mammals.split(percent, seed=1)
    learned = fit(mammals, recipe="given-edges", split=split, dim=5, seed=1)
    assert link_prediction(learned, split.test).f1 == 1.0
    assert all_pairs(learned, mammals).f1 == 1.0
    assert learned.record["kind"] == "learned in a forest of the given edges"
    assert learned.record["closure_aware"] is False


def test_from_a_random_start_mammals_are_learned_nearly_exactly(mammals):
    split = mammals.split(50, seed=1)
    learned = fit(mammals, recipe="strict", split=split, dim=5, seed=1)
    assert link_prediction(learned, split.test).f1 > 0.97
    assert all_pairs(learned, mammals, threshold=0.0).f1 > 0.97
    assert (learned.record["kind"], learned.record["closure_aware"]) == ("learned", False)


@pytest.mark.parametrize("recipe", ["given-edges", "strict"])
def test_points_follow_from_the_training_edges_alone(tangled, recipe):
    """Other held-out pairs, other negative pairs and other edges outside the split change nothing but the threshold."""
    split = tangled.split(25, seed=0, holdout=0.2)
    flipped = replace(split.validation, positives=split.test.positives, negatives=split.test.negatives)
    other = replace(split, validation=flipped, test=split.validation)
    given = {"recipe": recipe, "dim": 4, "seed": 3, "init_epochs": 20}
    first, second = (fit(tangled, split=each, **given).points for each in (split, other))
    assert first.tobytes() == second.tobytes()
    known = Hierarchy(tangled.names, split.train)
    alone = fit(known, "hyperbolic-cones", edges="as-given", **given).points
    assert first.tobytes() == alone.tobytes()


def test_implied_edges_among_the_given_ones_change_nothing_in_a_forest(tangled):
    given = {"method": "hyperbolic-cones", "recipe": "given-edges", "dim": 4}
    direct = Hierarchy(tangled.names, tangled.reduction())
    closed = Hierarchy(tangled.names, tangled.closure())
    assert fit(direct, **given).points.tobytes() == fit(closed, **given).points.tobytes()


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 6), st.integers(0, 2**32))
def test_balls_are_nested_as_the_caps_that_they_come_from(dim, seed):
    random = np.random.default_rng(seed)
    directions = unit_vectors(random, 30, dim)
    angles = np.exp(random.uniform(np.log(1e-4), np.log(0.9), 30))
    centers, radii = balls_from_caps(directions, angles, 0.1, seed=0)
    back, radius = caps_from_balls(centers, radii, 0.1)
    # A cap near the pole may have been made smaller; the others are turned, and nothing else.
    assert (radius <= angles + 1e-12).all()
    same = np.abs(radius - angles) < 1e-9 * angles
    assert same.mean() > 0.5
    cosines = np.clip(directions[same] @ directions[same].T, -1, 1)
    assert np.allclose(back[same] @ back[same].T, cosines, atol=1e-9)


def test_more_dimensions_are_taken_while_they_pay_and_the_note_says_which():
    sets = range(32)
    lattice = Hierarchy([str(s) for s in sets], [(s & ~(1 << i), s) for s in sets for i in range(5) if s >> i & 1])
    chosen = fit(lattice, dim="auto")
    assert chosen.points.shape[1] == chosen.record["config"]["dim"] in (5, 10, 20)
    (note,) = [note for note in chosen.record["notes"] if note.startswith("dimensions tried")]
    tried = dict(reversed(part.split(" in ")) for part in note.partition(": ")[2].split(", "))
    best = max(tried, key=lambda dim: float(tried[dim].rstrip("%")))
    assert float(tried[best].rstrip("%")) - float(tried[str(chosen.points.shape[1])].rstrip("%")) < 0.5
    assert fit("tree-2-3", dim="auto").points.shape[1] == 5


def test_auto_dimensions_are_refused_where_they_mean_nothing(tmp_path, tangled):
    with pytest.raises(ConfigError, match="dim is auto, but order is learned; give a number"):
        fit("tree-2-3", "order", dim="auto")
    with pytest.raises(ConfigError, match="dim is auto, but nested-caps needs no more than any"):
        fit("tree-2-3", "nested-caps", dim="auto")
    with pytest.raises(ConfigError, match=r"auto.* needs several fits, but checkpoints are of one"):
        fit(tangled, dim="auto", checkpoint=Checkpointing(tmp_path / "run"))


def test_restarts_take_the_best_by_exact_count_and_are_refused_where_they_mean_nothing(tmp_path, tangled):
    once, best = (fit(tangled, dim=3, restarts=count) for count in (0, 3))
    alone = [fit(tangled, dim=3, seed=seed).record["calibration_f1"] for seed in range(4)]
    assert len(set(alone)) > 1, "all starts are equally good, so nothing is tested"
    assert best.record["calibration_f1"] > once.record["calibration_f1"] or alone[0] == max(alone)
    assert best.record["calibration_f1"] == all_pairs(best, tangled).f1
    assert best.record["config"]["restarts"] == 3
    with pytest.raises(ConfigError, match="restarts is 2, but order is learned; leave it out"):
        fit(tangled, "order", restarts=2)
    with pytest.raises(ConfigError, match="restarts is 2, but nested-caps always starts alike; leave it out"):
        fit(tangled, "nested-caps", restarts=2)
    with pytest.raises(ConfigError, match="restarts=2 needs several fits, but checkpoints are of one"):
        fit(tangled, dim=3, restarts=2, checkpoint=Checkpointing(tmp_path / "run"))


def test_a_limit_of_seconds_is_recorded_and_refused_where_nothing_can_end_early(tangled):
    limited = fit(tangled, dim=4, seconds=1e-9)
    assert limited.record["reproducible"] is False
    assert fit(tangled, dim=4).record["reproducible"] is True
    with pytest.raises(ConfigError, match=r"seconds is 3\.0, but order is learned; give epochs"):
        fit(tangled, "order", seconds=3)
    with pytest.raises(ConfigError, match=r"seconds is 3\.0, but nested-caps takes as long as it takes"):
        fit(tangled, "nested-caps", seconds=3)


def test_the_shell_fits_by_recipe_and_reproduces_its_row(tmp_path, capsys):
    model = tmp_path / "model"
    command = [
        "fit",
        "tree-3-4",
        "--percent",
        "25",
        "--recipe",
        "given-edges",
        "--dim",
        "3",
        "-o",
        str(model),
        "--json",
    ]
    assert main(command) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["kind"] == "learned in a forest of the given edges"
    assert main(["fit", "tree-3-4", "--percent", "25", "--recipe", "givne-edges", "-o", str(tmp_path / "m")]) == 2
    assert "did you mean given-edges?" in capsys.readouterr().err
    wrong = ["reproduce", "table1", "--recipes", "given-edges", "--methods", "order", "-o", str(tmp_path)]
    assert main(wrong) == 2
    assert "--methods names order, which has no recipe given-edges" in capsys.readouterr().err
