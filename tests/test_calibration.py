"""The threshold is the best there is, ties included, and α is chosen with it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypercone.hierarchy import LabeledPairs
from hypercone.methods import METHODS, Settings
from hypercone.methods.scoring import ALPHAS, Calibration, Counts, Scorer, best_threshold, calibrate, count_at

# Few different values, so that ties are the rule.
tied = st.lists(st.integers(-3, 5).map(float), min_size=1, max_size=25)
spread = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=25)


def arrays(positives, negatives):
    return np.array(positives, float), np.array(negatives, float)


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

    @given(tied, tied)
    def test_it_is_one_of_the_scores(self, positives, negatives):
        assert best_threshold(*arrays(positives, negatives))[0] in positives + negatives

    @given(tied, tied, st.randoms())
    def test_the_order_of_the_pairs_does_not_matter(self, positives, negatives, random):
        found = best_threshold(*arrays(positives, negatives))
        random.shuffle(positives)
        random.shuffle(negatives)
        assert best_threshold(*arrays(positives, negatives)) == found

    def test_a_positive_tied_with_negatives_is_won_only_together_with_them(self):
        threshold, f1 = best_threshold(*arrays([0.0, 1.0], [1.0, 1.0, 1.0, 1.0]))
        assert threshold == 0.0
        assert f1 == pytest.approx(2 / 3)
        assert best_threshold(*arrays([1.0, 1.0, 1.0], [1.0]))[1] == pytest.approx(6 / 7)

    def test_a_collapsed_embedding_gets_no_credit(self):
        """All energies zero: everything is called true, and precision is the share of positives."""
        threshold, f1 = best_threshold(np.zeros(10), np.zeros(100))
        assert threshold == 0.0
        assert f1 == pytest.approx(2 * 10 / (10 + 110))

    def test_the_lowest_of_equally_good_thresholds_is_taken(self):
        assert best_threshold(*arrays([1.0, 3.0], [2.0]))[0] == 3.0
        assert best_threshold(*arrays([1.0], [2.0, 3.0])) == (1.0, 1.0)

    @pytest.mark.parametrize("gap", [0.0, 1.0, 3.0])
    def test_leaving_out_hopeless_negatives_changes_nothing(self, gap):
        random = np.random.default_rng(7)
        for digits in (1, 3, 12):
            positives = random.normal(size=300).round(digits)
            negatives = (gap + random.normal(size=5000)).round(digits)
            scores = np.unique(positives)
            f1 = [count_at(score, positives, negatives).f1 for score in scores]
            assert best_threshold(positives, negatives) == (scores[np.argmax(f1)], max(f1))

    def test_without_negatives_everything_is_true(self):
        assert best_threshold(*arrays([1.0, 2.0], [])) == (2.0, 1.0)


class TestCounts:
    def test_the_measures_are_those_of_the_books(self):
        counts = count_at(1.0, *arrays([0.5, 1.0, 2.0], [1.0, 3.0]))
        assert counts == Counts(true_positives=2, false_positives=1, positives=3)
        assert counts.precision == pytest.approx(2 / 3)
        assert counts.recall == pytest.approx(2 / 3)
        assert counts.f1 == pytest.approx(2 / 3)

    def test_nothing_called_true_is_zero_and_not_an_error(self):
        counts = count_at(-1.0, *arrays([0.5], [1.0]))
        assert (counts.precision, counts.recall, counts.f1) == (0.0, 0.0, 0.0)
        assert Counts(0, 0, 0).f1 == 0.0


class TestCalibrate:
    def pairs(self, rng, count):
        rows = rng.integers(0, count, (200, 2), dtype=np.int32)
        rows = rows[rows[:, 0] != rows[:, 1]]
        return LabeledPairs(rows[:50], rows[50:])

    @pytest.mark.parametrize("name", METHODS)
    def test_it_finds_the_best_threshold_and_alpha_there_are(self, name):
        method, rng = METHODS[name], np.random.default_rng(3)
        points = method.project(rng.uniform(-0.6, 0.6, (40, 2)), Settings())
        pairs = self.pairs(rng, 40)
        best = -1.0
        for alpha in ALPHAS if method.uses_alpha else [0.0]:
            settings = Settings(alpha=alpha)
            scores = [
                method.signed_energy(points[rows[:, 0]], points[rows[:, 1]], settings)
                for rows in (pairs.positives, pairs.negatives)
            ]
            if method.loss == "margin":
                scores = [np.maximum(0.0, part) for part in scores]
            best = max(best, best_threshold(*scores)[1])
        assert calibrate(Scorer(points, method, Settings()), pairs).f1 == pytest.approx(best)

    @pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.uses_alpha])
    def test_alpha_is_large_when_the_norms_tell_the_direction(self, name):
        """Each true pair and its reverse are equally far: only the norms can tell them apart."""
        rng = np.random.default_rng(4)
        rays = rng.normal(size=(100, 2))
        rays /= np.linalg.norm(rays, axis=1, keepdims=True)
        points = np.concatenate([0.1 * rays, 0.6 * rays])
        down = np.stack([np.arange(100), np.arange(100, 200)], axis=1).astype(np.int32)
        found = calibrate(Scorer(points, METHODS[name], Settings()), LabeledPairs(down, down[:, ::-1].copy()))
        assert found.f1 == 1.0
        assert found.alpha > 0
        assert found.alpha in ALPHAS

    @pytest.mark.parametrize("name", [name for name, method in METHODS.items() if not method.uses_alpha])
    def test_methods_without_alpha_keep_theirs(self, name):
        rng = np.random.default_rng(5)
        points = METHODS[name].project(rng.uniform(-0.6, 0.6, (40, 2)), Settings())
        assert calibrate(Scorer(points, METHODS[name], Settings(alpha=0.0)), self.pairs(rng, 40)).alpha == 0.0

    def test_a_calibration_does_not_change(self):
        with pytest.raises(AttributeError):
            Calibration(1.0, 0.0, 0.0).f1 = 0.5
