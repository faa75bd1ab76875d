"""hypercone query, asked about relatives, sets and reasons."""

from __future__ import annotations

import io

import pytest

import hypercone
from hypercone.queries import answer, in_words


@pytest.mark.parametrize(
    "asked",
    [
        ("parents", "toy poodle"),
        ("children", "dog"),
        ("siblings", "dog"),
        ("lca", "toy poodle", "hot dog"),
        ("explain", "toy poodle", "dog"),
        ("centroid", "poodle", "hot dog", "siamese"),
    ],
)
def test_the_program_answers_as_the_library_does(run, model, asked):
    question, *names = asked
    expected = answer(hypercone.load(model), question, names, 50)
    assert run("query", model, *asked, "--json").json == expected.as_dict()
    assert run("query", model, *asked).out == in_words(expected) + "\n"


def test_long_is_a_table_of_depth_and_margin(run, model):
    done = run("query", model, "ancestors", "poodle", "--long")
    lines = done.out.splitlines()
    assert lines[1].split() == ["depth", "margin", "name"]
    assert [line.split()[0] for line in lines[2:]] == ["0", "1"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("lca", "dog"), "lca takes NAME NAME …, but was given 1 name: dog"),
        (("explain", "dog"), "explain takes CHILD PARENT, but was given 1 name: dog"),
        (("parents", "dog", "cat"), "parents takes NAME, but was given 2 names: dog cat"),
        (("centroid", "dog", "podle"), "there is no node 'podle'; did you mean poodle"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused_in_one_sentence(run, model, arguments, message):
    done = run("query", model, *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1


def test_a_file_of_names_asks_about_every_line(run, model, tmp_path):
    file = tmp_path / "asked.txt"
    file.write_text("poodle\tdog\n\ndog\tpoodle\r\n", encoding="utf-8")
    embedding = hypercone.load(model)
    sentences = [in_words(answer(embedding, "is-a", pair)) for pair in (["poodle", "dog"], ["dog", "poodle"])]
    assert run("query", model, "is-a", "--names", file).out.splitlines() == sentences
    found = run("query", model, "is-a", "--names", file, "--json").json
    assert (found["is_a"], list(found)) == ([True, False], ["threshold", "is_a", "energies"])
    file.write_text("Löwe\nhot dog\n", encoding="utf-8")
    single = [answer(embedding, "parents", [name]).as_dict() for name in ("Löwe", "hot dog")]
    assert run("query", model, "parents", "--names", file, "--json").json == {"results": single}


def test_names_come_from_standard_input_too(run, model, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"poodle\tsiamese\ndog\tcat\thot dog\n")))
    found = run("query", model, "lca", "--names", "-", "--json").json["results"]
    assert [[item["name"] for item in each["graph"]] for each in found] == [["animal"], ["animal"]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("dog\tanimal\n\npodle\tdog\n", "asked.txt:3: there is no node 'podle'; did you mean poodle"),
        ("dog\tanimal\ndog\n", "asked.txt:2: is-a takes CHILD PARENT, but was given 1 name: dog"),
        (
            "dog\tanimal\ncat\tdog\tanimal\n",
            "asked.txt:2: is-a takes CHILD PARENT, but was given 3 names: cat dog animal",
        ),
        ("", "asked.txt: is empty; it should hold one question per line"),
        ("dog\tanimal\ndog\t\n", "asked.txt:2: there is no node ''"),
    ],
)
def test_a_bad_line_is_refused_with_file_line_and_value(run, model, tmp_path, content, message):
    file = tmp_path / "asked.txt"
    file.write_text(content)
    for more in ((), ("--json",)):
        done = run("query", model, "is-a", "--names", file, *more)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert message in done.err


def test_names_are_given_in_one_way(run, model, tmp_path):
    both = run("query", model, "parents", "dog", "--names", tmp_path / "asked.txt")
    assert (both.code, both.out) == (2, "")
    assert "names were given on the command line (dog) and by --names; leave out either" in both.err
    none = run("query", model, "parents")
    assert (none.code, "parents takes NAME, but was given no name" in none.err) == (2, True)
    missing = run("query", model, "parents", "--names", tmp_path / "nowhere")
    assert (missing.code, "there is no such file" in missing.err) == (2, True)


def test_people_get_fifty_and_programs_what_http_gives_unless_told(run, tmp_path):
    wide = hypercone.Hierarchy.from_pairs([("top", f"leaf {number}") for number in range(60)])
    folder = hypercone.fit(wide, dim=2).save(tmp_path / "wide")
    lists = (("children", "children", 60), ("nearest", "nearest", 10), ("search", "matches", 10))
    for question, listed, many in lists:
        asked = "leaf" if question == "search" else "top"
        found = run("query", folder, question, asked, "--json").json
        assert (len(found[listed]), found["count"]) == (many, 60)
        assert run("query", folder, question, asked).out.count("leaf ") in (50, 51)
        assert len(run("query", folder, question, asked, "--json", "--limit", 0).json[listed]) == 60
