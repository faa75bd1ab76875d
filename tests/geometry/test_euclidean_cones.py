"""Euclidean entailment cones keep the promises of the hyperbolic ones."""

import mpmath as mp
import numpy as np
import pytest

from hypercone.errors import ConfigError
from hypercone.geometry import euclidean_cones as cones


@pytest.mark.parametrize("K", [0.01, 0.1, 1.0, 3.0])
def test_r_sin_psi_is_constant_and_equal_to_k(shell, K):
    x = shell(np.random.default_rng(44), 500, 3, K, K + 5)
    size = np.linalg.norm(x, axis=1) * np.sin(cones.half_aperture(x, K))
    np.testing.assert_allclose(size, K, rtol=1e-13)


def test_the_aperture_is_a_right_angle_at_and_below_the_inner_radius():
    assert cones.inner_radius(0.2) == 0.2
    for radius in (0.0, 0.1, 0.2):
        assert float(cones.half_aperture([radius, 0.0], 0.2)) == np.pi / 2


def test_a_child_further_out_on_the_same_ray_is_inside(shell):
    rng = np.random.default_rng(45)
    parent = shell(rng, 1000, 5, 0.1, 5)
    assert np.all(cones.contains(parent, parent * rng.uniform(1, 3, (1000, 1)), 0.1))
    assert not cones.contains(parent, parent * 0.5, 0.1).any()


def test_every_point_is_inside_its_own_cone_whatever_its_signs(shell):
    x = shell(np.random.default_rng(46), 500, 3, 0.1, 5)
    for signs in (x, -np.abs(x)):
        assert np.all(cones.cone_angle(signs, signs) == 0)
        assert np.all(cones.contains(signs, signs, 0.1))


def test_the_angle_is_the_arccos_of_the_paper(shell):
    rng = np.random.default_rng(47)
    parent, child = shell(rng, 1000, 4, 0.1, 5), shell(rng, 1000, 4, 0.1, 5)
    np.testing.assert_allclose(
        cones.cone_angle(parent, child), cones.cone_angle_paper(parent, child), rtol=0, atol=1e-6
    )


def test_the_angle_matches_fifty_digits_for_tiny_steps(shell):
    rng = np.random.default_rng(48)
    parent = shell(rng, 50, 3, 0.5, 5)
    child = parent + shell(rng, 50, 3, 1e-9, 1e-8)
    for x, y in zip(parent, child, strict=True):
        with mp.workdps(50):
            x_, y_ = [mp.mpf(float(a)) for a in x], [mp.mpf(float(a)) for a in y]
            step = [b - a for a, b in zip(x_, y_, strict=True)]
            exact = mp.acos(mp.fdot(step, x_) / mp.sqrt(mp.fdot(step, step) * mp.fdot(x_, x_)))
        assert float(cones.cone_angle(x, y)) == pytest.approx(float(exact), abs=1e-14)


def test_energy_is_zero_exactly_inside_the_cone(shell, turned):
    rng = np.random.default_rng(49)
    parent = shell(rng, 5000, 3, 0.2, 2)
    child = parent + turned(rng, parent, rng.uniform(0, 2, 5000) * cones.half_aperture(parent, 0.2))
    inside = cones.contains(parent, child, 0.2)
    assert 0.3 < inside.mean() < 0.7
    assert np.array_equal(cones.energy(parent, child, 0.2) == 0, inside)


def test_a_constant_that_is_not_positive_is_refused():
    with pytest.raises(ConfigError, match="positive"):
        cones.half_aperture([1.0, 0.0], 0.0)
