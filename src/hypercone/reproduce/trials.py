"""Trials in parallel on all cores, and the results file to which each is added when it finishes."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from hypercone._files import new_file
from hypercone._system import describe_machine
from hypercone.data import load_dataset
from hypercone.embedding import Embedding
from hypercone.errors import InputError, ResourceError
from hypercone.evaluation import link_prediction
from hypercone.hierarchy import Hierarchy, Split
from hypercone.methods import METHODS, Points
from hypercone.progress import Progress
from hypercone.reproduce.released_split import read_released_split
from hypercone.training import FitConfig, fit, pretrain, rescaled_start
from hypercone.training.config import OPTIONS
from hypercone.training.loop import DIGITS
from hypercone.training.start import OF_PRETRAINING

DATASET = "wordnet-nouns"


@dataclass(frozen=True)
class Trial:
    """One training of a table; ``recipe`` is its name there, ``source`` is a dataset or the authors' files."""

    recipe: str
    percent: float
    config: FitConfig
    source: str = DATASET
    is_released: bool = False

    @property
    def shares(self) -> tuple[Any, ...]:
        """A key that is equal for trials with the same pre-training on the same edges."""
        config, has_pretraining = self.config, self.config.init in METHODS
        start = tuple(getattr(config, name) for name in OF_PRETRAINING) if has_pretraining else config
        return (self.source, self.percent, start)

    @property
    def name(self) -> tuple[Any, ...]:
        """The key of its row of results; a row with the same key and other settings is replaced."""
        config = self.config
        return (self.source, config.method, config.dim, self.percent, self.recipe, config.seed)

    def identifies(self, row: dict[str, Any]) -> bool:
        """Whether a row of results is of this trial: the same data, the same settings, and the same digits."""
        config = self.config
        if row.get("digits", 1) != DIGITS:
            return False
        name = (row["source"], row["percent"], row["method"], row["dim"], row["seed"])
        if name != (self.source, self.percent, config.method, config.dim, config.seed):
            return False
        # A setting that the row does not have was added later, with a default that behaves as before.
        settled = {name: option.default for name, option in OPTIONS.items() if option.default is not None}
        return bool(settled | row["config"] == config.for_edges(row["training_edges"]).as_dict())

    def load(self) -> tuple[Hierarchy, Split]:
        """The hierarchy and the split; the split uses the seed of the trial."""
        if self.is_released:
            return read_released_split(self.source, self.percent)
        hierarchy = load_dataset(self.source)
        return hierarchy, hierarchy.split(self.percent, self.config.seed)


class _Meter:
    """Measures the training speed, excluding validation and compilation."""

    def __init__(self) -> None:
        self.rates: list[float] = []

    def __call__(self, event: Progress) -> None:
        # The first epoch may include compilation.
        if event.done > 1 and event.pairs_per_second:
            self.rates.append(event.pairs_per_second)

    @property
    def pairs_per_second(self) -> float | None:
        return len(self.rates) / sum(1 / rate for rate in self.rates) if self.rates else None


def run_trials(trials: Sequence[Trial]) -> list[dict[str, Any]]:
    """The results of trials that share one pre-training, which runs once."""
    hierarchy, split = trials[0].load()
    start, seconds = None, 0.0
    if trials[0].config.init in METHODS:
        began = time.perf_counter()
        start = pretrain(hierarchy, trials[0].config, split=split)
        seconds = time.perf_counter() - began
    return [_run(trial, hierarchy, split, start, seconds) for trial in trials]


def _run(
    trial: Trial, hierarchy: Hierarchy, split: Split, start: Points | None, pretraining_seconds: float
) -> dict[str, Any]:
    config, meter = trial.config, _Meter()
    began = time.perf_counter()
    begin = None if start is None else rescaled_start(start, config)
    embedding = fit(hierarchy, recipe=config, split=split, start=begin, callback=meter)
    seconds = time.perf_counter() - began
    return {
        "method": config.method,
        "kind": embedding.record["kind"],
        "dim": config.dim,
        "percent": trial.percent,
        "recipe": trial.recipe,
        "seed": config.seed,
        **_quality(embedding, split),
        "epoch": embedding.record["epoch"],
        "epochs": embedding.record["config"]["epochs"],
        "seconds": round(seconds, 2),
        "pretraining_seconds": round(pretraining_seconds, 2),
        "pairs_per_second": meter.pairs_per_second and round(meter.pairs_per_second),
        "training_edges": embedding.record["training_edges"],
        "source": trial.source,
        "digits": DIGITS,
        "config": embedding.record["config"],
    }


def _quality(embedding: Embedding, split: Split) -> dict[str, float]:
    figures = {}
    for name, pairs in (("validation", split.validation), ("test", split.test)):
        counted = link_prediction(embedding, pairs)
        for figure in ("f1", "precision", "recall"):
            figures[f"{name}_{figure}"] = round(100 * getattr(counted, figure), 3)
    return figures | {"threshold": embedding.threshold, "alpha": embedding.settings.alpha}


Row = dict[str, Any]


@dataclass
class Results:
    """The content of a results file: ``cells``, one row per trial, ``runs``, the duration of each run, and ``times``.

    The rows of ``times`` are durations of epochs, measured for a claim about speed.
    """

    path: Path
    cells: list[Row] = field(default_factory=list)
    runs: list[Row] = field(default_factory=list)
    times: list[Row] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> Results:
        """The content of the file; empty if it does not exist."""
        if not path.exists():
            return cls(path)
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            return cls(path, list(content["cells"]), list(content["runs"]), list(content.get("times", [])))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path}: is not a file of results ({error!r}); move it away to start again") from None

    def find(self, trial: Trial) -> Row | None:
        """The row of this trial, if it was run with its current settings."""
        return next((row for row in self.cells if trial.identifies(row)), None)

    def add(self, rows: list[Row]) -> None:
        """Add rows; they replace older ones with the same name."""
        names = {_name(row) for row in rows}
        versions = describe_machine()
        others = [row for row in self.cells if _name(row) not in names]
        self.cells = sorted([*others, *({**row, "versions": versions} for row in rows)], key=_name)
        self.write()

    def name_all(self, trials: Iterable[Trial]) -> None:
        """Copy the rows of trials that were run under another name, so that no cell of a table is empty."""
        for trial in trials:
            row = self.find(trial)
            if row and _name(named := {**row, "recipe": trial.recipe, "same_as": row["recipe"]}) not in self._names():
                self.cells = sorted([*self.cells, named], key=_name)

    def _names(self) -> set[tuple[Any, ...]]:
        return set(map(_name, self.cells))

    def add_run(self, seconds: float, trials: int, jobs: int) -> None:
        """Record the duration of a run."""
        self.runs.append({"seconds": round(seconds, 1), "trials": trials, "jobs": jobs, **describe_machine()})
        self.write()

    def add_times(self, row: Row) -> None:
        """Add the times of a cell; they replace older ones of it."""
        name = ("method", "dim", "percent", "seed", "source")
        others = [old for old in self.times if [old[key] for key in name] != [row[key] for key in name]]
        self.times = [*others, {**row, "versions": describe_machine()}]
        self.write()

    def write(self) -> None:
        """Write the file atomically."""
        content = {"runs": self.runs, "cells": self.cells} | ({"times": self.times} if self.times else {})
        with new_file(self.path) as draft:
            draft.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _name(row: Row) -> tuple[Any, ...]:
    return (row["source"], row["method"], row["dim"], row["percent"], row["recipe"], row["seed"])


Watch = Callable[[list[Row]], None]


def missing(trials: Sequence[Trial], *results: Results) -> list[Trial]:
    """The distinct trials that are in none of the results yet."""
    unique = {(trial.source, trial.percent, trial.config): trial for trial in reversed(trials)}
    return [trial for trial in reversed(unique.values()) if not any(known.find(trial) for known in results)]


def run_side_by_side(trials: Sequence[Trial], results: Results, jobs: int, watch: Watch = lambda rows: None) -> None:
    """Run trials in so many processes; finished ones are saved even if the run is interrupted."""
    if not trials:
        return
    _refuse_one_name_for_two(trials)
    groups, began = sharing_groups(trials), time.perf_counter()
    with _workers(min(jobs, len(groups))) as pool:
        with _interrupts_held():
            futures = [pool.submit(run_trials, group) for group in groups]
        for future in as_completed(futures):
            try:
                rows = future.result()
            except BrokenProcessPool as error:
                what = "a process of the run was ended from outside, perhaps for lack of memory"
                raise ResourceError(what) from error
            results.add(rows)
            watch(rows)
    results.add_run(time.perf_counter() - began, len(trials), jobs)


def _refuse_one_name_for_two(trials: Sequence[Trial]) -> None:
    """Raise ValueError if two trials have one name: they would share a row, and the last to finish would win."""
    for name, count in Counter(trial.name for trial in trials).items():
        if count > 1:
            raise ValueError(f"{count} trials are named {name}; give each a recipe name of its own")


@contextlib.contextmanager
def _workers(count: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of so many processes, which are terminated if the block fails."""
    others = set(multiprocessing.active_children())
    # Spawned processes, because a forked one may hang in numba's threads.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_follow_the_parent)
    try:
        yield pool
    except BaseException:
        for worker in set(multiprocessing.active_children()) - others:
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Handle an interrupt after the block; processes started in it get none until they have said to ignore them."""
    handler = signal.getsignal(signal.SIGINT)
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    received: list[tuple[int, FrameType | None]] = []
    # New processes inherit the mask. It does not keep the signal from other threads of this one, so it is noted here.
    signal.signal(signal.SIGINT, lambda number, frame: received.append((number, frame)))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
    if received:
        handler(*received[0])


def _follow_the_parent() -> None:
    """In a worker: ignore interrupts, which the parent handles, and end with the parent even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def sharing_groups(trials: Sequence[Trial]) -> list[list[Trial]]:
    """The trials grouped by shared pre-training, the longest group first so that no core is idle at the end."""
    groups = defaultdict(list)
    for trial in trials:
        groups[trial.shares].append(trial)
    return sorted(groups.values(), key=lambda group: sum(map(_work, group)), reverse=True)


def _work(trial: Trial) -> float:
    """An estimate of the run time, to sort by: edges grow with the percentage, time with the dimension."""
    config = trial.config
    rounds = (config.epochs or 100) * (config.negatives + 1) + (0 if config.init == "random" else 2000)
    return float((15 + trial.percent) * (3 + config.dim) * rounds)
