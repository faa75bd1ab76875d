"""A column of relations in a table or a data frame: read if all are is_a, refused with the place if one is not."""

import pytest
from tests.formats.test_columnar import each_kind
from tests.formats.test_columnar import read as read_columns
from tests.hierarchy.test_interop import each_library
from tests.support.errors import raises_exactly
from tests.support.formats import read_text
from tests.support.hierarchies import edges_of

from hypercone.hierarchy import Hierarchy

KEPT = "keep only the {0}s with is_a, or remove the column {1!r} if every {0} is an edge of the hierarchy"
DOG = [("animal", "dog"), ("dog", "poodle")]
PARENTS, CHILDREN = (list(side) for side in zip(*DOG, strict=True))


def table(relations, title="relation"):
    rows = [("parent", title, "child"), *((p, r, c) for (p, c), r in zip(DOG, relations, strict=True))]
    return "".join(",".join(row) + "\n" for row in rows)


@pytest.mark.parametrize("title", ["relation", " Relationship", "predicate"])
def test_another_relation_in_a_text_table_is_refused_with_its_line(title):
    with raises_exactly(f"the stream:3: the relation is 'part_of', not is_a; {KEPT.format('line', title)}"):
        read_text(table(["is_a", "part_of"], title), format="csv")
    with raises_exactly("the stream:2: the relation is '', not is_a…"):
        read_text(table(["", "is_a"], title), format="csv")
    tabs = table(["is_a", "has part"], title).replace(",", "\t").replace("parent", "over").replace("child", "under")
    with raises_exactly("the stream:3: the relation is 'has part', not is_a…"):
        read_text(tabs, format="tsv", parent="over", child="under")


def test_a_text_table_of_is_a_alone_or_without_relations_is_read():
    for relations in (["is_a", "is a"], ["rdfs:subClassOf", "IS_A"], ["", ""]):
        assert edges_of(read_text(table(relations), format="csv")) == DOG
    # Chosen as the label, or under another title, or in a file without a header, it is not a relation.
    assert edges_of(read_text(table(["x", "y"]), format="csv", label="relation")) == DOG
    assert edges_of(read_text(table(["x", "y"], "kind"), format="csv")) == DOG
    assert read_text("relation\tpart_of\n", format="tsv", direction="parent-child").names == ("relation", "part_of")


@each_kind
def test_the_same_holds_for_parquet_and_arrow(kind):
    columns = {"parent": PARENTS, "child": CHILDREN, "Relation": ["is_a", "part_of"]}
    with raises_exactly(
        "the stream: the column 'Relation', row 2: the relation is 'part_of', not is_a; "
        + KEPT.format("row", "Relation")
    ):
        read_columns(kind, columns)
    for relations in (["is_a", "subClassOf"], [None, None]):
        assert edges_of(read_columns(kind, columns | {"Relation": relations})) == DOG


@each_library
def test_the_same_holds_for_data_frames(make):
    columns = {"parent": PARENTS, "child": CHILDREN, "predicate": ["is_a", "part_of"]}
    with raises_exactly(
        f"the column 'predicate', row 1: the relation is 'part_of', not is_a; {KEPT.format('row', 'predicate')}"
    ):
        Hierarchy.from_frame(make(columns))
    for relations in (["is_a", "subClassOf"], [None, None]):
        assert edges_of(Hierarchy.from_frame(make(columns | {"predicate": relations}))) == DOG
    assert edges_of(Hierarchy.from_frame(make(columns), label="predicate")) == DOG
