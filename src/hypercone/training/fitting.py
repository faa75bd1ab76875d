"""From a hierarchy and a configuration to an embedding."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypercone.calibration import calibrate
from hypercone.embedding import Embedding
from hypercone.errors import ConfigError
from hypercone.hierarchy import Hierarchy, Split
from hypercone.methods import find_method
from hypercone.training.config import FitConfig
from hypercone.training.loop import Stage
from hypercone.training.positives import calibration_pairs, known_pairs, training_edges
from hypercone.training.progress import OnEpoch
from hypercone.training.start import starting_points


def fit(
    hierarchy: Hierarchy,
    config: FitConfig | None = None,
    *,
    split: Split | None = None,
    on_epoch: OnEpoch | None = None,
    **settings: Any,
) -> Embedding:
    """Learn an embedding of the hierarchy. Settings can be given as a FitConfig or by name.

    With a split, training sees its training edges only, and its validation pairs choose the epoch, the threshold and
    α; the test pairs are not looked at. Without one, the threshold is placed on the training pairs.

    >>> from hypercone import Hierarchy
    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])
    >>> embedding = fit(pets, dim=2)
    >>> embedding.is_a("poodle", "animal")
    True
    """
    if config is not None and settings:
        raise ConfigError(f"{', '.join(settings)} is given beside a configuration; put it in the configuration")
    config = config or FitConfig.from_dict(settings)
    method = find_method(config.method)
    edges = training_edges(hierarchy, config, split)
    config = config.for_edges(len(edges))
    known = known_pairs(hierarchy, edges, config)
    # A split of a small hierarchy may hold nothing out.
    validation = split.validation if split and len(split.validation.positives) else None
    start = starting_points(len(hierarchy), edges, known, config, on_epoch)
    stage = Stage(config, edges, known, validation, on_epoch)
    trained = stage.train(start)
    chosen = trained.calibration
    if chosen is None:
        pairs = validation or calibration_pairs(hierarchy, edges, config)
        chosen = calibrate(method, config.settings, trained.points, pairs)
    return Embedding(
        names=hierarchy.names,
        points=trained.points,
        method=config.method,
        settings=replace(config.settings, alpha=chosen.alpha),
        threshold=chosen.threshold,
        record={
            "config": config.as_dict(),
            "hierarchy_digest": hierarchy.digest,
            "training_edges": len(edges),
            "split": {"percent": split.percent, "seed": split.seed} if split else None,
            "epoch": trained.epoch,
            "calibration_f1": chosen.f1,
            "calibrated_on": "validation pairs" if validation else "training pairs",
            "reproducible": config.threads == 1,
        },
    )
