"""Where training starts: random points, or the last epoch of a pre-trained embedding drawn inwards."""

from __future__ import annotations

import numpy as np

from hypercone.construction import CONSTRUCTIONS
from hypercone.construction.progress import OnProgress
from hypercone.errors import ConfigError
from hypercone.geometry import poincare
from hypercone.methods import FARTHEST, Points, find_method
from hypercone.runs.folder import PRETRAINING, Checkpoints
from hypercone.training.cap_start import cap_start
from hypercone.training.config import FitConfig
from hypercone.training.constructing import constructed_start
from hypercone.training.loop import Stage
from hypercone.training.negatives import Known, Rows
from hypercone.training.progress import OnEpoch


def random_points(count: int, config: FitConfig) -> Points:
    """Points in a small cube, a function of the seed alone."""
    random = np.random.default_rng([config.seed, 0x57A27])
    return find_method(config.method).start(random, count, config.dim, config.start_spread)


def starting_points(
    count: int,
    edges: Rows,
    known: Known,
    config: FitConfig,
    on_epoch: OnEpoch | None = None,
    on_progress: OnProgress | None = None,
    checkpoints: Checkpoints | None = None,
) -> Points:
    """Random points, or those of the pre-training that the configuration asks for, drawn inwards."""
    checkpoints = checkpoints or Checkpoints()
    if config.init == "random":
        return random_points(count, config)
    if config.init == "caps":
        return cap_start(count, edges, known, config, on_epoch, checkpoints)
    if config.init in CONSTRUCTIONS:
        return constructed_start(count, edges, config, on_progress, checkpoints)
    return drawn_in(pretrained_points(count, edges, known, config, on_epoch, checkpoints), config)


def drawn_in(points: Points, config: FitConfig) -> Points:
    """Pre-trained points as the start of the main method.

    They are drawn inwards by ``rescale``; flat ones enter the ball along their spokes, and what was the distance from
    the origin stays it.

    >>> drawn_in(np.array([[2.0, 0.0]]), FitConfig(init="euclidean", dim=2, rescale=0.5)).round(4).tolist()
    [[0.4621, 0.0]]
    """
    inwards = config.rescale * points
    if find_method(config.method).is_hyperbolic and not find_method(config.init).is_hyperbolic:
        return np.asarray(poincare.exp_map(np.zeros(config.dim), inwards / 2), np.float64)
    return inwards


def pretrained_points(
    count: int,
    edges: Rows,
    known: Known,
    config: FitConfig,
    on_epoch: OnEpoch | None = None,
    checkpoints: Checkpoints | None = None,
) -> Points:
    """The last epoch of the pre-training that the configuration asks for."""
    pretraining = pretraining_config(config)
    stage = Stage(
        pretraining,
        edges,
        known,
        on_epoch=on_epoch,
        name=f"pre-training ({config.init})",
        checkpoints=checkpoints or Checkpoints(),
    )
    found = stage.checkpoints.of(PRETRAINING, stage.total)
    trained = stage.resume(found, count) if found else stage.train(random_points(count, pretraining))
    return trained.points


def check_start(points: Points, count: int, config: FitConfig) -> Points:
    """The points, if they are finite and one for each node; they are projected into the domain later."""
    if points.shape != (count, config.dim):
        raise ConfigError(f"start has the shape {points.shape}, but must be {(count, config.dim)}, one point a node")
    if not np.isfinite(points).all():
        raise ConfigError("start has values that are not finite; give points without NaN or infinity")
    if len(points) and (largest := np.abs(points).max()) > FARTHEST:
        raise ConfigError(f"start has a coordinate of {largest:.3g}; give points with none above {FARTHEST}")
    return np.asarray(points, np.float64)


def pretraining_config(config: FitConfig) -> FitConfig:
    """The configuration of the pre-training: its method's own defaults but for what the main one says of it."""
    return FitConfig(
        method=config.init,
        dim=config.dim,
        seed=config.seed,
        epochs=config.init_epochs,
        corrupt=config.init_corrupt,
        known=config.known,
        threads=config.threads,
        border=config.border,
    )
