"""Where training starts: points given, or pre-trained ones drawn into the domain of the method."""

import contextlib

import numpy as np
import pytest

from hypercone.errors import ConfigError
from hypercone.geometry import poincare
from hypercone.methods import FARTHEST
from hypercone.training import FitConfig, fit, pretrain, rescaled_start


def test_training_begins_where_it_is_told_to(tree):
    config = FitConfig(method="hyperbolic-cones", dim=2, epochs=0)
    start = np.linspace(0.2, 0.4, 2 * len(tree)).reshape(-1, 2)
    embedding = fit(tree, recipe=config, start=start)
    assert np.array_equal(embedding.points, start)
    assert embedding.record["start"] == "given points"


def test_a_start_of_another_shape_is_refused_with_the_right_one(tree):
    with pytest.raises(ConfigError, match=rf"must be \({len(tree)}, 2\), one point per node"):
        fit(tree, recipe=FitConfig(method="hyperbolic-cones", dim=2), start=np.zeros((len(tree), 3)))


def test_a_start_that_is_not_finite_is_refused(tree):
    with pytest.raises(ConfigError, match="not finite"):
        fit(tree, recipe=FitConfig(method="hyperbolic-cones", dim=2), start=np.full((len(tree), 2), np.nan))


@pytest.mark.parametrize("size", [1.01, -1e10])
def test_a_start_too_far_out_to_reckon_with_is_refused_and_one_within_is_not(method, tree, size, optimizer):
    config = FitConfig(method=method.name, dim=2, epochs=3, optimizer=optimizer)
    farthest = np.random.default_rng(0).choice([-FARTHEST, FARTHEST], (len(tree), 2))
    said = r"^start has a coordinate of 1\.?\d*e\+1\d\d; give points with none above 1e\+150$"
    with pytest.raises(ConfigError, match=said):
        fit(tree, recipe=config, start=size * farthest)
    # The divisions of the compiled steps, and the loss, still know what to do.
    with contextlib.suppress(ConfigError):
        assert np.isfinite(fit(tree, recipe=config, start=farthest).points).all()


def test_a_random_start_has_nothing_to_pretrain(tree):
    with pytest.raises(ConfigError, match="pre-trains nothing"):
        pretrain(tree, FitConfig(method="hyperbolic-cones", init="random"))


def test_flat_points_enter_the_ball_at_the_same_distance_from_the_origin():
    points = np.array([[3.0, 4.0], [0.0, 0.0], [30.0, 0.0]])
    inside = rescaled_start(points, FitConfig(method="hyperbolic-cones", dim=2, init="euclidean", rescale=0.5))
    assert poincare.norm(inside)[:2] == pytest.approx([2.5, 0.0])
    assert np.linalg.norm(inside, axis=1).max() <= 1.0
    assert inside[0] / np.linalg.norm(inside[0]) == pytest.approx([0.6, 0.8])


def test_points_of_the_same_space_are_only_drawn_in():
    points = np.array([[0.3, 0.4]])
    assert rescaled_start(points, FitConfig(method="hyperbolic-cones", dim=2, rescale=0.5)).tolist() == [[0.15, 0.2]]
