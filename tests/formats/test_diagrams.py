"""DOT and Mermaid: what can be drawn is read, what does not say who is the parent is refused."""

from __future__ import annotations

import pytest
from tests.support.errors import raises_exactly
from tests.support.formats import DOWN, read_text
from tests.support.hierarchies import edges_of

from hypercone.errors import InputError


def dot(text, **options):
    return read_text(text, format="dot", **(DOWN | options))


def mermaid(text, **options):
    return read_text(text, format="mermaid", **(DOWN | options))


def pairs(text):
    return [tuple(edge.split("-")) for edge in text.split()]


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("digraph { a -> b; a -> c }", "a-b a-c"),
        ("strict digraph G { a -> b -> c\n d->a }", "a-b b-c d-a"),
        ("digraph { a -> {b c} -> d; }", "a-b a-c b-d c-d"),
        ("digraph { subgraph cluster_x { a; b -> e } -> c }", "b-e a-c b-c e-c"),
        ("digraph { subgraph x { a } subgraph y { b } a:n -> b:port:sw [color=red, weight=2]; }", "a-b"),
        (
            'digraph { node [shape=box] edge[style="dashed"]; rankdir=LR; "a" -> "b" // a comment\n /* a -> x */ }',
            "a-b",
        ),
        ("# a line of the preprocessor\ndigraph { 1 -> 2.5\n .7 -> x }", "1-2.5 .7-x"),
        ('digraph { a -> "b" + "c" }', "a-bc"),
        ("digraph { Löwe -> ж }", "Löwe-ж"),
        ('digraph { a [label=""]; a -> b [label = "" color=red] }', "a-b"),
    ],
)
def test_dot_is_read(text, edges):
    assert edges_of(dot(text)) == pairs(edges)


def test_labels_of_dot_may_be_quoted_or_html_and_the_direction_is_as_given():
    text = 'digraph { a [label="all\\nthe \\"animals\\"" shape=box]; b [label=<<b>white</b> dog &amp; co>]; b -> a; c }'
    found = read_text(text, format="dot", direction="child-parent")
    assert found.in_words() == ['white dog & co is an all the "animals"']
    assert (found.read_as, found.notes) == ("DOT, child-parent", ("1 node without an edge left out",))


def test_relations_of_arrows_are_chosen_as_in_other_graphs():
    text = 'digraph { dog -> animal [label="is_a"]; dog -> pack [label="part of"] }'
    chart = "graph BT\n dog -->|is_a| animal\n dog -- part of --> pack\n"
    for found in (dot(text, direction="child-parent"), mermaid(chart, direction="child-parent")):
        assert found.in_words() == ["dog is an animal"]
        assert found.notes == ("1 other relation skipped (part of 1)", "1 node without an edge by is_a left out: pack")
    assert len(dot(text, direction="child-parent", relations=["is_a", "part of"]).edges) == 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("graph { a -- b }", ":1: the graph is undirected, so it does not say who is the parent; give a digraph"),
        ("digraph {\n a -- b }", ":2: the edge -- is undirected, so it does not say who is the parent; write ->"),
        ("digraph { a -> b", ":1: the file ends before the graph does; a graph ends in }"),
        ("digraph { a -> ", ":1: the file ends in the middle of a statement; a graph ends in }"),
        ("digraph { a ->\n -> b }", ":2: expected a name, found '->'; put the name in quotes"),
        ("digraph { a [label=] }", ":1: expected a name, found ']'; put the name in quotes"),
        ("digraph { a -> b } digraph { c -> d }", ":1: there is more after the end of the graph; keep one graph"),
        ('digraph {\n\n "a -> b }', ":3: a quote is never closed; close it"),
        ("digraph { a [label=<b] }", ":1: a < is never matched by a >; add it"),
        ("digraph { a -> b% }", ":1: '%' is not a part of DOT; put names with it in quotes"),
        ('digraph { a -> "b" + c }', ":1: a + joins two texts in quotes; write the second one"),
        ("parent\tchild\n", ":1: expected digraph, as DOT begins; name the format if it is another"),
        ("digraph a b {}", ":1: expected {, found 'b'; add it"),
        ("digraph {" + "{" * 200, ":1: subgraphs are nested more than 100 deep; close some of them"),
        ("digraph { a }", ": holds no edges; a hierarchy needs at least one parent with a child"),
        ("digraph { a -> b\nb -> a }", ":2: the edges form a cycle, parent → child: a → b → a; …"),
    ],
)
def test_dot_that_is_broken_or_says_too_little_is_refused(text, problem):
    with raises_exactly(f"the stream{problem}"):
        dot(text)


@pytest.mark.parametrize(
    ("lines", "edges"),
    [
        ("a --> b\nb-->c", "a-b b-c"),
        ("a ---> b --> c", "a-b b-c"),
        ("a & b --> c & d", "a-c a-d b-c b-d"),
        ("a -.-> b\n a ==> c\n a --x d\n a --o e", "a-b a-c a-d a-e"),
        (
            "a -->|some text| b\n a -- more text --> c\n a -. dots .-> d\n a == bold ==> e\n a-->f",
            "a-b a-c a-d a-e a-f",
        ),
        ("b <-- a", "a-b"),
        (
            "subgraph one [A title]\n direction LR\n a --> b\nend\nstyle a fill:#f9f\nclassDef x color:red\nclass a x",
            "a-b",
        ),
        (
            "a[A] --> b(B); b --> c{C}; c --> d((D))",
            "a-b b-c c-d",
        ),
        ("a:::big --> b_1\n%% a comment --> x\nclick a callback", "a-b_1"),
        ("a.b --> c-d", "a.b-c/d"),
        ("Löwe --> ж", "Löwe-ж"),
    ],
)
def test_a_flowchart_is_read(lines, edges):
    for start in ("graph TD\n", "flowchart LR\n", "flowchart\n", "---\ntitle: x\n---\n%% a comment\ngraph TB;"):
        found = edges_of(mermaid(start + lines))
        assert found == [tuple(name.replace("/", "-") for name in edge) for edge in pairs(edges)]


def test_labels_of_a_flowchart_are_the_texts_in_brackets_of_any_kind():
    shapes = ["[x y]", "(x y)", "([x y])", "[[x y]]", "[(x y)]", "((x y))", "(((x y)))", "{x y}", "{{x y}}", "[/x y/]",
              "[\\x y\\]", "[/x y\\]", ">x y]", '["x y"]', '("`x y`")', "[x<br/>y]"]  # fmt: skip
    for shape in shapes:
        found = mermaid(f"graph TD\n a{shape} --> b\n")
        assert found.display_name(found.row("a")) == "x y", shape
    quoted = mermaid('graph TD\n a["f(x) [1] --> y; z"] --> b["say #quot;hi#quot; &amp; go"]\n')
    assert quoted.in_words() == ['say "hi" & go is a f(x) [1] --> y; z']


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "graph TD\n a --- b",
            ":2: a line without an arrowhead does not say who is the parent, at '--- b'; mend this line",
        ),
        (
            "graph TD\n a <--> b",
            ":2: an arrow with two heads does not say who is the parent, at '<--> b'; mend this line",
        ),
        (
            "graph TD\n a ~~~ b",
            ":2: a line without an arrowhead does not say who is the parent, at '~~~ b'; mend this line",
        ),
        ("graph TD\n\n a --> ", ":3: expected a node at 'the end'; mend this line"),
        ("graph TD\n a[x --> b", ":2: expected an arrow such as --> at '[x --> b'; mend this line"),
        ("graph TD\n a b", ":2: expected an arrow such as --> at 'b'; mend this line"),
        ("classDiagram\n Animal <|-- Dog", ":1: is the diagram 'classDiagram', not a flowchart; it should begin with…"),
        ("mindmap\n root", ":1: is the diagram 'mindmap', not a flowchart; it should begin with graph TD"),
        ("graph TD a --> b", ":1: is the diagram 'graph', not a flowchart; it should begin with graph TD"),
        ("parent,child\n", ":1: is the diagram 'parent', not a flowchart; it should begin with graph TD"),
        ("graph TD\n", ": holds no edges; a hierarchy needs at least one parent with a child"),
    ],
)
def test_a_diagram_that_is_broken_or_says_too_little_is_refused(text, problem):
    with raises_exactly(f"the stream{problem}"):
        mermaid(text)


@pytest.mark.parametrize(("kind", "name"), [("dot", "DOT"), ("mermaid", "Mermaid")])
def test_the_direction_is_never_guessed(kind, name):
    with raises_exactly(
        f"the stream: {name} does not say whether an arrow points to the child or to the parent; "
        'say direction="parent-child" or "child-parent"'
    ):
        read_text("anything", format=kind)


def test_groups_on_both_ends_of_an_arrow_cannot_fill_the_memory():
    many = " ".join(f"n{i}" for i in range(1_100))
    other = many.replace("n", "m")
    with pytest.raises(InputError, match="makes more than 1,048,576 edges; write fewer nodes at once"):
        dot(f"digraph {{ {{{many}}} -> {{{other}}} }}")
    with pytest.raises(InputError, match="makes more than 1,048,576 edges; write fewer nodes at once"):
        mermaid(f"graph TD\n {many.replace(' ', ' & ')} --> {other.replace(' ', ' & ')}")
