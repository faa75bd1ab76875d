"""One step of each optimizer: its direction, its length, and that it never leaves the domain."""

import math

import numpy as np
import pytest
from tests.support.methods import make_pairs, printed_gradient, shell_points, step_all

from hypercone._jit import dimension_type
from hypercone.geometry import poincare
from hypercone.methods import METHODS, Settings
from hypercone.methods.generic_kernels import Adagrad, GeodesicSgd, Sgd

CASE = Settings()
OPTIMIZERS = {"sgd": Sgd, "sgd-exp": GeodesicSgd, "adagrad": Adagrad}
ABOVE_32 = 40
each_optimizer = pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=OPTIMIZERS)
# Few kernels: five dimensions for all, and loops that are not unrolled for one hyperbolic and one Euclidean method.
METHODS_AND_DIMS = [(name, 5) for name in METHODS] + [("hyperbolic-cones", ABOVE_32), ("order", ABOVE_32)]
each_method = pytest.mark.parametrize(("name", "dim"), METHODS_AND_DIMS)


def moved(method, optimizer, points, gradients, memory=None, case=CASE):
    points = points.copy()
    memory = np.zeros(len(points)) if memory is None else memory
    step_all(points, memory, gradients.copy(), optimizer, method.constants(case), dimension_type(points.shape[1]))
    return points


def outward_inward_and_aside(rng, points):
    gradients = rng.normal(size=points.shape)
    gradients[::3], gradients[1::3] = points[::3], -points[1::3]
    return gradients


def scales(method, points):
    """λ at each point."""
    return poincare.conformal_factor(points) if method.is_hyperbolic else np.ones(len(points))


def inside(method, count, dim):
    """Points well inside the domain, which a small step cannot leave."""
    inner, outer = method.shell(CASE)
    points = shell_points(method, CASE, np.random.default_rng(0), count, dim)
    norms = np.linalg.norm(points, axis=1, keepdims=True)
    return points * (inner + (min(outer, 2.0) - inner) * (0.3 + 0.4 * np.minimum(norms, 1.0))) / norms


@each_method
@each_optimizer
@pytest.mark.parametrize(
    ("rate", "size"), [(0.5, 1e-300), (0.5, 1e-6), (0.5, 1.0), (0.5, 1e6), (0.5, 1e150), (1e3, 1e-310), (1e3, 1e10)]
)
def test_no_step_leaves_the_domain_however_large_the_gradient(name, dim, optimizer, rate, size):
    method = METHODS[name]
    inner, outer = method.shell(CASE)
    rng = np.random.default_rng(1)
    points = shell_points(method, CASE, rng, 200, dim)
    after = moved(method, optimizer(rate), points, size * outward_inward_and_aside(rng, points))
    assert np.isfinite(after).all()
    norms = np.array([math.hypot(*point) for point in after])
    assert (norms >= inner * (1 - 1e-12)).all()
    assert (norms <= outer * (1 + 1e-12)).all()


@pytest.mark.parametrize("optimizer", [Sgd, GeodesicSgd])
@pytest.mark.parametrize("name", ["hyperbolic-cones", "poincare", "order"])
@pytest.mark.parametrize("size", [1e200, 1e300])
def test_a_step_beyond_all_numbers_is_seen_to_have_no_end(name, optimizer, size):
    """Thrown beyond all numbers, points once came back to the origin, where no cone is."""
    rng = np.random.default_rng(1)
    points = METHODS[name].project(rng.normal(size=(100, 5)) / 3, CASE)
    after = moved(METHODS[name], optimizer(1e3), points, size * rng.normal(size=points.shape))
    assert np.isnan(after).any(axis=1).all()


def test_a_point_at_the_origin_is_projected_to_the_shell_however_small_its_coordinates():
    """|x|² of 3e-162 is a subnormal number: divided by its root, the point came to lie 5 % beside the shell."""
    method = METHODS["hyperbolic-cones"]
    points = np.zeros((5, 5))
    points[:, :2] = [[0.0, 0.0], [5e-324, 0.0], [0.0, 3e-162], [1e-150, -1e-150], [1e-120, 1e-120]]
    after = moved(method, Sgd(1.0), points, np.zeros_like(points))
    np.testing.assert_allclose(np.linalg.norm(after, axis=1), method.shell(CASE)[0], rtol=1e-12)


@each_method
@each_optimizer
def test_a_zero_gradient_moves_nothing(name, dim, optimizer):
    method = METHODS[name]
    points = inside(method, 50, dim)
    assert np.array_equal(moved(method, optimizer(0.5), points, np.zeros_like(points)), points)


@each_method
def test_sgd_is_the_retraction_of_the_riemannian_gradient(name, dim):
    method, rate = METHODS[name], 0.1
    points = inside(method, 50, dim)
    gradients = np.random.default_rng(2).normal(size=points.shape) / dim
    expected = method.project(points - rate * gradients / scales(method, points)[:, None] ** 2, CASE)
    np.testing.assert_allclose(moved(method, Sgd(rate), points, gradients), expected, rtol=1e-12, atol=1e-15)


@each_method
@pytest.mark.parametrize("rate", [1e-3, 0.1, 3.0])
def test_geodesic_sgd_is_the_exponential_map(name, dim, rate):
    method = METHODS[name]
    points = shell_points(method, CASE, np.random.default_rng(3), 100, dim)
    gradients = np.random.default_rng(4).normal(size=points.shape)
    tangents = -rate * gradients / scales(method, points)[:, None] ** 2
    moved_points = poincare.exp_map(points, tangents) if method.is_hyperbolic else points + tangents
    after = moved(method, GeodesicSgd(rate), points, gradients)
    # Near the border, the rounding of the point limits the precision.
    np.testing.assert_allclose(after, method.project(moved_points, CASE), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("border", [1e-12, 1e-2])
@pytest.mark.parametrize("name", ["hyperbolic-cones", "poincare"])
@pytest.mark.parametrize("size", [1e-310, 1e-8, 1.0, 1e10, 1e140])
def test_a_long_way_inward_from_the_border_is_the_exponential_map(name, border, size):
    """The textbook sum divides by (1−r)² there, which was rounded to 0: one such step in fourteen gave NaN."""
    method, case = METHODS[name], Settings(border=border)
    rng = np.random.default_rng(0)
    rays = rng.normal(size=(400, 5))
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    points = method.project(rays * (1 - border * 10.0 ** rng.uniform(0, 1.9, (400, 1))), case)
    gradients = size * outward_inward_and_aside(rng, points)
    tangents = -1e3 * gradients / poincare.conformal_factor(points)[:, None] ** 2
    expected = method.project(poincare.exp_map(points, tangents), case)
    # A rounding of the start, eps, is eps/g in the metric, and that is what arrives in the middle of the ball.
    after = moved(method, GeodesicSgd(1e3), points, gradients, case=case)
    np.testing.assert_allclose(after, expected, rtol=0, atol=1e-15 + 2e-15 / border)


@each_method
def test_adagrad_never_moves_further_than_the_rate(name, dim):
    method, rate = METHODS[name], 0.1
    rng = np.random.default_rng(5)
    points = inside(method, 200, dim)
    memory = np.where(rng.random(200) < 0.5, 0.0, rng.exponential(size=200))
    gradients = rng.normal(size=points.shape) * 10.0 ** rng.uniform(-8, 8, (200, 1))
    before = memory.copy()
    after = moved(method, Adagrad(rate), points, gradients, memory)
    lengths = np.linalg.norm(after - points, axis=1) * scales(method, points)
    assert (lengths <= rate * (1 + 1e-9)).all()
    first = before == 0
    np.testing.assert_allclose(lengths[first], rate, rtol=1e-9)
    assert (memory > before).all()


def test_adagrad_steps_shrink_as_gradients_repeat():
    method, rate = METHODS["order"], 0.1
    points, memory, gradients = np.zeros((1, 5)), np.zeros(1), np.full((1, 5), 0.3)
    for visit in range(1, 5):
        after = moved(method, Adagrad(rate), points, gradients, memory)
        assert np.linalg.norm(after - points) == pytest.approx(rate / math.sqrt(visit), rel=1e-12)
        points = after


def test_one_huge_gradient_does_not_stop_a_node():
    """At the inner shell the gradient of the aperture is infinite; summed in full, it would stop all movement."""
    method, rate = METHODS["order"], 0.1
    points, memory = np.zeros((1, 5)), np.zeros(1)
    after = moved(method, Adagrad(rate), points, np.full((1, 5), 1e8), memory)
    again = moved(method, Adagrad(rate), after, np.full((1, 5), 1.0), memory)
    assert np.linalg.norm(again - after) > rate / 100


@each_optimizer
def test_a_step_goes_downhill(optimizer, method):
    """Along the negative gradient, for both ends of a pair."""
    points, pairs = make_pairs(method, CASE, np.random.default_rng(6), 12, 5)
    points = points[np.concatenate([pairs[1::2, 0], pairs[1::2, 1]])]
    half = len(points) // 2
    parents, children = points[:half], points[half:]
    slopes = [printed_gradient(method, CASE, u, v) for u, v in zip(parents, children, strict=True)]
    gradients = np.concatenate([np.array([of_parent for of_parent, _ in slopes]), np.array([c for _, c in slopes])])
    after = moved(method, optimizer(1e-6), points, gradients)
    before = method.signed_energy(parents, children, CASE)
    assert (method.signed_energy(after[:half], after[half:], CASE) <= before + 1e-9).all()
