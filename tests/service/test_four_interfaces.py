"""Every question, asked of one model in Python, in words and in JSON on the command line, and over HTTP: one answer."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest

import hypercone
from hypercone.cli.main import main
from hypercone.queries import QUESTIONS

EDGES = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (2, 5), (4, 6), (4, 7), (5, 8), (3, 9)]
LABELS = ["thing", "pet", "animal", "plant", "dog", "bird", "poodle", "Dog of war", "", "Löwenzahn"]
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "ask-questions.md"


def _names(items):
    return [item["name"] for item in items]


def _named(question, values):
    """The nodes that the answer in words has to mention: those found, and both nodes of a verdict."""
    listed = [key for key in values if key in (question, "geometry", "graph", "matches", "chain", "path")]
    listed = [key for key in listed if isinstance(values[key], list)]
    listed += ["ancestors"] if question == "centroid" else []
    asked = [values["child"], values["parent"]] if question in ("is-a", "explain") else values.get("names", [])
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
    "children": (["A:4"], lambda model, name: model.children(name), lambda found: _names(found["children"])),
    "siblings": (["A:6"], lambda model, name: model.siblings(name), lambda found: _names(found["siblings"])),
    "nearest": (
        ["A:4"],
        lambda model, name: model.nearest(name, 9),
        lambda found: [(item["name"], item["distance"]) for item in found["nearest"]],
    ),
    "vector": (["A:4"], lambda model, name: model[name].tolist(), lambda found: found["vector"]),
    "lca": (
        ["A:6", "A:8", "A:7"],
        lambda model, *names: model.lowest_common_ancestors(list(names)),
        lambda found: _names(found["geometry"]),
    ),
    "centroid": (
        ["A:6", "A:7"],
        lambda model, *names: (model.centroid(list(names)).tolist(), model.ancestors_of_point(model.centroid(names))),
        lambda found: (found["point"], _names(found["ancestors"])),
    ),
    "search": (["dog"], lambda model, text: model.search(text, 0), lambda found: _names(found["matches"])),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model of a graph in which a node has two parents, and all but one have labels."""
    graph = hypercone.Hierarchy([f"A:{row}" for row in range(len(LABELS))], EDGES, LABELS)
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


def _over_http(http, question, names, limit):
    limits = {} if QUESTIONS[question].limit is None else {"limit": limit}
    if QUESTIONS[question].is_open:
        status, _, found = http.ask(f"/v1/{question}", {"names": names, **limits})
    else:
        given = dict(zip(QUESTIONS[question].arguments.lower().split(), names, strict=True))
        status, _, found = http.ask(f"/v1/{question}?{urlencode(given | limits)}")
    assert status == 200, found
    return found


def test_every_question_is_asked_here_and_has_its_path():
    assert list(ASKED) == list(QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS)
def test_all_four_interfaces_give_the_same_answer(model, http, shell, question):
    names, in_python, in_json = ASKED[question]
    values = json.loads(shell(question, *names, "--limit", 0, "--json"))
    assert in_json(values) == in_python(model, *names)
    words = shell(question, *names, "--limit", 0)
    for name in _named(question, values):
        assert name in words
    assert _over_http(http, question, names, 0) == {"model": "kinds"} | values


@pytest.mark.parametrize("question", [name for name, question in QUESTIONS.items() if question.limit is not None])
def test_a_limit_means_the_same_in_all_interfaces(http, shell, question):
    names, _, _ = ASKED[question]
    whole = json.loads(shell(question, *names, "--limit", 0, "--json"))
    cut = json.loads(shell(question, *names, "--limit", 1, "--json"))
    (listed,) = (
        (key for key in cut if key not in ("names", "labels", "point") and isinstance(cut[key], list))
        if (question != "centroid")
        else ("ancestors",)
    )
    assert cut[listed] == whole[listed][:1]
    assert cut["count"] == whole["count"] == len(whole[listed])
    assert _over_http(http, question, names, 1) == {"model": "kinds"} | cut
    assert http.ask(f"/v1/{question}?limit=-1")[0] in (400, 405)


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_node_of_every_answer_has_its_label(model, http, question):
    found = _over_http(http, question, ASKED[question][0], 0)
    seen = [*_names_and_labels(found)]
    assert seen or question == "vector"
    for name, label in seen:
        assert label == (model.labels[model.row(name)] or None)


def _names_and_labels(part):
    if isinstance(part, list):
        for item in part:
            yield from _names_and_labels(item)
    elif isinstance(part, dict):
        for name, label in (("name", "label"), ("child", "child_label"), ("parent", "parent_label")):
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
    assert [row[0] for row in rows] == list(QUESTIONS)
    for name, in_python, in_shell, over_http in rows:
        question = QUESTIONS[name]
        assert in_shell == f"`{name} {question.arguments}`"
        paths = [f"POST /v1/{name}"] if question.is_open else [f"GET /v1/{name}", "POST"]
        assert over_http == ", ".join(f"`{path}`" for path in paths)
        method = re.match(r"`embedding(?:\.(\w+)|\[name\])", in_python)
        assert method, in_python
        assert hasattr(model, method[1] or "__getitem__")
