"""Order embeddings (Vendrov et al., 2016): the child exceeds its parent in every coordinate."""

from __future__ import annotations

import math

from hypercone.geometry import order
from hypercone.methods.base import Energies, Method, Points, Settings
from hypercone.methods.order_kernels import OrderConstants


class Order(Method):
    """E(parent, child) = |max(0, parent − child)|², which is zero inside and never negative."""

    name = "order"
    summary = "the child exceeds its parent in every coordinate; strong if training has almost no implied edges"
    loss = "margin"
    # From the authors' released configuration, which reproduces the paper's row.
    defaults = {
        "epochs": 500,
        "rate": 0.1,
        "schedule": "constant",
        "optimizer": "sgd",
        "margin": 1.0,
        "negatives": 10,
        "corrupt": "child",
        "push_inside": "none",
        "init": "random",
        "start_spread": 0.1,
    }

    def signed_energy(self, parent: Points, child: Points, settings: Settings) -> Energies:
        return order.energy(parent, child)

    def generality(self, points: Points) -> Points:
        total: Points = points.sum(axis=-1)
        return total

    def shell(self, settings: Settings) -> tuple[float, float]:
        return 0.0, math.inf

    def constants(self, settings: Settings) -> tuple[float, ...]:
        return OrderConstants(0.0, math.inf, settings.margin)
