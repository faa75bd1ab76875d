"""Bundled datasets: WordNet 3.0, counted and spot-checked; trees; and the script that makes the WordNet file."""

import importlib.util
import lzma
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from tests.support.errors import raises_exactly
from tests.support.formats import write_wordnet

import hypercone
from hypercone.data import all_nouns, datasets, is_dataset, load_dataset
from hypercone.errors import UnknownNameError


@pytest.mark.parametrize(
    ("name", "nodes"),
    [*zip(datasets(), (82_114, 1182, 121), strict=True), ("tree-1-5", 6), ("tree-7-0", 1), ("tree-2-10", 2047)],
)
def test_every_dataset_listed_and_trees_of_any_shape_are_known_and_load(name, nodes):
    assert is_dataset(name)
    assert len(load_dataset(name)) == nodes


def test_a_tree_is_balanced_and_its_names_are_paths_from_the_root():
    tree = load_dataset("tree-3-2")
    assert tree.names == ("r", "r.0", "r.1", "r.2", *(f"r.{i}.{j}" for i in range(3) for j in range(3)))
    assert all(tree.names[child].rpartition(".")[0] == tree.names[parent] for parent, child in tree.edges)
    assert tree.depths.max() == 2


TOO_LARGE = (
    "is too large to make (over 5,000,000 nodes or 200,000,000 letters of names); take a smaller branching or depth"
)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("tree-0-3", "is not a tree; the branching must be at least 1…"),
        ("tree-10-9", TOO_LARGE),
        ("tree-1-999999999", TOO_LARGE),
        ("tree-999999999-1", TOO_LARGE),
    ],
)
def test_an_absurd_tree_is_refused_at_once(name, problem):
    assert is_dataset(name)
    with raises_exactly(f"{name} {problem}"):
        load_dataset(name)


def test_an_unknown_dataset_is_refused_with_the_nearest():
    with raises_exactly("there is no dataset 'wordnet-noun'; did you mean wordnet-nouns?", UnknownNameError):
        load_dataset("wordnet-noun")
    assert not any(map(is_dataset, ("wordnet-noun", "tree-2-3\n", "tree-²-3")))


@pytest.fixture(scope="module")
def nouns():
    return load_dataset("wordnet-nouns")


def test_the_nouns_and_their_split_are_counted_as_in_the_paper(nouns):
    summary = nouns.summary()
    assert (summary.nodes, summary.roots, summary.depth) == (82_114, 3, 18)
    assert summary.closure_edges == len(nouns.closure()) == 661_127
    assert (summary.basic_edges, summary.nonbasic_edges) == (84_363, 576_764)
    split = nouns.split(50)
    assert len(split.validation.positives) == len(split.test.positives) == 28_838
    assert len(split.train) == 84_363 + 288_382
    assert len(split.test.negatives) == 288_380


def test_the_root_of_everything_is_left_out(nouns):
    assert "entity.n.01" not in nouns
    assert set(nouns.roots) == {"physical_entity.n.01", "abstraction.n.06", "thing.n.08"}
    whole = all_nouns()
    assert whole.roots == ("entity.n.01",)
    rest = whole.drop(["entity.n.01"])
    assert rest.names == nouns.names
    assert (rest.edges == nouns.edges).all()
    assert (len(whole), len(whole.edges)) == (82_115, 84_427)


def test_well_known_synsets_have_their_well_known_hypernyms(nouns):
    parents = {
        "dog.n.01": {"canine.n.02", "domestic_animal.n.01"},
        "espresso.n.01": {"coffee.n.01"},
        "mammal.n.01": {"vertebrate.n.01"},
        "physical_entity.n.01": set(),
        "white_pelican.n.01": {"pelican.n.01"},
        "car.n.01": {"motor_vehicle.n.01"},
        "bank.n.01": {"slope.n.01"},
        # Instances count as well: pointers @i.
        "einstein.n.01": {"physicist.n.01"},
        "paris.n.01": {"national_capital.n.01"},
    }
    assert {name: set(nouns.parents(name)) for name in parents} == parents


def test_the_mammals_are_what_is_below_mammal():
    mammals = load_dataset("wordnet-mammals")
    assert mammals.roots == ("mammal.n.01",)
    assert ("whale.n.02" in mammals, "white_pelican.n.01" in mammals) == (True, False)


def test_loading_closure_and_reduction_are_quick(nouns, within):
    within(0.5, lambda: load_dataset("wordnet-nouns"))
    nouns.closure()
    # Both are cached, so every try has its own hierarchy.
    fresh = [hypercone.Hierarchy(nouns.names, nouns.edges) for _ in range(12)]

    def both():
        hierarchy = fresh.pop()
        return hierarchy.closure(), hierarchy.reduction()

    within(0.1, both)


def test_the_license_of_wordnet_ships_with_the_data():
    text = files("hypercone.data").joinpath("WORDNET-LICENSE.txt").read_text()
    assert text.startswith("This software and database is being provided to you, the LICENSEE, by\nPrinceton Univ")
    assert "WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved." in text
    assert text.endswith("Princeton University and LICENSEE agrees to preserve same.\n")


SCRIPT = Path(__file__).parents[2] / "scripts" / "make_wordnet.py"
INSTALLED = Path("/usr/share/wordnet")


@pytest.fixture
def dictionary(tmp_path):
    # Princeton's lines end with two spaces.
    return write_wordnet(tmp_path, end="  \n")


@pytest.fixture
def script():
    spec = importlib.util.spec_from_file_location("make_wordnet", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_synsets_are_named_by_first_lemma_and_sense_and_lines_count_the_steps_up_to_each_parent(script, dictionary):
    hypernyms = script.hypernyms(dictionary)
    assert hypernyms == {
        "thing.n.01": [],
        "bank.n.02": ["thing.n.01"],
        "bank.n.01": ["thing.n.01", "tower.n.01"],
        "tower.n.01": ["thing.n.01"],
    }
    assert "".join(script.lines(hypernyms)) == "thing.n.01\nbank.n.02\t1\ntower.n.01\t2\nbank.n.01\t3\t1\n"
    assert script.license_of(dictionary) == "This is the license,\n\nindented.\n"


def test_another_wordnet_is_refused(script, dictionary, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["make_wordnet", str(dictionary), str(dictionary)])
    with pytest.raises(SystemExit):
        script.main()
    assert "WordNet 3.0 has 82115 noun synsets and 84427 hypernyms, not 4 and 4" in capsys.readouterr().err


@pytest.mark.skipif(not (INSTALLED / "data.noun").exists(), reason="needs Debian's wordnet-base")
def test_the_shipped_file_is_what_the_script_makes(script, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["make_wordnet", str(INSTALLED), str(tmp_path)])
    script.main()
    shipped = files("hypercone.data")
    for name, unpack in {"wordnet-nouns.tsv.xz": lzma.decompress, "WORDNET-LICENSE.txt": bytes}.items():
        assert unpack((tmp_path / name).read_bytes()) == unpack(shipped.joinpath(name).read_bytes())
