"""The interface of a method, and the constants of its formulas."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hypercone._random import uniform
from hypercone.geometry import poincare

Points = NDArray[np.float64]
Energies = NDArray[np.floating[Any]]

# The largest absolute coordinate of any method: beyond it, squared distances may overflow.
FARTHEST = 1e150


class Method(ABC):
    """How nodes are embedded: the domain of the points, the energy of a pair, and the start of training.

    Every formula exists twice: here in NumPy as the reference, and compiled in the kernels file of the method. A
    contract test compares the two for every method.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    loss: ClassVar[Literal["margin", "softmax"]]
    is_hyperbolic: ClassVar[bool] = False
    # For methods with cones, −1 times the curvature of their space; the index needs it.
    curvature: ClassVar[float | None] = None
    # Whether the score depends on the norms with weight α (distance methods); α is chosen on validation pairs.
    uses_alpha: ClassVar[bool] = False
    # The largest meaningful margin.
    largest_margin: ClassVar[float] = math.inf
    # The default share of negatives drawn from relatives if both ends are corrupted.
    share_of_relatives: ClassVar[float] = 0.0
    # Settings whose default depends on the method; training/config.py describes them.
    defaults: ClassVar[Mapping[str, Any]]

    @abstractmethod
    def signed_energy(self, parent: Points, child: Points, settings: Settings) -> Energies:
        """How far each child is outside its parent's region, negative inside; broadcasts over leading axes."""

    @abstractmethod
    def shell(self, settings: Settings) -> tuple[float, float]:
        """The smallest and the largest norm of a point."""

    @abstractmethod
    def constants(self, settings: Settings) -> tuple[float, ...]:
        """The named tuple on whose type the kernels dispatch."""

    def energy(self, parent: Points, child: Points, settings: Settings) -> Energies:
        """The penalty of each pair: zero exactly if the child is inside its parent's region."""
        energies: Energies = np.maximum(0.0, self.signed_energy(parent, child, settings))
        return energies

    def generality(self, points: Points) -> Points:
        """A value that grows from general to specific nodes: the norm, except for order embeddings."""
        norms: Points = np.linalg.norm(points, axis=-1)
        return norms

    def start(self, random: np.random.Generator, count: int, dim: int, spread: float) -> Points:
        """Random points in a small cube around the origin; ``project`` then moves them into the domain."""
        return uniform(random, spread, (count, dim))

    def project(self, points: Points, settings: Settings) -> Points:
        """The nearest points of the domain along the rays from the origin; the origin moves along the first axis."""
        projected: Points = poincare.project(points, *self.shell(settings)).astype(np.float64, copy=False)
        return projected


@dataclass(frozen=True)
class Settings:
    """Constants of the energy and its domain.

    K is the cone constant (width of the cones), margin is γ of the max-margin loss, border is the distance kept from
    the borders of the domain, and alpha is the weight of the norms in the score of the distance methods.
    """

    K: float = 0.1
    margin: float = 0.01
    border: float = 1e-5
    alpha: float = 0.0
