"""Energies of many pairs, compiled: of a list of pairs, of one parent with every node, of one child with every node."""
# mypy: ignore-errors

import numpy as np

from hypercone._jit import exact_kernel
from hypercone.methods.generic_kernels import signed_energy


@exact_kernel
def energies_of_pairs(points, pairs, method, dim):
    """Signed energy of each (parent, child)."""
    energies = np.empty(pairs.shape[0])
    for i in range(pairs.shape[0]):
        energies[i] = signed_energy(method, points, np.uint64(pairs[i, 0]), np.uint64(pairs[i, 1]), dim)
    return energies


@exact_kernel
def energies_below(points, parent, method, dim):
    """Signed energy of (parent, x) for every node x."""
    energies = np.empty(points.shape[0])
    for row in range(points.shape[0]):
        energies[row] = signed_energy(method, points, np.uint64(parent), np.uint64(row), dim)
    return energies


@exact_kernel
def energies_above(points, child, method, dim):
    """Signed energy of (x, child) for every node x."""
    energies = np.empty(points.shape[0])
    for row in range(points.shape[0]):
        energies[row] = signed_energy(method, points, np.uint64(row), np.uint64(child), dim)
    return energies
