"""Where training starts: random points, or the last epoch of a pre-trained embedding drawn inwards."""

from __future__ import annotations

import numpy as np

from hypercone.methods import Points, find_method
from hypercone.training.config import FitConfig
from hypercone.training.loop import Stage
from hypercone.training.negatives import Known, Rows
from hypercone.training.progress import OnEpoch


def random_points(count: int, config: FitConfig) -> Points:
    """Points in a small cube, a function of the seed alone."""
    random = np.random.default_rng([config.seed, 0x57A27])
    return find_method(config.method).start(random, count, config.dim, config.start_spread)


def starting_points(
    count: int, edges: Rows, known: Known, config: FitConfig, on_epoch: OnEpoch | None = None
) -> Points:
    """Random points, or those of the pre-training that the configuration asks for."""
    if config.init == "random":
        return random_points(count, config)
    pretraining = pretraining_config(config)
    stage = Stage(pretraining, edges, known, on_epoch=on_epoch, name=f"pre-training ({config.init})")
    return config.rescale * stage.train(random_points(count, pretraining)).points


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
