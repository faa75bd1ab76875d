"""New nodes as they are given: checked, and in an order in which every parent comes before its children."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from hypercone.errors import HierarchyError, InputError
from hypercone.hierarchy.graph import in_words
from hypercone.hierarchy.hierarchy import rows_of_pairs
from hypercone.hierarchy.names import checked_names

# Names of new nodes with the names of their parents, or (parent, child) pairs of names.
NewNodes = Mapping[str, str | Sequence[str]] | Iterable[tuple[str, str]]


def parents_by_name(given: NewNodes) -> dict[str, list[str]]:
    """The parents of each new node, none twice.

    >>> parents_by_name([("dog", "husky"), ("husky", "sled dog"), ("dog", "husky")])
    {'husky': ['dog'], 'sled dog': ['husky']}
    """
    if not isinstance(given, Mapping):
        index, edges = rows_of_pairs(given)
        names = tuple(index)
        grouped: dict[str, list[str]] = {}
        for parent, child in edges.tolist():
            grouped.setdefault(names[child], []).append(names[parent])
        given = grouped
    return {name: _checked(name, parents) for name, parents in given.items()}


def from_the_top(parents: Mapping[str, Sequence[str]]) -> list[str]:
    """The new nodes such that each comes after those of its parents that are new; HierarchyError for a circle.

    >>> from_the_top({"sled dog": ["husky"], "husky": ["dog"]})
    ['husky', 'sled dog']
    """
    among_new = {name: [parent for parent in above if parent in parents] for name, above in parents.items()}
    try:
        return list(TopologicalSorter(among_new).static_order())
    except CycleError as error:
        circle: list[str] = error.args[1][:-1]
        words = in_words(circle, range(len(circle)))
        raise HierarchyError(f"the new nodes run in a circle, parent → child: {words}; remove one edge") from None


def _checked(name: str, parents: str | Sequence[str]) -> list[str]:
    checked_names([name])
    if not isinstance(parents, Iterable):
        raise InputError(f"the parents of {name!r} are {parents!r}; give a list of names")
    parents = [parents] if isinstance(parents, str) else list(dict.fromkeys(parents))
    if not parents:
        raise InputError(f"{name!r} has no parents; give at least one, for they say where it belongs")
    if name in parents:
        raise InputError(f"{name!r} is given as its own parent; give another one")
    return parents
