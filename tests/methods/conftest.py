"""Each method, each margin method, and each distance method."""

from __future__ import annotations

import pytest

from hypercone.methods import METHODS, Method


@pytest.fixture(params=METHODS.values(), ids=METHODS)
def method(request: pytest.FixtureRequest) -> Method:
    return request.param


@pytest.fixture(params=[m for m in METHODS.values() if m.loss == "margin"], ids=lambda m: m.name)
def margin_method(request: pytest.FixtureRequest) -> Method:
    return request.param


@pytest.fixture(params=[m for m in METHODS.values() if m.loss == "softmax"], ids=lambda m: m.name)
def distance_method(request: pytest.FixtureRequest) -> Method:
    return request.param
