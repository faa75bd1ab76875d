"""Every question, asked of one model in Python, in words and in JSON on the command line, and over HTTP: one answer.

The name of a node means the same over HTTP as in Python, and so does the placement of a new one.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest

import hypercone
from hypercone.cli.main import main
from hypercone.embedding import Embedding
from hypercone.hierarchy import Glossary, Obsolete
from hypercone.hierarchy.names import Labels
from hypercone.hierarchy.similarity import MEASURES
from hypercone.methods import METHODS, Settings
from hypercone.queries import QUESTIONS, answer

EDGES = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (2, 5), (4, 6), (4, 7), (5, 8), (3, 9)]
LABELS = ["thing", "pet", "animal", "plant", "dog", "bird", "poodle", "Dog of war", "", "Löwenzahn"]
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "ask-questions.md"


def _names(items):
    return [item["name"] for item in items]


def _named(question, values):
    """The nodes that the answer in words has to mention: those found, and both nodes of a verdict."""
    listed = [question.replace("-", "_"), "geometry", "graph", "matches", "chain", "path"]
    listed = [key for key in values if key in listed]
    listed = [key for key in listed if isinstance(values[key], list)]
    listed += ["ancestors"] if question == "centroid" else []
    asked = [values["child"], values["parent"]] if question in ("is-a", "explain") else values.get("names", [])
    asked += [values["name"], values["other"]] if question == "similarity" else []
    return [*asked, *(item["name"] for key in listed for item in values[key] if isinstance(item, dict))]


def _of_explanation(found):
    steps = [
        [step["name"] if isinstance(step, dict) else step.name for step in found[way]] for way in ("chain", "path")
    ]
    numbers = [found[name] for name in ("is_a", "energy", "threshold", "margin", "angle", "aperture")]
    return [*numbers, *steps, found["graph"], list(found["lost"]), found["stray"]]


# Per question: its arguments, the answer of the embedding's method, and the same taken from the JSON.
ASKED = {
    "is-a": (["A:6", "A:2"], lambda model, child, parent: model.is_a(child, parent), lambda found: found["is_a"]),
    "energy": (["A:9", "A:2"], lambda model, child, parent: model.energy(child, parent), lambda found: found["energy"]),
    "explain": (
        ["A:6", "A:0"],
        lambda model, child, parent: _of_explanation(vars(model.explain(child, parent))),
        _of_explanation,
    ),
    "ancestors": (["A:6"], lambda model, name: model.ancestors(name), lambda found: _names(found["ancestors"])),
    "descendants": (["A:2"], lambda model, name: model.descendants(name), lambda found: _names(found["descendants"])),
    "parents": (["A:4"], lambda model, name: model.parents(name), lambda found: _names(found["parents"])),
    "children": (["A:2"], lambda model, name: model.children(name), lambda found: _names(found["children"])),
    "siblings": (["A:6"], lambda model, name: model.siblings(name), lambda found: _names(found["siblings"])),
    "nearest": (
        ["A:4"],
        lambda model, name: model.nearest(name, 9),
        lambda found: [(item["name"], item["distance"]) for item in found["nearest"]],
    ),
    "similarity": (
        ["A:6", "A:8"],
        lambda model, *names: model.similarity(*names),
        lambda found: found["similarity"],
    ),
    "most-similar": (
        ["A:6"],
        lambda model, name: model.most_similar(name, 9),
        lambda found: [(item["name"], item["similarity"]) for item in found["most_similar"]],
    ),
    "vector": (["A:4"], lambda model, name: model[name].tolist(), lambda found: found["vector"]),
    "lca": (
        ["A:6", "A:8", "A:7"],
        lambda model, *names: model.lowest_common_ancestors(list(names)),
        lambda found: _names(found["lowest_common_ancestors"]),
    ),
    "centroid": (
        ["A:6", "A:7"],
        lambda model, *names: (model.centroid(list(names)).tolist(), model.ancestors_of_point(model.centroid(names))),
        lambda found: (found["point"], _names(found["ancestors"])),
    ),
    "search": (["dog"], lambda model, text: model.search(text, 0), lambda found: _names(found["matches"])),
    "describe": (
        ["A:6"],
        lambda model, name: model.describe(name).as_dict(),
        lambda found: {key: found[key] for key in ("name", "label", "definition", "synonyms", "other_ids")},
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model of a graph in which a node has two parents, and all but one have labels."""
    glossary = Glossary.of_rows(
        len(LABELS), {6: "It barks."}, {6: ["hound", "Canis"]}, {6: ["B:6"]}, {"A:99": Obsolete("wolf", ("A:6",))}
    )
    graph = hypercone.Hierarchy([f"A:{row}" for row in range(len(LABELS))], EDGES, LABELS, glossary=glossary)
    return hypercone.fit(graph, dim=4).save(tmp_path_factory.mktemp("four") / "kinds")


@pytest.fixture(scope="module")
def model(folder):
    return hypercone.load(folder)


@pytest.fixture(scope="module")
def http(start_server, folder):
    return start_server(models=[folder])


@pytest.fixture
def shell(capsys, folder):
    def run(question, *arguments):
        assert main(["query", str(folder), question, *map(str, arguments)]) == 0
        return capsys.readouterr().out

    return run


def _over_http(http, question, names, limit, more=None):
    limits = (more or {}) | ({} if QUESTIONS[question].limit is None else {"limit": limit})
    if QUESTIONS[question].is_open:
        status, _, found = http.ask(f"/v1/{question}", {"names": names, **limits})
    else:
        given = dict(zip(QUESTIONS[question].arguments.lower().split(), names, strict=True))
        status, _, found = http.ask(f"/v1/{question}?{urlencode(given | limits)}")
    assert status == 200, found
    return found


@pytest.mark.parametrize("question", QUESTIONS)
def test_all_four_interfaces_give_the_same_answer_in_which_every_node_has_its_label(model, http, shell, question):
    names, in_python, in_json = ASKED[question]
    values = json.loads(shell(question, *names, "--limit", 0, "--json"))
    assert in_json(values) == in_python(model, *names)
    words = shell(question, *names, "--limit", 0)
    for name in _named(question, values):
        assert name in words
    assert _over_http(http, question, names, 0) == {"model": "kinds"} | values
    seen = [*_names_and_labels(values)]
    assert seen
    for name, label in seen:
        assert label == (model.labels[model.row(name)] or None)


@pytest.fixture(scope="module")
def moved(folder, tmp_path_factory):
    """The same graph with the points of two nodes exchanged, so that its geometry is wrong."""
    model = hypercone.load(folder)
    points = model.points.copy()
    points[[6, 9]] = points[[9, 6]]
    return replace(model, points=points).save(tmp_path_factory.mktemp("moved") / "kinds")


@pytest.mark.parametrize("question", [name for name, question in QUESTIONS.items() if question.answered_by])
def test_the_graph_and_the_geometry_answer_alike_in_all_interfaces(moved, start_server, capsys, question):
    names, model = ASKED[question][0], hypercone.load(moved)
    http = start_server(models=[moved])
    found = {}
    for by in (None, *QUESTIONS[question].answered_by):
        expected = answer(model, question, names, 0, by).as_dict()
        options = [] if by is None else ["--by", by]
        assert main(["query", str(moved), question, *names, "--limit", "0", "--json", *options]) == 0
        assert json.loads(capsys.readouterr().out) == expected
        assert _over_http(http, question, names, 0, {} if by is None else {"by": by}) == {"model": "kinds"} | expected
        assert by in (None, expected["by"])
        found[by] = expected
    if len(found) == 3:
        assert found[None] == found["graph"]
    if question in ("is-a", "ancestors", "parents", "siblings"):
        assert found["graph"] != found["geometry"], "the points of the node are wrong"


def test_a_node_is_found_by_any_of_its_names_in_the_shell_and_over_http(model, http, shell, capsys, folder):
    for text in ("poodle", "Hound", "B_6", "http://purl.obolibrary.org/obo/A_6", "a:6"):
        assert http.ask(f"/v1/describe?{urlencode({'name': text})}")[2]["name"] == "A:6"
        assert json.loads(shell("describe", text, "--json"))["definition"] == "It barks."
    assert shell("describe", "hound") == (
        "A:6 (poodle)\n  definition  It barks.\n  synonyms    hound, Canis\n  other ids   B:6\n"
    )
    assert shell("describe", "A:1") == "A:1 (pet)\n  nothing more is known of it\n"
    assert _names(http.ask("/v1/search?text=houn")[2]["matches"]) == ["A:6"]
    sentence = "A:99 (wolf) is obsolete, replaced by A:6 (poodle); ask for A:6"
    status, _, found = http.ask("/v1/ancestors?name=A_99")
    assert (status, found["error"]) == (404, {"code": "obsolete_name", "message": sentence})
    assert main(["query", str(folder), "ancestors", "A_99"]) == 2
    assert capsys.readouterr().err == f"hypercone: {sentence}\n"


@pytest.mark.parametrize("question", [name for name, question in QUESTIONS.items() if question.limit is not None])
def test_a_limit_means_the_same_in_all_interfaces(http, shell, question):
    names, _, _ = ASKED[question]
    whole = json.loads(shell(question, *names, "--limit", 0, "--json"))
    cut = json.loads(shell(question, *names, "--limit", 1, "--json"))
    listed = {"search": "matches", "centroid": "ancestors"}.get(question, question.replace("-", "_"))
    assert cut[listed] == whole[listed][:1]
    assert cut["count"] == whole["count"] == len(whole[listed])
    assert _over_http(http, question, names, 1) == {"model": "kinds"} | cut
    assert http.ask(f"/v1/{question}?limit=-1")[0] in (400, 405)


def _names_and_labels(part):
    if isinstance(part, list):
        for item in part:
            yield from _names_and_labels(item)
    elif isinstance(part, dict):
        for name in ("name", "child", "parent", "other"):
            label = "label" if name == "name" else f"{name}_label"
            if name in part:
                yield part[name], part[label]
        if "names" in part:
            yield from zip(part["names"], part["labels"], strict=True)
        for item in part.values():
            yield from _names_and_labels(item)


@pytest.mark.parametrize("question", QUESTIONS)
def test_batches_get_the_same_answers_in_the_shell_and_over_http(http, shell, tmp_path, question):
    names, kind = ASKED[question][0], QUESTIONS[question].arguments
    groups = [names, names[::-1], names]
    file = tmp_path / "asked.tsv"
    file.write_text("\n".join("\t".join(group) for group in groups) + "\n\n")
    in_shell = json.loads(shell(question, "--names", file, "--json", "--limit", 0))
    body = {
        "CHILD PARENT": {"pairs": [dict(zip(("child", "parent"), group, strict=False)) for group in groups]},
        "NAME OTHER": {"pairs": [dict(zip(("name", "other"), group, strict=False)) for group in groups]},
        "NAME": {"names": [group[0] for group in groups]},
        "TEXT": {"texts": [group[0] for group in groups]},
    }.get(kind, {"groups": groups})
    limits = {} if QUESTIONS[question].limit is None else {"limit": 0}
    status, _, found = http.ask(f"/v1/{question}", body | limits)
    assert (status, found) == (200, {"model": "kinds"} | in_shell)
    single = json.loads(shell(question, *names, "--limit", 0, "--json"))
    if "results" in found:
        assert found["results"][0] == found["results"][2] == single
    else:
        assert found["energies"][0] == single["energy"]
    sentences = shell(question, "--names", file, "--limit", 0)
    assert sentences.startswith(shell(question, *names, "--limit", 0))


def test_the_documentation_has_a_table_of_every_question_and_interface(model):
    rows = re.findall(r"^\| `([\w-]+)` \| [^|]+ \| (.+?) \| (.+?) \| (.+?) \|$", PAGE.read_text(), re.MULTILINE)
    assert [row[0] for row in rows] == list(QUESTIONS) == list(ASKED)
    for name, in_python, in_shell, over_http in rows:
        question = QUESTIONS[name]
        assert in_shell == f"`{name} {question.arguments}`"
        paths = [f"POST /v1/{name}"] if question.is_open else [f"GET /v1/{name}", "POST"]
        assert over_http == ", ".join(f"`{path}`" for path in paths)
        method = re.match(r"`embedding(?:\.(\w+)|\[name\])", in_python)
        assert method, in_python
        assert hasattr(model, method[1] or "__getitem__")


def test_two_sets_are_compared_alike_in_python_in_the_shell_and_over_http(model, http, shell, tmp_path):
    first, second = ["A:6", "A:9"], ["A:8", "A:7"]
    for measure in MEASURES:
        expected = model.set_similarity(first, second, measure)
        values = json.loads(shell("similarity", *first, "--with", *second, "--measure", measure, "--json"))
        assert (values["similarity"], values["measure"], values["by"]) == (expected, measure, "graph")
        assert (values["names"], values["others"], values["other_labels"]) == (first, second, [None, "Dog of war"])
        body = {"names": first, "others": second, "measure": measure}
        assert http.ask("/v1/set-similarity", body)[2] == {"model": "kinds"} | values
    file = tmp_path / "sets.tsv"
    file.write_text("A:6\tA:9\nA:8\n")
    found = json.loads(shell("similarity", "--names", file, "--with", *second, "--json"))["results"]
    assert [each["similarity"] for each in found] == [model.set_similarity(some, second) for some in (first, ["A:8"])]
    assert shell("similarity", *first, "--with", *second).startswith(
        "A:6 (poodle) and A:9 (Löwenzahn) with A:8 and A:7 (Dog of war): 0."
    )


def test_a_measure_is_chosen_alike_in_all_interfaces(model, http, shell):
    for measure in MEASURES:
        expected = answer(model, "similarity", ["A:6", "A:8"], measure=measure).as_dict()
        assert expected["similarity"] == model.similarity("A:6", "A:8", measure)
        assert json.loads(shell("similarity", "A:6", "A:8", "--measure", measure, "--json")) == expected
        asked = urlencode({"name": "A:6", "other": "A:8", "measure": measure})
        assert http.ask(f"/v1/similarity?{asked}")[2] == {"model": "kinds"} | expected
        ranked = model.most_similar("A:6", 3, measure)
        found = http.ask(f"/v1/most-similar?name=A:6&limit=3&measure={measure}")[2]["most_similar"]
        assert [(item["name"], item["similarity"]) for item in found] == ranked
    sentence = "measure is 'cosine', but must be lin or resnik or jiang-conrath or wu-palmer or jaccard"
    assert http.ask("/v1/most-similar?name=A:6&measure=cosine")[2]["error"]["message"] == sentence
    body = {"pairs": [{"name": "A:6"}]}
    assert http.ask("/v1/similarity", body)[2]["error"]["message"].endswith(
        'must be {"name": …, "other": …}, each a name'
    )
    missing = http.ask("/v1/similarity", {"pairs": [{"name": "A:6", "other": "A:77"}]})
    assert (missing[0], missing[2]["error"]["index"]) == (404, 0)
    assert missing[2]["error"]["message"].startswith("pairs[0].other: there is no node 'A:77'")


def test_what_only_the_graph_knows_is_refused_with_a_remedy_where_there_is_no_graph(
    model, start_server, tmp_path, capsys
):
    pointed = model.add("spot", point=model.centroid(["A:6", "A:8"]))
    no_edges = replace(model, edges=None)
    folders = [pointed.save(tmp_path / "pointed"), no_edges.save(tmp_path / "plain")]
    http = start_server(models=folders)
    sentences = {
        "pointed": "'spot' was placed by a point, and similarity is answered by the graph; add it under its parents",
        "plain": "the model has no edges, and similarity is answered by the graph; fit it again",
    }
    for folder, name in zip(folders, ("spot", "A:6"), strict=True):
        sentence = sentences[folder.name]
        assert main(["query", str(folder), "similarity", name, "A:8"]) == 2
        assert capsys.readouterr().err == f"hypercone: {sentence}\n"
        asked = {"model": folder.name, "pairs": [{"name": name, "other": "A:8"}]}
        status, _, found = http.ask("/v1/similarity", asked)
        assert (status, found["error"]["message"]) == (400, sentence)
        asked = {"model": folder.name, "names": [name], "others": ["A:8"]}
        assert http.ask("/v1/set-similarity", asked)[0] == 400
    for wrong, sentence in (
        (["ancestors", "A:6", "--with", "A:8"], "--with is for similarity, and ancestors takes one set; leave it out"),
        (["parents", "A:6", "--measure", "lin"], "parents does not compare nodes by a measure; leave out --measure"),
        (
            ["similarity", "A:6", "A:8", "--by", "geometry"],
            "similarity is always answered by the graph; leave out --by",
        ),
    ):
        assert main(["query", str(folders[0]), *wrong]) == 2
        assert capsys.readouterr().err == f"hypercone: {sentence}\n"


# What only HTTP has: placement, several models, and names that are refused with a status.


def test_pairs_may_be_objects_or_as_in_the_first_release_lists(server):
    names = server.names
    pairs = [(name, above) for name in names[40:60] for above in server.embedding.ancestors(name)]
    pairs += [*zip(random.Random(6).sample(names, 100), random.Random(7).sample(names, 100), strict=True), ("n5", "n5")]
    children, parents = map(list, zip(*pairs, strict=True))
    objects = [{"child": child, "parent": parent} for child, parent in pairs]
    energies = {"model": "nodes", "energies": server.embedding.energy(children, parents).tolist(), "by": "geometry"}
    verdicts = server.embedding.is_a(children, parents).tolist()
    assert {True, False} == {*verdicts}
    for given in (objects, pairs, [*objects[:10], *pairs[10:]]):
        assert server.ask("/v1/energy", {"pairs": given})[2] == energies
        found = server.ask("/v1/is-a", {"pairs": given, "model": "nodes"})[2]
        facts = {"threshold": server.embedding.threshold, "is_a": verdicts, "by": "graph", "by_pair": None}
        assert found == energies | facts
        explained = server.ask("/v1/explain", {"pairs": objects[:20]})[2]
        assert server.ask("/v1/explain", {"pairs": given[:20]})[2] == explained
    assert server.ask("/v1/energy", {"pairs": []})[2] == {"model": "nodes", "energies": [], "by": "geometry"}
    assert server.ask("/v1/ancestors", {"names": []})[2] == {"model": "nodes", "results": []}


def test_count_is_still_read_as_the_limit_of_the_nearest(server):
    assert len(server.ask("/v1/nearest?name=n40")[2]["nearest"]) == 10, "the default"
    assert len(server.ask("/v1/descendants?name=n0")[2]["descendants"]) == 1092, "all by default"
    for given in ({"count": 3}, {"limit": 3, "count": 5}):
        single = server.ask(f"/v1/nearest?{urlencode({'name': 'n40', **given})}")[2]
        assert len(single["nearest"]) == 3
        (result,) = server.ask("/v1/nearest", {"names": ["n40"], **given})[2]["results"]
        assert {"model": "nodes"} | result == single


def test_a_new_node_is_placed_where_the_embedding_would_place_it_and_nothing_changes(server):
    larger = server.embedding.add("a new one", ["n13"], not_under=["n14"])
    status, _, found = server.ask("/v1/place", {"parents": ["n13"], "not_under": ["n14"]})
    assert status == 200
    assert found["point"] == larger.points[-1].tolist()
    assert _names(found["ancestors"]) == larger.ancestors("a new one")
    expected = answer(larger, "ancestors", ["a new one"], by="geometry").as_dict()["ancestors"]
    assert (found["ancestors"], found["by"]) == (expected, "geometry")
    assert found["missing_parents"] == found["unwanted"] == []
    far_apart = ["n1092", "n400", "n500"]
    found = server.ask("/v1/place", {"parents": far_apart})[2]
    assert found["missing_parents"] == [name for name in far_apart if name not in _names(found["ancestors"])] != []
    assert server.ask("/v1/models")[2]["models"] == [
        {
            "name": "nodes",
            "method": server.embedding.method,
            "made_by": "overlapping-caps",
            "dim": 2,
            "nodes": len(server.names),
            "threshold": server.embedding.threshold,
            "kind": "constructed",
            "answers_by": "graph",
        }
    ]


def test_a_node_is_placed_whatever_ids_the_model_knows(make_service, asked):
    glossary = Glossary.of_rows(2, other_ids={1: ["new"]}, obsolete={"new_": Obsolete()})
    model = hypercone.fit(hypercone.Hierarchy(["animal", "dog"], [[0, 1]], glossary=glossary), dim=2)
    found = asked(make_service({"pets": model}), "POST", "/v1/place", json={"parents": ["dog"]})
    assert (found.status_code, _names(found.json()["ancestors"])) == (200, ["animal", "dog"])


def test_a_model_fitted_to_a_split_is_served_as_one_that_answers_by_geometry(make_service, asked):
    tree = hypercone.load_dataset("tree-2-4")
    models = {
        "split": hypercone.fit(tree, "order", dim=2, epochs=1, split=tree.split(50)),
        "whole": hypercone.fit(tree),
    }
    served = asked(make_service(models), "GET", "/v1/models").json()["models"]
    assert {model["name"]: model["answers_by"] for model in served} == {"split": "geometry", "whole": "graph"}


def test_a_bad_name_is_refused_with_the_names_that_were_meant_and_in_a_batch_with_its_place_and_index(server):
    good, unknown = {"child": "n3", "parent": "n1"}, "there is no node 'n109x'; did you mean n109"
    for path, body, index, message in [
        ("/v1/ancestors?name=n109x", None, None, unknown),
        ("/v1/ancestors", {"names": ["n1", "n2", "n109x", "n109y"]}, 2, f"names[2]: {unknown}"),
        ("/v1/is-a", {"pairs": [good, good, {"child": "n3", "parent": "n109x"}]}, 2, f"pairs[2].parent: {unknown}"),
        ("/v1/explain", {"pairs": [good, {"child": "n109x", "parent": "n3"}]}, 1, f"pairs[1].child: {unknown}"),
        ("/v1/is-a", {"pairs": [["n3", "n1"], ["n109x", "n1"]]}, None, f"pairs[1][0]: {unknown}"),
        ("/v1/lca", {"names": ["n3", "n109x"]}, 1, f"names[1]: {unknown}"),
        ("/v1/centroid", {"groups": [["n3", "n1"], ["n3", "n1", "n109x"]]}, 1, f"groups[1][2]: {unknown}"),
        ("/v1/place", {"parents": ["n109x"]}, 0, f"parents[0]: {unknown}"),
        ("/v1/place", {"parents": ["n3"], "not_under": ["n109x"]}, 0, f"not_under[0]: {unknown}"),
        (
            "/v1/ancestors?name=twin",
            None,
            None,
            "'twin' is the label of 2 nodes: n7 (node number 0 > node number 2 > twin)",
        ),
        ("/v1/vector", {"names": ["n1", "twin"]}, 1, "names[1]: 'twin' is the label of 2 nodes"),
    ]:
        status, _, found = server.ask(path, body)
        expected = (400, "ambiguous_name") if "twin" in message else (404, "unknown_name")
        assert (status, found["error"]["code"]) == expected
        assert found["error"]["message"].startswith(message)
        assert found["error"].get("index") == index


@pytest.mark.parametrize("question", ["lca", "centroid"])
def test_several_nodes_are_either_one_group_or_several(server, question):
    one = ["n40", "n41"]
    assert server.ask(f"/v1/{question}?names=n40")[0] == 405
    for wrong in ({}, {"names": one, "groups": [one]}, {"names": []}, {"groups": [[]]}):
        status, _, found = server.ask(f"/v1/{question}", wrong)
        assert (status, found["error"]["code"]) == (400, "bad_request")
    assert server.ask(f"/v1/{question}", {"names": ["n40"]})[0] == (400 if question == "lca" else 200)


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


def test_a_label_or_part_of_a_joined_name_finds_the_row_that_the_embedding_finds(make_service, asked):
    points = np.array([[0.5, 0.1], [0.6, 0.2], [0.7, 0.3], [0.8, 0.4]])
    labels = Labels(["", "Heart", "twice", "twice"])
    embedding = Embedding(["a = b", "c", "d", "e"], points, "order", Settings(), 0.0, labels=labels)
    service = _ready(make_service, embedding)
    for text in ["a = b", "a", "b", "c", "Heart", "heart", "HEART"]:
        found = asked(service, "POST", "/v1/vector", json={"names": [text]}).json()["results"][0]
        assert found["name"] == embedding.names[embedding.row(text)]
    for text, status in {"": 400, "x": 404, "twice": 400, "a = ": 404, "x" * 1_000_000: 404}.items():
        refused = asked(service, "POST", "/v1/vector", json={"names": [text]})
        assert refused.status_code == status
        assert len(refused.json()["error"]["message"]) < 200


def _ready(make_service, embedding):
    # get_ready would compile the placement of every method; the questions only compile what they need.
    service = make_service({"any": embedding}, ready=False)
    service.state = "ready"
    return service


@pytest.mark.parametrize("method", ["euclidean", "euclidean-cones", "order", "poincare"])
def test_other_methods_are_served_as_well(make_service, asked, method):
    settings = Settings(alpha=3.0 if METHODS[method].uses_alpha else 0.0)
    start = METHODS[method].start(np.random.default_rng(1), 12, 2, 0.7)
    names = [f"n{node}" for node in range(12)]
    embedding = Embedding(names, METHODS[method].project(start, settings), method, settings, threshold=0.4)
    service = _ready(make_service, embedding)
    for child in names:
        found = asked(service, "GET", f"/v1/is-a?child={child}&parent=n3").json()
        assert found["energy"] == embedding.energy(child, "n3")
        assert found["is_a"] == embedding.is_a(child, "n3")
    assert _names(asked(service, "GET", "/v1/descendants?name=n3").json()["descendants"]) == embedding.descendants("n3")
    nearest = asked(service, "GET", "/v1/nearest?name=n3&limit=2").json()["nearest"]
    assert [(near["name"], near["distance"]) for near in nearest] == embedding.nearest("n3", 2)
