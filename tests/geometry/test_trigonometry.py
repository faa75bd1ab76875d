"""Angles, and the hyperbolic laws of cosines and sines."""

import mpmath as mp
import numpy as np
import pytest

from hypercone.geometry import poincare


@pytest.fixture(scope="module")
def triangle(shell):
    rng = np.random.default_rng(10)
    corners = [shell(rng, 1000, 3, 0, 0.95) for _ in range(3)]
    a, b, c = corners
    sides = [poincare.distance(b, c), poincare.distance(c, a), poincare.distance(a, b)]
    angles = [poincare.angle_at(c, a, b), poincare.angle_at(a, b, c), poincare.angle_at(b, c, a)]
    return sides, angles


def test_the_law_of_cosines_gives_the_angle_from_the_sides(triangle):
    (a, b, c), (_, angle_b, _) = triangle
    printed = np.arccos((np.cosh(a) * np.cosh(c) - np.cosh(b)) / (np.sinh(a) * np.sinh(c)))
    np.testing.assert_allclose(poincare.cosine_law_angle(a, b, c), angle_b, rtol=0, atol=1e-10)
    np.testing.assert_allclose(printed, angle_b, rtol=0, atol=1e-6)


def test_the_law_of_cosines_gives_the_side_from_the_angle(triangle):
    (a, b, c), (_, angle_b, _) = triangle
    np.testing.assert_allclose(poincare.cosine_law_side(a, c, angle_b), b, rtol=1e-12)


def test_the_law_of_sines_holds_at_all_three_corners(triangle):
    sides, angles = triangle
    first, second, third = (poincare.sine_law_ratio(at, side) for at, side in zip(angles, sides, strict=True))
    np.testing.assert_allclose(first, second, rtol=1e-9)
    np.testing.assert_allclose(first, third, rtol=1e-9)


def test_the_angles_of_a_triangle_sum_to_less_than_a_half_turn(triangle):
    _, angles = triangle
    assert np.all(sum(angles) < np.pi)


def test_long_sides_do_not_overflow_the_law_of_cosines():
    flat = poincare.cosine_law_angle(2000.0, 4000.0, 2000.0)
    thin = poincare.cosine_law_angle(2000.0, 1.0, 2000.0)
    assert float(flat) == pytest.approx(np.pi)
    assert 0 <= float(thin) < 1e-300


@pytest.mark.parametrize("tiny", [1e-300, 1e-16, 1e-9, 1e-3])
def test_an_angle_keeps_its_digits_near_zero_and_near_a_half_turn(tiny):
    u, v = np.array([1.0, 0.0, 0.0]), np.array([1.0, tiny, 0.0])
    assert float(poincare.angle(u, v)) == pytest.approx(float(mp.atan(tiny)), rel=1e-14)
    assert float(poincare.angle(u, -v)) == pytest.approx(np.pi - float(mp.atan(tiny)), rel=1e-15)


def test_an_angle_does_not_depend_on_the_lengths():
    u, v = np.array([1.0, 2.0, 3.0]), np.array([-2.0, 0.5, 1.0])
    expected = float(poincare.angle(u, v))
    for scale in (1e-305, 1e-160, 1e160, 1e305):
        assert float(poincare.angle(u * scale, v)) == pytest.approx(expected, rel=1e-14)


def test_a_vector_without_direction_is_perpendicular_by_convention():
    assert float(poincare.angle([0.0, 0.0], [1.0, 0.0])) == pytest.approx(np.pi / 2)
    assert float(poincare.angle([0.0, 0.0], [0.0, 0.0])) == 0


def test_moves_of_the_ball_keep_angles(shell):
    rng = np.random.default_rng(11)
    a, b, c, move = (shell(rng, 500, 3, 0, 0.9) for _ in range(4))
    moved = poincare.angle_at(*(poincare.mobius_add(move, point) for point in (a, b, c)))
    np.testing.assert_allclose(moved, poincare.angle_at(a, b, c), rtol=0, atol=1e-11)
