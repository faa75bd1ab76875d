"""From a hierarchy and a configuration to an embedding, constructed or learned, with or without a run's folder."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone.construction import CLOSURE_AWARE, CONSTRUCTIONS, construct
from hypercone.embedding import Embedding
from hypercone.errors import ConfigError, InputError, option
from hypercone.hierarchy import Hierarchy, Split
from hypercone.methods import METHODS, Points, find_method
from hypercone.methods.scoring import Scorer, calibrate
from hypercone.progress import OnProgress, Progress
from hypercone.runs import FitContext, Run, opened
from hypercone.runs.checkpoint import Identity
from hypercone.runs.folder import TRAINING, KeptCheckpoints
from hypercone.training.config import DEFAULT_LEARNER, FitConfig, TrainingConfig
from hypercone.training.loop import Stage
from hypercone.training.sampling import TrainingData, calibration_pairs, prepare
from hypercone.training.start import check_start, pretrained_points, starting_points

# Whose points a construction makes.
CONES = "hyperbolic-cones"


def fit(
    hierarchy: Hierarchy,
    config: FitConfig | None = None,
    *,
    split: Split | None = None,
    start: Points | None = None,
    on_epoch: OnProgress | None = None,
    on_progress: OnProgress | None = None,
    run: Run | None = None,
    **settings: Any,
) -> Embedding:
    """An embedding of the hierarchy. Settings can be given as a FitConfig or by name.

    Without any it is constructed: overlapping caps, the best for a hierarchy that is known whole. With a setting of
    learning (epochs, rate, …), a split or a start it is learned, as hyperbolic cones unless the method says otherwise.

    With a split, training sees its training edges only, and its validation pairs choose the epoch, the threshold and
    α; the test pairs are not looked at. Without one, the threshold is placed on the training pairs.

    With start, a point for each node, training begins there and the settings of initialisation are not used; so one
    pre-training can serve several fits (see pretrain).

    With run, checkpoints are kept in its folder, and a fit that was killed goes on from there (see Run).

    ``on_epoch`` is called with the progress of learning after each epoch, ``on_progress`` with that of a construction.

    >>> from hypercone import Hierarchy
    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])
    >>> embedding = fit(pets, dim=2)
    >>> embedding.is_a("poodle", "animal")
    True
    """
    if config is not None and settings:
        raise ConfigError(f"{', '.join(settings)} is given beside a configuration; put it in the configuration")
    config = config or FitConfig(**settings)
    if split is not None or start is not None:
        # Whoever holds edges out, or gives points to start from, wants to learn.
        config = config.for_learning()
    progress = _listener(on_epoch, on_progress)
    if config.is_construction:
        if start is not None:
            raise ConfigError(
                f"start is given, but {config.method} is constructed; choose {option('method', DEFAULT_LEARNER)}"
            )
        with _context(progress, run, hierarchy, config, split, None) as context:
            return _construct(hierarchy, config, split, context)
    data = prepare(hierarchy, config, split)
    with _context(progress, run, hierarchy, data.config, split, start) as context:
        return _learn(hierarchy, data, split, start, context)


def _listener(on_epoch: OnProgress | None, on_progress: OnProgress | None) -> OnProgress | None:
    """One function to be told of epochs and of iterations, if there is any."""
    if on_epoch is on_progress:
        return on_epoch

    def tell(event: Progress) -> None:
        listener = on_epoch if event.unit == "epoch" else on_progress
        if listener:
            listener(event)

    return tell


@contextlib.contextmanager
def _context(
    progress: OnProgress | None,
    run: Run | None,
    hierarchy: Hierarchy,
    config: FitConfig | TrainingConfig,
    split: Split | None,
    start: Points | None,
) -> Iterator[FitContext]:
    """What the steps of a fit are given; during the block the folder of its run is locked."""
    if run is None:
        yield FitContext(progress)
        return
    with opened(run, identity_of(hierarchy, config, split, start)) as folder:
        yield FitContext(progress, KeptCheckpoints(run, folder))


def _construct(hierarchy: Hierarchy, given: FitConfig, split: Split | None, context: FitContext) -> Embedding:
    """What a construction makes of a hierarchy, or of the training edges of a split."""
    known = hierarchy if split is None else Hierarchy.from_rows(hierarchy.names, split.train)
    if not len(known.edges):
        raise InputError("there are no edges to construct from; give at least one parent and child")
    # Counted by basic edges: a split's training edges have implied ones among them.
    parents = np.bincount(known.reduction()[:, 1], minlength=len(known))
    config = given.for_parents(float((parents > 1).mean()))
    made = construct(config.method, known, config.dim, config.K, config.seed, context)
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
            "training_edges": len(known.edges),
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


def _learn(
    hierarchy: Hierarchy, data: TrainingData, split: Split | None, start: Points | None, context: FitContext
) -> Embedding:
    """What is learned from the data of a hierarchy."""
    edges, known, config = data
    # A split of a small hierarchy may hold nothing out.
    validation = split.validation if split and len(split.validation.positives) else None
    init = config.init if start is None else "given points"
    stage = Stage(config, edges, known, validation, context, keeps_history=True)
    if found := context.checkpoints.of(TRAINING, stage.total):
        trained = stage.resume(found, len(hierarchy))
    elif start is None:
        trained = stage.train(starting_points(len(hierarchy), edges, known, config, context))
    else:
        trained = stage.train(check_start(start, len(hierarchy), config))
    chosen = trained.calibration
    if chosen is None:
        pairs = validation or calibration_pairs(hierarchy, edges, config)
        chosen = calibrate(Scorer(trained.points, find_method(config.method), config.settings), pairs)
    return Embedding(
        names=hierarchy.names,
        points=trained.points,
        method=config.method,
        settings=replace(config.settings, alpha=chosen.alpha),
        threshold=chosen.threshold,
        record={
            "kind": "learned from a construction" if init in CONSTRUCTIONS else "learned",
            # Without validation pairs, the wrong pairs that place the threshold are those outside the closure.
            "closure_aware": config.known == "closure" or init in CLOSURE_AWARE or validation is None,
            "config": config.as_dict(),
            "hierarchy_digest": hierarchy.digest,
            "training_edges": len(edges),
            "start": init,
            "split": {"percent": split.percent, "seed": split.seed} if split else None,
            "epoch": trained.epoch,
            "calibration_f1": chosen.f1,
            "calibrated_on": "validation pairs" if validation else "training pairs",
            "reproducible": config.threads == 1,
            "history": trained.history,
            "notes": trained.notes,
        },
        labels=hierarchy.labels,
        edges=hierarchy.edges,
    )


def pretrain(
    hierarchy: Hierarchy, config: FitConfig, *, split: Split | None = None, on_epoch: OnProgress | None = None
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
    config = config.for_learning()
    if config.init not in METHODS:
        raise ConfigError(
            f"{option('init')} is {config.init}, which pre-trains nothing; "
            f"choose {option('init', 'poincare', 'euclidean')}"
        )
    return pretrained_points(len(hierarchy), *prepare(hierarchy, config, split), FitContext(on_epoch))


def identity_of(
    hierarchy: Hierarchy, config: FitConfig | TrainingConfig, split: Split | None, start: Points | None
) -> Identity:
    """All that the result depends on, in plain values; two fits with the same identity give the same bytes.

    >>> pets = Hierarchy.from_pairs([("animal", "dog")])
    >>> identity_of(pets, FitConfig(dim=2), None, None)["nodes"]
    2
    """
    from hypercone import __version__

    parts: Identity = {
        **config.as_dict(),
        "hypercone": __version__,
        # The last bit of a number may depend on these as well.
        **{name: importlib.metadata.version(name) for name in ("numba", "numpy")},
        "nodes": len(hierarchy),
        "direct edges": len(hierarchy.edges),
        "hierarchy": hierarchy.digest,
    }
    if hierarchy.labels is not None:
        parts["labels"] = hashlib.sha256("\n".join(hierarchy.labels.texts).encode()).hexdigest()
    if split is not None:
        pairs = (split.train, split.validation.positives, split.validation.negatives)
        parts |= {"percent": split.percent, "split seed": split.seed, "split": _digest(*pairs)}
    if start is not None:
        parts["start"] = _digest(start)
    return parts


def _digest(*arrays: NDArray[Any]) -> str:
    hashed = hashlib.sha256()
    for array in arrays:
        hashed.update(f"{array.dtype.str}{array.shape}".encode())
        hashed.update(np.ascontiguousarray(array).tobytes())
    return hashed.hexdigest()
