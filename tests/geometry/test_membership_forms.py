"""One order in seven clothes: ball, Klein, convex hull, caps, hyperboloid, S-cone and flat cones agree."""

import numpy as np
import pytest

from hypercone.geometry import caps, cones, euclidean_cones, hyperboloid, klein, manifold_cones


def on_hyperboloid(parent, child, K):
    return hyperboloid.contains(hyperboloid.to_hyperboloid(parent), hyperboloid.to_hyperboloid(child), K)


def by_logarithm(parent, child, K):
    return manifold_cones.in_s_cone(parent, child, manifold_cones.entailment_cone(parent, K))


def by_flat_twins(parent, child, K):
    """A Euclidean cone is the cap of radius ψ itself, so every point of the ball has a twin in flat space.

    Both kinds of cones can hold exactly the same orders: what differs in practice is the optimisation.
    """

    def twin(x):
        return x / np.linalg.norm(x, axis=-1, keepdims=True) * (K / np.sin(caps.cap_radius(x, K)))[..., None]

    return euclidean_cones.contains(twin(parent), twin(child), K)


FORMS = {
    "klein": klein.contains,
    "convex hull": klein.convex_hull_contains,
    "caps": caps.contains,
    "hyperboloid": on_hyperboloid,
    "s-cone": by_logarithm,
    "flat twins": by_flat_twins,
}


@pytest.mark.parametrize("K", [0.01, 0.1, 1.0, 3.0])
@pytest.mark.parametrize("d", [2, 3, 5, 10])
def test_all_forms_of_the_cone_agree(cone_pairs, d, K):
    parent, child = cone_pairs(np.random.default_rng(34), 40_000, d, K)
    signed = cones.signed_energy(parent, child, K)
    clear = np.abs(signed) > 1e-9
    inside = signed <= 0
    assert clear.mean() > 0.99
    assert 0.1 < inside.mean() < 0.9
    for name, contains in FORMS.items():
        mismatches = np.sum((contains(parent, child, K) != inside) & clear)
        assert mismatches == 0, f"{name}: {mismatches} of {clear.sum()} pairs"


@pytest.mark.parametrize("form", FORMS)
def test_every_form_lets_a_point_contain_itself(shell, form):
    x = shell(np.random.default_rng(35), 500, 3, 0.11, 0.99)
    for signs in (x, -np.abs(x)):
        assert np.all(FORMS[form](signs, signs, 0.1))
