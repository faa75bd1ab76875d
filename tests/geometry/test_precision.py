"""The stable angle against fifty digits, decade by decade toward the border."""

import mpmath as mp
import numpy as np
import pytest
from tests.support.points import exact, printed_angle, shell, turned

from hypercone.geometry import caps, cones, hyperboloid, poincare

K = 0.1


PAIRS = 120


GAPS = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7]


def exact_aperture(x):
    xx = mp.fdot(exact(x), exact(x))
    return mp.asin(mp.mpf(K) * (1 - xx) / mp.sqrt(xx))


@pytest.fixture(scope="module", params=GAPS)
def near_border(request):
    """Parents at 1−|x| = gap; a third of the children anywhere, the rest around the border of the cone."""
    gap = request.param
    rng = np.random.default_rng(28)
    parent = shell(rng, PAIRS, 3, 1 - gap, 1 - gap)
    angle = cones.half_aperture(parent, K) * rng.uniform(0, 2, PAIRS)
    angle[::3] = rng.uniform(0, np.pi, PAIRS // 3)
    child = poincare.geodesic(parent, turned(rng, parent, angle), rng.uniform(0.1, 2, PAIRS))
    with mp.workdps(50):
        angles = [printed_angle(x, y) for x, y in zip(parent, child, strict=True)]
        apertures = [exact_aperture(x) for x in parent]
        inside = np.array([a <= b for a, b in zip(angles, apertures, strict=True)])
    return gap, parent, child, np.array(angles, float), np.array(apertures, float), inside


def test_the_angle_is_as_accurate_as_the_points(near_border):
    gap, parent, child, angles, _, _ = near_border
    # 1−|x| is known to about eps/2, so to a relative 1e-16/gap; measured errors stay below 1e-16/gap
    np.testing.assert_allclose(cones.cone_angle(parent, child), angles, rtol=0, atol=3e-16 / gap)


def test_the_aperture_is_as_accurate_as_the_points(near_border):
    gap, parent, _, _, apertures, _ = near_border
    np.testing.assert_allclose(cones.half_aperture(parent, K), apertures, rtol=3e-16 / gap + 1e-15)


def test_the_stable_form_decides_correctly_down_to_one_in_ten_million(near_border):
    _, parent, child, _, _, inside = near_border
    assert 0.2 < inside.mean() < 0.6
    assert np.array_equal(cones.contains(parent, child, K), inside)


def test_the_papers_arccos_is_wrong_near_the_border(near_border):
    gap, parent, child, _, _, inside = near_border
    decided = cones.cone_angle_paper(parent, child) <= cones.half_aperture(parent, K)
    wrong = np.mean(decided != inside)
    if gap >= 1e-2:
        assert wrong == 0
    if gap <= 1e-4:
        assert wrong > 0.2


def test_caps_and_hyperboloid_decide_correctly_down_to_one_in_a_million(near_border):
    gap, parent, child, _, _, inside = near_border
    lifted = hyperboloid.to_hyperboloid(parent), hyperboloid.to_hyperboloid(child)
    # below, R = K(1−r)² and the tenfold error of the lifted points reach their limit before Ξ does
    allowed = 0 if gap >= 1e-6 else 0.1
    assert np.mean(hyperboloid.contains(*lifted, K) != inside) <= allowed
    assert np.mean(caps.contains(parent, child, K) != inside) <= allowed


def test_float32_decides_correctly_down_to_three_thousandths():
    rng = np.random.default_rng(29)
    gap, n = 3e-3, 2000
    parent = shell(rng, n, 3, 1 - gap, 1 - gap)
    angle = cones.half_aperture(parent, K) * rng.choice([0.25, 0.5, 1.5, 2.0], n)
    child = poincare.geodesic(parent, turned(rng, parent, angle), rng.uniform(0.1, 1, n))
    decided = cones.contains(parent.astype(np.float32), child.astype(np.float32), K)
    right = decided == cones.contains(parent, child, K)
    assert right.mean() > 0.99


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-6])
def test_the_cap_radius_is_accurate_near_the_border(gap):
    radius = 1 - gap
    with mp.workdps(50):
        r = mp.mpf(radius)
        kappa = 2 * mp.mpf(K) / mp.sqrt(1 + 4 * mp.mpf(K) ** 2)
        exact = mp.asin(kappa * (1 + r * r) / (2 * r)) - mp.asin(kappa)
    assert float(caps.cap_radius([radius, 0.0], K)) == pytest.approx(float(exact), rel=1e-14)
    # two arcsines subtracted keep only what the rounding of the larger leaves
    assert float(exact) == pytest.approx(K * gap**2, rel=2 * gap)
