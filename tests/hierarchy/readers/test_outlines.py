"""Paths and outlines: what people write by hand."""

from __future__ import annotations

import io

import pytest

import hypercone
from hypercone.errors import InputError


def read(text, format):
    return hypercone.read(io.BytesIO(text.encode()), format=format)


def edges_of(hierarchy):
    return [(hierarchy.names[parent], hierarchy.names[child]) for parent, child in hierarchy.edges]


def test_a_path_gives_an_edge_at_every_step_and_each_edge_counts_once():
    found = read("# Products, 2026\nFood\nFood > Cheese\nFood > Cheese > Brie & Co\n\nToys\n", "paths")
    assert edges_of(found) == [("Food", "Cheese"), ("Cheese", "Brie & Co")]
    assert found.duplicates == 0
    assert found.notes == ("1 node that is without an edge left out: Toys",)


def test_only_a_greater_sign_between_blanks_separates():
    assert edges_of(read("a>b > c/d\n", "paths")) == [("a>b", "c/d")]


def test_the_same_word_in_two_branches_is_one_node_with_two_parents():
    assert edges_of(read("a > c\nb > c\n", "paths")) == [("a", "c"), ("b", "c")]
    assert edges_of(read("a\n c\nb\n c\n", "indented")) == [("a", "c"), ("b", "c")]


@pytest.mark.parametrize(("text", "kind"), [("a > b > a\n", "paths"), ("a\n b\n  a\n", "indented")])
def test_a_cycle_that_this_makes_is_explained(text, kind):
    with pytest.raises(InputError, match=r'or "drop" \(the same word in two places is one node here; give one of them'):
        read(text, kind)


@pytest.mark.parametrize("line", ["a > > b", "a >  > b", "> a", "a > b >", "a > "])
def test_a_missing_name_in_a_path_is_refused(line):
    with pytest.raises(InputError, match=r"^the stream:2: a name is missing beside a > in '.*'; write it or remove"):
        read(f"x > y\n{line}\n", "paths")


@pytest.mark.parametrize("text", ["a\n\tb\n\t\tc\n\td\ne\n f\n", "  a\n   b\n      c\n\n   d\n  e\n    f\n"])
def test_any_deepening_is_a_level(text):
    assert edges_of(read(text, "indented")) == [("a", "b"), ("b", "c"), ("a", "d"), ("e", "f")]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a\n    b\n  c\n", ":3: 'c' goes back to an indentation that no line above it has; indent it like"),
        ("a\n  b\n\t\t\tc\n", ":3: 'c' mixes tabs and spaces, so that its level is ambiguous; indent it like"),
        ("a\nb\n", ": holds no edges; a hierarchy needs at least one parent with a child"),
    ],
)
def test_a_level_that_cannot_be_told_is_refused(text, sentence):
    with pytest.raises(InputError) as caught:
        read(text, "indented")
    assert str(caught.value).startswith(f"the stream{sentence}")
