"""What is put into the page can be read again, whatever the model contains, and nothing of it can break the page."""

from __future__ import annotations

import base64
import gzip
import json
import re
import struct
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.hierarchies import valid_names
from tests.support.hostile_names import HOSTILE_NAMES

import hypercone
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.explorer import explorer_page, pack_model, write_page
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.glossary import Glossary, Obsolete
from hypercone.hierarchy.names import Labels
from hypercone.methods import Settings


def read(text: str) -> tuple[dict, dict]:
    """The header and the arrays, read by the documented layout and with none of the code that wrote them."""
    content = gzip.decompress(base64.b64decode(text, validate=True))
    (length,) = struct.unpack_from("<I", content)
    assert (4 + length) % 8 == 0
    header = json.loads(content[4 : 4 + length].decode("utf-8"))
    arrays = {}
    for name, about in header["arrays"].items():
        start = 4 + length + about["offset"]
        assert about["offset"] % 8 == 0
        if about["dtype"] == "utf8":
            arrays[name] = content[start : start + about["shape"][0]].decode("utf-8").split("\n")
        else:
            dtype = {"float64": "<f8", "int32": "<i4"}[about["dtype"]]
            values = np.frombuffer(content, dtype, int(np.prod(about["shape"])), start)
            arrays[name] = values.reshape(about["shape"])
    return header, arrays


@pytest.fixture(scope="module")
def birds() -> hypercone.Hierarchy:
    pairs = [("bird", "owl"), ("bird", "pelican"), ("pelican", "white pelican"), ("owl", "snowy owl")]
    tree = hypercone.Hierarchy.from_pairs(pairs)
    return hypercone.Hierarchy(tree.names, tree.edges, ["A bird", "", "Pelikan", "", "Schnee-Eule"])


def test_everything_that_the_page_needs_can_be_read_again(birds, perfect):
    embedding = perfect(birds, record={"kind": "constructed"})
    header, arrays = read(pack_model(embedding, "Birds"))
    expected = {"format": 1, "title": "Birds", "method": "hyperbolic-cones", "dim": 2, "nodes": 5, "hasEdges": True}
    expected |= {"kind": "constructed", "threshold": embedding.threshold}
    expected |= {"settings": {"K": 0.1, "margin": 0.01, "border": 1e-5, "alpha": 0.0}}
    assert {name: header[name] for name in expected} == expected
    assert (header["view"]["kind"], header["view"]["K"]) == ("own", 0.1)
    assert np.array_equal(arrays["points"], embedding.points)
    assert np.array_equal(arrays["view"], embedding.points)
    assert np.array_equal(arrays["edges"], birds.edges)
    assert np.array_equal(arrays["depth"], birds.depths)
    assert arrays["names"] == list(birds.names)
    assert arrays["labels"] == list(birds.labels.texts)
    points = np.random.default_rng(0).uniform(0.1, 0.5, (5, 3))
    header, arrays = read(pack_model(Embedding(birds.names, points, "order", Settings(), 0.5, edges=birds.edges)))
    assert (header["method"], header["view"]["kind"], header["threshold"]) == ("order", "construction", 0.5)
    assert (np.linalg.norm(arrays["view"], axis=1) < 1).all()
    assert np.array_equal(arrays["points"], points)


def test_redundant_edges_nodes_placed_by_a_point_and_the_glossary_are_packed_if_there_are_any(birds, perfect):
    header, arrays = read(pack_model(perfect(birds)))
    assert (header["answersBy"], arrays["redundant"].tolist(), header["prefixes"]) == ("graph", [], {})
    assert not arrays.keys() & {"byPoint", "definitions", "synonyms", "otherIds", "obsolete"}
    edges = np.concatenate([[[0, 4]], birds.edges]).astype(np.int32)
    old = {"B:9": Obsolete("", ("B:1",), ("B:2", "B:3"))}
    glossary = Glossary.of_rows(
        5, {0: "It\nflies."}, {1: ["night bird", "hooter"]}, {2: ["B:2"]}, old, {"b": "http://b/"}
    )
    embedding = perfect(Hierarchy(birds.names, edges), edges=edges, glossary=glossary)
    header, arrays = read(pack_model(embedding.add("kite", point=embedding.points[0] * 1.1)))
    direct = np.delete(arrays["edges"], arrays["redundant"], axis=0)
    assert {tuple(edge) for edge in direct.tolist()} == {tuple(edge) for edge in birds.edges.tolist()}
    assert arrays["byPoint"].tolist() == [5]
    assert header["title"] == "bird", "a node that is not in the graph is no root"
    assert arrays["definitions"] == ["It flies.", "", "", "", "", ""]
    assert arrays["synonyms"][1] == "night bird\thooter"
    assert arrays["otherIds"][2] == "B:2"
    assert [json.loads(line) for line in arrays["obsolete"]] == [["B:9", "", ["B:1"], ["B:2", "B:3"]]]
    assert header["prefixes"] == {"b": "http://b/"}
    assert read(pack_model(perfect(birds, record={"split": {"percent": 1}})))[0]["answersBy"] == "geometry"


def test_a_model_without_edges_has_depths_by_generality_and_no_graph(birds, perfect):
    embedding = perfect(birds, edges=None, labels=None)
    header, arrays = read(pack_model(embedding, view="projection"))
    assert header["hasEdges"] is False
    assert header["view"]["kind"] == "projection"
    assert arrays["edges"].shape == (0, 2)
    assert arrays["branch"].tolist() == [-1] * 5
    assert "labels" not in arrays
    order = np.argsort(np.linalg.norm(embedding.points, axis=1), kind="stable")
    assert arrays["depth"][order].tolist() == [0, 1, 1, 2, 2]


def test_a_model_that_is_its_own_view_is_packed_once_and_the_same_model_gives_the_same_page(birds, perfect):
    for view, is_shared in (("auto", True), ("construction", False)):
        header, arrays = read(pack_model(perfect(birds), view=view))
        assert (header["arrays"]["view"]["offset"] == header["arrays"]["points"]["offset"]) == is_shared
        assert not is_shared or np.array_equal(arrays["view"], arrays["points"])
    assert explorer_page(perfect(birds)) == explorer_page(perfect(birds))
    # The default title is the only root, or else the size.
    assert header["title"] == "A bird"
    assert read(pack_model(perfect(birds.drop(["bird"]))))[0]["title"] == "4 nodes"


@settings(deadline=None, max_examples=50)
@given(st.lists(valid_names, min_size=1, unique=True))
def test_any_name_and_label_is_read_unchanged(names):
    points = np.full((len(names), 2), 0.5)
    embedding = Embedding(names, points, "hyperbolic-cones", Settings(), 0.0, labels=Labels(names))
    _, arrays = read(pack_model(embedding))
    assert arrays["names"] == names
    assert arrays["labels"] == list(embedding.labels.texts)


@pytest.mark.parametrize("title", [*HOSTILE_NAMES[:-1], "", "\ud800 half a character", "a\nb"], ids=ascii)
def test_no_name_label_or_title_is_in_the_html(title):
    points = np.full((len(HOSTILE_NAMES), 2), 0.5)
    labels = Labels(HOSTILE_NAMES[::-1])
    embedding = Embedding(HOSTILE_NAMES, points, "hyperbolic-cones", Settings(), 0.0, labels=labels)
    plain = Embedding(["a"], points[:1], "hyperbolic-cones", Settings(), 0.0)
    # The page of another model differs in the packed data alone.
    before, after = explorer_page(plain).split(pack_model(plain))
    page = explorer_page(embedding, title=title)
    assert page.startswith(before)
    assert page.endswith(after)
    data = page[len(before) : len(page) - len(after)]
    assert re.fullmatch(r"[A-Za-z0-9+/]+=*", data)
    header, arrays = read(data)
    assert header["title"] == title
    assert arrays["names"] == HOSTILE_NAMES


def test_a_model_without_nodes_and_an_impossible_view_are_refused(birds, perfect, tmp_path):
    with pytest.raises(InputError, match="no nodes"):
        write_page(Embedding([], np.empty((0, 2)), "hyperbolic-cones", Settings(), 0.0), tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="does not know its edges"):
        explorer_page(perfect(birds, edges=None), view="construction")
    with pytest.raises(InputError, match=r"^view is 'globe', but must be auto, own, construction or projection$"):
        explorer_page(perfect(birds), view="globe")


def test_82_114_nodes_are_packed_in_seconds(nouns):
    began = time.process_time()
    text = pack_model(nouns)
    assert time.process_time() - began < 5
    assert len(text) < 8e6
