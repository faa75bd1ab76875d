"""Running trials side by side on all cores, keeping each as it finishes."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from hypercone.reproduce.results import Results, Row
from hypercone.reproduce.trial import Trial, run_trials

Watch = Callable[[list[Row]], None]


def missing(trials: Sequence[Trial], *results: Results) -> list[Trial]:
    """The trials that no results have yet, each once however often it is asked for."""
    unique = {(trial.source, trial.percent, trial.config): trial for trial in reversed(trials)}
    return [trial for trial in reversed(unique.values()) if not any(known.find(trial) for known in results)]


def run_side_by_side(trials: Sequence[Trial], results: Results, jobs: int, watch: Watch = lambda rows: None) -> None:
    """Run trials in so many processes; what has finished is kept even if this is interrupted."""
    if not trials:
        return
    _refuse_one_name_for_two(trials)
    groups, began = sharing_groups(trials), time.perf_counter()
    with _workers(min(jobs, len(groups))) as pool:
        for future in as_completed([pool.submit(run_trials, group) for group in groups]):
            results.add(future.result())
            watch(future.result())
    results.add_run(time.perf_counter() - began, len(trials), jobs)


def _refuse_one_name_for_two(trials: Sequence[Trial]) -> None:
    """Two trials of one name would share a row, and the one that happens to finish last would be kept."""
    for name, count in Counter(trial.name for trial in trials).items():
        if count > 1:
            raise ValueError(f"{count} trials are named {name}; give each a recipe name of its own")


@contextlib.contextmanager
def _workers(count: int) -> Iterator[ProcessPoolExecutor]:
    """So many processes, which end with the block however it ends."""
    others = set(multiprocessing.active_children())
    # Fresh processes, for one that inherits a running numba may hang.
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


def _follow_the_parent() -> None:
    """In a worker: leave interrupts to the parent, and end when it ends, even if it was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def sharing_groups(trials: Sequence[Trial]) -> list[list[Trial]]:
    """The trials grouped by the pre-training they share, the longest first so that no core idles at the end."""
    groups = defaultdict(list)
    for trial in trials:
        groups[trial.shares].append(trial)
    return sorted(groups.values(), key=lambda group: sum(map(_work, group)), reverse=True)


def _work(trial: Trial) -> float:
    """A guess that only has to put long trials first: edges grow with the percentage, time with the dimension."""
    config = trial.config
    rounds = (config.epochs or 100) * (config.negatives + 1) + (0 if config.init == "random" else 2000)
    return (15 + trial.percent) * (3 + config.dim) * rounds
