"""What every method provides, and the constants that its formulas need."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hypercone.geometry import poincare

Points = NDArray[np.float64]
Energies = NDArray[np.floating[Any]]

# No coordinate of any method is larger: beyond it squares of distances are no numbers any more.
FARTHEST = 1e150


class Method(ABC):
    """How nodes are embedded: where points may be, what a pair costs, and how training starts.

    The formulas stand twice: here in NumPy, to be read and trusted, and in the kernels file beside, to be fast. A
    contract test pins the two together for every method in the table.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    loss: ClassVar[Literal["margin", "softmax"]]
    is_hyperbolic: ClassVar[bool] = False
    # Of methods with cones: −1 times the curvature of their space, by which an index can find who is in which.
    curvature: ClassVar[float | None] = None
    # The score of a distance method weighs norms by α, which is chosen on validation pairs.
    uses_alpha: ClassVar[bool] = False
    # Beyond this a margin has no meaning: a cone and its margin cannot be wider than everything.
    largest_margin: ClassVar[float] = math.inf
    # Of the wrong pairs, how many are drawn from relatives where both ends are corrupted.
    share_of_relatives: ClassVar[float] = 0.0
    # Settings of a fit whose best value depends on the method; see training/config.py for what each one means.
    defaults: ClassVar[Mapping[str, Any]]

    @abstractmethod
    def signed_energy(self, parent: Points, child: Points, settings: Settings) -> Energies:
        """How far each child is from where its parent wants it; broadcasts over leading axes."""

    @abstractmethod
    def shell(self, settings: Settings) -> tuple[float, float]:
        """The smallest and largest norm a point may have."""

    @abstractmethod
    def constants(self, settings: Settings) -> tuple[float, ...]:
        """The named tuple the kernels of this method dispatch on."""

    def energy(self, parent: Points, child: Points, settings: Settings) -> Energies:
        """The penalty of each pair: zero exactly when the child is where it belongs."""
        energies: Energies = np.maximum(0.0, self.signed_energy(parent, child, settings))
        return energies

    def generality(self, points: Points) -> Points:
        """A number that grows from general to specific nodes: for all but order embeddings, the norm."""
        norms: Points = np.linalg.norm(points, axis=-1)
        return norms

    def start(self, random: np.random.Generator, count: int, dim: int, spread: float) -> Points:
        """Random points in a small cube around the origin, from which ``project`` takes them into the domain."""
        return random.uniform(-spread, spread, (count, dim))

    def project(self, points: Points, settings: Settings) -> Points:
        """The nearest points of the domain, along the spokes; a point at the origin goes to the first axis."""
        projected: Points = poincare.project(points, *self.shell(settings)).astype(np.float64, copy=False)
        return projected


@dataclass(frozen=True)
class Settings:
    """Constants of the energy and its domain.

    K is the cone constant (width of the cones), margin the γ of the max-margin loss, border how far points stay away
    from the edges of their domain, and alpha the weight of the norms in the score of the distance methods.
    """

    K: float = 0.1
    margin: float = 0.01
    border: float = 1e-5
    alpha: float = 0.0
