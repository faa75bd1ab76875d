"""Tests that take ``space`` run in the ball and in flat space."""

import pytest
from tests.support.points import SPACES, Space


@pytest.fixture(params=SPACES)
def space(request: pytest.FixtureRequest) -> Space:
    return SPACES[request.param]
