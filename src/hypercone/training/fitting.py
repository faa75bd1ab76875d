"""Fits an embedding to a hierarchy, constructed or learned, with or without checkpoints."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone._system import processor_and_versions
from hypercone.construction import CLOSURE_AWARE, CONSTRUCTIONS, Constructed, construct
from hypercone.embedding import Embedding
from hypercone.embedding.headline import headline_from
from hypercone.embedding.origin import Kind
from hypercone.errors import ConfigError, InputError, option, short, warn_renamed
from hypercone.hierarchy import Hierarchy, Split
from hypercone.methods import METHODS, Points, find_method
from hypercone.methods.scoring import Scorer, calibrate
from hypercone.progress import OnProgress, Progress, ProgressBar, showing
from hypercone.runs import Checkpointing, FitContext, open_run
from hypercone.runs.checkpoint import Identity
from hypercone.runs.folder import TRAINING, FolderCheckpoints
from hypercone.training.config import (
    AUTO,
    DEFAULT_LEARNER,
    OPTIONS,
    ConstructionConfig,
    FitConfig,
    TrainingConfig,
    method_of,
    unknown_setting,
    with_new_names,
)
from hypercone.training.data import READING, Data, hierarchy_of
from hypercone.training.loop import DIGITS, Stage
from hypercone.training.option import format_value
from hypercone.training.recipe import Recipe, settings_of
from hypercone.training.sampling import TrainingData, calibration_pairs, prepare
from hypercone.training.start import check_start, pretrained_points, starting_points

# The method of constructed points.
CONES = "hyperbolic-cones"


OLD_ARGUMENTS = {"config": "recipe", "on_epoch": "callback", "on_progress": "callback", "run": "checkpoint"}


def fit(
    data: Data,
    method: str = AUTO,
    *,
    dim: int | str | None = None,
    seed: int | None = None,
    split: Split | None = None,
    start: Points | None = None,
    recipe: Recipe | None = None,
    callback: OnProgress | None = None,
    checkpoint: Checkpointing | str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> Embedding:
    """Fit an embedding to a hierarchy, constructed or learned.

    ``data`` is a Hierarchy, the name of a dataset, a file for ``hypercone.read``, (parent, child) pairs, a data frame
    with the columns parent and child, a dict of parents with their children, a networkx or igraph graph with its
    ``direction``, or a pronto Ontology. Arguments of ``hypercone.read``, such as ``direction``, ``relations`` and
    ``parent``, say how to read it.

    ``method`` is nested-caps or overlapping-caps, which are constructed, or hyperbolic-cones, euclidean-cones, order,
    poincare or euclidean, which are learned. *auto* is overlapping-caps, the best for a complete hierarchy, and
    hyperbolic-cones with a split or a start. No other setting affects it: settings of learning are refused for a
    construction. ``dim`` is a number or, for overlapping-caps, "auto": more while they pay. ``settings`` are those of
    docs/reference/settings.md by name.

    With ``split``, only its training edges are used for training, and its validation pairs choose the epoch, the
    threshold and α; the test pairs are not used. Without one, the threshold is chosen on the training pairs.

    With ``start``, one point per node, training begins there and the settings of initialization are not used; so
    several fits can share one pre-training (see ``hypercone.training.pretrain``).

    ``recipe`` is "as published", "tuned" or, for hyperbolic cones, "strict" or "given-edges" (the settings behind the
    tables), a TOML file, settings by name such as ``record["config"]`` of a model, or a TrainingConfig or
    ConstructionConfig; other arguments take precedence over it.

    ``checkpoint``, a folder or Checkpointing, lets the same call resume a fit that was killed. ``callback`` is called
    with a Progress after each epoch or iteration. A progress bar is shown if standard error is a terminal or a
    notebook, always (``progress=True``) or never (``progress=False``).

    >>> embedding = fit([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")], dim=2)
    >>> embedding.is_a("poodle", "animal"), embedding.made_by
    (True, 'overlapping-caps')
    >>> fit("tree-2-3", "order", dim=2, epochs=20).made_by
    'order'
    >>> fit([("poodle", "dog"), ("dog", "animal")], direction="child-parent", dim=2).ancestors("poodle")
    ['animal', 'dog']
    """
    method, recipe, callback, checkpoint = _from_old_names(method, recipe, callback, checkpoint, settings)
    reading = {name: settings.pop(name) for name in READING if name in settings}
    for name in settings:
        if name not in OPTIONS:
            raise unknown_setting(name, READING)
    hierarchy = hierarchy_of(data, **reading)
    if split is not None:
        _check_kind("split", split, Split, "a Split, as Hierarchy.split makes it")
        split.check(hierarchy)
    _check_kind("checkpoint", checkpoint, Checkpointing | str | os.PathLike | None, "a folder, or Checkpointing")
    learns = split is not None or start is not None
    given = {"method": None if method == AUTO else method, "dim": dim, "seed": seed, **settings}
    config = _config(given, recipe, split, learns=learns)
    run = Checkpointing(Path(checkpoint)) if isinstance(checkpoint, str | os.PathLike) else checkpoint
    if start is not None and config.is_construction:
        raise ConfigError(
            f"start is given, but {config.method} is constructed; choose {option('method', DEFAULT_LEARNER)}"
        )
    with showing(progress), ProgressBar() as show:
        tell = _listener(callback, show)
        return _fit(hierarchy, config, split, start, run, tell)


def _fit(
    hierarchy: Hierarchy,
    config: FitConfig,
    split: Split | None,
    start: Points | None,
    run: Checkpointing | None,
    tell: OnProgress | None,
) -> Embedding:
    if config.is_construction:
        with _context(tell, run, hierarchy, config, split, None) as context:
            return _construct(hierarchy, config, split, context)
    data = prepare(hierarchy, config, split)
    with _context(tell, run, hierarchy, data.config, split, start) as context:
        return _learn(hierarchy, data, split, start, context)


def _listener(callback: OnProgress | None, show: OnProgress | None) -> OnProgress | None:
    """One function that calls both; None if both are None, so that no figures are computed in vain."""
    if callback is None or show is None:
        return callback or show

    def tell(event: Progress) -> None:
        show(event)
        callback(event)

    return tell


def _check_kind(name: str, value: object, kind: Any, wanted: str) -> None:
    if not isinstance(value, kind):
        raise InputError(f"{name} is {format_value(value)}, but must be {wanted}")


def _config(given: dict[str, Any], recipe: Recipe | None, split: Split | None, *, learns: bool) -> FitConfig:
    """The given settings over those of the recipe, with the method resolved."""
    settings = {name: value for name, value in given.items() if value is not None}
    if recipe is not None:
        method = method_of(with_new_names(settings, warn=False), learns=learns)
        percent = None if split is None else split.percent
        settings = settings_of(recipe, settings, method, percent)
    config = FitConfig(**settings)
    # Resolve *auto* and check that the settings are compatible, before any work.
    config = config.for_learning() if learns else config
    _ = config.example
    return config


def _from_old_names(method: Any, recipe: Any, callback: Any, checkpoint: Any, settings: dict[str, Any]) -> Any:
    """The arguments, with those under a name of version 0.1 moved to the current name."""
    if isinstance(method, FitConfig):
        warn_renamed("fit(hierarchy, FitConfig(…))", "fit(data, method, **settings) or recipe=")
        recipe, method = method, AUTO
    given = {"recipe": recipe, "callback": callback, "checkpoint": checkpoint}
    for old, new in OLD_ARGUMENTS.items():
        value = settings.pop(old, None)
        if value is None:
            continue
        warn_renamed(f"fit({old}=…)", f"{new}=")
        if given[new] is not None and given[new] is not value:
            raise ConfigError(f"{old} is an old name of {new}, which is given as well; give {new} alone")
        given[new] = value
    return method, *given.values()


@contextlib.contextmanager
def _context(
    callback: OnProgress | None,
    run: Checkpointing | None,
    hierarchy: Hierarchy,
    config: FitConfig | TrainingConfig,
    split: Split | None,
    start: Points | None,
) -> Iterator[FitContext]:
    """The context for the steps of a fit; within the block, the run folder is locked."""
    if run is None:
        yield FitContext(callback)
        return
    with open_run(run, identity_of(hierarchy, config, split, start)) as folder:
        yield FitContext(callback, FolderCheckpoints(run, folder))


def _construct(hierarchy: Hierarchy, given: FitConfig, split: Split | None, context: FitContext) -> Embedding:
    """Construct an embedding of a hierarchy, or of the training edges of a split."""
    known = hierarchy if split is None else Hierarchy(hierarchy.names, split.train)
    if not len(known.edges):
        raise InputError("there are no edges to construct from; give at least one parent and child")
    # Only direct edges count: a split's training edges include implied ones.
    parents = np.bincount(known.reduction()[:, 1], minlength=len(known))
    config = given.for_parents(float((parents > 1).mean()))
    dimensions = DIMENSIONS if given.given.get("dim") == AUTO else (config.dim,)
    made, tried = _construct_best(known, config, dimensions, context)
    config = replace(config, dim=made.points.shape[1])
    constructed = Embedding(
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
            "calibration_f1": made.counts and made.counts.f1,
            "calibrated_on": "all pairs",
            "precision": made.counts and made.counts.precision,
            "recall": made.counts and made.counts.recall,
            "smallest_cap": made.smallest_cap,
            "unexplained": made.unexplained,
            "notes": [*recorded_notes(hierarchy), *made.notes, *tried],
            "reproducible": not config.seconds,
            "machine": processor_and_versions(),
        },
        labels=hierarchy.labels,
        edges=hierarchy.edges if split is None else split.train,
        glossary=hierarchy.glossary,
    )
    if split is None:
        # All pairs were counted for the record anyway; with a split, those of its training edges.
        constructed.record["headline"] = headline_from(constructed, hierarchy, made.counts, made.errors).as_dict()
    return constructed


# The numbers of dimensions that ``dim="auto"`` tries in turn, the F1 that is enough, and the gain for which it goes on.
DIMENSIONS, ENOUGH, WORTHWHILE = (5, 10, 20), 0.98, 0.005


def _construct_best(
    hierarchy: Hierarchy, config: ConstructionConfig, dimensions: Sequence[int], context: FitContext
) -> tuple[Constructed, list[str]]:
    """The best construction of several starts, in the fewest dimensions beyond which F1 hardly rises; with a note."""
    if len(dimensions) == 1 and not config.restarts:
        return _construct_once(hierarchy, config, context), []
    if isinstance(context.checkpoints, FolderCheckpoints):
        given = option("restarts", config.restarts) if len(dimensions) == 1 else option("dim", AUTO)
        raise ConfigError(f"{given} needs several fits, but checkpoints are of one; leave out one of the two")
    best, tried = None, []
    for dim in dimensions:
        starts = [replace(config, dim=dim, seed=_seed_of(config.seed, start)) for start in range(config.restarts + 1)]
        made = max((_construct_once(hierarchy, start, context) for start in starts), key=_f1_of)
        tried.append("not counted" if made.counts is None else f"{made.counts.f1:.2%} in {dim}")
        if best is not None and _f1_of(made) < _f1_of(best) + WORTHWHILE:
            break
        best = made
        if made.counts is None or made.counts.f1 >= ENOUGH:
            break
    assert best is not None
    return best, [f"dimensions tried, with F1 over all pairs: {', '.join(tried)}"] if len(dimensions) > 1 else []


def _construct_once(hierarchy: Hierarchy, config: ConstructionConfig, context: FitContext) -> Constructed:
    return construct(config.method, hierarchy, config.dim, config.K, config.seed, context, config.seconds)


def _f1_of(made: Constructed) -> float:
    return -1.0 if made.counts is None else made.counts.f1


def _seed_of(seed: int, start: int) -> int:
    """The seed itself for the first start, and others for those after it."""
    return seed if start == 0 else int(np.random.SeedSequence([seed, start]).generate_state(1)[0])


def _learn(
    hierarchy: Hierarchy, data: TrainingData, split: Split | None, start: Points | None, context: FitContext
) -> Embedding:
    """Learn an embedding from the training data of a hierarchy."""
    edges, known, config = data
    # A split of a small hierarchy may have no validation pairs.
    validation = split.validation if split and len(split.validation.positives) else None
    init = config.init if start is None else "given points"
    stage = Stage(config, edges, known, validation, context, records_history=True)
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
            "kind": _kind(init),
            # Without validation pairs, the threshold is chosen on negative pairs from outside the closure.
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
            "machine": processor_and_versions(),
            "history": trained.history,
            "notes": [*recorded_notes(hierarchy), *trained.notes],
        },
        labels=hierarchy.labels,
        edges=hierarchy.edges if split is None else split.train,
        glossary=hierarchy.glossary,
    )


# A reader may have left out thousands of things, and a record should stay small.
MOST_NOTES, LONGEST_NOTE = 20, 300


def _kind(init: str) -> str:
    """How points that were learned from this start came about."""
    if init == "given-edges":
        return Kind.LEARNED_IN_A_FOREST.value
    return (Kind.LEARNED_FROM_A_CONSTRUCTION if init in CONSTRUCTIONS else Kind.LEARNED).value


def recorded_notes(hierarchy: Hierarchy) -> list[str]:
    """The notes of the hierarchy as they are put into the record of a model, before those of the fit.

    >>> recorded_notes(Hierarchy(["animal", "dog"], [[0, 1]], notes=["1 obsolete term skipped"]))
    ['1 obsolete term skipped']
    """
    notes = [short(note, LONGEST_NOTE) for note in hierarchy.notes]
    if len(notes) <= MOST_NOTES:
        return notes
    listed = MOST_NOTES - 1
    return [*notes[:listed], f"{len(notes) - listed:,} more notes on the hierarchy"]


def pretrain(
    hierarchy: Hierarchy, config: FitConfig, *, split: Split | None = None, callback: OnProgress | None = None
) -> Points:
    """The points of the pre-training that a fit with this configuration would rescale and start from.

    Fits that differ in other settings can share them.

    >>> from hypercone import Hierarchy
    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])
    >>> from hypercone.training import rescaled_start
    >>> config = FitConfig(method="hyperbolic-cones", dim=2, epochs=50)
    >>> start = rescaled_start(pretrain(pets, config), config)
    >>> bool((fit(pets, recipe=config, start=start).points == fit(pets, recipe=config).points).all())
    True
    """
    config = config.for_learning()
    if config.init not in METHODS:
        raise ConfigError(
            f"{option('init')} is {config.init}, which pre-trains nothing; "
            f"choose {option('init', 'poincare', 'euclidean')}"
        )
    return pretrained_points(len(hierarchy), *prepare(hierarchy, config, split), FitContext(callback))


def identity_of(
    hierarchy: Hierarchy, config: FitConfig | TrainingConfig, split: Split | None, start: Points | None
) -> Identity:
    """Everything that the result depends on, as plain values; two fits with the same identity give the same bytes.

    >>> pets = Hierarchy.from_pairs([("animal", "dog")])
    >>> identity_of(pets, FitConfig(dim=2), None, None)["nodes"]
    2
    """
    from hypercone import __version__

    parts: Identity = {
        **config.as_dict(),
        "hypercone": __version__,
        "digits": DIGITS,
        # The last bits of the result may depend on these versions.
        **{name: importlib.metadata.version(name) for name in ("numba", "numpy")},
        "nodes": len(hierarchy),
        "direct edges": len(hierarchy.edges),
        "hierarchy": hierarchy.digest,
    }
    if hierarchy.labels is not None:
        parts["labels"] = hashlib.sha256("\n".join(hierarchy.labels.texts).encode()).hexdigest()
    if hierarchy.glossary is not None:
        parts["glossary"] = hierarchy.glossary.digest
    if hierarchy.notes:
        parts["notes"] = hashlib.sha256("\n".join(recorded_notes(hierarchy)).encode()).hexdigest()
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
