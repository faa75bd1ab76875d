"""Distances and the order are the same in all exported coordinates."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from tests.support.embeddings import make_embedding

from hypercone.embedding import Embedding
from hypercone.embedding.export import KINDS, coordinates_of
from hypercone.errors import InputError
from hypercone.geometry import caps, cones, euclidean_cones, hyperboloid, klein, poincare
from hypercone.methods import METHODS, Settings

K = 0.1

OFFERED = {
    "hyperbolic-cones": {"own", "klein", "lorentz", "cap"},
    "poincare": {"own", "klein", "lorentz"},
    "euclidean-cones": {"own", "cap"},
    "order": {"own"},
    "euclidean": {"own"},
}


def _points(count: int = 200, dim: int = 3, furthest: float = 1 - 1e-5) -> np.ndarray:
    """Points around a few directions, from the inner radius to the boundary, so that many cones contain others."""
    random = np.random.default_rng(5)
    directions = random.normal(size=(4, dim))[random.integers(4, size=count)] + 0.03 * random.normal(size=(count, dim))
    gaps = np.geomspace(0.85, 1 - furthest, count)
    return directions / np.linalg.norm(directions, axis=1, keepdims=True) * (1 - gaps)[:, None]


def _embedding(points, method="hyperbolic-cones") -> Embedding:
    return Embedding([f"n{i}" for i in range(len(points))], points, method, Settings(K=K), threshold=0.0)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_method_has_the_coordinates_that_apply_and_refuses_the_others(method, kind):
    embedding = make_embedding(method, dim=3)
    if kind in OFFERED[method]:
        columns, values = coordinates_of(embedding, kind)
        assert values.shape == (12, len(columns)) == (12, 4 if kind in ("lorentz", "cap") else 3)
        assert np.isfinite(values).all()
    else:
        with pytest.raises(InputError, match=rf"^{method} (is flat|has no cones), so its points have no {kind} coord"):
            coordinates_of(embedding, kind)


def test_a_refusal_lists_the_available_coordinates():
    with pytest.raises(InputError, match=r'use coordinates="own" or "cap"$'):
        coordinates_of(make_embedding("euclidean-cones"), "lorentz")
    with pytest.raises(InputError, match=r'use coordinates="own" or "klein" or "lorentz"$'):
        coordinates_of(make_embedding("poincare"), "cap")


def test_own_coordinates_are_the_points_themselves(strange):
    assert coordinates_of(strange).values is strange.points


def test_distances_from_the_hyperboloid_agree_to_eleven_digits_up_to_the_border():
    points = _points()
    lorentz = coordinates_of(_embedding(points), "lorentz").values
    np.testing.assert_allclose(
        hyperboloid.distance(lorentz[:, None], lorentz), poincare.distance(points[:, None], points), rtol=1e-11
    )


def test_an_exported_hyperboloid_gives_the_exact_distances(tmp_path):
    points = _points(count=12)
    path = _embedding(points).export(tmp_path / "p.tsv", coordinates="lorentz")
    rows = [line.split("\t")[1:] for line in path.read_text().splitlines()]
    assert rows.pop(0) == ["x_t", "x0", "x1", "x2"]
    with mpmath.workdps(60):
        written = [[mpmath.mpf(float(cell)) for cell in row] for row in rows]
        for i in range(12):
            for j in range(i):
                expected = _true_distance(points[i], points[j])
                assert abs(_lorentz_distance(written[i], written[j]) / expected - 1) < 1e-9


def _true_distance(x, y):
    x, y = ([mpmath.mpf(float(cell)) for cell in point] for point in (x, y))
    gaps = [1 - sum(cell**2 for cell in point) for point in (x, y)]
    apart = sum((a - b) ** 2 for a, b in zip(x, y, strict=True))
    return mpmath.acosh(1 + 2 * apart / (gaps[0] * gaps[1]))


def _lorentz_distance(x, y):
    # Time is recomputed from space, as rounding moves a point off the hyperboloid.
    times = [mpmath.sqrt(1 + sum(cell**2 for cell in point[1:])) for point in (x, y)]
    assert all(abs(point[0] / time - 1) < 1e-14 for point, time in zip((x, y), times, strict=True))
    return mpmath.acosh(times[0] * times[1] - sum(a * b for a, b in zip(x[1:], y[1:], strict=True)))


@pytest.mark.parametrize(("furthest", "precision"), [(0.999, 1e-8), (1 - 1e-5, 1e-4)])
def test_klein_points_are_converted_back_as_precisely_as_the_boundary_allows(furthest, precision):
    points = _points(furthest=furthest)
    back = klein.from_klein(coordinates_of(_embedding(points), "klein").values)
    np.testing.assert_allclose(1 - np.linalg.norm(back, axis=1), 1 - np.linalg.norm(points, axis=1), rtol=precision)


def test_straight_lines_in_klein_coordinates_decide_the_order():
    points = _points(furthest=0.999)
    found = coordinates_of(_embedding(points), "klein").values
    energy = cones.signed_energy(points[:, None], points, K)
    is_clear = np.abs(energy) > 1e-6
    inside = euclidean_cones.contains(found[:, None], found, caps.kappa(K))
    assert 50 < (inside & is_clear).sum() < is_clear.sum() / 2
    assert (inside == (energy <= 0))[is_clear].all()


def test_caps_decide_the_order_of_hyperbolic_cones():
    points = _points(furthest=0.999)
    _check_caps(_embedding(points), cones.signed_energy(points[:, None], points, K))


def test_caps_decide_the_order_of_euclidean_cones():
    points = _points() * np.linspace(1, 9, 200)[:, None]
    _check_caps(_embedding(points, "euclidean-cones"), euclidean_cones.signed_energy(points[:, None], points, K))


def _check_caps(embedding, energy):
    """Containment of caps from the exported numbers: angle ≤ R of the parent − R of the child."""
    values = coordinates_of(embedding, "cap").values
    directions, radii = values[:, :-1], values[:, -1]
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1, rtol=1e-15)
    chord = np.linalg.norm(directions[:, None] - directions, axis=2)
    inside = 2 * np.arcsin(np.minimum(chord / 2, 1)) <= radii[:, None] - radii
    is_clear = np.abs(energy) > 1e-6
    assert 50 < (inside & is_clear).sum() < is_clear.sum() / 2
    assert (inside == (energy <= 0))[is_clear].all()


def test_caps_are_converted_back_to_their_points():
    points = _points()
    values = coordinates_of(_embedding(points), "cap").values
    back = caps.point_from_cap(values[:, :-1], values[:, -1], K)
    np.testing.assert_allclose(poincare.distance(back, points), 0, atol=1e-9)


@pytest.mark.parametrize("kind", ["klein", "lorentz", "cap"])
def test_every_digit_is_written(kind, tmp_path):
    embedding = _embedding(_points(count=20))
    columns, values = coordinates_of(embedding, kind)
    header, *rows = [
        line.split("\t") for line in embedding.export(tmp_path / "p.tsv", coordinates=kind).read_text().splitlines()
    ]
    assert header == ["name", *columns]
    assert np.array([[float(cell) for cell in row[1:]] for row in rows]).tobytes() == values.tobytes()
