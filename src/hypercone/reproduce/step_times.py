"""How long an epoch takes with one optimizer and with another: measured in turn, in one process, as a ratio."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from hypercone.methods import find_method
from hypercone.reproduce.trials import Row, Trial
from hypercone.training.config import TrainingConfig
from hypercone.training.loop import DIGITS, Stage, Trainer
from hypercone.training.sampling import TrainingData, make_negatives, prepare
from hypercone.training.start import starting_points

# At the start almost every pair has a gradient, later few have. As many epochs are run before those that are measured.
EPOCHS_BEFORE = 10
# The least of so many counts, because noise only adds time.
REPEATS = 15


def time_epochs(trials: Mapping[str, Trial], epochs: int = EPOCHS_BEFORE, repeats: int = REPEATS) -> Row:
    """The CPU seconds of an epoch of each trial from the same points, in turn; the trials differ in the optimizer."""
    first = next(iter(trials.values()))
    hierarchy, split = first.load()
    data = prepare(hierarchy, first.config, split)
    config = replace(data.config, epochs=epochs, burn_in=0, init_epochs=min(epochs, data.config.init_epochs))
    start = starting_points(len(hierarchy), data.edges, data.known, config)
    points = Stage(config, data.edges, data.known).train(start).points
    seconds: dict[str, list[float]] = {name: [] for name in trials}
    for turn in range(repeats + 1):
        for name, trial in trials.items():
            taken = _epoch_seconds(points.copy(), data, trial.config.for_edges(len(data.edges)))
            # The first turn may compile.
            if turn:
                seconds[name].append(taken)
    return {
        "method": first.config.method,
        "dim": first.config.dim,
        "percent": first.percent,
        "seed": first.config.seed,
        "source": first.source,
        "digits": DIGITS,
        "epochs_before": epochs,
        "repeats": repeats,
        "seconds": {name: min(taken) for name, taken in seconds.items()},
    }


def _epoch_seconds(points: Any, data: TrainingData, config: TrainingConfig) -> float:
    trainer = Trainer(
        method=find_method(config.method),
        settings=config.settings,
        points=points,
        memory=np.zeros(len(points)),
        edges=data.edges,
        known=data.known,
        seed=config.seed,
        optimizer=config.optimizer,
    )
    negatives = make_negatives(len(points), data.edges, config)
    # The first run prepares the lists of known pairs.
    trainer.run(0, config.rate, negatives)
    began = time.process_time()
    trainer.run(1, config.rate, negatives)
    return time.process_time() - began
