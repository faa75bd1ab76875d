"""Embeddings that are constructed instead of learned, and constructed points as a start for learning."""

from __future__ import annotations

import numpy as np

from hypercone.construction import construct
from hypercone.construction.progress import OnProgress
from hypercone.embedding import Embedding
from hypercone.errors import ConfigError, InputError
from hypercone.geometry import caps, klein
from hypercone.hierarchy import Hierarchy, Split
from hypercone.methods import Points, find_method
from hypercone.runs.folder import Checkpoints
from hypercone.training.config import FitConfig
from hypercone.training.negatives import Rows

# Whose points a construction makes.
CONES = "hyperbolic-cones"


def constructed(
    hierarchy: Hierarchy,
    config: FitConfig,
    split: Split | None = None,
    on_progress: OnProgress | None = None,
    checkpoints: Checkpoints | None = None,
) -> Embedding:
    """The embedding that a construction makes of a hierarchy, or of the training edges of a split.

    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])
    >>> constructed(pets, FitConfig(method="construction", dim=2)).ancestors("poodle")
    ['animal', 'dog']
    """
    given = hierarchy if split is None else Hierarchy.from_rows(hierarchy.names, split.train)
    if not len(given.edges):
        raise InputError("there are no edges to construct from; give at least one parent and child")
    # Counted by basic edges: a split's training edges have implied ones among them.
    parents = np.bincount(given.reduction()[:, 1], minlength=len(given))
    config = config.for_parents(float((parents > 1).mean()))
    made = construct(config.method, given, config.dim, config.K, config.seed, on_progress, checkpoints)
    return Embedding(
        names=hierarchy.names,
        points=made.points,
        method=CONES,
        settings=config.settings,
        threshold=0.0,
        record={
            "kind": "constructed",
            "closure_aware": made.closure_aware,
            "config": config.as_dict(),
            "hierarchy_digest": hierarchy.digest,
            "training_edges": len(given.edges),
            "split": {"percent": split.percent, "seed": split.seed} if split else None,
            "calibration_f1": made.counts.f1,
            "calibrated_on": "all pairs",
            "precision": made.counts.precision,
            "recall": made.counts.recall,
            "smallest_cap": made.smallest_cap,
            "notes": list(made.notes),
            "reproducible": True,
        },
        labels=hierarchy.labels,
        edges=hierarchy.edges,
    )


def constructed_start(
    count: int,
    edges: Rows,
    config: FitConfig,
    on_progress: OnProgress | None = None,
    checkpoints: Checkpoints | None = None,
) -> Points:
    """Constructed points for a method to start from, each where that method has the same cone."""
    method = find_method(config.method)
    if method.curvature is None:
        raise ConfigError(f"init is {config.init}, but {config.method} has no cones to construct; leave init out")
    given = Hierarchy.from_rows([str(row) for row in range(count)], edges)
    made = construct(config.init, given, config.dim, config.K, config.seed, on_progress, checkpoints)
    if method.is_hyperbolic:
        return made.points
    # In Klein coordinates these cones are straight ones with κ in the place of K.
    return np.asarray(config.K / caps.kappa(config.K) * klein.to_klein(made.points), np.float64)
