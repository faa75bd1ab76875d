"""Ranks of true ancestors among all nodes, compiled."""
# mypy: ignore-errors

import numpy as np

from hypercone._jit import exact_kernel
from hypercone.methods.generic_kernels import may_reach, reach, signed_energy


@exact_kernel
def ranks_of_ancestors(points, offsets, ancestors, children, method, dim):
    """(sum of ranks, sum of average precisions, number of pairs) over the children given.

    A wrong node counts before an ancestor when its energy is smaller or equal: ties are not in our favour.
    """
    rank_total = 0.0
    precision_total = 0.0
    pairs = 0
    for child in children:
        true = ancestors[offsets[child] : offsets[child + 1]]
        energies = np.empty(true.size)
        for i in range(true.size):
            energies[i] = signed_energy(method, points, np.uint64(true[i]), np.uint64(child), dim)
        energies.sort()
        before = np.zeros(true.size + 1, np.int64)
        worst = energies[-1]
        limit = reach(method, worst)
        k = 0
        for row in range(points.shape[0]):
            if k < true.size and true[k] == row:
                k += 1
                continue
            if row == child or not may_reach(method, limit, points, np.uint64(row), np.uint64(child), dim):
                continue
            energy = signed_energy(method, points, np.uint64(row), np.uint64(child), dim)
            if energy <= worst:
                before[np.searchsorted(energies, energy)] += 1
        wrong = 0
        average = 0.0
        for i in range(true.size):
            wrong += before[i]
            rank_total += wrong + 1
            average += (i + 1) / (i + 1 + wrong)
        precision_total += average / true.size
        pairs += true.size
    return rank_total, precision_total, pairs
