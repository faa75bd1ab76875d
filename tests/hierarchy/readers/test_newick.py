"""Newick trees: quotes, comments, lengths, nodes without labels, any depth."""

from __future__ import annotations

import io

import pytest

from hypercone.errors import InputError
from hypercone.formats import read


def edges_of(text):
    found = read(io.BytesIO(text.encode()), format="newick")
    return {(found.names[parent], found.names[child]) for parent, child in found.edges}


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
    assert edges_of(text) == edges


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
def test_what_is_no_tree_is_refused_with_the_place(text, sentence):
    with pytest.raises(InputError) as caught:
        edges_of(text)
    assert str(caught.value) == f"the stream:{sentence}"


def test_a_tree_a_hundred_thousand_levels_deep_is_read():
    deep = 100_000
    assert len(edges_of("(" * deep + "leaf" + ")" * deep + ";")) == deep


def test_a_wide_tree_in_one_line_is_read():
    wide = 50_000
    assert len(edges_of("(" + ",".join(f"leaf{i}:0.1" for i in range(wide)) + ")root;")) == wide


def test_phyloxml_in_the_place_of_newick_is_called_by_its_name():
    with pytest.raises(InputError, match="is XML, not Newick"):
        read(io.BytesIO(b"<phyloxml><phylogeny/></phyloxml>"), format="newick")
