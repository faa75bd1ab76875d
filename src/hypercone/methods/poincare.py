"""Poincaré embeddings (Nickel and Kiela, 2017): related nodes are close in hyperbolic distance."""

from __future__ import annotations

import numpy as np

from hypercone.geometry import poincare
from hypercone.methods.base import Energies, Method, Points, Settings
from hypercone.methods.poincare_kernels import PoincareConstants


class Poincare(Method):
    """Softmax loss on hyperbolic distances, scored by (1 + α(|parent| − |child|)) d(parent, child)."""

    name = "poincare"
    summary = "hyperbolic distances; symmetric, so direction is a heuristic on the norms; also the start of cones"
    is_hyperbolic = True
    loss = "softmax"
    uses_alpha = True
    # From the authors' released configuration. Burn-in is essential: without it subtrees stay entangled.
    defaults = {
        "epochs": 100,
        "rate": 0.03,
        "schedule": "constant",
        "optimizer": "sgd",
        "negatives": 10,
        "corrupt": "parent",
        "push_inside": "none",
        "init": "random",
        "start_spread": 1e-4,
        "burn_in": 20,
    }

    def signed_energy(self, parent: Points, child: Points, settings: Settings) -> Energies:
        norms = np.linalg.norm(parent, axis=-1) - np.linalg.norm(child, axis=-1)
        scores: Energies = (1.0 + settings.alpha * norms) * poincare.distance(parent, child)
        return scores

    def shell(self, settings: Settings) -> tuple[float, float]:
        return 0.0, 1.0 - settings.border

    def constants(self, settings: Settings) -> tuple[float, ...]:
        return PoincareConstants(0.0, 1.0 - settings.border, settings.alpha)
