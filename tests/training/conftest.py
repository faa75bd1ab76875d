"""A small tree to train on, and training stages for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hypercone.data import load_dataset
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.hierarchy import parent_lists
from hypercone.methods import METHODS, Method
from hypercone.runs import FitContext
from hypercone.training import FitConfig
from hypercone.training.loop import Stage


@pytest.fixture(scope="session")
def tree() -> Hierarchy:
    """15 nodes, 14 edges, 34 pairs in the closure."""
    return load_dataset("tree-2-3")


@pytest.fixture(scope="session")
def make_stage() -> Callable[..., Stage]:
    """Makes a stage in two dimensions, so that all tests share the compiled kernels; it starts from random points."""

    def make(hierarchy: Hierarchy, progress: Any = None, validation: Any = None, **settings: Any) -> Stage:
        edges = np.array(hierarchy.closure(), np.int32)
        given = FitConfig.from_dict({"dim": 2, "init": "random", "epochs": 3, "burn_in": 0} | settings)
        config = given.for_edges(len(edges))
        return Stage(config, edges, parent_lists(edges, len(hierarchy)), validation, FitContext(progress))

    return make


@pytest.fixture(params=METHODS.values(), ids=METHODS)
def method(request: pytest.FixtureRequest) -> Method:
    return request.param


@pytest.fixture(params=["sgd", "sgd-exp", "adagrad"])
def optimizer(request: pytest.FixtureRequest) -> str:
    return request.param
