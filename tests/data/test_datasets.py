"""Datasets by name."""

import pytest

from hypercone.data import datasets, is_dataset, load_dataset
from hypercone.errors import InputError, UnknownNameError


def test_every_dataset_listed_is_known_and_loads():
    for name in datasets():
        assert is_dataset(name)
        assert len(load_dataset(name)) > 1


def test_a_tree_is_balanced_and_its_names_are_the_way_from_the_root():
    tree = load_dataset("tree-3-2")
    assert tree.names == (
        "r",
        *(f"r.{i}" for i in range(3)),
        *(f"r.{i}.{j}" for i in range(3) for j in range(3)),
    )
    assert all(tree.names[child].rpartition(".")[0] == tree.names[parent] for parent, child in tree.edges)
    assert tree.depths.max() == 2


@pytest.mark.parametrize(("name", "nodes"), [("tree-1-5", 6), ("tree-7-0", 1), ("tree-2-10", 2047)])
def test_trees_of_any_shape_are_made(name, nodes):
    assert len(load_dataset(name)) == nodes


@pytest.mark.parametrize("name", ["tree-10-9", "tree-1-999999999", "tree-999999999-1"])
def test_an_absurd_tree_is_refused_at_once(name):
    assert is_dataset(name)
    with pytest.raises(InputError) as caught:
        load_dataset(name)
    assert str(caught.value) == (
        f"{name} is too large to make (over 5,000,000 nodes or 200,000,000 letters of names); "
        "take a smaller branching or depth"
    )


def test_a_tree_without_branches_is_refused():
    with pytest.raises(InputError, match="tree-0-3 is not a tree; the branching must be at least 1"):
        load_dataset("tree-0-3")


def test_an_unknown_dataset_is_refused_with_the_nearest():
    with pytest.raises(UnknownNameError) as caught:
        load_dataset("wordnet-noun")
    assert str(caught.value) == "there is no dataset 'wordnet-noun'; did you mean wordnet-nouns?"
    assert not is_dataset("wordnet-noun")
    assert not is_dataset("tree-2-3\n")
    assert not is_dataset("tree-²-3")
