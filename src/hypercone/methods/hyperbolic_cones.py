"""Hyperbolic entailment cones: the child lies in the cone of its parent in the Poincaré ball."""

from __future__ import annotations

import math

from hypercone._math_kernels import sin_cos
from hypercone.geometry import cones
from hypercone.methods.base import Energies, Method, Points, Settings
from hypercone.methods.hyperbolic_cones_kernels import HyperbolicConesConstants


class HyperbolicCones(Method):
    """The paper's method: E(parent, child) = Ξ(parent, child) − ψ(parent)."""

    name = "hyperbolic-cones"
    summary = "cones in the Poincaré ball; the paper's method, and the one to start with"
    is_hyperbolic = True
    curvature = 1.0
    loss = "margin"
    largest_margin = math.pi / 2
    share_of_relatives = 0.2
    # Unlike the paper's recipe (SGD at 3e-4 from the last Poincaré epoch): an adaptive rate that falls to zero, both
    # ends corrupted, and negatives with a replaced parent pushed out even if the child is deep inside. Negatives with a
    # replaced child are not: 7–9 % of them are true pairs that are not in the training set. Relatives hardly change the
    # paper's F1, which is measured on uniform negatives, but raise F1 over all pairs of WordNet nouns from 0.61 to 0.78
    # (benchmarks/quality/relatives.py).
    defaults = {
        "epochs": 100,
        "rate": 0.3,
        "schedule": "linear",
        "optimizer": "adagrad",
        "margin": 0.01,
        "negatives": 20,
        "corrupt": "both",
        "push_inside": "parent",
        "parent_candidates": "non-leaves",
        "init": "poincare",
    }

    def signed_energy(self, parent: Points, child: Points, settings: Settings) -> Energies:
        return cones.signed_energy(parent, child, settings.K)

    def shell(self, settings: Settings) -> tuple[float, float]:
        # At the inner radius itself the gradient of the aperture is infinite, so points keep a distance from it.
        return cones.inner_radius(settings.K) + settings.border, 1.0 - settings.border

    def constants(self, settings: Settings) -> tuple[float, ...]:
        inner, outer = self.shell(settings)
        sine, cosine = sin_cos(settings.margin)
        return HyperbolicConesConstants(inner, outer, settings.K, cosine, sine)
