"""Compiled code at the ends of its domain: energies of points that round onto the border, and long steps."""

import math

import numpy as np
import pytest

from hypercone._jit import dimension_type, kernel
from hypercone.geometry import poincare
from hypercone.methods import METHODS, Settings
from hypercone.methods.generic_kernels import GeodesicSgd, Sgd, step
from hypercone.methods.scoring import Scorer

IN_THE_BALL = ("hyperbolic-cones", "poincare")
BORDERS = (1e-12, 1e-2)


@kernel
def _step_all(points, memory, gradients, optimizer, method, dim):
    for row in range(points.shape[0]):
        step(optimizer, method, points, memory, np.uint64(row), gradients[row], dim)


def stepped(method, case, optimizer, points, gradients):
    points = points.copy()
    _step_all(points, np.zeros(len(points)), gradients.copy(), optimizer, method.constants(case), dimension_type(2))
    return points


def at_the_border(method, case, count):
    """Points at the border of the domain and up to eighty times as far from the edge; inward, outward, aside."""
    rng = np.random.default_rng(0)
    rays = rng.normal(size=(count, 2))
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    points = method.project(rays * (1 - case.border * 10.0 ** rng.uniform(0, 1.9, (count, 1))), case)
    gradients = rng.normal(size=points.shape)
    gradients[::3], gradients[1::3] = points[::3], -points[1::3]
    return points, gradients


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("name", IN_THE_BALL)
@pytest.mark.parametrize("size", [1e-310, 1e-8, 1.0, 1e10, 1e140])
def test_a_long_way_inwards_from_the_border_is_the_exponential_map(name, border, size):
    """The textbook sum divides by (1−r)² there, which was rounded to 0: one such step in fourteen gave NaN."""
    method, case = METHODS[name], Settings(border=border)
    points, gradients = at_the_border(method, case, 400)
    after = stepped(method, case, GeodesicSgd(1e3), points, size * gradients)
    tangents = -1e3 * size * gradients / poincare.conformal_factor(points)[:, None] ** 2
    expected = method.project(poincare.exp_map(points, tangents), case)
    # A rounding of the start, eps, is eps/g in the metric, and that is what arrives in the middle of the ball.
    np.testing.assert_allclose(after, expected, rtol=0, atol=1e-15 + 2e-15 / border)


@pytest.mark.parametrize("optimizer", [Sgd, GeodesicSgd])
@pytest.mark.parametrize("name", [*IN_THE_BALL, "order"])
@pytest.mark.parametrize("size", [1e-310, 1e10, 1e200, 1e300])
def test_a_step_ends_in_the_domain_or_is_seen_to_have_no_end(name, optimizer, size):
    """Thrown beyond all numbers, points once came back to the origin, where no cone is."""
    method, case = METHODS[name], Settings()
    inner, outer = method.shell(case)
    rng = np.random.default_rng(1)
    points = method.project(rng.normal(size=(100, 2)) / 3, case)
    after = stepped(method, case, optimizer(1e3), points, size * rng.normal(size=points.shape))
    norms = np.hypot(*after.T)
    is_lost = np.isnan(norms)
    assert is_lost.all() if size >= 1e200 else not is_lost.any()
    assert ((norms[~is_lost] >= inner * (1 - 1e-12)) & (norms[~is_lost] <= outer * (1 + 1e-12))).all()


def test_a_point_at_the_origin_is_projected_to_the_shell_however_small_its_coordinates():
    """|x|² of 3e-162 is a subnormal number: divided by its root, the point came to lie 5 % beside the shell."""
    method, case = METHODS["hyperbolic-cones"], Settings()
    points = np.array([[0.0, 0.0], [5e-324, 0.0], [0.0, 3e-162], [1e-150, -1e-150], [1e-120, 1e-120]])
    after = stepped(method, case, Sgd(1.0), points, np.zeros_like(points))
    np.testing.assert_allclose(np.hypot(*after.T), method.shell(case)[0], rtol=1e-12)


@pytest.mark.parametrize("name", METHODS)
def test_points_that_round_onto_the_border_and_the_origin_have_finite_energies(name):
    corners = [[0.0, 0.0], [1.0, 0.0], [0.6, 0.8], [-1.0, 0.0], [math.nextafter(1.0, 0.0), 0.0], [0.5, 0.0]]
    pairs = np.array([[i, j] for i in range(len(corners)) for j in range(len(corners))], np.int32)
    energies = Scorer(np.array(corners), METHODS[name], Settings()).signed_energies(pairs)
    assert np.isfinite(energies).all()
    readable = METHODS[name].signed_energy(*(np.array(corners)[pairs[:, side]] for side in (0, 1)), Settings())
    np.testing.assert_allclose(energies, readable, rtol=1e-12, atol=1e-12)
