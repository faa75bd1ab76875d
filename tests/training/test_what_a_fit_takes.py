"""A fit takes a hierarchy in the forms that people have, and refuses in a sentence what is none."""

import re

import numpy as np
import pandas
import pytest

import hypercone
from hypercone import fit
from hypercone.errors import ConfigError, InputError

PAIRS = [("animal", "dog"), ("animal", "cat"), ("dog", "poodle")]
NAMES = ("animal", "dog", "cat", "poodle")


@pytest.fixture(scope="module")
def pets():
    return hypercone.Hierarchy.from_pairs(PAIRS)


def test_pairs_files_frames_arrays_and_datasets_are_taken(pets, tmp_path):
    (tmp_path / "pets.csv").write_text("parent,child\n" + "".join(f"{a},{b}\n" for a, b in PAIRS))
    frame = pandas.DataFrame(PAIRS, columns=["parent", "child"])
    expected = fit(pets, dim=2).points
    for data in (PAIRS, iter(PAIRS), np.array(PAIRS), frame, tmp_path / "pets.csv", str(tmp_path / "pets.csv")):
        embedding = fit(data, dim=2)
        assert tuple(embedding.names) == NAMES
        assert (embedding.points == expected).all()
    assert len(fit("tree-2-3", "nested-caps")) == 15


def test_numbers_are_known_by_their_text():
    assert list(fit([(1, 2), (1, 3.0)], dim=2)) == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (42, "the data is 42; give a Hierarchy, a file, the name of a dataset, a data frame or pairs"),
        (None, "the data is None; give a Hierarchy"),
        ([("a", None)], "the child, pair 0: is empty"),
        ([("a", float("nan"))], "the child, pair 0: is empty"),
        ([("a", "b", "c")], "shape (1, 3) are not pairs"),
        ("wordnet-mamals", "there is no file or dataset 'wordnet-mamals'; the datasets are wordnet-nouns"),
        (
            pandas.DataFrame({"up": ["a"], "down": ["b"]}),
            "has the columns up, down, but needs parent and child",
        ),
    ],
)
def test_what_is_no_hierarchy_is_refused_in_a_sentence(data, words):
    with pytest.raises(InputError, match=re.escape(words)):
        fit(data)


def test_a_graph_is_refused_with_the_way_to_say_its_direction():
    networkx = pytest.importorskip("networkx")
    with pytest.raises(InputError, match=re.escape("use Hierarchy.from_networkx(graph, direction=…)")):
        fit(networkx.DiGraph(PAIRS))
    with pytest.raises(InputError, match="list is no graph; give one of networkx"):
        hypercone.Hierarchy.from_networkx(PAIRS, "parent-child")


def test_the_split_of_another_hierarchy_is_refused():
    tree, other = hypercone.load_dataset("tree-3-4"), hypercone.load_dataset("tree-3-5")
    alike = hypercone.Hierarchy([f"n{row}" for row in range(len(tree))], tree.edges)
    for split in (other.split(50), alike.split(50)):
        with pytest.raises(InputError, match="the split is of another hierarchy; give the one that it was made from"):
            fit(tree, split=split, epochs=1)
    with pytest.raises(InputError, match=r"^split is 50, but must be a Split, as Hierarchy\.split makes it$"):
        fit(tree, split=50)


def test_arguments_of_the_wrong_kind_are_refused_in_a_sentence(pets):
    with pytest.raises(InputError, match="checkpoint is 3, but must be a folder, or Checkpointing"):
        fit(pets, "order", checkpoint=3)
    with pytest.raises(ConfigError, match="recipe is 3, but must be a name, a TOML file, or settings by name"):
        fit(pets, "order", recipe=3)
    with pytest.raises(InputError, match=r"^pairs is a Split, but must be LabeledPairs, such as split\.test$"):
        hypercone.evaluation.link_prediction(fit(pets, dim=2), pets.split(50))
    with pytest.raises(InputError, match="percent is 'a', but must be a number"):
        pets.split("a")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_old_and_a_new_argument_that_disagree_are_refused(pets, tmp_path):
    with pytest.raises(ConfigError, match="on_epoch is an old name of callback, which is given as well"):
        fit(pets, "order", epochs=1, on_epoch=print, callback=repr)
    with pytest.raises(ConfigError, match="run is an old name of checkpoint"):
        fit(pets, "order", epochs=1, run=hypercone.Checkpointing(tmp_path / "a"), checkpoint=tmp_path / "b")


def test_a_warning_points_at_the_line_of_the_caller(pets):
    with pytest.warns(DeprecationWarning, match="nested-caps") as seen:
        fit(pets, "construction", dim=2)
    assert [warning.filename for warning in seen] == [__file__]


def test_a_toml_file_may_say_the_old_names(pets, tmp_path):
    (tmp_path / "old.toml").write_text('method = "construction"\ndim = 2\n')
    with pytest.warns(DeprecationWarning, match="nested-caps"):
        assert fit(pets, recipe=tmp_path / "old.toml").made_by == "nested-caps"


def test_labeled_pairs_are_made_of_lists(pets):
    pairs = hypercone.LabeledPairs([pets.rows(["animal", "poodle"])], [pets.rows(["cat", "dog"])])
    assert hypercone.evaluation.link_prediction(fit(pets, dim=2), pairs).f1 == 1.0


def test_a_recipe_of_the_tables_learns_the_edges_of_a_split():
    tree = hypercone.load_dataset("tree-3-4")
    tuned = fit(tree, "order", recipe="tuned", split=tree.split(50), dim=2, epochs=1).record["config"]
    assert (tuned["margin"], tuned["corrupt"], tuned["epochs"]) == (1.0, "both", 1)
    with pytest.raises(ConfigError, match='has none; choose method="hyperbolic-cones"'):
        fit(tree, recipe="tuned")
