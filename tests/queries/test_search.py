"""Nodes are found by a part of their name or label."""

from __future__ import annotations

import numpy as np
import pytest

from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.hierarchy.names import Labels
from hypercone.methods import Settings
from hypercone.queries import answer, in_words

NAMES = ["HP:1", "HP:2", "HP:3", "HP:4", "HP:5", "heart", "HP:7"]
LABELS = ["Heart block", "Abnormal heart", "HEART", "", "heartburn", "", "Straße"]


@pytest.fixture(scope="module")
def terms() -> Embedding:
    points = np.array([[0.1 * (row + 1), 0.1] for row in range(len(NAMES))])
    return Embedding(NAMES, points, "order", Settings(), 0.0, labels=Labels(LABELS))


def test_whole_matches_come_first_then_beginnings_then_parts(terms):
    assert terms.search("heart") == ["HP:3", "heart", "HP:5", "HP:1", "HP:2"]
    assert terms.search("HEART") == terms.search("Heart") == terms.search("heart")
    assert terms.search("hp:2") == ["HP:2"]
    assert terms.search("STRASSE") == ["HP:7"]


def test_of_equals_the_shorter_then_the_earlier_row_comes_first(terms):
    assert terms.search("hp:") == ["HP:1", "HP:2", "HP:3", "HP:4", "HP:5", "HP:7"]
    assert terms.search("b") == ["HP:5", "HP:1", "HP:2"]


def test_a_limit_cuts_and_the_count_is_of_all(terms):
    assert terms.search("heart", limit=2) == ["HP:3", "heart"]
    assert len(terms.search("h", limit=0)) == 7
    found = answer(terms, "search", ["heart"], 2)
    assert ([node.name for node in found.matches], found.count) == (["HP:3", "heart"], 5)
    assert in_words(found) == "'heart' is found in: HP:3 (HEART), heart, and 3 more"


@pytest.mark.parametrize("text", ["lung", "heart\nHP", "heartheart", "x" * 100_000, "h.art", "\0"])
def test_what_is_nowhere_is_not_found(terms, text):
    assert terms.search(text) == []
    assert in_words(answer(terms, "search", [text])).endswith("is found in: nothing")


def test_every_place_is_found_that_a_look_at_each_finds(terms):
    for text in {letters for line in (*NAMES, *LABELS) for letters in (line[:1], line[1:3], line[-2:]) if letters}:
        part = text.casefold()
        expected = {name for name, label in zip(NAMES, LABELS, strict=True) if part in (name + "\n" + label).casefold()}
        assert set(terms.search(text, limit=0)) == expected


def test_nothing_to_search_for_and_a_limit_below_zero_are_refused(terms):
    with pytest.raises(InputError, match="the text to search for is empty; give at least one character"):
        terms.search("")
    with pytest.raises(InputError, match="limit is -1, but must be at least 0"):
        terms.search("heart", limit=-1)
