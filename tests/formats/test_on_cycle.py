"""Cycles in a file: refused, condensed or dropped by on_cycle, with a note."""

import pytest
from tests.support.errors import raises_exactly
from tests.support.formats import read_text
from tests.support.hierarchies import edges_of

from hypercone.errors import HierarchyError, InputError
from hypercone.formats.parsed import ParsedEdges, build_hierarchy

CYCLES = "parent,child\ntop,a\na,b\nb,a\nb,c\nc,c\nd,e\ne,f\nf,d\nc,d\na,b\n"


def test_condensing_makes_one_node_of_each_cycle():
    found = read_text(CYCLES, on_cycle="condense")
    assert found.names == ("top", "a = b", "c", "d = e = f")
    assert set(edges_of(found)) == {("top", "a = b"), ("a = b", "c"), ("c", "d = e = f")}
    assert found.notes == (
        "1 edge from a node to itself left out: c → c (line 6)",
        "2 cycles condensed: a = b, d = e = f",
    )
    assert found.row("b") == found.row("a = b") == 1


def test_dropping_leaves_out_back_edges():
    found = read_text(CYCLES, on_cycle="drop")
    assert found.names == ("top", "a", "b", "c", "d", "e", "f")
    assert set(edges_of(found)) == {("top", "a"), ("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "f")}
    assert found.notes == (
        "1 edge from a node to itself left out: c → c (line 6)",
        "2 edges that close cycles left out: b → a (line 4), f → d (line 9)",
    )
    assert found.duplicates == 1


def test_more_than_three_are_counted():
    pairs = [(f"{name}{i}", f"{other}{i}") for i in range(5) for name, other in ("ab", "ba")]
    parsed = ParsedEdges("x", *zip(*pairs, strict=True))
    assert build_hierarchy(parsed, "condense").notes == ("5 cycles condensed: a0 = b0, a1 = b1, a2 = b2 and 2 more",)
    assert build_hierarchy(parsed, "drop").notes == (
        "5 edges that close cycles left out: b0 → a0, b1 → a1, b2 → a2 and 2 more",
    )


def test_labels_are_joined_like_names():
    parsed = ParsedEdges("x", ["a", "b", "b"], ["b", "a", "c"], labels={"a": "Alpha", "c": "Gamma", "z": "Zeta"})
    found = build_hierarchy(parsed, "condense")
    assert (found.names, found.labels.texts) == (("a = b", "c"), ("Alpha = b", "Gamma"))


def test_without_a_cycle_nothing_changes():
    acyclic = "parent,child\na,b\nb,c\na,c\n"
    for on_cycle in ("condense", "drop"):
        found = read_text(acyclic, on_cycle=on_cycle)
        assert found == read_text(acyclic)
        assert found.notes == ()


def test_an_unknown_value_of_on_cycle_is_refused():
    with pytest.raises(InputError, match=r"^on_cycle is 'ignore', but must be one of error, condense, drop$"):
        read_text(CYCLES, on_cycle="ignore")


def test_a_condensed_name_that_exists_already_is_refused():
    with pytest.raises(HierarchyError, match=r"^x: two rows are named 'a = b'; every node needs its own name$"):
        build_hierarchy(ParsedEdges("x", ["a", "b", "a = b"], ["b", "a", "c"]), "condense")


def test_a_cycle_is_refused_with_the_remedy():
    with raises_exactly("the stream:6: 'c' is given as its own parent; remove this edge", HierarchyError):
        read_text(CYCLES)
    with raises_exactly(
        "the stream:4: the edges form a cycle, parent → child: a → b → a; remove one of these edges, "
        'or read it with on_cycle="condense" or "drop"',
        HierarchyError,
    ):
        read_text(CYCLES.replace("c,c\n", ""))
