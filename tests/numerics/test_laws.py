"""Over the whole domain every answer is finite, in its range, and right within the error that laws.py states."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.numerics import laws, regions

from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.geometry import caps, cones, euclidean_cones, hyperboloid, klein, order, poincare
from hypercone.methods import METHODS, Settings

MODULES = (caps, cones, euclidean_cones, hyperboloid, klein, order, poincare)
POINTS, COMPARED = 200, 2
# Not in the table, and why not.
OTHERS = {
    "contains": "compares two numbers of the table",
    "convex_hull_contains": "a proof in code, held to contains by tests/geometry",
    "cone_half_angle": "euclidean_cones.half_aperture of a Klein point",
    "klein_radius": "the length of to_klein",
    "cone_angle_paper": "as printed: undefined at the edges, which is why it is not the one to compute with",
    "exp_map_paper": "as printed",
    "geodesic": "exp_map with a direction and a time; on the hyperboloid two products",
    "geodesic_between": "held to exp_map and log_map by tests/geometry",
    "retraction": "a sum",
    **dict.fromkeys(
        ("angle", "angle_at", "departure", "cosine_law_angle", "cosine_law_side", "sine_law_ratio"),
        "trigonometry, held to identities and to 50 digits by tests/geometry",
    ),
    "push_forward": "appears in proofs alone",
    "spoke": "a direction, held to push_forward by tests/geometry",
    "metric": "two products; on the hyperboloid held to minkowski in 50 digits by tests/geometry",
    "curve_length": "a sum of distances",
    "max_margin_loss": "a sum of energies",
    "minkowski": "appears in proofs alone: it cancels, which is why distance does not use it",
    "inner_radius": "a number of K alone",
    "kappa": "a number of K alone",
}
# The maps of the hyperboloid, whose coordinates overflow where those of the ball do not.
LIFTED = {"hyperboloid.exp_map", "hyperboloid.log_map"}


@pytest.mark.parametrize("law", laws.LAWS, ids=lambda law: law.name)
@settings(max_examples=3)
@given(st.integers(0, 2**32 - 1), st.sampled_from(regions.DIMS), st.integers(0, 4), st.integers(0, 1))
def test_every_answer_is_finite_in_its_range_and_right_within_its_stated_error(law, seed, dim, constant, narrow):
    type_ = law.types[min(narrow, len(law.types) - 1)]
    constants = regions.COMPILED_CONSTANTS if law.is_compiled else regions.CONSTANTS[type_]
    K = constants[constant % len(constants)]
    for region in regions.REGIONS:
        arguments, found = laws.answers(law, region, seed, POINTS, dim, K, type_)
        assert laws.is_in_range(law, found, K), region
        for row in np.random.default_rng(seed).integers(0, POINTS, COMPARED).tolist():
            error, share = laws.share_of_bound(law, arguments, found, row, K)
            assert share <= 1, f"{region}, row {row}: off by {error}, {share} times what is stated"


def test_every_function_of_the_geometry_stands_in_the_table_or_among_those_that_need_not():
    named = {law.name for law in laws.LAWS} | LIFTED
    for module in MODULES:
        for name, function in vars(module).items():
            if callable(function) and getattr(function, "__module__", "") == module.__name__ and name[0] != "_":
                assert f"{module.__name__.rpartition('.')[2]}.{name}" in named or name in OTHERS


def test_the_hyperboloid_has_the_angle_of_a_pair_as_accurately_as_the_ball():
    ball, lifted = (
        next(law for law in laws.LAWS if law.name == f"{name}.cone_angle") for name in ("cones", "hyperboloid")
    )
    assert (lifted.error.words, lifted.c) == (ball.error.words, ball.c)


def test_a_wrong_formula_is_found_out():
    """The comparison can fail: the printed arccos, which cancels near the border, does not pass for the stable one."""
    law = next(law for law in laws.LAWS if law.name == "cones.cone_angle")
    arguments, _ = laws.answers(law, "at the border", 0, 50, 2, 0.1, "float64")
    printed = cones.cone_angle_paper(*arguments)
    shares = [laws.share_of_bound(law, arguments, printed, row, 0.1)[1] for row in range(50)]
    assert np.nanmax(shares) > 1


@pytest.mark.parametrize("half_aperture", [cones.half_aperture, euclidean_cones.half_aperture])
@pytest.mark.parametrize("type_", ["float32", "float64"])
def test_a_cone_constant_too_small_for_the_type_of_the_points_leaves_cones_open(half_aperture, type_):
    points = np.array([[0.0, 0.0], [0.5, 0.0], [0.9, 0.0]], type_)
    apertures = half_aperture(points, 5e-324)
    assert apertures[0] == np.asarray(np.pi / 2, type_)
    assert (apertures > 0).all()
    lifted = hyperboloid.half_aperture(hyperboloid.to_hyperboloid(points), 5e-324)
    assert (lifted > 0).all()


def test_the_angle_of_a_flat_cone_is_the_same_at_every_scale():
    """Split into its parts before it was made a direction, a subnormal step lost them to rounding."""
    points = np.random.default_rng(0).integers(-60, 60, (2, 500, 3)) * 5e-324
    assert np.array_equal(euclidean_cones.cone_angle(*points), euclidean_cones.cone_angle(*np.ldexp(points, 1000)))


RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "numerics.json"


def test_the_committed_measurement_is_of_the_present_table_and_within_it_and_its_size_is_on_the_page():
    measured = json.loads(RESULTS.read_text(encoding="utf-8"))
    stated = [(row["function"], row["stated"], row["origin"], row["c"]) for row in measured["results"]]
    assert stated == [(law.name, law.error.words, law.error.origin, law.c) for law in laws.LAWS]
    assert all(row["worst"].keys() == regions.REGIONS.keys() for row in measured["results"])
    assert max(cell["share"] for row in measured["results"] for cell in row["worst"].values()) < 1
    assert measured["points"] > 100_000
    page = (RESULTS.parents[2] / "docs" / "explanation" / "robustness.md").read_text(encoding="utf-8")
    assert f"{measured['points']:,} seeded points" in page


@pytest.mark.parametrize("method", METHODS)
def test_a_question_about_what_is_not_finite_is_refused_and_a_huge_threshold_holds_everything(method):
    points = np.array([[0.2, 0.1], [0.5, 0.3], [0.3, -0.5]])
    embedding = Embedding(["animal", "dog", "stone"], points, method, Settings(), threshold=1e300)
    assert embedding.is_a("animal", "stone")
    for value in (np.nan, np.inf, -np.inf):
        with pytest.raises(InputError, match="the point has norm"):
            embedding.ancestors_of_point([0.3, value])
        with pytest.raises(InputError, match="the weights are"):
            embedding.centroid(embedding.names, [1.0, value, 1.0])
