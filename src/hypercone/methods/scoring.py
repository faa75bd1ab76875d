"""Energies of pairs of nodes by row, through the compiled kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import read_only
from hypercone._jit import dimension_type
from hypercone.methods import score_kernels
from hypercone.methods.method import Method, Points
from hypercone.methods.settings import Settings

Rows = NDArray[np.int32]


def energies_of_pairs(method: Method, settings: Settings, points: Points, pairs: Rows) -> Points:
    """The score of each (parent, child) of rows; lower is more likely true."""
    return clamped(method, signed_energies_of_pairs(method, settings, points, pairs))


def signed_energies_of_pairs(method: Method, settings: Settings, points: Points, pairs: Rows) -> Points:
    """The same, but below zero for a child inside its parent's region: how far it is from the border."""
    constants = method.constants(settings)
    signed: Points = score_kernels.energies_of_pairs(
        read_only(points), read_only(pairs), constants, dimension_type(points.shape[1])
    )
    return signed


def energies_below(method: Method, settings: Settings, points: Points, parent: int) -> Points:
    """The score of (parent, x) for every node x."""
    constants = method.constants(settings)
    dimension = dimension_type(points.shape[1])
    return clamped(method, score_kernels.energies_below(read_only(points), parent, constants, dimension))


def energies_above(method: Method, settings: Settings, points: Points, child: int) -> Points:
    """The score of (x, child) for every node x."""
    constants = method.constants(settings)
    dimension = dimension_type(points.shape[1])
    return clamped(method, score_kernels.energies_above(read_only(points), child, constants, dimension))


def clamped(method: Method, signed: Points) -> Points:
    """The paper's score: a margin energy counts only outside the region; a distance score counts as it is."""
    return np.maximum(signed, 0.0) if method.loss == "margin" else signed
