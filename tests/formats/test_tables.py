"""Tables of every shape: a row per edge, a row per node, a column per level, triples, and paths in a column."""

from __future__ import annotations

import io

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from tests.support.errors import raises_exactly
from tests.support.formats import read_text
from tests.support.hierarchies import edges_of

from hypercone.errors import InputError
from hypercone.formats.tables import find_separator

ANIMALS = [("1", "2"), ("1", "3"), ("2", "4")]
NAMES = {"1": "animal", "2": "dog", "3": "cat", "4": "poodle"}


def csv(text, **options):
    return read_text(text, format="csv", **options)


@pytest.mark.parametrize("separator", [",", ";", "|", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff"], ids=["plain", "byte-order mark"])
def test_csv_may_have_any_usual_separator_and_quotes_around_cells_that_contain_it(separator, end, start):
    rows = [("id", "name", "parent_id"), ("1", f'"all{separator} of ""them"""', ""), ("2", "dog", "1")]
    found = csv(start + end.join(separator.join(row) for row in rows) + end)
    assert edges_of(found) == [("1", "2")]
    # A label is one line without tabs.
    assert found.labels.texts == (f'all{separator} of "them"'.replace("\t ", " "), "dog")
    assert found.read_as == "id / name / parent_id"


def test_spaces_around_the_cells_of_csv_belong_to_the_layout_and_those_of_tsv_to_the_names():
    assert edges_of(csv("parent, child\nanimal , dog\n dog, poodle \n")) == [("animal", "dog"), ("dog", "poodle")]
    assert read_text("parent\tchild\nanimal\t dog\n", format="tsv").names == ("animal", " dog")


@given(st.lists(st.text("ab,;|\t \"'", max_size=5), min_size=2, max_size=3), st.sampled_from(",;|\t"))
def test_the_separator_that_every_line_has_equally_often_outside_quotes_is_found(cells, separator):
    def line(texts):
        return separator.join('"' + text.replace('"', "'") + '"' for text in texts)

    assert find_separator("\n".join([line(cells)] * 3)) == separator


@pytest.mark.parametrize(
    ("header", "parent", "child"),
    [
        ("id,name,parent_id", 2, 0),
        ("ID;Name;Parent ID", 2, 0),
        ("taxonID,scientificName,parentNameUsageID", 2, 0),
        ("code,title,parent", 2, 0),
        ("Code,Description,Parent code", 2, 0),
        ("parent_tsn,complete_name,tsn", 0, 2),
        ("key,canonicalName,parentKey", 2, 0),
        ("Class ID,Preferred Label,Parents", 2, 0),
        ("item,itemLabel,subclassOf", 2, 0),
        ("broader,prefLabel,notation", 0, 2),
        ("category_id,name,parent_category_id", 2, 0),
        ("id,label,is_a", 2, 0),
        ("#id\tname\tparent", 2, 0),
    ],
)
def test_a_table_with_a_row_per_node_is_read_under_any_usual_header(header, parent, child):
    separator = next(mark for mark in ",;\t" if mark in header)
    rows = [[""] * 3 for _ in NAMES]
    for row, (name, label) in zip(rows, NAMES.items(), strict=True):
        row[child], row[1] = name, label
        row[parent] = next((above for above, below in ANIMALS if below == name), "")
    found = csv("\n".join([header, *(separator.join(row) for row in rows)]))
    assert set(edges_of(found)) == set(ANIMALS)
    assert {name: found.display_name(found.row(name)) for name in NAMES} == NAMES
    titles = [header.split(separator)[at] for at in (child, 1, parent)]
    assert found.read_as == " / ".join(titles)
    assert found.notes == ()


@pytest.mark.parametrize("none", ["0", "-1", "NULL", "None", "N/A", "\\N", "-"])
def test_what_databases_write_for_no_parent_is_none_unless_it_is_an_id(none):
    found = csv(f"id,parent_id\n1,{none}\n2,1\n3,{none}\n4,3\n")
    assert edges_of(found) == [("1", "2"), ("3", "4")]
    assert found.notes == (f"a parent written as {none} taken for none",)
    assert edges_of(csv(f"id,parent_id\n{none},\n1,{none}\n")) == [(none, "1")]


def test_a_root_that_is_its_own_parent_is_a_root_if_nothing_else_marks_roots():
    assert edges_of(csv("id,parent_id\n1,1\n2,1\n")) == [("1", "2")]
    with raises_exactly("the stream:2: '1' is given as its own parent; remove this edge"):
        csv("id,parent_id\n1,1\n2,1\n3,\n")


def test_parents_may_be_given_by_name_or_by_another_column_if_that_is_unambiguous():
    found = csv("id,name,parent\n1,animal,\n2,dog,animal\n3,poodle,dog\n")
    assert edges_of(found) == [("1", "2"), ("2", "3")]
    assert found.read_as == "id / name / parent, which is a name"
    assert csv("id,code,name,parent\n1,A,animal,\n2,B,dog,A\n").read_as == "id / name / parent, which is a code"
    with raises_exactly("the stream:4: the parent 'dog' is the name of '1' and of '2'; give the parents by id"):
        csv("id,name,parent\n1,dog,\n2,dog,\n3,poodle,dog\n")


def test_a_parent_without_a_row_is_a_node_with_a_note_and_the_label_that_its_children_give_it():
    found = csv("item,itemLabel,subclassOf,subclassOfLabel\nQ144,dog,Q729,animal\nQ38,poodle,Q144,dog\n")
    assert found.in_words() == ["dog is an animal", "poodle is a dog"]
    assert found.notes == ("1 parent without a row of its own, kept: Q729",)
    with raises_exactly(
        "the stream:3: the parent 'Animal' is not an id of the column 'id', and no other parent is; name the right "
        "columns with id and parent"
    ):
        csv("id,name,parent\n1,animal,\n2,dog,Animal\n")


def test_rows_without_an_edge_are_left_out_and_two_names_of_one_id_are_refused():
    assert csv("id,parent\n1,\n2,1\n3,\n").notes == ("1 node that is without an edge left out: 3",)
    assert len(csv("id,name,parent\n1,pet,\n2,animal,\n3,dog,1\n3,dog,2\n").edges) == 2
    with raises_exactly("the stream:4: the id '2' is called 'cat' here and 'dog' in line 3; give each node its own id"):
        csv("id,name,parent\n1,animal,\n2,dog,1\n2,cat,1\n")
    with raises_exactly("the stream:3: the id is empty; give it a name or remove the line"):
        csv("id,parent\n1,\n,1\n")


def test_synonyms_of_darwin_core_become_other_names_of_the_accepted_taxon():
    found = csv(
        "taxonID,acceptedNameUsageID,parentNameUsageID,scientificName\n1,1,,Animalia\n2,,1,Canis lupus\n"
        "3,2,,Lupus lupus\n4,2,1,Canis lycaon\n"
    )
    assert edges_of(found) == [("1", "2")]
    assert found.row("Lupus lupus") == found.row("canis lycaon") == found.row("2")
    assert found.notes == ("2 synonyms read as other names of the accepted taxa",)


SEVERAL = "id,name,parents\n1,animal,\n2,pet,\n3,dog,1|2\n4,poodle,3\n"


def test_several_parents_in_a_cell_are_split_on_request_and_otherwise_refused_with_the_option_to_give():
    assert edges_of(csv(SEVERAL, parent_separator="|")) == [("1", "3"), ("2", "3"), ("3", "4")]
    edges = "child,parent\ndog,animal\npoodle,dog; pet\nx,pet\n"
    assert edges_of(csv(edges, parent_separator=";"))[1:3] == [("dog", "poodle"), ("pet", "poodle")]
    for text, parent, mark, line in ((SEVERAL, "1|2", "|", 4), (edges, "dog; pet", ";", 3)):
        with raises_exactly(
            f'the stream:{line}: the parent {parent!r} looks like 2 parents; say parent_separator="{mark}", '
            'or parent_separator="" if it is one'
        ):
            csv(text)
        assert parent in csv(text, parent_separator="").names


def test_a_name_with_a_comma_is_one_name_unless_all_its_parts_are_names():
    assert csv('child,parent\ndog,"Dogs, wolves and foxes"\ndog,Dogs\n').names == (
        "Dogs, wolves and foxes",
        "dog",
        "Dogs",
    )


def test_columns_can_be_named_and_an_id_makes_empty_parents_roots():
    text = "who,called,under\n1,animal,\n2,dog,1\n"
    for options in ({"id": "who", "parent": "under"}, {"id": 1, "parent": 3}):
        assert edges_of(csv(text, label="called", **options)) == [("1", "2")]
    assert csv("who,name,parent\n1,animal,\n2,dog,1\n", id="who").read_as == "who / name / parent"
    assert csv("id,name,above\n1,animal,\n2,dog,1\n", parent="above").read_as == "id / name / above"
    with raises_exactly(
        'the stream:2: the parent is empty; give it a name or remove the line, or say id="who" if it is a root'
    ):
        csv(text, child="who", parent="under")
    with raises_exactly("child and id both name the column of the nodes; give one of them"):
        csv(text, child="who", id="who", parent="under")
    with raises_exactly("one column is named; name both, with parent and id"):
        csv(text, id="who")


@pytest.mark.parametrize(
    "text",
    [
        "parent\tmother\nrelative\tparent\n",
        "source\ttarget\na\tb\n",
        "id\tname\n1\tdog\n",
        "id\tname\tparent_type\n1\tdog\tanimal\n",
        "id\tname\ttransparent\n1\tdog\tno\n",
        "a\tparent\tb\tc\nx\ty\tz\tw\n",
    ],
)
def test_a_header_that_does_not_say_which_column_is_which_is_not_guessed_from(text):
    with pytest.raises(InputError, match="which column is the parent"):
        read_text(text, format="tsv")


def test_a_header_of_source_and_target_is_not_an_edge_when_the_direction_is_given():
    assert csv("Source,Target\na,b\n", direction="child-parent").names == ("b", "a")


LEVELS = "Level 1,Level 2,Level 3\nfood,cheese,brie\nfood,cheese,gouda\nfood,bread\ntoys,,\n"


def test_each_row_of_levels_is_a_path_and_may_end_early():
    found = csv(LEVELS)
    assert edges_of(found) == [
        ("food", "food > cheese"),
        ("food > cheese", "food > cheese > brie"),
        ("food > cheese", "food > cheese > gouda"),
        ("food", "food > bread"),
    ]
    assert found.labels.texts == ("food", "cheese", "brie", "gouda", "bread")
    assert found.notes == ("1 node that is without an edge left out: toys",)
    assert csv(LEVELS, merge_names=True).names == ("food", "cheese", "brie", "gouda", "bread")
    assert edges_of(csv(LEVELS.replace(",", ";").replace("brie", '"brie"'))) == edges_of(found)
    named = LEVELS.replace("Level 1,Level 2,Level 3", "Aisle,Shelf,Product")
    for levels in (["Aisle", "Shelf", "Product"], "Aisle, Shelf,Product", [1, 2, "Product"]):
        assert edges_of(csv(named, levels=levels)) == edges_of(found)


def test_ranks_are_levels_in_their_own_order_and_a_row_may_lack_any():
    found = csv("species,genus,family,kingdom,n\nlupus,Canis,Canidae,Animalia,7\ncatus,Felis,,Animalia,8\nx,,,,9\n")
    assert list(found.labels.texts) == ["Animalia", "Canidae", "Canis", "lupus", "Felis", "catus"]
    assert found.notes == (
        "1 node that is without an edge left out: x",
        "2 lines with an empty level above a filled one, joined to the next above",
    )
    assert csv("kingdom,phylum,class,order\nA,B,C,D\n").read_as == "kingdom / phylum / class / order"


def test_an_outline_in_columns_is_understood_and_other_empty_tops_are_refused_unless_they_are_to_be_filled():
    outline = csv("Level 1,Level 2,Level 3\nfood,,\n,cheese,\n,,brie\n,bread,\n")
    assert outline.in_words() == ["cheese is a food", "brie is a cheese", "bread is a food"]
    merged_cells = "Level 1,Level 2,Level 3\nfood,cheese,brie\n,,gouda\n,bread,rye\n"
    with raises_exactly(
        "the stream:3: the level above 'gouda' is empty; fill it in, or say fill_down=True if an empty cell means the "
        "same as the one above it"
    ):
        csv(merged_cells)
    assert csv(merged_cells, fill_down=True).names[-2:] == ("food > bread", "food > bread > rye")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"levels": ["Level 1"]}, "levels is 'Level 1'; name two or more columns, from the top down"),
        ({"levels": [1, "Level 1"]}, "levels is '1, Level 1'; name two or more columns, from the top down"),
        (
            {"levels": [1, "Level 9"]},
            "the stream:1: there is no column 'Level 9' among Level 1, Level 2, Level 3; did…",
        ),
        ({"relations": ["is_a"]}, "the stream: relations does not apply to a table of levels; leave it out"),
        ({"parent_separator": "|"}, "the stream: parent_separator does not apply to a table of levels; leave it out"),
    ],
)
def test_options_that_do_not_fit_levels_are_refused(options, sentence):
    with raises_exactly(sentence):
        csv(LEVELS, **options)


@pytest.mark.parametrize("header", ["", "subject,predicate,object\n", "item,property,value\n"])
def test_triples_are_read_by_relation_from_child_to_parent(header):
    text = header + "dog,subclass of,animal\npoodle,wdt:P279,dog\ndog,part of,pack\n"
    found = csv(text)
    assert found.in_words() == ["dog is an animal", "poodle is a dog"]
    assert found.notes == ("1 other relation skipped (part of 1)", "1 node without an edge by is_a left out: pack")
    assert csv(text, relations=["part of"]).in_words() == ["dog is a pack"]
    with raises_exactly(
        "the stream: no edge of the graph has the relation 'is_a'; there are part of 1; say which make…"
    ):
        csv("subject,predicate,object\ndog,part of,pack\n")
    with raises_exactly("the stream:3: the object is empty; give it a name or remove the line"):
        csv("subject,predicate,object\ndog,is a,pet\ndog,is a,\n")


def test_paths_in_a_column_are_read_with_the_ids_beside_them():
    text = "category_id,category\n1,animals\n2,animals > dogs\n4,cars > dogs\n"
    found = csv(text)
    assert edges_of(found) == [("1", "2"), ("cars", "4")]
    assert (found.read_as, found.labels.texts[:2]) == ("category_id / category", ("animals", "dogs"))
    assert csv(text, merge_names=True).names == ("animals", "dogs", "cars")
    with raises_exactly(
        "the stream:3: the id '1' is that of line 2, which has another path; give each path its own id"
    ):
        csv(text.replace("\n2,", "\n1,"))


def test_columnar_tables_have_the_same_shapes():
    columns = {"id": [1, 2, 3], "name": ["animal", "dog", "cat"], "parent_id": [None, 1, 1]}

    def read(columns, **options):
        file = io.BytesIO()
        parquet.write_table(pyarrow.table(columns), file)
        return read_text(file.getvalue(), format="parquet", **options)

    assert read(columns).in_words() == ["dog is an animal", "cat is an animal"]
    assert read(columns).read_as == "id / name / parent_id"
    assert read({"level1": ["a", "a"], "level2": ["b", None]}).names == ("a", "a > b")
    assert read({"subject": ["a"], "relation": ["is_a"], "object": ["b"]}).names == ("b", "a")
    assert read({"id": [1, 2], "path": ["a", "a > b"]}).names == ("1", "2")
    with raises_exactly(
        "the stream: the column 'id', row 3: the id '2' is called 'cat' here and 'dog' in row 2; give…"
    ):
        read(columns | {"id": [1, 2, 2]})


@settings(max_examples=30)
@given(st.data())
def test_a_tree_written_in_each_shape_is_read_as_the_same_tree(data):
    size = data.draw(st.integers(2, 12))
    names = [f"n{i}" for i in range(size)]
    parent = [None, *(data.draw(st.integers(0, row - 1)) for row in range(1, size))]
    edges = {(names[above], names[row]) for row, above in enumerate(parent) if above is not None}

    def path(row):
        return [names[row]] if parent[row] is None else [*path(parent[row]), names[row]]

    deepest = max(len(path(row)) for row in range(size))
    texts = {
        "edges": ["child;parent", *(f"{child};{above}" for above, child in edges)],
        "nodes": [
            "id;parent_id",
            *(f"{n};{'' if p is None else names[p]}" for n, p in zip(names, parent, strict=True)),
        ],
        "levels": [";".join(f"Level {i + 1}" for i in range(deepest)), *(";".join(path(row)) for row in range(size))],
        "triples": ["subject;relation;object", *(f"{child};is a;{above}" for above, child in edges)],
        "paths": ["id;path", *(f"{names[row]};{' > '.join(path(row))}" for row in range(size))],
    }
    for shape, lines in texts.items():
        options = {"merge_names": True} if shape in ("levels", "paths") else {}
        assert set(edges_of(csv("\n".join(data.draw(st.permutations(lines[1:])) and lines), **options))) == edges, shape
