"""A NaN that someone brings in is refused where it comes in; no answer is ever made of one."""

import numpy as np
import pytest

from hypercone.embedding import Embedding
from hypercone.errors import ConfigError, InputError
from hypercone.hierarchy import Hierarchy
from hypercone.methods import METHODS, Settings
from hypercone.training import fit

NAMES = ["animal", "dog", "stone"]
POINTS = np.array([[0.2, 0.1], [0.5, 0.3], [0.3, -0.5]])
NO_NUMBERS = [np.nan, np.inf, -np.inf]
PETS = Hierarchy.from_pairs([("animal", "dog"), ("animal", "stone")])


def spoiled(points, row, column, value):
    points = points.copy()
    points[row, column] = value
    return points


@pytest.fixture(params=METHODS)
def embedding(request):
    return Embedding(NAMES, POINTS, request.param, Settings(), threshold=0.2)


@pytest.mark.parametrize("value", NO_NUMBERS)
@pytest.mark.parametrize("name", METHODS)
def test_an_embedding_of_points_that_are_not_finite_is_refused_with_the_node(name, value):
    for row, called in enumerate(NAMES):
        for column in (0, 1):
            with pytest.raises(InputError, match=f"the point of '{called}' is not finite; give points without NaN"):
                Embedding(NAMES, spoiled(POINTS, row, column, value), name, Settings(), threshold=0.2)


def test_a_threshold_that_is_not_finite_is_refused_and_a_huge_one_holds_everything():
    with pytest.raises(InputError, match="the threshold is not a number"):
        Embedding(NAMES, POINTS, "order", Settings(), threshold=np.nan)
    with pytest.raises(InputError, match=r"its threshold is inf .* give a finite number"):
        Embedding(NAMES, POINTS, "order", Settings(), threshold=np.inf)
    assert Embedding(NAMES, POINTS, "order", Settings(), threshold=1e300).is_a("animal", "stone")


@pytest.mark.parametrize("value", NO_NUMBERS)
@pytest.mark.parametrize("row", range(3))
def test_a_start_that_is_not_finite_is_refused(row, value):
    with pytest.raises(ConfigError, match="start has values that are not finite; give points without NaN or infinity"):
        fit(PETS, method="hyperbolic-cones", dim=2, epochs=1, start=spoiled(POINTS, row, 1, value))


@pytest.mark.parametrize("value", NO_NUMBERS)
def test_a_point_or_a_weight_to_ask_about_that_is_not_finite_is_refused(embedding, value):
    with pytest.raises(InputError, match="the point has norm"):
        embedding.ancestors_of_point([0.3, value])
    with pytest.raises(InputError, match="the weights are"):
        embedding.centroid(NAMES, [1.0, value, 1.0])


@pytest.mark.parametrize("value", NO_NUMBERS)
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
