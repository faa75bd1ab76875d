"""The public names of version 0.1, forwarded to the current ones. All of them are removed in version 1.1."""

from __future__ import annotations

from typing import Any

from hypercone import evaluation, formats
from hypercone.data import datasets
from hypercone.embedding import Embedding
from hypercone.hierarchy import Hierarchy, Split, Summary
from hypercone.progress import Progress
from hypercone.queries import Comparison, Suggestions
from hypercone.runs import Checkpointing
from hypercone.training import FitConfig as FitConfig

# The old name, and what to use instead.
NEW_NAMES = {
    "EpochReport": "hypercone.Progress",
    "FitConfig": "hypercone.fit(data, method, **settings), or recipe=",
    "Run": "hypercone.Checkpointing",
    "compare": "Embedding.compare",
    "dataset_names": "hypercone.datasets",
    "describe": "Hierarchy.summary",
    "evaluate": "hypercone.evaluation.link_prediction",
    "evaluate_all_pairs": "hypercone.evaluation.all_pairs",
    "evaluate_hard": "hypercone.evaluation.hard_pairs",
    "evaluate_reconstruction": "hypercone.evaluation.reconstruction",
    "paper_split": "Hierarchy.split",
    "read_edges": "hypercone.read",
    "read_hierarchy": "hypercone.read",
    "suggest": "Embedding.suggest",
    "suggestion_precision": "hypercone.evaluation.suggestions",
}

EpochReport = Progress
dataset_names = datasets
evaluate = evaluation.link_prediction
evaluate_all_pairs = evaluation.all_pairs
evaluate_hard = evaluation.hard_pairs
evaluate_reconstruction = evaluation.reconstruction


def Run(folder: Any, *, resume: bool = False, epochs: int | None = None, seconds: float = 15.0, **more: Any) -> Any:
    """Checkpointing with the defaults of version 0.1, which did not resume unless asked to."""
    return Checkpointing(folder, resume=resume, every_epochs=epochs, every_seconds=seconds, **more)


def describe(hierarchy: Hierarchy) -> Summary:
    """The size and shape of a hierarchy."""
    return hierarchy.summary()


def paper_split(hierarchy: Hierarchy, percent: float, seed: int = 0, **more: Any) -> Split:
    """The paper's split."""
    return hierarchy.split(percent, seed, **more)


def read_hierarchy(source: Any, *, parent_column: Any = None, child_column: Any = None, **more: Any) -> Hierarchy:
    """The hierarchy in a file."""
    return formats.read(source, parent=parent_column, child=child_column, **more)


read_edges = read_hierarchy


def suggest(embedding: Embedding, hierarchy: Hierarchy | None = None, count: int = 100) -> Suggestions:
    """Links that are likely missing, and links that are likely wrong."""
    return embedding.suggest(count, hierarchy)


def compare(first: Embedding, second: Embedding, sample: int | None = 1_000, seed: int = 0) -> Comparison:
    """Two models side by side."""
    return first.compare(second, sample, seed)


def suggestion_precision(
    hierarchy: Hierarchy, config: FitConfig | None = None, *, on_epoch: Any = None, **more: Any
) -> evaluation.SuggestionPrecision:
    """How many suggestions are right."""
    return evaluation.suggestions(hierarchy, recipe=config, callback=on_epoch, **more)
