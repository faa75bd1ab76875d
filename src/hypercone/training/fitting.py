"""From a hierarchy and a configuration to an embedding."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypercone.calibration import calibrate
from hypercone.embedding import Embedding
from hypercone.errors import ConfigError
from hypercone.hierarchy import Hierarchy, Split
from hypercone.methods import Points, find_method
from hypercone.training.config import FitConfig
from hypercone.training.loop import Stage
from hypercone.training.positives import calibration_pairs, prepare
from hypercone.training.progress import OnEpoch
from hypercone.training.start import check_start, pretrained_points, starting_points


def fit(
    hierarchy: Hierarchy,
    config: FitConfig | None = None,
    *,
    split: Split | None = None,
    start: Points | None = None,
    on_epoch: OnEpoch | None = None,
    **settings: Any,
) -> Embedding:
    """Learn an embedding of the hierarchy. Settings can be given as a FitConfig or by name.

    With a split, training sees its training edges only, and its validation pairs choose the epoch, the threshold and
    α; the test pairs are not looked at. Without one, the threshold is placed on the training pairs.

    With start, a point for each node, training begins there and the settings of initialisation are not used; so one
    pre-training can serve several fits (see pretrain).

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
    edges, known, config = prepare(hierarchy, config, split)
    # A split of a small hierarchy may hold nothing out.
    validation = split.validation if split and len(split.validation.positives) else None
    if start is None:
        begin = starting_points(len(hierarchy), edges, known, config, on_epoch)
    else:
        begin = check_start(start, len(hierarchy), config)
    stage = Stage(config, edges, known, validation, on_epoch)
    trained = stage.train(begin)
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
            "start": config.init if start is None else "given points",
            "split": {"percent": split.percent, "seed": split.seed} if split else None,
            "epoch": trained.epoch,
            "calibration_f1": chosen.f1,
            "calibrated_on": "validation pairs" if validation else "training pairs",
            "reproducible": config.threads == 1,
        },
        labels=hierarchy.labels,
        edges=hierarchy.edges,
    )


def pretrain(
    hierarchy: Hierarchy, config: FitConfig, *, split: Split | None = None, on_epoch: OnEpoch | None = None
) -> Points:
    """The points of the pre-training that a fit with this configuration would draw inwards and start from.

    Fits that differ in other settings can share them.

    >>> from hypercone import Hierarchy
    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])
    >>> from hypercone.training import drawn_in
    >>> config = FitConfig(dim=2, epochs=50)
    >>> start = drawn_in(pretrain(pets, config), config)
    >>> bool((fit(pets, config, start=start).points == fit(pets, config).points).all())
    True
    """
    if config.init == "random":
        raise ConfigError("init is random, so there is nothing to pre-train; choose init = poincare or euclidean")
    edges, known, config = prepare(hierarchy, config, split)
    return pretrained_points(len(hierarchy), edges, known, config, on_epoch)
