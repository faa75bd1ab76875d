"""Trees nested in JSON or YAML: nodes with children, names in names, records with parents, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.errors import raises_exactly
from tests.support.formats import read_text
from tests.support.hierarchies import edges_of

from hypercone.errors import InputError
from hypercone.formats.registry import format_of
from hypercone.formats.source import Content

FLARE = {
    "name": "flare",
    "children": [
        {"name": "analytics", "children": [{"name": "cluster", "size": 3938}, {"name": "graph", "value": 10}]},
        {"name": "data", "children": ["cluster"]},
    ],
}


def read_json(tree, **options):
    return read_text(json.dumps(tree), format="json", **options)


def yaml(text, **options):
    return read_text(text, format="yaml", **options)


def test_nodes_with_children_are_named_by_their_path_and_labeled_by_their_name():
    found = read_json(FLARE)
    assert edges_of(found) == [
        ("flare", "flare > analytics"),
        ("flare > analytics", "flare > analytics > cluster"),
        ("flare > analytics", "flare > analytics > graph"),
        ("flare", "flare > data"),
        ("flare > data", "flare > data > cluster"),
    ]
    assert found.labels.texts[2] == "cluster"
    assert found.read_as == "nodes with children"
    assert read_json(FLARE, merge_names=True).parents("cluster") == ["analytics", "data"]
    assert edges_of(read_json([FLARE])) == edges_of(yaml(json.dumps(FLARE))) == edges_of(found)


@pytest.mark.parametrize(
    ("name", "own_id"), [("name", "id"), ("label", "id"), ("title", "key"), ("text", "id"), ("prefLabel", "notation")]
)
def test_nodes_that_all_have_an_id_are_named_by_it(name, own_id):
    tree = {own_id: 1, name: "animal", "children": [{own_id: "2", name: "dog"}, {own_id: 3.0, name: "cat"}]}
    found = read_json(tree)
    assert edges_of(found) == [("1", "2"), ("1", "3")]
    assert found.in_words() == ["dog is an animal", "cat is an animal"]
    assert found.read_as == "nodes with children with ids"


def test_names_in_names_are_an_outline_of_dicts_and_lists():
    text = "food:\n  cheese:\n    - brie\n    - gouda: # a comment\n        - old\n  bread: [rye, 'white']\n  water:\n"
    found = yaml(text)
    expected = ["food", "food > cheese", "food > cheese > brie", "food > cheese > gouda", "food > cheese > gouda > old"]
    assert list(found.names[:5]) == expected
    assert found.names[5:] == ("food > bread", "food > bread > rye", "food > bread > white", "food > water")
    assert found.read_as == "names nested in names"
    tree = {"food": {"cheese": ["brie", {"gouda": ["old"]}], "bread": ["rye", "white"], "water": None}}
    assert read_json(tree).names == found.names
    # A key that could be that of children is a name, unless the node has a name itself.
    people = {"people": {"children": ["girl", "boy"], "adults": ["woman"]}}
    assert ("people > children", "people > children > girl") in edges_of(read_json(people))


def test_every_scalar_of_yaml_is_text_so_that_norway_is_not_false():
    found = yaml("countries:\n  - NO\n  - yes\n  - 1.10\n  - 2024-01-01\n  - 007\n")
    assert found.labels.texts == ("countries", "NO", "yes", "1.10", "2024-01-01", "007")


def test_records_with_parents_are_a_table_and_may_have_a_list_of_parents():
    records = [
        {"id": 1, "name": "animal"},
        {"id": 2, "name": "pet", "parents": []},
        {"id": 3, "name": "dog", "parents": [1, 2]},
    ]
    for found in (read_json(records), yaml(json.dumps(records))):
        assert edges_of(found) == [("1", "3"), ("2", "3")]
        assert found.read_as == "id / name / parents"
    stratify = [{"name": "Eve", "parent": ""}, {"name": "Cain", "parent": "Eve"}]
    assert read_json(stratify).in_words() == ["Cain is an Eve"]
    with raises_exactly("the stream: item 3: the id '2' is called 'dog' here and 'pet' in item 2; give each node its…"):
        read_json([*records[:2], {**records[2], "id": 2}])


@pytest.mark.parametrize(
    ("tree", "problem"),
    [
        ("dog", "holds only 'dog'; it should hold a tree, such as animal: [dog, cat]"),
        ({"animal": "dog"}, "'animal' has 'dog' where its children should be; write them as a list"),
        ({"name": "a", "children": 7}, "'a' has 7 where its children should be; write them as a list"),
        (
            {"name": "a", "children": [{"size": 1, "n": 2}]},
            "a node below 'a' with 'size, n' has no name; give it a name…",
        ),
        ({"name": "a", "children": [None]}, "a name below 'a' is None; names are text or numbers"),
        ({"name": "a", "children": [True]}, "a name below 'a' is True; names are text or numbers"),
        ({"name": "a", "children": [["b"]]}, "a name below 'a' is a list; names are text or numbers"),
        ({"a": {"b": {"": ["c"]}}}, "a name below 'a > b' is ''; names are text or numbers"),
        (
            {"name": "a", "children": [{"id": "x", "nodes": [{"id": 1}]}]},
            "'x' below 'a' has no children, but nodes in 'nodes'; rename that to children if they are below it, or…",
        ),
        ({"graph": [{"name": "a"}, {"name": "b"}]}, "has nodes with a name, but none with children; call the list of…"),
        ([], "holds no edges; a hierarchy needs at least one parent with a child"),
        (
            {"nodes": [1], "links": []},
            "is a graph of nodes and links, which do not say who is the parent; load it with…",
        ),
        (
            {"id": 1, "name": "a", "children": [{"id": 2, "name": "b"}, {"id": 2, "name": "c"}]},
            "'a > c' has the id '2', which is that of 'b'; give each node its own id",
        ),
        (
            {"id": 0, "name": "a", "children": [{"name": "b"}, *({"id": i, "name": f"c{i}"} for i in range(1, 12))]},
            "'a > b' has no id, but most nodes have one; give each node one, or none",
        ),
    ],
)
def test_what_is_not_a_tree_of_names_is_refused_with_its_place(tree, problem):
    with raises_exactly(f"the stream: {problem}"):
        read_json(tree)
    # In YAML these would be texts.
    if tree and tree.get("children") not in ([None], [True]) if isinstance(tree, dict) else tree:
        with pytest.raises(InputError):
            yaml(json.dumps(tree))


@pytest.mark.parametrize(
    ("kind", "text", "problem"),
    [
        ("json", '{"a": ["b",]}', ":1: is not valid JSON (Expecting value); fetch the file again"),
        (
            "json",
            '{"a": ["b"],\n "a": ["c"]}',
            ": has the key 'a' twice in one place; rename one, or join what is below…",
        ),
        (
            "json",
            '{"a": ' + "[" * 100_000,
            ": is not valid JSON (a number is too long or the nesting too deep); fetch…",
        ),
        ("yaml", "a: [b\nc: d\n", ":2: is not valid YAML (did not find expected ',' or ']'); fix this line"),
        ("yaml", "a:\n\t- b\n", ":2: is not valid YAML (found character that cannot start any token); fix this line"),
        (
            "yaml",
            "a:\n  - b\na:\n  - c\n",
            ":3: has the key 'a' twice in one place; rename one, or join what is below…",
        ),
        ("yaml", "a: &x [b]\nc: *x\n", ":2: *x repeats another part; write it out"),
        ("yaml", "a: [b]\n---\nc: [d]\n", ":2: a second document begins; keep one of them"),
        ("yaml", "? [a, b]\n: c\n", ":1: a key is a list or a dict; write a name"),
        ("yaml", "a:\n  - " + "[" * 300, ":2: has 200 brackets in each other; write the tree by indentation"),
        ("yaml", "animal > dog\nanimal > cat\n", ": holds only 'animal > dog animal > cat'; it should hold a tree…"),
    ],
)
def test_broken_syntax_is_refused_with_its_line(kind, text, problem):
    with raises_exactly(f"the stream{problem}"):
        read_text(text, format=kind)


def test_options_of_tables_do_not_apply_to_a_nested_tree():
    with raises_exactly("the stream: parent does not apply to a nested tree; leave it out"):
        read_json(FLARE, parent="name", child="x")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b'[{"id": 1}]', "json"),
        (b'\xef\xbb\xbf [{"id": 1}]', "json"),
        (json.dumps(FLARE, indent=2).encode(), "json"),
        (b'{"graphs": [{"nodes": [], "children": []}]}', "obographs"),
        (b'{"A:1": {"label": "the children", "ancestors": {}}}', "obographs"),
        (b"", "obographs"),
    ],
)
def test_nested_json_is_distinguished_from_obo_graphs(data, kind):
    assert format_of(Content("a.json", ".json", data)) == kind


def test_json_of_another_kind_is_refused_with_the_format_to_try():
    with pytest.raises(InputError, match=r'is JSON of another kind; .*; if it is a nested tree, say format="json"$'):
        read_text('{"food": {"cheese": ["brie"]}}', format="obographs")


def test_a_tree_may_be_deep_and_wide(within):
    deep = "".join("  " * i + f"- n{i}:\n" for i in range(300))
    assert len(yaml(deep, merge_names=True)) == 300
    wide = {"name": "root", "children": [{"name": f"n{i}"} for i in range(50_000)]}
    text = json.dumps(wide)
    assert len(within(3, lambda: read_text(text, format="json"))) == 50_001


@settings(max_examples=40)
@given(
    st.recursive(
        st.just({}),
        lambda below: st.dictionaries(st.text("abNo0 :-'\"é", min_size=1).filter(str.strip), below, max_size=3),
        max_leaves=12,
    )
)
def test_any_dict_of_names_is_read_alike_from_json_and_yaml(tree):
    tree = {"top": {"middle": {}, **{name.strip(): below for name, below in tree.items()}}}

    def stripped(value):
        return {name.strip(): stripped(below) for name, below in value.items()}

    tree = stripped(tree)
    assert read_json(tree) == yaml(json.dumps(tree, ensure_ascii=False))


def test_without_pyyaml_the_error_says_how_to_install_it():
    code = (
        "import io, sys; sys.modules['yaml'] = None\nimport hypercone\n"
        "try: hypercone.read(io.BytesIO(b'a: [b]'), format='yaml')\n"
        "except hypercone.HyperconeError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "YAML needs yaml, which is not installed; pip install 'hypercone[yaml]'\n"
