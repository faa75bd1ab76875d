"""Euclidean entailment cones: the child lies in the straight cone of its parent."""

from __future__ import annotations

import math

from hypercone._math_kernels import sin_cos
from hypercone.geometry import euclidean_cones
from hypercone.methods.base import Energies, Method, Points, Settings
from hypercone.methods.euclidean_cones_kernels import EuclideanConesConstants
from hypercone.methods.hyperbolic_cones import HyperbolicCones


class EuclideanCones(Method):
    """The Euclidean counterpart of hyperbolic cones: sin ψ = K/|parent|."""

    name = "euclidean-cones"
    summary = "the same cones in Euclidean space; a baseline that shows the effect of curvature"
    curvature = 0.0
    loss = "margin"
    largest_margin = math.pi / 2
    share_of_relatives = HyperbolicCones.share_of_relatives
    defaults = {**HyperbolicCones.defaults, "init": "euclidean"}

    def signed_energy(self, parent: Points, child: Points, settings: Settings) -> Energies:
        return euclidean_cones.signed_energy(parent, child, settings.K)

    def shell(self, settings: Settings) -> tuple[float, float]:
        return settings.K + settings.border, math.inf

    def constants(self, settings: Settings) -> tuple[float, ...]:
        inner, outer = self.shell(settings)
        sine, cosine = sin_cos(settings.margin)
        return EuclideanConesConstants(inner, outer, settings.K, cosine, sine)
