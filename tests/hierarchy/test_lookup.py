"""A node is found by any of its names, in a fixed order, and never by chance among several."""

from __future__ import annotations

import unicodedata

import pytest
from tests.support.errors import raises_exactly

import hypercone
from hypercone.errors import InputError, ObsoleteNameError, UnknownNameError
from hypercone.hierarchy import Glossary, Hierarchy, Obsolete

DECOMPOSED = unicodedata.normalize("NFD", "Löwe")


@pytest.fixture
def zoo():
    return Hierarchy(
        ["A:0", "A:1", "A:2", "A:3", "cat", "CAT"],
        [[0, 1], [0, 2], [1, 3], [0, 4], [0, 5]],
        ["animal", "dog", "Dog", DECOMPOSED, "", "dog kennel"],
        glossary=Glossary.of_rows(
            6,
            synonyms={1: ["hound", "cat"], 2: ["hound", "Canis"], 3: ["animal", "Straße"]},
            other_ids={2: ["B:2"], 0: ["A:9"]},
            obsolete={
                "A:9": Obsolete("beast", ("A:1",)),
                "A:8": Obsolete("pair", ("A:1", "A:2")),
                "A:7": Obsolete("", (), ("A:3", "Z:1")),
                "A:6": Obsolete("gone"),
            },
        ),
    )


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("A:1", 1),
        ("cat", 4),  # a name before a synonym
        ("animal", 0),  # a label before a synonym
        ("dog", 1),  # exact before another case
        ("Dog", 2),
        ("Canis", 2),
        ("canis", 2),
        ("B_2", 2),
        ("a:1", 1),
        ("Löwe", 3),  # in normal form
        (DECOMPOSED, 3),
        ("LÖWE", 3),
        ("STRASSE", 3),
        ("dog_kennel", 5),
        ("A:9", 0),  # another id of a node before an obsolete one
    ],
)
def test_the_first_step_that_finds_a_node_decides(zoo, text, row):
    assert zoo.row(text) == row
    assert hypercone.fit(zoo, dim=2).row(text) == row


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("DOG", "'DOG' is the label of 2 nodes: A:1 (animal > dog), A:2 (animal > Dog); give one of these names"),
        (
            "hound",
            "'hound' is another name of 2 nodes: A:1 (animal > dog), A:2 (animal > Dog); give one of these names",
        ),
        ("Cat", "'Cat' is the name of 2 nodes: cat (animal > cat), CAT (animal > dog kennel); give one of these names"),
    ],
)
def test_an_ambiguous_name_lists_the_candidates_with_their_paths(zoo, text, sentence):
    for holder in (zoo, hypercone.fit(zoo, dim=2)):
        with raises_exactly(sentence):
            holder.row(text)


def test_the_paths_of_candidates_leave_out_no_step():
    redundant = Hierarchy(["animal", "cat", "dog", "Dog"], [[0, 2], [1, 2], [0, 1], [0, 3]])
    paths = "dog (animal > cat > dog), Dog (animal > Dog)"
    with raises_exactly(f"'DOG' is the name of 2 nodes: {paths}; give one of these names"):
        redundant.row("DOG")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a_8", "A:8 (pair) is obsolete, replaced by A:1 (dog) and A:2 (Dog); ask for one of these"),
        ("A:7", f"A:7 is obsolete; what is meant may be A:3 ({DECOMPOSED}); ask for A:3"),
        ("A:6", "A:6 (gone) is obsolete, and nothing replaces it; ask for another node"),
    ],
)
def test_an_obsolete_id_says_what_replaces_it(zoo, text, sentence):
    with raises_exactly(sentence, error=ObsoleteNameError):
        zoo.row(text)
    assert issubclass(ObsoleteNameError, UnknownNameError)


def test_suggestions_come_from_synonyms_as_well(zoo):
    with pytest.raises(UnknownNameError, match=r"there is no node 'Cannis'; did you mean Canis"):
        zoo.row("Cannis")


def test_candidates_of_a_model_without_a_graph_are_listed_by_name_and_long_paths_are_shortened(zoo):
    from dataclasses import replace

    with raises_exactly("'DOG' is the label of 2 nodes: A:1, A:2; give one of these names"):
        replace(hypercone.fit(zoo, dim=2), edges=None).row("DOG")
    deep = Hierarchy([f"n{i}" for i in range(10)], [[i, i + 1] for i in range(9)], ["top", *"abcdefg", "same", "same"])
    with pytest.raises(InputError, match=r"n8 \(top > a > … > f > g > same\), n9 \(top > a > … > g > same > same\)"):
        deep.row("same")


def test_search_finds_synonyms_and_other_ids_once_per_node(zoo):
    model = hypercone.fit(zoo, dim=2)
    assert model.search("hound") == ["A:1", "A:2"]
    assert model.search("b:2") == ["A:2"]
    assert model.search("cat")[:2] == ["cat", "CAT"] or model.search("cat")[:3] == ["A:1", "cat", "CAT"]
    assert len(model.search("a", limit=0)) == len(set(model.search("a", limit=0)))
