"""The ends of the domain: compiled code at the border, and NaN refused wherever it comes in."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hypercone._jit import dimension_type, kernel
from hypercone.embedding import Embedding
from hypercone.errors import ConfigError, InputError
from hypercone.geometry import poincare
from hypercone.hierarchy import Hierarchy
from hypercone.methods import METHODS, Settings
from hypercone.methods.generic_kernels import GeodesicSgd, Sgd, step
from hypercone.methods.scoring import Scorer
from hypercone.training import fit

IN_THE_BALL = ("hyperbolic-cones", "poincare")
BORDERS = (1e-12, 1e-2)


@kernel
def _step_each(points, memory, gradients, optimizer, method, dim):
    for row in range(points.shape[0]):
        step(optimizer, method, points, memory, np.uint64(row), gradients[row], dim)


def step_all(method, case, optimizer, points, gradients):
    points = points.copy()
    _step_each(points, np.zeros(len(points)), gradients.copy(), optimizer, method.constants(case), dimension_type(2))
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
    after = step_all(method, case, GeodesicSgd(1e3), points, size * gradients)
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
    after = step_all(method, case, optimizer(1e3), points, size * rng.normal(size=points.shape))
    norms = np.hypot(*after.T)
    is_lost = np.isnan(norms)
    assert is_lost.all() if size >= 1e200 else not is_lost.any()
    assert ((norms[~is_lost] >= inner * (1 - 1e-12)) & (norms[~is_lost] <= outer * (1 + 1e-12))).all()


def test_a_point_at_the_origin_is_projected_to_the_shell_however_small_its_coordinates():
    """|x|² of 3e-162 is a subnormal number: divided by its root, the point came to lie 5 % beside the shell."""
    method, case = METHODS["hyperbolic-cones"], Settings()
    points = np.array([[0.0, 0.0], [5e-324, 0.0], [0.0, 3e-162], [1e-150, -1e-150], [1e-120, 1e-120]])
    after = step_all(method, case, Sgd(1.0), points, np.zeros_like(points))
    np.testing.assert_allclose(np.hypot(*after.T), method.shell(case)[0], rtol=1e-12)


@pytest.mark.parametrize("name", METHODS)
def test_points_that_round_onto_the_border_and_the_origin_have_finite_energies(name):
    corners = [[0.0, 0.0], [1.0, 0.0], [0.6, 0.8], [-1.0, 0.0], [math.nextafter(1.0, 0.0), 0.0], [0.5, 0.0]]
    pairs = np.array([[i, j] for i in range(len(corners)) for j in range(len(corners))], np.int32)
    energies = Scorer(np.array(corners), METHODS[name], Settings()).signed_energies(pairs)
    assert np.isfinite(energies).all()
    readable = METHODS[name].signed_energy(*(np.array(corners)[pairs[:, side]] for side in (0, 1)), Settings())
    np.testing.assert_allclose(energies, readable, rtol=1e-12, atol=1e-12)


NAMES = ["animal", "dog", "stone"]
POINTS = np.array([[0.2, 0.1], [0.5, 0.3], [0.3, -0.5]])
NOT_FINITE = [np.nan, np.inf, -np.inf]
PETS = Hierarchy.from_pairs([("animal", "dog"), ("animal", "stone")])


def replace_one(points, row, column, value):
    points = points.copy()
    points[row, column] = value
    return points


@pytest.fixture(params=METHODS)
def embedding(request):
    return Embedding(NAMES, POINTS, request.param, Settings(), threshold=0.2)


@pytest.mark.parametrize("value", NOT_FINITE)
@pytest.mark.parametrize("name", METHODS)
def test_an_embedding_of_points_that_are_not_finite_is_refused_with_the_node(name, value):
    for row, called in enumerate(NAMES):
        for column in (0, 1):
            with pytest.raises(InputError, match=f"the point of '{called}' is not finite; give points without NaN"):
                Embedding(NAMES, replace_one(POINTS, row, column, value), name, Settings(), threshold=0.2)


def test_a_threshold_that_is_not_finite_is_refused_and_a_huge_one_holds_everything():
    with pytest.raises(InputError, match="the threshold is not a number"):
        Embedding(NAMES, POINTS, "order", Settings(), threshold=np.nan)
    with pytest.raises(InputError, match=r"its threshold is inf .* give a finite number"):
        Embedding(NAMES, POINTS, "order", Settings(), threshold=np.inf)
    assert Embedding(NAMES, POINTS, "order", Settings(), threshold=1e300).is_a("animal", "stone")


@pytest.mark.parametrize("value", NOT_FINITE)
@pytest.mark.parametrize("row", range(3))
def test_a_start_that_is_not_finite_is_refused(row, value):
    with pytest.raises(ConfigError, match="start has values that are not finite; give points without NaN or infinity"):
        fit(PETS, method="hyperbolic-cones", dim=2, epochs=1, start=replace_one(POINTS, row, 1, value))


@pytest.mark.parametrize("value", NOT_FINITE)
def test_a_point_or_a_weight_to_ask_about_that_is_not_finite_is_refused(embedding, value):
    with pytest.raises(InputError, match="the point has norm"):
        embedding.ancestors_of_point([0.3, value])
    with pytest.raises(InputError, match="the weights are"):
        embedding.centroid(NAMES, [1.0, value, 1.0])


@pytest.mark.parametrize("value", NOT_FINITE)
def test_no_setting_takes_what_is_not_finite(value):
    for setting in ("rate", "K", "margin", "border", "start_spread", "rescale", "positive_weight", "sampling_power"):
        with pytest.raises(ConfigError, match=f"{setting} is .*, but must be a finite number"):
            fit(PETS, **{"method": "hyperbolic-cones", "dim": 2, setting: value})


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_name_or_a_label_that_is_a_number_is_refused(value):
    """What a data frame has for an empty cell."""
    with pytest.raises(InputError):
        Hierarchy.from_pairs([("animal", "dog"), ("animal", value)])


def test_every_answer_of_a_sound_embedding_is_finite(embedding):
    assert np.isfinite(embedding.energy(NAMES, NAMES)).all()
    assert np.isfinite(embedding.centroid(NAMES)).all()
    assert np.isfinite([distance for name in NAMES for _, distance in embedding.nearest(name)]).all()
    assert np.isfinite(embedding.explain("dog", "animal").energy)
