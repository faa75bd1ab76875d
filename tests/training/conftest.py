"""A tree to train on, stages over it, and the compiled random functions over many draws."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hypercone._jit import kernel
from hypercone.data import load_dataset
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.hierarchy import parent_lists
from hypercone.methods import METHODS, Method
from hypercone.runs import FitContext
from hypercone.training import FitConfig
from hypercone.training.epoch_kernels import below, mix, shuffled_order, stream
from hypercone.training.loop import Stage
from hypercone.training.start import random_points


@kernel
def _draws(seed, epoch, edge, first, count, bound):
    """Draws first … first+count−1, each below the bound, of the stream of an edge."""
    start = stream(seed, epoch, edge)
    found = np.empty(count, np.int64)
    for j in range(count):
        found[j] = np.int64(below(mix(start + np.uint64(first + j)), bound))
    return found


@kernel
def _mixed(first, count):
    found = np.empty(count, np.uint64)
    for j in range(count):
        found[j] = mix(np.uint64(first + j))
    return found


@kernel
def _streams(seed, epoch, count):
    found = np.empty(count, np.uint64)
    for j in range(count):
        found[j] = stream(seed, epoch, j)
    return found


@pytest.fixture(scope="session")
def random_functions() -> SimpleNamespace:
    return SimpleNamespace(draws=_draws, mixed=_mixed, streams=_streams, shuffled=shuffled_order)


@pytest.fixture(scope="session")
def tree() -> Hierarchy:
    """15 nodes, 14 edges, 34 pairs in the closure."""
    return load_dataset("tree-2-3")


def _stage(hierarchy: Hierarchy, progress: Any = None, validation: Any = None, **settings: Any) -> Stage:
    """A stage in two dimensions, where all the tests share their kernels, from random points."""
    edges = np.array(hierarchy.closure(), np.int32)
    given = FitConfig.from_dict({"dim": 2, "init": "random", "epochs": 3, "burn_in": 0} | settings)
    config = given.for_edges(len(edges))
    return Stage(config, edges, parent_lists(edges, len(hierarchy)), validation, FitContext(progress))


def _trained(hierarchy: Hierarchy, **settings: Any) -> np.ndarray:
    stage = _stage(hierarchy, **settings)
    return stage.train(random_points(len(hierarchy), stage.config)).points


@pytest.fixture(scope="session")
def make_stage() -> Callable[..., Stage]:
    return _stage


@pytest.fixture(scope="session")
def trained() -> Callable[..., np.ndarray]:
    return _trained


@pytest.fixture(params=METHODS.values(), ids=METHODS)
def method(request: pytest.FixtureRequest) -> Method:
    return request.param


@pytest.fixture(params=["sgd", "sgd-exp", "adagrad"])
def optimizer(request: pytest.FixtureRequest) -> str:
    return request.param
