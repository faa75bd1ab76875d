"""hypercone query, asked about relatives, sets and reasons."""

from __future__ import annotations

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
