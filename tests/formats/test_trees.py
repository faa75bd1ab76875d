"""Newick trees, paths and outlines."""

from __future__ import annotations

import pytest
from tests.support.errors import raises_exactly
from tests.support.formats import read_text
from tests.support.hierarchies import edges_of

from hypercone.errors import InputError


def newick_edges(text):
    return set(edges_of(read_text(text, format="newick")))


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("(b,c)a;", {("a", "b"), ("a", "c")}),
        ("( b , c:0.1 ) a : 1e-5 ;\n", {("a", "b"), ("a", "c")}),
        ("('it''s; (b)',c)'a b';", {("a b", "it's; (b)"), ("a b", "c")}),
        ("[a (comment);](b[&x=1],c)[yes]a[no]:[why]1;", {("a", "b"), ("a", "c")}),
        ("((b,c),d);", {("node_1", "node_2"), ("node_2", "b"), ("node_2", "c"), ("node_1", "d")}),
        ("((b,c)95:1,(d,e)95)0.5e1;", {("node_1", "node_2"), ("node_2", "b"), ("node_2", "c"), ("node_1", "node_3")}
            | {("node_3", "d"), ("node_3", "e")}),
        ("((1,2),node_1);", {("node_2", "node_3"), ("node_3", "1"), ("node_3", "2"), ("node_2", "node_1")}),
        ("((b)'95',c)a;", {("a", "95"), ("95", "b"), ("a", "c")}),
        ("(b)a;(d)c;", {("a", "b"), ("c", "d")}),
    ],
)  # fmt: skip
def test_trees_are_read(text, edges):
    assert newick_edges(text) == edges


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("(a,b)c", "1: at character 6: the file ends before the tree does; a tree ends in a semicolon"),
        ("((a,b)c;", "1: at character 8: the tree ends before all of its parentheses are closed; add the )"),
        ("(a,b))c;", "1: at character 6: a ) is outside all parentheses; add the ( or remove it"),
        ("a,b;", "1: at character 2: a , is outside all parentheses; add the ( or remove it"),
        ("(a,\n(b,a)c)d;", "2: at character 4: there is a node 'a' already, in line 1; give each node its own name"),
        ("(a,(b,c)a)d;", "1: at character 9: there is a node 'a' already, in line 1; give each node its own name"),
        ("(a,)b;", "1: at character 4: a leaf has no name; give it one"),
        ("(a,:1)b;", "1: at character 4: a leaf has no name; give it one"),
        ("('',b)c;", "1: at character 4: a leaf has no name; give it one"),
        (";", "1: at character 1: a leaf has no name; give it one"),
        ("(a b)c;", "1: at character 4: 'b' follows its label; a comma or a quote is missing"),
        ("(a:1:2)c;", "1: at character 5: a node has a second colon; remove it"),
        ("(a:x)c;", "1: at character 4: the length of a branch is 'x'; it should be a number"),
        ("(a:)c;", "1: at character 4: a branch has no length after its colon; write it or remove the colon"),
        ("(a)(b);", "1: at character 4: a ( follows a node; put a comma between them"),
        ("('a,b)c;", "1: at character 2: a ' is never matched by another; add it or remove this one"),
        ("(a,b)c[oh;", "1: at character 7: a [ is never matched by another; add it or remove this one"),
    ],
)
def test_broken_newick_is_refused_with_its_position(text, sentence):
    with raises_exactly(f"the stream:{sentence}"):
        newick_edges(text)


def test_a_tree_may_be_a_hundred_thousand_levels_deep_or_leaves_wide():
    size = 100_000
    assert len(newick_edges("(" * size + "leaf" + ")" * size + ";")) == size
    assert len(newick_edges("(" + ",".join(f"leaf{i}:0.1" for i in range(size)) + ")root;")) == size


def test_xml_instead_of_newick_is_recognized():
    with pytest.raises(InputError, match="is XML, not Newick"):
        newick_edges("<phyloxml><phylogeny/></phyloxml>")


def test_a_path_gives_an_edge_at_every_step_and_each_edge_counts_once():
    found = read_text("# Products, 2026\nFood\nFood > Cheese\nFood > Cheese > Brie & Co\n\nToys\n", format="paths")
    assert edges_of(found) == [("Food", "Cheese"), ("Cheese", "Brie & Co")]
    assert found.duplicates == 0
    assert found.notes == ("1 node that is without an edge left out: Toys",)


def test_only_a_greater_sign_between_blanks_separates():
    assert edges_of(read_text("a>b > c/d\n", format="paths")) == [("a>b", "c/d")]


def test_the_same_word_in_two_branches_is_one_node_with_two_parents():
    assert edges_of(read_text("a > c\nb > c\n", format="paths")) == [("a", "c"), ("b", "c")]
    assert edges_of(read_text("a\n c\nb\n c\n", format="indented")) == [("a", "c"), ("b", "c")]


@pytest.mark.parametrize(("text", "kind"), [("a > b > a\n", "paths"), ("a\n b\n  a\n", "indented")])
def test_a_cycle_of_equal_words_is_explained(text, kind):
    with pytest.raises(InputError, match=r'or "drop" \(the same word in two places is one node here; give one of them'):
        read_text(text, format=kind)


@pytest.mark.parametrize("line", ["a > > b", "a >  > b", "> a", "a > b >", "a > "])
def test_a_missing_name_in_a_path_is_refused(line):
    with pytest.raises(InputError, match=r"^the stream:2: a name is missing beside a > in '.*'; write it or remove"):
        read_text(f"x > y\n{line}\n", format="paths")


@pytest.mark.parametrize("text", ["a\n\tb\n\t\tc\n\td\ne\n f\n", "  a\n   b\n      c\n\n   d\n  e\n    f\n"])
def test_any_deepening_is_a_level(text):
    assert edges_of(read_text(text, format="indented")) == [("a", "b"), ("b", "c"), ("a", "d"), ("e", "f")]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a\n    b\n  c\n", ":3: 'c' goes back to an indentation that no line above it has; indent it like"),
        ("a\n  b\n\t\t\tc\n", ":3: 'c' mixes tabs and spaces, so that its level is ambiguous; indent it like"),
        ("a\nb\n", ": holds no edges; a hierarchy needs at least one parent with a child"),
    ],
)
def test_an_ambiguous_level_is_refused(text, sentence):
    with pytest.raises(InputError) as caught:
        read_text(text, format="indented")
    assert str(caught.value).startswith(f"the stream{sentence}")
