"""One trial: a configuration trained on one split and judged on its test pairs. Trials may share a pre-training."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hypercone.data import load_dataset
from hypercone.embedding import Embedding
from hypercone.evaluation import evaluate
from hypercone.hierarchy import Hierarchy, Split, paper_split
from hypercone.methods import METHODS, Points
from hypercone.reproduce.released_split import read_released_split
from hypercone.training import EpochReport, FitConfig, drawn_in, fit, pretrain
from hypercone.training.start import pretraining_config

DATASET = "wordnet-nouns"


@dataclass(frozen=True)
class Trial:
    """What to train and on what; ``recipe`` is its name in tables, ``source`` a dataset or the authors' files."""

    recipe: str
    percent: float
    config: FitConfig
    source: str = DATASET
    is_released: bool = False

    @property
    def shares(self) -> tuple[Any, ...]:
        """Equal for trials that start from the same pre-training on the same edges."""
        start = pretraining_config(self.config) if self.config.init in METHODS else self.config
        return (self.source, self.percent, start)

    @property
    def name(self) -> tuple[Any, ...]:
        """What a row of results is filed under; a row of the same name with other settings is replaced."""
        config = self.config
        return (self.source, config.method, config.dim, self.percent, self.recipe, config.seed)

    def identifies(self, row: dict[str, Any]) -> bool:
        """Whether a row of results is of this very trial: same data, same settings."""
        config = self.config
        name = (row["source"], row["percent"], row["method"], row["dim"], row["seed"])
        if name != (self.source, self.percent, config.method, config.dim, config.seed):
            return False
        # A setting that a row does not have is younger than the row, which was run as its default does.
        settled = {field.name: field.default for field in dataclasses.fields(config) if field.default is not None}
        return bool(settled | row["config"] == config.for_edges(row["training_edges"]).as_dict())

    def load(self) -> tuple[Hierarchy, Split]:
        """The hierarchy and the split; the same seed draws the split and the start."""
        if self.is_released:
            return read_released_split(self.source, self.percent)
        hierarchy = load_dataset(self.source)
        return hierarchy, paper_split(hierarchy, self.percent, self.config.seed)


class _Meter:
    """Counts the pairs trained on and the seconds it took, without what validation and compilation took."""

    def __init__(self) -> None:
        self.rates: list[float] = []

    def __call__(self, report: EpochReport) -> None:
        # The first epoch may include compilation, and a burn-in draws otherwise.
        if report.epoch > 1:
            self.rates.append(report.pairs_per_second)

    @property
    def pairs_per_second(self) -> float | None:
        return len(self.rates) / sum(1 / rate for rate in self.rates) if self.rates else None


def run_trials(trials: Sequence[Trial]) -> list[dict[str, Any]]:
    """The results of trials that share one pre-training, which is run once."""
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
    begin = None if start is None else drawn_in(start, config)
    embedding = fit(hierarchy, config, split=split, start=begin, on_epoch=meter)
    seconds = time.perf_counter() - began
    return {
        "method": config.method,
        "kind": "learned",
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
        "config": embedding.record["config"],
    }


def _quality(embedding: Embedding, split: Split) -> dict[str, float]:
    figures = {}
    for name, pairs in (("validation", split.validation), ("test", split.test)):
        counted = evaluate(embedding, pairs)
        for figure in ("f1", "precision", "recall"):
            figures[f"{name}_{figure}"] = round(100 * getattr(counted, figure), 3)
    return figures | {"threshold": embedding.threshold, "alpha": embedding.settings.alpha}
