"""Places where an index could go wrong: learned, constructed, collapsed, crowded at a border, all in a line."""

from __future__ import annotations

import numpy as np
import pytest

import hypercone
from hypercone.geometry import caps
from hypercone.methods import METHODS, Settings

CONES = ("hyperbolic-cones", "euclidean-cones")
K = Settings().K


def _unit(random, count, dim):
    spokes = random.normal(size=(count, dim))
    return spokes / np.linalg.norm(spokes, axis=1, keepdims=True)


def _anywhere(random, count, dim):
    return _unit(random, count, dim) * random.uniform(0.11, 0.99, (count, 1))


def _collapsed(random, count, dim):
    """All at one place."""
    return np.repeat(_anywhere(random, 1, dim), count, axis=0)


def _nearly_collapsed(random, count, dim):
    """So near to each other that directions and norms cannot tell them apart, but differences can."""
    return _anywhere(random, 1, dim) * (1 + 3e-16 * random.integers(-3, 4, (count, dim)))


def _clusters(random, count, dim):
    scales = 10.0 ** random.integers(-15, -1, (count, 1))
    return _anywhere(random, 3, dim)[random.integers(0, 3, count)] + scales * random.normal(size=(count, dim))


def _at_the_border(random, count, dim):
    return _unit(random, count, dim) * (1 - 10.0 ** random.uniform(-5, -3, (count, 1)))


def _bundles_at_the_border(random, count, dim):
    """Spokes as near to each other as the narrow cones out there are wide."""
    spokes = _unit(random, 1, dim) + 10.0 ** random.uniform(-12, -2, (count, 1)) * random.normal(size=(count, dim))
    spokes /= np.linalg.norm(spokes, axis=1, keepdims=True)
    return spokes * (1 - 10.0 ** random.uniform(-5, -1, (count, 1)))


def _at_the_centre(random, count, dim):
    """Where cones are as wide as half the space, and more with a threshold."""
    return _unit(random, count, dim) * 0.1 * (1 + 10.0 ** random.uniform(-8, -1, (count, 1)))


def _on_one_line(random, count, dim):
    return _unit(random, 1, dim) * random.choice([-1, 1], (count, 1)) * random.uniform(0.11, 0.95, (count, 1))


def _on_a_sphere(random, count, dim):
    """Norms that differ by rounding alone."""
    return 0.5 * _unit(random, count, dim)


def _constructed(random, count, dim):
    """Caps inside caps, many of them touching the next larger one."""
    points = _anywhere(random, 1, dim)
    while len(points) < count:
        parent = points[random.integers(len(points))]
        radius = caps.cap_radius(parent, K) * random.choice([0.5, 0.1])
        aside = (caps.cap_radius(parent, K) - radius) * random.choice([1.0, 0.5])
        across = _unit(random, 1, dim)[0]
        spoke = parent / np.linalg.norm(parent)
        across -= (across @ spoke) * spoke
        across /= np.linalg.norm(across)
        points = np.vstack([points, caps.point_from_cap(np.cos(aside) * spoke + np.sin(aside) * across, radius, K)])
    return points


PLACES = {
    place.__name__.strip("_"): place
    for place in (
        _anywhere,
        _collapsed,
        _nearly_collapsed,
        _clusters,
        _at_the_border,
        _bundles_at_the_border,
        _at_the_centre,
        _on_one_line,
        _on_a_sphere,
        _constructed,
    )
}


@pytest.fixture(scope="session")
def place():
    """place(name, method, count, dim, seed): points of the method's domain."""

    def draw(name, method, count, dim, seed):
        points = PLACES[name](np.random.default_rng(seed), count, dim)
        return np.ascontiguousarray(METHODS[method].project(points, Settings()))

    return draw


@pytest.fixture(scope="session", params=CONES)
def learned(request):
    """A model of WordNet's mammals."""
    mammals = hypercone.load_dataset("wordnet-mammals")
    return hypercone.fit(mammals, method=request.param, dim=5, epochs=20, init_epochs=20)
