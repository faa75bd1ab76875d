"""Simple Euclidean embeddings: Nickel and Kiela's loss in Euclidean space, the baseline of both papers."""

from __future__ import annotations

import math

import numpy as np

from hypercone.methods.base import Energies, Method, Points, Settings
from hypercone.methods.euclidean_kernels import EuclideanConstants
from hypercone.methods.poincare import Poincare


class Euclidean(Method):
    """Softmax loss on Euclidean distances, scored by (1 + α(|parent| − |child|)) d(parent, child)."""

    name = "euclidean"
    summary = "Euclidean distances; the simplest baseline, and the start of Euclidean cones"
    loss = "softmax"
    uses_alpha = True
    # Euclidean distances converge more slowly: on WordNet nouns, validation F1 is still rising at 100 epochs.
    defaults = {**Poincare.defaults, "epochs": 200}

    def signed_energy(self, parent: Points, child: Points, settings: Settings) -> Energies:
        norms = np.linalg.norm(parent, axis=-1) - np.linalg.norm(child, axis=-1)
        scores: Energies = (1.0 + settings.alpha * norms) * np.linalg.norm(parent - child, axis=-1)
        return scores

    def shell(self, settings: Settings) -> tuple[float, float]:
        return 0.0, math.inf

    def constants(self, settings: Settings) -> tuple[float, ...]:
        return EuclideanConstants(0.0, math.inf, settings.alpha)
