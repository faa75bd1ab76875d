"""Write what the JavaScript of the explorer must agree with: energies and answers by geometry of all five methods.

Small models with difficult points: near the border, on the inner shell, two nodes in one place, and a threshold that is
exactly the energy of a pair, as every fit chooses it.

    python -m tools.explorer_fixtures
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone import Embedding
from hypercone.embedding.relations import children_of, parents_of
from hypercone.methods import METHODS, Settings

TARGET = Path(__file__).parents[1] / "explorer" / "test" / "fixtures" / "answers.json"
NODES = 18
# Distances of some points from the border, down to where a float has few digits left.
GAPS = (1e-3, 1e-5, 1e-7, 1e-9, 1e-12)

Floats = NDArray[np.float64]


def points_in_ball(random: np.random.Generator, dim: int, inner: float) -> Floats:
    """Points along a few spokes: nested families, some points at the border, two in one place."""
    spokes = random.normal(size=(4, dim))
    directions = spokes[np.arange(NODES) % 4] + 0.04 * random.normal(size=(NODES, dim))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    radii = np.sort(random.uniform(inner, 0.98, NODES))
    radii[-len(GAPS) :] = 1 - np.array(GAPS)
    radii[0] = inner
    points = np.asarray(directions * radii[:, None])
    points[7] = points[3]
    return points


def points_of(method: str, random: np.random.Generator, dim: int) -> Floats:
    """Points in the domain of a method."""
    if method in ("hyperbolic-cones", "poincare"):
        return points_in_ball(random, dim, 0.1)
    points = points_in_ball(random, dim, 0.1) * 3
    return np.abs(points) if method == "order" else points


def model(method: str, dim: int, seed: int) -> Embedding:
    """A small model with a tree of edges, whose threshold is the energy of one of its pairs."""
    random = np.random.default_rng(seed)
    settings = Settings(K=0.1, border=1e-13, alpha=0.1 if METHODS[method].uses_alpha else 0.0)
    names = [f"node {row}" for row in range(NODES)]
    edges = np.array([((row - 4) if row >= 8 else 0, row) for row in range(1, NODES)], np.int32)
    points = points_of(method, random, dim)
    without = Embedding(names, points, method, settings, 0.0, edges=edges)
    energies = np.sort(np.unique([without.energy(names[child], names[parent]) for parent, child in edges.tolist()]))
    return Embedding(names, points, method, settings, float(energies[len(energies) // 3]), edges=edges)


def answers(embedding: Embedding) -> dict[str, Any]:
    """The model and every answer that the tests of the page compare."""
    rows, columns = np.divmod(np.arange(NODES * NODES, dtype=np.int32), NODES)
    pairs = np.stack([rows, columns], axis=1)
    signed = embedding.scorer.signed_energies(pairs)
    names = list(embedding.names)
    pairs_to_explain = [
        (child, parent) for child in range(1, NODES, 5) for parent in range(0, NODES, 3) if child != parent
    ]
    return {
        "method": embedding.method,
        "dim": embedding.dim,
        "count": NODES,
        "threshold": embedding.threshold,
        "settings": {"K": embedding.settings.K, "alpha": embedding.settings.alpha},
        "points": embedding.points.ravel().tolist(),
        "edges": np.asarray(embedding.edges).ravel().tolist(),
        "signed": signed.tolist(),
        "descendants": [
            [embedding.row(other) for other in embedding.descendants(name, by="geometry")] for name in names
        ],
        "ancestors": [[embedding.row(other) for other in embedding.ancestors(name, by="geometry")] for name in names],
        "parents": [parents_of(embedding, row).tolist() for row in range(NODES)],
        "children": [children_of(embedding, row).tolist() for row in range(NODES)],
        "nearest": [[[embedding.row(other), apart] for other, apart in embedding.nearest(name)] for name in names],
        "explained": [explanation(embedding, child, parent) for child, parent in pairs_to_explain],
    }


def explanation(embedding: Embedding, child: int, parent: int) -> dict[str, Any]:
    """One explanation with rows in place of names."""
    found = embedding.explain(embedding.names[child], embedding.names[parent])
    return {
        "child": child,
        "parent": parent,
        "isA": found.geometry,
        "energy": found.energy,
        "margin": found.margin,
        "angle": found.angle,
        "aperture": found.aperture,
        "graph": found.graph,
        "agrees": found.agrees,
        "chain": [embedding.row(step.name) for step in found.chain],
        "path": [embedding.row(step.name) for step in found.path],
        "lost": [embedding.row(name) for name in found.lost],
        "stray": None if found.stray is None else embedding.row(found.stray),
    }


def main() -> None:
    """Write the file."""
    models = [model(method, dim, seed) for seed, method in enumerate(METHODS) for dim in (2, 5)]
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(json.dumps([answers(each) for each in models], separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{TARGET.name}: {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
