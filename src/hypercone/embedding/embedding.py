"""The result of a fit: named points, and the answers that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone.errors import InputError
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.labels import Labels, find_row
from hypercone.methods import Method, Points, Settings, find_method
from hypercone.methods.scoring import Rows, energies_above, energies_below, energies_of_pairs

Names = str | Sequence[str]


@dataclass(frozen=True, eq=False)
class Embedding:
    """Nodes as points, with the method that gives the points meaning and the threshold under which a pair is true.

    ``record`` says how it came about: the configuration, the digest of the data, the epoch chosen. All answers follow
    one rule: *child* is a *parent* exactly when ``energy(child, parent) <= threshold``. ``labels`` are what people
    call the nodes, and ``edges`` the (parent, child) rows of the hierarchy it was fitted to, where they are known.

    >>> points = np.array([[0.5, 0.0], [0.9, 0.0], [0.0, 0.5]])
    >>> embedding = Embedding(["animal", "dog", "stone"], points, "hyperbolic-cones", Settings(), threshold=0.0)
    >>> embedding.ancestors("dog"), embedding.is_a("stone", "animal")
    (['animal'], False)
    """

    names: Sequence[str]
    points: Points
    method: str
    settings: Settings
    threshold: float
    record: dict[str, Any] = field(default_factory=dict)
    labels: Labels | None = None
    edges: Rows | None = None

    def __post_init__(self) -> None:
        if len(self.names) != len(self.points):
            raise InputError(f"there are {len(self.names)} names for {len(self.points)} points; each node needs both")
        self.points.setflags(write=False)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """The point of a node, read-only."""
        point: NDArray[np.float64] = self.points[self.row(name)]
        return point

    def __repr__(self) -> str:
        return f"Embedding({len(self):,} nodes, {self.dim}-D, {self.method})"

    @property
    def dim(self) -> int:
        """The number of coordinates of a point."""
        return int(self.points.shape[1])

    def row(self, name: str) -> int:
        """The row of a node by its name or label; what is unknown or ambiguous is refused with the candidates."""
        return find_row(name, self._rows, self.names, self.labels)

    def called(self, row: int) -> str:
        """The label of a row, or its name if it has none."""
        return (self.labels[row] if self.labels else "") or self.names[row]

    @cached_property
    def hierarchy(self) -> Hierarchy | None:
        """The hierarchy it was fitted to, if its edges are known."""
        return None if self.edges is None else Hierarchy(self.names, self.edges, self.labels)

    def energy(self, child: Names, parent: Names) -> Any:
        """How far the child is from the parent's region; a number for two names, an array where one is a list."""
        rows = self._rows_of(child), self._rows_of(parent)
        try:
            children, parents = np.broadcast_arrays(*rows)
        except ValueError:
            sizes = " and ".join(str(side.size) for side in rows)
            raise InputError(f"children and parents are lists of {sizes} names; give as many of each") from None
        pairs = np.stack([parents.ravel(), children.ravel()], axis=1)
        energies = energies_of_pairs(self._method, self.settings, self.points, pairs).reshape(children.shape)
        return float(energies) if energies.ndim == 0 else energies

    def is_a(self, child: Names, parent: Names) -> Any:
        """Whether the child is a kind of the parent; True or False for two names, an array where one is a list."""
        answer = self.energy(child, parent) <= self.threshold
        return bool(answer) if np.ndim(answer) == 0 else answer

    def descendants(self, name: str) -> list[str]:
        """Every node that is a kind of this one, the most general first."""
        return self._within(energies_below(self._method, self.settings, self.points, self.row(name)), name)

    def ancestors(self, name: str) -> list[str]:
        """Every node that this one is a kind of, the most general first."""
        return self._within(energies_above(self._method, self.settings, self.points, self.row(name)), name)

    def nearest(self, name: str, count: int = 10) -> list[tuple[str, float]]:
        """The nodes at the smallest distance (hyperbolic for methods in the ball, else straight), nearest first."""
        row = self.row(name)
        distances = self._distances(row)
        distances[row] = np.inf
        count = min(count, len(self) - 1)
        chosen = np.argpartition(distances, count - 1)[:count] if count > 0 else np.empty(0, np.intp)
        chosen = chosen[np.lexsort((chosen, distances[chosen]))]
        return [(self.names[i], float(distances[i])) for i in chosen]

    def save(self, folder: str | Path) -> Path:
        """Write the model folder, all of it or nothing; see ``hypercone.load``."""
        from hypercone.embedding.folder import save

        return save(self, folder)

    def export(self, path: str | Path, format: str | None = None) -> Path:
        """Write the points as TSV, NPZ or word2vec text, by the file's extension or ``format``."""
        from hypercone.embedding.export import export

        return export(self, path, format)

    @property
    def _method(self) -> Method:
        return find_method(self.method)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names)}

    @cached_property
    def _generality(self) -> Points:
        return self._method.generality(self.points)

    def _rows_of(self, names: Names) -> Rows:
        if isinstance(names, str):
            return np.array(self.row(names), np.int32)
        return np.array([self.row(name) for name in names], np.int32)

    def _within(self, energies: Points, name: str) -> list[str]:
        rows = np.flatnonzero(energies <= self.threshold)
        rows = rows[rows != self.row(name)]
        return [self.names[row] for row in rows[np.lexsort((rows, self._generality[rows]))]]

    def _distances(self, row: int) -> NDArray[np.float64]:
        from hypercone._jit import dimension_type
        from hypercone.methods.score_kernels import energies_below as scan

        # The distance methods without their α are plain distances, in the ball or in flat space.
        twin = find_method("poincare" if self._method.is_hyperbolic else "euclidean")
        distances: NDArray[np.float64] = scan(
            self.points, row, twin.constants(Settings(border=self.settings.border)), dimension_type(self.dim)
        )
        return distances
