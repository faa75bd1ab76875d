"""The headline of a model: how much of its hierarchy holds in the geometry, and which nodes are the worst.

It is stored in ``record["headline"]`` as plain values, from which the card and the commands make their sentences.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hypercone._arrays import Rows
from hypercone.embedding.checks import as_finite
from hypercone.errors import short, visible
from hypercone.hierarchy import Hierarchy
from hypercone.methods.scoring import Counts, ListErrors

if TYPE_CHECKING:
    from hypercone.embedding.embedding import Embedding

# So many of the worst nodes are printed and stored.
WORST = 10
# Names are cut to this length where they are stored, so that a record stays small.
LONGEST_NAME = 200
# The pairs of so many nodes are collected at a time.
PART = 2_000
MISSING, EXTRA = "missing", "extra"


@dataclass(frozen=True)
class WrongList:
    """A node whose ancestors by geometry are not those of the graph: how many are missing and extra, and one of each.

    The examples are the most specific ones, ties by row.
    """

    name: str
    label: str | None
    missing: int
    extra: int
    missing_example: str | None
    extra_example: str | None


@dataclass(frozen=True, eq=False)
class Headline:
    """The direct edges and the ancestor lists that hold in the geometry, and F1 over all ordered pairs of nodes.

    ``held`` of the direct edges hold. ``counts`` are over all pairs, and ``errors`` has the number of missing and of
    extra ancestors of each row; both are None if they were not counted. A root is right if the geometry finds nothing
    above it.
    """

    embedding: Embedding = field(repr=False)
    hierarchy: Hierarchy = field(repr=False)
    held: int
    counts: Counts | None
    errors: ListErrors | None = field(repr=False)

    @property
    def direct_edges(self) -> float | None:
        """The share of direct edges that hold; None if there are none."""
        total = len(self.hierarchy.reduction())
        return self.held / total if total else None

    @property
    def exact_ancestor_lists(self) -> float | None:
        """The share of nodes whose ancestors by geometry are exactly those of the graph; None if not counted."""
        if self.errors is None or not len(self.hierarchy):
            return None
        return (len(self.hierarchy) - len(self.wrong_rows)) / len(self.hierarchy)

    @property
    def precision(self) -> float | None:
        """The share of true pairs among those that hold in the geometry."""
        return None if self.counts is None else self.counts.precision

    @property
    def recall(self) -> float | None:
        """The share of the true pairs that hold in the geometry."""
        return None if self.counts is None else self.counts.recall

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall over all pairs."""
        return None if self.counts is None else self.counts.f1

    @cached_property
    def wrong_rows(self) -> Rows:
        """The rows with a missing or an extra ancestor, ascending; none if they were not counted."""
        if self.errors is None:
            return np.empty(0, np.int32)
        return np.flatnonzero(self.errors.missing + self.errors.extra).astype(np.int32)

    def worst(self, k: int = WORST) -> list[WrongList]:
        """The k nodes with the most wrong ancestors, ties by row."""
        if self.errors is None:
            return []
        rows = self.wrong_rows
        wrong = self.errors.missing[rows] + self.errors.extra[rows]
        return [self._wrong_list(row) for row in rows[np.argsort(-wrong, kind="stable")[:k]].tolist()]

    def wrong_pairs(self) -> Iterator[tuple[int, str, int]]:
        """Every wrong pair as (row, "missing" or "extra", row of the ancestor), by row, missing ones first."""
        rows = self.wrong_rows
        for start in range(0, len(rows), PART):
            part = rows[start : start + PART]
            for row, found in zip(part.tolist(), self.embedding.index.ancestors_of_many(part), strict=True):
                true = self.hierarchy.ancestors_of(row)
                yield from ((row, MISSING, other) for other in np.setdiff1d(true, found).tolist())
                yield from ((row, EXTRA, other) for other in np.setdiff1d(found, true).tolist())

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON and for the record, with the worst ten nodes."""
        return {
            "direct_edges": self.direct_edges,
            "exact_ancestor_lists": self.exact_ancestor_lists,
            "f1": self.f1,
            "precision": self.precision,
            "recall": self.recall,
            "nodes": len(self.hierarchy),
            "wrong_nodes": None if self.errors is None else len(self.wrong_rows),
            "edges": len(self.hierarchy.edges),
            "direct_edges_given": len(self.hierarchy.reduction()),
            "direct_edges_held": self.held,
            "threshold": self.embedding.threshold,
            "held_out_pairs_included": bool(self.embedding.record.get("split")),
            "worst": [asdict(each) for each in self.worst()],
        }

    def _wrong_list(self, row: int) -> WrongList:
        assert self.errors is not None
        true = self.hierarchy.ancestors_of(row)
        if self.errors.extra[row]:
            found = self.embedding.scorer.above(row)
        else:
            pairs = np.stack([true, np.full_like(true, row)], axis=1)
            found = true[self.embedding.scorer.energies(pairs) <= self.embedding.threshold]
        label = self.embedding.label(row)
        return WrongList(
            name=short(self.embedding.names[row], LONGEST_NAME),
            label=None if label is None else short(label, LONGEST_NAME),
            missing=int(self.errors.missing[row]),
            extra=int(self.errors.extra[row]),
            missing_example=self._example(np.setdiff1d(true, found)),
            extra_example=self._example(np.setdiff1d(found, true)),
        )

    def _example(self, rows: Rows) -> str | None:
        """The display name of the deepest row, the first of equals; None if there is none."""
        if not len(rows):
            return None
        row = int(rows[np.argmax(self.hierarchy.depths[rows])])
        return short(self.embedding.display_name(row), LONGEST_NAME)


def headline_from(
    embedding: Embedding, hierarchy: Hierarchy, counts: Counts | None, errors: ListErrors | None
) -> Headline:
    """The headline of an embedding whose pairs are counted already; the direct edges are tested here."""
    energies = embedding.scorer.energies(hierarchy.reduction())
    return Headline(embedding, hierarchy, int((energies <= embedding.threshold).sum()), counts, errors)


SHARES = ("direct_edges", "exact_ancestor_lists", "f1", "precision", "recall")


def stored_headline(embedding: Embedding) -> dict[str, Any] | None:
    """The headline in the record; None if there is none, or it is not of these nodes, edges and threshold.

    >>> import hypercone
    >>> tree = hypercone.fit("tree-2-3", dim=2)
    >>> stored_headline(tree)["exact_ancestor_lists"], stored_headline(tree.add("r.2", "r"))
    (1.0, None)
    """
    found = embedding.record.get("headline")
    if not isinstance(found, dict) or embedding.edges is None or not _is_well_formed(found):
        return None
    own = {"nodes": len(embedding), "edges": len(embedding.edges), "threshold": embedding.threshold}
    return found if all(found.get(name) == value for name, value in own.items()) else None


def _is_well_formed(found: dict[str, Any]) -> bool:
    """Whether the values are of the right kinds; a record may come from a file."""
    shares = [found.get(name) for name in SHARES]
    numbers = [as_finite(share) for share in shares if share is not None]
    counts = [found.get(name) for name in ("direct_edges_given", "direct_edges_held", "nodes", "edges")]
    if not all(number is not None and 0 <= number <= 1 for number in numbers) or not all(map(_is_count, counts)):
        return False
    if not _is_count(found.get("wrong_nodes", 0) or 0) or (found.get("f1") is None) != (found.get("recall") is None):
        return False
    worst = found.get("worst")
    return isinstance(worst, list) and all(isinstance(each, dict) and _is_wrong_list(each) for each in worst)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_wrong_list(each: dict[str, Any]) -> bool:
    texts = (each.get(name) for name in ("label", "missing_example", "extra_example"))
    return (
        isinstance(each.get("name"), str)
        and _is_count(each.get(MISSING))
        and _is_count(each.get(EXTRA))
        and all(text is None or isinstance(text, str) for text in texts)
    )


def headline_sentences(found: dict[str, Any]) -> dict[str, str]:
    """The three lines of a headline, by title: direct edges, exact ancestor lists, F1 over all pairs.

    >>> import hypercone
    >>> for title, line in headline_sentences(hypercone.fit("tree-2-3", dim=2).record["headline"]).items():
    ...     print(f"{title}: {line}")
    direct edges: 100.00 % hold in the geometry (14 of 14)
    exact ancestor lists: 100.00 % of the nodes by geometry (15 of 15)
    all pairs f1: 100.00 % by geometry (precision 100.00 %, recall 100.00 %)
    """
    return {
        "direct edges": _edges_line(found),
        "exact ancestor lists": _lists_line(found),
        "all pairs f1": _f1_line(found) + (", held-out pairs included" if found.get("held_out_pairs_included") else ""),
    }


NOT_COUNTED = "not counted, as it would take long; hypercone evaluate does"


def _edges_line(found: dict[str, Any]) -> str:
    if found["direct_edges"] is None:
        return "there are none"
    of = f"{found['direct_edges_held']:,} of {found['direct_edges_given']:,}"
    return f"{percent(found['direct_edges'])} hold in the geometry ({of})"


def _lists_line(found: dict[str, Any]) -> str:
    if found["exact_ancestor_lists"] is None or found.get("wrong_nodes") is None:
        return NOT_COUNTED
    of = f"{found['nodes'] - found['wrong_nodes']:,} of {found['nodes']:,}"
    return f"{percent(found['exact_ancestor_lists'])} of the nodes by geometry ({of})"


def _f1_line(found: dict[str, Any]) -> str:
    if found["f1"] is None:
        return NOT_COUNTED
    precision, recall = percent(found["precision"]), percent(found["recall"])
    return f"{percent(found['f1'])} by geometry (precision {precision}, recall {recall})"


def worst_sentences(found: dict[str, Any]) -> list[str]:
    """One line for each of the worst nodes, such as "dog: 1 missing (pet), 2 extra (such as stone)"."""
    return [_worst_line(each) for each in found["worst"]]


def _worst_line(each: dict[str, Any]) -> str:
    kinds = [_with_example(each, kind) for kind in (MISSING, EXTRA) if each[kind]]
    label = "" if each["label"] in (None, each["name"]) else f" ({visible(each['label'])})"
    return f"{visible(each['name'])}{label}: {', '.join(kinds)}"


def _with_example(each: dict[str, Any], kind: str) -> str:
    beginning = "" if each[kind] == 1 else "such as "
    return f"{each[kind]:,} {kind} ({beginning}{visible(str(each[f'{kind}_example']))})"


def percent(share: float) -> str:
    """A share in percent with two digits, which shows 100 only if nothing is missing.

    >>> percent(0.5), percent(0.999999), percent(1.0)
    ('50.00 %', '99.99 %', '100.00 %')
    """
    return f"{100 * share if share == 1 else min(100 * share, 99.99):.2f} %"
