"""OBO ontologies as they are found: comments, modifiers, escapes, obsolete terms, imports."""

from __future__ import annotations

import io

import pytest

import hypercone
from hypercone.errors import InputError

HEART = """\
format-version: 1.4
ontology: heart

[Term]
id: HP:1
name: All
alt_id: HP:0001

[Term]
id: HP:2 ! a comment
name: Heart\\, the \\{big\\} one {source="x"} ! not this
def: "is_a: HP:9" [x]
is_a: HP:1 {is_inferred="true"} ! All
intersection_of: HP:9
relationship: part_of HP:3 ! Body

[Term]
id: HP:3
name: Body
is_a: HP:1
is_a: XY:7 ! imported from elsewhere
relationship: part_of HP:8

[Term]
id: HP:8
name: obsolete Humour
is_obsolete: true
is_a: HP:1

[Term]
id: HP\\:4
name: Lonely

[Typedef]
id: part_of
name: part of
is_a: HP:1
"""


def read(text, **options):
    return hypercone.read(io.BytesIO(text.encode()), format="obo", **options)


def edges_of(hierarchy):
    return [(hierarchy.names[parent], hierarchy.names[child]) for parent, child in hierarchy.edges]


def test_is_a_makes_the_edges_from_parent_to_child():
    assert edges_of(read(HEART)) == [("HP:1", "HP:2"), ("HP:1", "HP:3")]


def test_names_are_labels_without_comment_modifiers_and_escapes():
    heart = read(HEART)
    assert heart.called(heart.row("HP:2")) == "Heart, the {big} one"
    assert heart.in_words() == ["Heart, the {big} one is an All", "Body is an All"]


def test_relations_that_were_asked_for_are_not_said_to_be_skipped():
    assert not any("other relation" in note for note in read(HEART, relations=("is_a", "part_of")).notes)


def test_a_comment_behind_the_head_of_a_term_is_a_comment():
    assert len(read("[Term] ! first\nid: A:1\n\n[Term]\nid: A:2\nis_a: A:1\n")) == 2


def test_what_was_left_out_is_told():
    assert read(HEART).notes == (
        "1 obsolete term skipped",
        "1 target that is not in the file left out: XY:7",
        "1 term without an edge left out",
        "2 other relations skipped (part_of 2)",
    )


def test_other_relations_count_if_they_are_asked_for():
    heart = read(HEART, relations=("is_a", "part_of"))
    assert edges_of(heart) == [("HP:1", "HP:2"), ("HP:1", "HP:3"), ("HP:3", "HP:2")]
    assert "1 target that is obsolete left out: HP:8" in heart.notes
    assert edges_of(read(HEART, relations="part_of")) == [("HP:3", "HP:2")]


def test_a_relation_that_never_occurs_is_refused_with_those_that_do():
    with pytest.raises(InputError, match=r"no term has the relation 'partof'; its relations are is_a, part_of$"):
        read(HEART, relations=["partof"])


def test_a_self_loop_and_a_cycle_have_their_line():
    with pytest.raises(InputError, match=r"^the stream:3: 'A:1' is given as its own parent; remove this edge$"):
        read("[Term]\nid: A:1\nis_a: A:1\n")
    with pytest.raises(InputError, match=r"^the stream:6: the edges form a cycle, parent → child: A:2 → A:1 → A:2; "):
        read("[Term]\nid: A:1\nis_a: A:2\n[Term]\nid: A:2\nis_a: A:1\n")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[Term]\nname: x\n", ":2: the id of the term must come before this line; move it up"),
        ("[Term]\n\n[Term]\nid: A:1\n", ":1: this [Term] has no id; give it one"),
        ("[Term]\nid: A:1\nis_a\n", ":3: expected 'tag: value', found 'is_a'; fix the line"),
        ("[Term]\nid: A:1\nis_a:\n", ":3: the is_a is cut short; fix the line"),
        ("[Term]\nid: A:1\nrelationship: part_of\n", ":3: the relationship is cut short; fix the line"),
        ("format-version: 1.4\n", ": has no [Term]; is it an OBO ontology?"),
        ("[Term]\nid: A:1\n", ": no term has the relation 'is_a'; it relates no terms at all"),
        ("[Term]\nid: A:1\nis_a: B:1\n", ": holds no edges; a hierarchy needs at least one parent with a child"),
    ],
)
def test_a_broken_stanza_is_refused_with_its_line(text, sentence):
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value) == f"the stream{sentence}"
