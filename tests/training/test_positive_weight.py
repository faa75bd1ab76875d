"""What a true pair weighs against one wrong pair."""

from __future__ import annotations

import numpy as np
import pytest

from hypercone.errors import ConfigError
from hypercone.training import FitConfig


def test_without_wrong_pairs_in_reach_a_weight_is_a_rate(trained, tree):
    """The gradient of the positives is multiplied: plain SGD at twice the weight is SGD at twice the rate."""
    alone = {"optimizer": "sgd", "epochs": 1, "margin": 1e-9, "corrupt": "child", "push_inside": "none"}
    weighted = trained(tree, **alone, rate=0.01, positive_weight=2.0)
    faster = trained(tree, **alone, rate=0.02)
    assert weighted == pytest.approx(faster, abs=1e-9)


def test_a_weight_of_one_is_the_default(trained, tree):
    assert np.array_equal(trained(tree, positive_weight=1.0), trained(tree))
    assert not np.array_equal(trained(tree, positive_weight=3.0), trained(tree))


@pytest.mark.parametrize("method", ["poincare", "euclidean"])
def test_distances_have_no_positives_to_weigh(method):
    with pytest.raises(ConfigError, match="ranks distances"):
        FitConfig(method=method, positive_weight=2.0)


def test_a_weight_of_nothing_is_refused():
    with pytest.raises(ConfigError, match="positive_weight is 0"):
        FitConfig(method="hyperbolic-cones", positive_weight=0.0)
