"""A scorer and its calibration: the threshold is the best there is, ties included, and α is chosen with it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypercone.hierarchy import LabeledPairs
from hypercone.methods import METHODS, Settings
from hypercone.methods.scoring import ALPHAS, Counts, Scorer, best_threshold, calibrate, count_at

# Few different values, so that there are many ties.
tied = st.lists(st.integers(-3, 5).map(float), min_size=1, max_size=25)
spread = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=25)


def arrays(positives, negatives):
    return np.array(positives, float), np.array(negatives, float)


class TestScorer:
    def test_its_points_are_a_read_only_view(self):
        given = np.array([[0.5, 0.0], [0.9, 0.0], [0.0, 0.5]])
        scorer = Scorer(given, METHODS["hyperbolic-cones"], Settings())
        assert scorer.points.base is given
        with pytest.raises(ValueError, match="read-only"):
            scorer.points[0, 0] = 0.1
        given[0, 0] = 0.6
        assert scorer.points[0, 0] == 0.6
        given.setflags(write=False)
        assert Scorer(given, METHODS["hyperbolic-cones"], Settings()).points is given

    def test_ancestors_and_descendants_follow_from_the_energies_and_the_threshold(self, method):
        points = np.abs(np.random.default_rng(5).uniform(0.3, 0.5, (12, 3)))
        scorer = Scorer(points, method, Settings(), threshold=0.4)
        for row in range(len(scorer)):
            others = np.delete(np.arange(len(scorer), dtype=np.int32), row)
            pairs_below = np.stack([np.full_like(others, row), others], axis=1)
            assert scorer.below(row).tolist() == others[scorer.energies(pairs_below) <= 0.4].tolist()
            assert scorer.above(row).tolist() == others[scorer.energies(pairs_below[:, ::-1]) <= 0.4].tolist()


class TestBestThreshold:
    @given(st.one_of(st.tuples(tied, tied), st.tuples(spread, spread)))
    def test_no_other_threshold_has_a_higher_f1(self, scores):
        positives, negatives = arrays(*scores)
        threshold, f1 = best_threshold(positives, negatives)
        every = np.unique(np.concatenate([positives, negatives]))
        between = (every[1:] + every[:-1]) / 2
        tries = np.concatenate([every, between, [every[0] - 1, every[-1] + 1]])
        assert f1 == pytest.approx(max(count_at(t, positives, negatives).f1 for t in tries))
        assert f1 == pytest.approx(count_at(threshold, positives, negatives).f1)

    @given(tied, tied, st.randoms())
    def test_it_is_one_of_the_scores_and_does_not_depend_on_their_order(self, positives, negatives, random):
        found = best_threshold(*arrays(positives, negatives))
        assert found[0] in positives + negatives
        random.shuffle(positives)
        random.shuffle(negatives)
        assert best_threshold(*arrays(positives, negatives)) == found

    @pytest.mark.parametrize(
        ("positives", "negatives", "threshold", "f1"),
        [
            pytest.param([0, 1], [1, 1, 1, 1], 0, 2 / 3, id="a positive tied with negatives is true only with them"),
            pytest.param([1, 1, 1], [1], 1, 6 / 7, id="which can be worth it"),
            pytest.param([0] * 10, [0] * 100, 0, 20 / 120, id="a collapsed embedding predicts everything true"),
            pytest.param([1, 3], [2], 3, 4 / 5, id="a negative in between"),
            pytest.param([1], [2, 3], 1, 1, id="the lowest of equally good thresholds"),
            pytest.param([1, 2], [], 2, 1, id="without negatives everything is predicted true"),
        ],
    )
    def test_the_best_threshold_of_a_small_case_is_known(self, positives, negatives, threshold, f1):
        assert best_threshold(*arrays(positives, negatives)) == (threshold, pytest.approx(f1))

    @pytest.mark.parametrize("gap", [0.0, 1.0, 3.0])
    def test_leaving_out_negatives_with_high_scores_changes_nothing(self, gap):
        random = np.random.default_rng(7)
        for digits in (1, 3, 12):
            positives = random.normal(size=300).round(digits)
            negatives = (gap + random.normal(size=5000)).round(digits)
            scores = np.unique(positives)
            f1 = [count_at(score, positives, negatives).f1 for score in scores]
            assert best_threshold(positives, negatives) == (scores[np.argmax(f1)], max(f1))

    def test_precision_recall_and_f1_follow_from_the_counts_and_are_zero_without_predictions(self):
        counts = count_at(1.0, *arrays([0.5, 1.0, 2.0], [1.0, 3.0, 1.0]))
        assert counts == Counts(true_positives=2, false_positives=2, positives=3)
        assert (counts.precision, counts.recall, counts.f1) == pytest.approx((2 / 4, 2 / 3, 4 / 7))
        for empty in (count_at(-1.0, *arrays([0.5], [1.0])), Counts(0, 0, 0)):
            assert (empty.precision, empty.recall, empty.f1) == (0.0, 0.0, 0.0)


class TestCalibrate:
    def test_it_finds_the_best_threshold_and_alpha(self, method):
        rng = np.random.default_rng(3)
        points = method.project(rng.uniform(-0.6, 0.6, (40, 2)), Settings())
        rows = rng.integers(0, 40, (200, 2), dtype=np.int32)
        rows = rows[rows[:, 0] != rows[:, 1]]
        pairs = LabeledPairs(rows[:50], rows[50:])
        energy = method.energy if method.loss == "margin" else method.signed_energy
        alphas = ALPHAS if method.uses_alpha else [0.0]
        best = {}
        for alpha in alphas:
            scores = energy(points[rows[:, 0]], points[rows[:, 1]], Settings(alpha=alpha))
            best[alpha] = best_threshold(scores[:50], scores[50:])[1]
        found = calibrate(Scorer(points, method, Settings()), pairs)
        assert found.f1 == pytest.approx(max(best.values()))
        assert best[found.alpha] == pytest.approx(found.f1)
        with pytest.raises(AttributeError):
            found.f1 = 0.5

    def test_alpha_is_positive_if_the_norms_determine_the_direction(self, distance_method):
        """A true pair and its reverse have the same distance: only the norms distinguish them."""
        rng = np.random.default_rng(4)
        rays = rng.normal(size=(100, 2))
        rays /= np.linalg.norm(rays, axis=1, keepdims=True)
        points = np.concatenate([0.1 * rays, 0.6 * rays])
        down = np.stack([np.arange(100), np.arange(100, 200)], axis=1).astype(np.int32)
        found = calibrate(Scorer(points, distance_method, Settings()), LabeledPairs(down, down[:, ::-1].copy()))
        assert found.f1 == 1.0
        assert found.alpha > 0
