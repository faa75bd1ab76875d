"""WordNet 3.0, counted and spot-checked."""

from importlib.resources import files

import pytest

import hypercone
from hypercone.data import all_nouns, load_dataset


@pytest.fixture(scope="module")
def nouns():
    return load_dataset("wordnet-nouns")


def parents(hierarchy, name):
    return {hierarchy.names[row] for row in hierarchy.parent_lists[hierarchy.row(name)]}


def test_the_nouns_are_counted_as_in_the_paper(nouns):
    told = nouns.summary()
    assert told.nodes == 82_114
    assert told.closure_edges == len(nouns.closure()) == 661_127
    assert told.basic_edges == 84_363
    assert told.nonbasic_edges == 576_764
    assert told.roots == 3
    assert told.depth == 18


def test_the_root_of_everything_is_left_out(nouns):
    assert "entity.n.01" not in nouns
    assert {nouns.names[row] for row in nouns.root_rows} == {
        "physical_entity.n.01",
        "abstraction.n.06",
        "thing.n.08",
    }
    whole = all_nouns()
    assert [whole.names[row] for row in whole.root_rows] == ["entity.n.01"]
    rest = whole.drop(["entity.n.01"])
    assert rest.names == nouns.names
    assert (rest.edges == nouns.edges).all()
    assert (len(whole), len(whole.edges)) == (82_115, 84_427)


@pytest.mark.parametrize(
    ("name", "above"),
    [
        ("dog.n.01", {"canine.n.02", "domestic_animal.n.01"}),
        ("espresso.n.01", {"coffee.n.01"}),
        ("mammal.n.01", {"vertebrate.n.01"}),
        ("physical_entity.n.01", set()),
        ("white_pelican.n.01", {"pelican.n.01"}),
        ("car.n.01", {"motor_vehicle.n.01"}),
        ("bank.n.01", {"slope.n.01"}),
        # Instances count as well: pointers @i.
        ("einstein.n.01", {"physicist.n.01"}),
        ("paris.n.01", {"national_capital.n.01"}),
    ],
)
def test_well_known_synsets_have_their_well_known_hypernyms(nouns, name, above):
    assert parents(nouns, name) == above


def test_the_split_of_the_paper_has_its_numbers(nouns):
    split = nouns.split(50)
    assert len(split.validation.positives) == len(split.test.positives) == 28_838
    assert len(split.train) == 84_363 + 288_382
    assert len(split.test.negatives) == 288_380


def test_the_mammals_are_what_is_below_mammal():
    mammals = load_dataset("wordnet-mammals")
    assert [mammals.names[row] for row in mammals.root_rows] == ["mammal.n.01"]
    assert len(mammals) == 1182
    assert "white_pelican.n.01" not in mammals
    assert "whale.n.02" in mammals


def test_loading_takes_less_than_half_a_second(within):
    within(0.5, lambda: load_dataset("wordnet-nouns"))


def test_closure_and_reduction_take_less_than_a_tenth_of_a_second(nouns, within):
    nouns.closure()
    # Both are kept once they are known, so every try has a hierarchy of its own.
    fresh = [hypercone.Hierarchy(nouns.names, nouns.edges) for _ in range(12)]

    def both():
        hierarchy = fresh.pop()
        return hierarchy.closure(), hierarchy.reduction()

    within(0.1, both)


def test_the_licence_of_wordnet_ships_with_the_data():
    text = files("hypercone.data").joinpath("WORDNET-LICENSE.txt").read_text()
    assert text.startswith("This software and database is being provided to you, the LICENSEE, by\nPrinceton Univ")
    assert "WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved." in text
    assert text.endswith("Princeton University and LICENSEE agrees to preserve same.\n")
