"""How well an embedding tells true pairs from the wrong ones next to them: relatives of the child, and turned pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hypercone.embedding import Embedding
from hypercone.evaluation.all_pairs import Numbers, known_hierarchy
from hypercone.evaluation.hard_pairs import WrongPairs, hard_negatives, true_pairs
from hypercone.evaluation.link_prediction import LinkPrediction, checked_threshold, judged
from hypercone.hierarchy import Hierarchy
from hypercone.methods import find_method
from hypercone.methods.scoring import Counts, Rows, count_at, energies_of_pairs

Scores = NDArray[np.float64]
# The score of each (parent, child) of rows; lower is more likely true.
Score = Callable[[Rows], Scores]


@dataclass(frozen=True)
class WrongKind:
    """How many wrong pairs of a kind there are, how many are called true, their share, and F1 against these alone."""

    pairs: int
    called: int
    rate: float
    f1: float


@dataclass(frozen=True)
class HardNegatives(LinkPrediction):
    """Precision, recall and F1 against wrong pairs of all kinds together, and what each kind adds to them."""

    kinds: dict[str, WrongKind]


def evaluate_hard(
    embedding: Embedding,
    hierarchy: Hierarchy | None = None,
    positives: Rows | None = None,
    threshold: float | None = None,
    seed: int = 0,
    sample: int | None = None,
) -> HardNegatives:
    """Precision, recall and F1 on true pairs against the wrong pairs nearest to them, at most four for each.

    The true pairs are those given or all of the closure, or ``sample`` of them; see ``hard_negatives`` for the wrong
    ones. Random wrong pairs are far from true, and a model that knows no more than the neighbourhood rejects them.

    >>> import hypercone
    >>> tree = hypercone.load_dataset("tree-3-4")
    >>> found = evaluate_hard(hypercone.fit(tree, epochs=50, init_epochs=50))
    >>> found.positives, {kind: figures.pairs for kind, figures in found.kinds.items()}
    (426, {'siblings': 426, 'cousins': 423, 'parents_siblings': 423, 'reversed': 426})
    """
    hierarchy, threshold = known_hierarchy(embedding, hierarchy), checked_threshold(embedding, threshold)
    positives = true_pairs(hierarchy, positives, seed, sample)
    return judged_hard(energy_of(embedding), positives, hard_negatives(hierarchy, positives, seed), threshold)


def energy_of(embedding: Embedding) -> Score:
    """The score by which an embedding judges."""
    method = find_method(embedding.method)
    return lambda pairs: energies_of_pairs(method, embedding.settings, embedding.points, pairs)


def judged_hard(score: Score, positives: Rows, wrong: dict[str, WrongPairs], threshold: float) -> HardNegatives:
    """What a score gets right and wrong at a threshold, against all kinds of wrong pairs and each alone."""
    of_true = score(positives)
    of_wrong = {kind: score(one.pairs) for kind, one in wrong.items()}
    every = np.concatenate(list(of_wrong.values()))
    found = judged(count_at(threshold, of_true, every), len(every), threshold)
    kinds = {kind: _judged_kind(count_at(threshold, of_true, scores), len(scores)) for kind, scores in of_wrong.items()}
    return HardNegatives(**found.as_dict(), kinds=kinds)


def judged_hard_by(
    score: Score, positives: Rows, wrong: dict[str, WrongPairs], threshold: float, group: Numbers, groups: int
) -> list[LinkPrediction]:
    """The same against all kinds together, for each group of true pairs and what was made from them."""
    made_from = np.concatenate([one.made_from for one in wrong.values()])
    called = np.concatenate([score(one.pairs) for one in wrong.values()]) <= threshold
    right = np.bincount(group[score(positives) <= threshold], minlength=groups)
    fooled = np.bincount(group[made_from[called]], minlength=groups)
    true, false = np.bincount(group, minlength=groups), np.bincount(group[made_from], minlength=groups)
    counts = zip(right.tolist(), fooled.tolist(), true.tolist(), false.tolist(), strict=True)
    return [judged(Counts(tp, fp, p), n, threshold) for tp, fp, p, n in counts]


def _judged_kind(counts: Counts, pairs: int) -> WrongKind:
    return WrongKind(pairs, counts.false_positives, counts.false_positives / max(1, pairs), counts.f1)
