"""Groups of nodes to break figures down by: how deep they are, or how many parents they and their ancestors have."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Adjacency
from hypercone.errors import InputError, option
from hypercone.hierarchy import Hierarchy

GROUP_BY = ("depth", "parents")
# A tree all the way up; a node in a tree below one that has several parents; several parents itself.
BY_PARENTS = ("one_parent", "several_above", "several_parents")

Numbers = NDArray[np.int64]


class Groups(NamedTuple):
    """The names of groups of nodes, and the number of the group of each row."""

    names: tuple[str, ...]
    of_row: Numbers

    def sums(self, of_node: Numbers) -> list[int]:
        """What the nodes of each group have together."""
        # Whole numbers stay whole: bincount with weights would count in floats.
        sums = np.zeros(len(self.names), np.int64)
        np.add.at(sums, self.of_row, of_node)
        return [int(value) for value in sums]


def groups_of(hierarchy: Hierarchy, group_by: str) -> Groups:
    """Nodes by ``depth``, the edges on the longest path from a root, or by how many direct ``parents`` they have.

    *several_parents*: more than one; *several_above*: at most one, but an ancestor has more; *one_parent*: neither.

    >>> pets = Hierarchy.from_pairs([("dog", "puppy"), ("young", "puppy"), ("puppy", "whelp")])
    >>> [BY_PARENTS[group] for group in groups_of(pets, "parents").of_row]
    ['one_parent', 'several_parents', 'one_parent', 'several_above']
    """
    if group_by == "depth":
        depths = hierarchy.depths.astype(np.int64)
        return Groups(tuple(map(str, range(int(depths.max(initial=0)) + 1))), depths)
    if group_by != "parents":
        raise InputError(f"{option('group_by')} is {group_by!r}, but must be {' or '.join(GROUP_BY)}")
    has_several, above = direct_parents(hierarchy).counts > 1, hierarchy.ancestor_lists()
    is_below = np.bincount(above.groups()[has_several[above.rows]], minlength=len(hierarchy)) > 0
    return Groups(BY_PARENTS, np.where(has_several, 2, is_below.astype(np.int64)))


def direct_parents(hierarchy: Hierarchy) -> Adjacency:
    """Of each row the parents that no other edge implies."""
    edges = hierarchy.reduction()
    return Adjacency.of_groups(edges[:, 1], edges[:, 0], len(hierarchy))
