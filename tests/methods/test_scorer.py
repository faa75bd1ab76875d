"""A scorer: points with their method, settings and threshold, which nobody can change through it."""

from __future__ import annotations

import numpy as np
import pytest

from hypercone.methods import METHODS, Settings
from hypercone.methods.scoring import Scorer

POINTS = [[0.5, 0.0], [0.9, 0.0], [0.0, 0.5]]
cones = METHODS["hyperbolic-cones"]


def test_its_points_are_a_view_that_cannot_be_written_to():
    given = np.array(POINTS)
    scorer = Scorer(given, cones, Settings())
    assert scorer.points.base is given
    with pytest.raises(ValueError, match="read-only"):
        scorer.points[0, 0] = 0.1
    given[0, 0] = 0.6
    assert scorer.points[0, 0] == 0.6


def test_points_that_cannot_be_written_to_are_taken_as_they_are():
    given = np.array(POINTS)
    given.setflags(write=False)
    assert Scorer(given, cones, Settings()).points is given


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_what_is_above_and_below_follows_from_the_energies_and_the_threshold(method):
    points = np.abs(np.random.default_rng(5).uniform(0.3, 0.5, (12, 3)))
    scorer = Scorer(points, method, Settings(), threshold=0.4)
    for row in range(len(scorer)):
        others = np.delete(np.arange(len(scorer), dtype=np.int32), row)
        pairs_below = np.stack([np.full_like(others, row), others], axis=1)
        assert scorer.below(row).tolist() == others[scorer.energies(pairs_below) <= 0.4].tolist()
        assert scorer.above(row).tolist() == others[scorer.energies(pairs_below[:, ::-1]) <= 0.4].tolist()
