"""Every answer over HTTP is that of the embedding."""

from __future__ import annotations

import random
from urllib.parse import quote

import numpy as np
import pytest

import hypercone
from hypercone.embedding import Embedding
from hypercone.hierarchy.names import Labels
from hypercone.methods import METHODS, Settings
from hypercone.queries import answer
from hypercone.service.models import NoSuchRow, Rows

RANDOM = random.Random(6)


@pytest.fixture(scope="module")
def pairs(server):
    """Pairs of (child, parent): true ones, false ones, and a node with itself."""
    names = server.names
    true = [(name, above) for name in names[40:60] for above in server.embedding.ancestors(name)]
    return [*true, *(tuple(RANDOM.sample(names, 2)) for _ in range(100)), ("n5", "n5")]


def _names(items):
    return [item["name"] for item in items]


def _query(**given):
    return "&".join(f"{name}={quote(str(value))}" for name, value in given.items())


def test_one_pair_is_answered_as_by_the_embedding(server, pairs):
    for child, parent in pairs[::10]:
        status, headers, found = server.ask(f"/v1/is-a?{_query(child=child, parent=parent)}")
        assert (status, headers["content-type"]) == (200, "application/json")
        assert found == {
            "model": "nodes",
            "child": child,
            "child_label": server.embedding.display_name(server.embedding.row(child)),
            "parent": parent,
            "parent_label": server.embedding.display_name(server.embedding.row(parent)),
            "is_a": server.embedding.is_a(child, parent),
            "energy": server.embedding.energy(child, parent),
            "threshold": server.embedding.threshold,
        }
        energy = server.ask(f"/v1/energy?{_query(child=child, parent=parent)}")[2]
        assert energy == {name: found[name] for name in found if name not in ("is_a", "threshold")}


def test_many_pairs_are_answered_in_their_order(server, pairs):
    children, parents = map(list, zip(*pairs, strict=True))
    energies = server.embedding.energy(children, parents).tolist()
    status, _, found = server.ask("/v1/is-a", {"pairs": pairs, "model": "nodes"})
    assert status == 200
    assert found == {
        "model": "nodes",
        "threshold": server.embedding.threshold,
        "is_a": server.embedding.is_a(children, parents).tolist(),
        "energies": energies,
    }
    assert True in found["is_a"]
    assert False in found["is_a"]
    assert server.ask("/v1/energy", {"pairs": pairs})[2] == {"model": "nodes", "energies": energies}


def test_pairs_may_be_objects_or_as_in_the_first_release_lists(server, pairs):
    objects = [{"child": child, "parent": parent} for child, parent in pairs]
    for path in ("/v1/is-a", "/v1/energy", "/v1/explain"):
        found = server.ask(path, {"pairs": objects[:20]})
        assert found[0] == 200
        assert found[2] == server.ask(path, {"pairs": pairs[:20]})[2]
        assert found[2] == server.ask(path, {"pairs": [*objects[:10], *pairs[10:20]]})[2]


def test_count_is_still_read_as_the_limit_of_the_nearest(server):
    assert len(server.ask("/v1/nearest?name=n40")[2]["nearest"]) == 10, "the default"
    assert len(server.ask("/v1/descendants?name=n0")[2]["descendants"]) == 1092, "all by default"
    for name, given in [("count", {"count": 3}), ("limit", {"limit": 3, "count": 5})]:
        single = server.ask(f"/v1/nearest?name=n40&{_query(**given)}")[2]
        assert len(single["nearest"]) == 3, name
        assert server.ask("/v1/nearest", {"names": ["n40"], **given})[2]["results"] == [
            {key: value for key, value in single.items() if key != "model"}
        ]


def test_no_pairs_have_no_answers(server):
    assert server.ask("/v1/energy", {"pairs": []})[2] == {"model": "nodes", "energies": []}
    assert server.ask("/v1/ancestors", {"names": []})[2] == {"model": "nodes", "results": []}


def test_a_new_node_is_placed_where_the_embedding_would_place_it_and_nothing_changes(server):
    larger = server.embedding.add("a new one", ["n13"], not_under=["n14"])
    status, _, found = server.ask("/v1/place", {"parents": ["n13"], "not_under": ["n14"]})
    assert status == 200
    assert found["point"] == larger.points[-1].tolist()
    assert [item["name"] for item in found["ancestors"]] == larger.ancestors("a new one")
    assert found["ancestors"][0] == answer(larger, "ancestors", ["a new one"]).as_dict()["ancestors"][0]
    assert found["missing_parents"] == found["unwanted"] == []
    assert server.ask("/v1/models")[2]["models"][0]["nodes"] == len(server.names)


def test_constraints_that_a_new_node_cannot_satisfy_are_listed(server):
    far_apart = ["n1092", "n400", "n500"]
    found = server.ask("/v1/place", {"parents": far_apart})[2]
    above = [item["name"] for item in found["ancestors"]]
    assert found["missing_parents"] == [name for name in far_apart if name not in above]
    assert found["missing_parents"]


def test_labels_are_understood_as_on_the_command_line(server):
    assert server.ask("/v1/ancestors?name=node+number+13")[2]["name"] == "n13"
    assert server.ask("/v1/ancestors?name=NODE%20NUMBER%2013")[2]["name"] == "n13"
    found = server.ask("/v1/is-a", {"pairs": [["node number 13", "node number 4"]]})[2]
    assert found["is_a"] == [server.embedding.is_a("n13", "n4")]


def test_a_label_of_two_nodes_is_refused_with_their_names(server):
    status, _, found = server.ask("/v1/ancestors?name=twin")
    assert (status, found["error"]["code"]) == (400, "ambiguous_name")
    assert "n7, n8" in found["error"]["message"]


def test_an_unknown_name_is_404_with_the_names_that_were_meant(server):
    for status, _, found in (
        server.ask("/v1/ancestors?name=n109x"),
        server.ask("/v1/is-a", {"pairs": [["n3", "n109x"]]}),
        server.ask("/v1/place", {"parents": ["n109x"]}),
    ):
        assert (status, found["error"]["code"]) == (404, "unknown_name")
        assert "did you mean n109" in found["error"]["message"]


def test_a_bad_name_in_a_batch_is_refused_with_its_place_and_index(server):
    good = {"child": "n3", "parent": "n1"}
    for path, body, place, index in (
        ("/v1/ancestors", {"names": ["n1", "n2", "n109x", "n109y"]}, "names[2]", 2),
        ("/v1/is-a", {"pairs": [good, good, {"child": "n3", "parent": "n109x"}]}, "pairs[2].parent", 2),
        ("/v1/explain", {"pairs": [good, {"child": "n109x", "parent": "n3"}]}, "pairs[1].child", 1),
        ("/v1/is-a", {"pairs": [["n3", "n1"], ["n109x", "n1"]]}, "pairs[1][0]", None),
        ("/v1/lca", {"names": ["n3", "n109x"]}, "names[1]", 1),
        ("/v1/centroid", {"groups": [["n3", "n1"], ["n3", "n1", "n109x"]]}, "groups[1][2]", 1),
        ("/v1/place", {"parents": ["n3"], "not_under": ["n109x"]}, "not_under[0]", 0),
    ):
        status, _, found = server.ask(path, body)
        assert (status, found["error"]["code"]) == (404, "unknown_name")
        assert found["error"]["message"].startswith(f"{place}: there is no node 'n109x'; did you mean n109")
        assert found["error"].get("index") == index
    status, _, found = server.ask("/v1/vector", {"names": ["n1", "twin"]})
    assert (status, found["error"]["code"], found["error"]["index"]) == (400, "ambiguous_name", 1)
    assert found["error"]["message"].startswith("names[1]: 'twin' is the label of 2 nodes")


def test_several_nodes_are_one_group_or_several(server):
    one, other = ["n40", "n41"], ["n13", "n4", "n500"]
    for kind in ("lca", "centroid"):
        single = [server.ask(f"/v1/{kind}", {"names": group})[2] for group in (one, other)]
        both = server.ask(f"/v1/{kind}", {"groups": [one, other]})[2]["results"]
        assert [{"model": "nodes"} | found for found in both] == single
        assert server.ask(f"/v1/{kind}?names=n40")[0] == 405
        for wrong in ({}, {"names": one, "groups": [other]}, {"names": []}, {"groups": [[]]}):
            status, _, found = server.ask(f"/v1/{kind}", wrong)
            assert (status, found["error"]["code"]) == (400, "bad_request")
    assert server.ask("/v1/lca", {"names": ["n40"]})[0] == 400


def test_nodes_are_found_by_a_part_of_their_label(server):
    found = server.ask("/v1/search?text=NUMBER%20109&limit=2")[2]
    assert found == {
        "model": "nodes",
        "text": "NUMBER 109",
        "matches": [{"name": name, "label": f"node number {name[1:]}"} for name in ("n109", "n1090")],
        "count": 4,
    }
    assert server.ask("/v1/search", {"texts": ["NUMBER 109", "owl"], "limit": 2})[2]["results"][0]["count"] == 4
    assert server.ask("/v1/search?text=")[0] == 400


def test_the_models_are_listed_with_what_they_are(server):
    assert server.ask("/v1/models")[2] == {
        "models": [
            {
                "name": "nodes",
                "method": server.embedding.method,
                "made_by": "overlapping-caps",
                "dim": 2,
                "nodes": len(server.names),
                "threshold": server.embedding.threshold,
                "kind": "constructed",
            }
        ]
    }


def test_of_several_models_one_has_to_be_named(make_service, asked, small, perfect):
    tree = perfect(hypercone.load_dataset("tree-2-3"))
    service = make_service({"pets": small, "tree": tree})
    path = "/v1/ancestors?name=r.0.0"
    missing = asked(service, "GET", path)
    assert (missing.status_code, "pets, tree" in missing.text) == (400, True)
    assert _names(asked(service, "GET", f"{path}&model=tree").json()["ancestors"]) == tree.ancestors("r.0.0")
    assert asked(service, "GET", f"{path}&model=pets").status_code == 404
    unknown = asked(service, "GET", f"{path}&model=tre")
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "unknown_model")
    assert "did you mean tree" in unknown.text


def test_a_label_or_part_of_a_joined_name_finds_the_row_that_the_embedding_finds(strange_rows):
    embedding, rows = strange_rows
    for text in ["a = b", "a", "b", "c", "Heart", "heart", "HEART"]:
        assert rows[text] == embedding.row(text)
    for text in ["", "x", "twice", "a = ", "x" * 1_000_000]:
        with pytest.raises(NoSuchRow) as refused:
            rows[text]
        assert refused.value.refusal().status in (400, 404)
        assert len(refused.value.refusal().message) < 200


@pytest.fixture
def strange_rows():
    labels = Labels(["", "Heart", "twice", "twice"])
    points = np.array([[0.5, 0.1], [0.6, 0.2], [0.7, 0.3], [0.8, 0.4]])
    embedding = Embedding(["a = b", "c", "d", "e"], points, "order", Settings(), 0.0, labels=labels)
    return embedding, Rows(embedding)


@pytest.mark.parametrize("method", ["euclidean", "euclidean-cones", "order", "poincare"])
def test_other_methods_are_served_as_well(make_service, asked, method):
    settings = Settings(alpha=3.0 if METHODS[method].uses_alpha else 0.0)
    start = METHODS[method].start(np.random.default_rng(1), 12, 2, 0.7)
    names = [f"n{node}" for node in range(12)]
    embedding = Embedding(names, METHODS[method].project(start, settings), method, settings, threshold=0.4)
    # get_ready would compile the placement of every method; the questions only compile what they need.
    service = make_service({"any": embedding}, ready=False)
    service.state = "ready"
    for child in names:
        found = asked(service, "GET", f"/v1/is-a?child={child}&parent=n3").json()
        assert found["energy"] == embedding.energy(child, "n3")
        assert found["is_a"] == embedding.is_a(child, "n3")
    assert _names(asked(service, "GET", "/v1/descendants?name=n3").json()["descendants"]) == embedding.descendants("n3")
    nearest = asked(service, "GET", "/v1/nearest?name=n3&limit=2").json()["nearest"]
    assert [(near["name"], near["distance"]) for near in nearest] == embedding.nearest("n3", 2)
