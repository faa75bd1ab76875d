"""``fit``: the data it accepts, what *auto* means, constructions, records, and refusals in one sentence."""

import itertools
import os
import re
import subprocess
import sys
from typing import Any

import networkx
import numpy as np
import pandas
import polars
import pytest
from tests.support.errors import raises_exactly

import hypercone
from hypercone import Hierarchy, fit
from hypercone.construction import CONSTRUCTIONS
from hypercone.errors import ConfigError, InputError, UnknownNameError
from hypercone.evaluation import all_pairs
from hypercone.methods import METHODS
from hypercone.training import FitConfig
from hypercone.training.epoch_kernels import margin_epoch

PAIRS = [("animal", "dog"), ("animal", "cat"), ("dog", "poodle")]
LOOP: dict[str, Any] = {}
LOOP["a"] = LOOP
CONES = {"method": "hyperbolic-cones", "dim": 2}
each_construction = pytest.mark.parametrize("name", CONSTRUCTIONS)


@pytest.fixture(scope="module")
def pets():
    return Hierarchy.from_pairs(PAIRS)


@pytest.fixture(scope="module")
def diamonds() -> Hierarchy:
    """Thirty nodes, every third of which has two parents."""
    edges = [(f"n{(i - 1) // 2}", f"n{i}") for i in range(1, 30)]
    return Hierarchy.from_pairs([*edges, *((f"n{i // 3}", f"n{i}") for i in range(9, 30, 3))])


class TestData:
    def test_pairs_files_frames_arrays_and_datasets_are_accepted(self, pets, tmp_path):
        (tmp_path / "pets.csv").write_text("parent,child\n" + "".join(f"{a},{b}\n" for a, b in PAIRS))
        frame = pandas.DataFrame(PAIRS, columns=["parent", "child"])
        expected = fit(pets, dim=2).points
        for data in (PAIRS, iter(PAIRS), np.array(PAIRS), frame, tmp_path / "pets.csv", str(tmp_path / "pets.csv")):
            embedding = fit(data, dim=2)
            assert tuple(embedding.names) == ("animal", "dog", "cat", "poodle")
            assert (embedding.points == expected).all()
        assert len(fit("tree-2-3", "nested-caps")) == 15
        assert list(fit([(1, 2), (1, 3.0)], dim=2)) == ["1", "2", "3"]

    def test_dicts_sets_streams_and_graphs_with_a_direction_are_accepted(self, pets, tmp_path):
        (tmp_path / "pets.csv").write_text("parent,child\n" + "".join(f"{a},{b}\n" for a, b in PAIRS))
        up = [(child, parent) for parent, child in PAIRS]
        with open(tmp_path / "pets.csv", "rb") as stream:
            given = [
                ({"animal": ["dog", "cat"], "dog": ("poodle",), "cat": None}, {}),
                ({"animal": {"dog": {"poodle": {}}, "cat": ()}}, {}),
                ({"dog": {"animal"}, "cat": ["animal"], "poodle": ["dog"]}, {"direction": "child-parent"}),
                (set(PAIRS), {}),
                (up, {"direction": "child-parent"}),
                (stream, {}),
                (networkx.DiGraph(PAIRS), {"direction": "parent-child"}),
                (networkx.DiGraph(up), {"direction": "child-parent"}),
                (pandas.DataFrame(up, columns=["x", "y"]), {"parent": "y", "child": "x"}),
            ]
            for data, reading in given:
                embedding = fit(data, dim=2, **reading)
                assert set(embedding) == set(pets.names)
                assert embedding.hierarchy.ancestors("poodle") == ["animal", "dog"]
                assert embedding.hierarchy.parents("cat") == ["animal"]

    def test_the_order_of_the_rows_does_not_depend_on_the_order_of_a_set(self):
        code = (
            "import hypercone; print([*hypercone.fit({'a': set('zyxwv'), 'b': ['v']}, dim=2)],"
            " [*hypercone.fit({('a', 'c'), ('b', 'c'), ('a', 'd')}, dim=2)])"
        )
        outputs = {
            subprocess.run(
                [sys.executable, "-c", code],
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                check=True,
            ).stdout
            for seed in ("1", "2")
        }
        assert outputs == {b"['a', 'v', 'w', 'x', 'y', 'z', 'b'] ['a', 'c', 'd', 'b']\n"}

    def test_arguments_of_read_are_passed_on_for_a_file(self, tmp_path):
        (tmp_path / "pets.txt").write_text("poodle;dog\ndog;animal\ndog;dog\n".replace(";", "\t"))
        pets = fit(tmp_path / "pets.txt", dim=2, direction="child-parent", format="tsv", on_cycle="drop")
        assert pets.hierarchy.ancestors("poodle") == ["animal", "dog"]
        (tmp_path / "body.obo").write_text("[Term]\nid: A:1\nrelationship: part_of A:2\n[Term]\nid: A:2\n")
        assert fit(str(tmp_path / "body.obo"), dim=2, relations=["BFO:0000050"]).is_a("A:1", "A:2")

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (42, "the data is 42; give a Hierarchy, a file, the name of a dataset, a data frame, a graph, a dict or…"),
            (None, "the data is None; give a Hierarchy…"),
            (b"animal", "the data is b'animal'; give a Hierarchy…"),
            ([("a", None)], "the child, pair 0: is empty…"),
            ([("a", float("nan"))], "the child, pair 0: is empty…"),
            ([("a", "b", "c")], "edges of the shape (1, 3) are not pairs, such as ['a', 'b', 'c']; give one (parent,…"),
            ([("a", "b"), ("c",)], "edges of the shape (2,) are not pairs, such as ('c',); give one (parent, child)…"),
            ({"dog", "cat"}, "edges of the shape (2,) are not pairs, such as 'cat'; give one (parent, child)…"),
            (np.zeros((3, 2)) + 0.5, "the parent, pair 0: 0.5 is not a name; names are text or whole numbers"),
            (np.zeros(3), "edges of the shape (3,) are not pairs, such as 0.0; give one (parent, child) for each edge"),
            (np.array(7), "edges of the shape () are not pairs, such as 7…"),
            *((empty, "the data has no edges; a hierarchy needs at least one parent with a child")
              for empty in ([], {}, set(), np.zeros((0, 2)), {"animal": []}, networkx.DiGraph())),
            ("wordnet-mamals", "there is no file or dataset 'wordnet-mamals'; the datasets are wordnet-nouns…"),
            (pandas.DataFrame({"up": ["a"], "down": ["b"]}),
             "the frame has the columns up, down, but needs parent and child; say which they are: parent=…, child=…"),
            (pandas.DataFrame({"parent": ["a"], "down": ["b"]}),
             "the frame has the columns parent, down, but needs child; say which they are: child=…"),
            (pandas.DataFrame(), "the frame has no rows; a hierarchy needs at least one parent with a child"),
            (polars.LazyFrame({"up": ["a"]}), "the frame is lazy and has no values yet; call .collect() on it first"),
            (networkx.Graph(PAIRS), "the graph is undirected, so it does not say who is the parent; give a directed…"),
            (networkx.DiGraph(PAIRS),
             "the graph does not say which end of an edge is the parent; give direction=\"child-parent\" if animal is a"
             " dog, or direction=\"parent-child\" if dog is an animal"),
            ({"animal": "dog"}, "the children of 'animal' are 'dog'; give a list, such as ['dog'], or a dict"),
            ({"animal": 7}, "the children of 'animal' are 7; give a list, such as [\"dog\", \"cat\"], or a dict"),
            ({"animal": ["dog", ""]}, "a child of 'animal': is empty…"),
            ({"parent": ["a", "b"], "child": ["b", "c"], "label": ["B", "C"]},
             "the dict has the keys parent and child, as a table has; give a data frame of it…"),
            ({"parent": ["a", "b"], "child": ["b", "c"]},
             "the dict has the keys parent and child, as a table has; give a data frame of it, or pairs:"
             ' zip(data["parent"], data["child"])'),
            (LOOP, "the dict is nested more than 10,000 deep; does it contain itself?"),
        ],
    )  # fmt: skip
    def test_data_that_is_not_a_hierarchy_is_refused_in_a_sentence(self, data, message):
        reading = {"direction": "parent-child"} if isinstance(data, networkx.DiGraph) and not data.edges else {}
        with raises_exactly(message):
            fit(data, **reading)

    @pytest.mark.parametrize(
        ("data", "reading", "message"),
        [
            (
                hypercone.load_dataset("tree-2-2"),
                {"direction": "parent-child"},
                "direction does not apply to a Hierarchy",
            ),
            ("tree-2-2", {"relations": ["is_a"]}, "relations does not apply to the dataset tree-2-2"),
            (PAIRS, {"relations": ["is_a"]}, "relations does not apply to pairs"),
            ({"a": ["b"]}, {"format": "tsv"}, "format does not apply to a dict"),
            (networkx.DiGraph(PAIRS), {"parent": "a"}, "parent does not apply to a graph"),
            (pandas.DataFrame(), {"direction": "parent-child"}, "direction does not apply to a data frame"),
        ],
    )
    def test_an_argument_of_read_that_does_not_apply_is_refused(self, data, reading, message):
        with raises_exactly(f"{message}; leave it out"):
            fit(data, **reading)

    def test_an_embedding_is_not_data_but_its_hierarchy_is(self, pets):
        embedding = fit(pets, dim=2)
        with raises_exactly("the data is an Embedding; give the hierarchy that it was fitted to, embedding.hierarchy"):
            fit(embedding)
        assert (fit(embedding.hierarchy, dim=2).points == embedding.points).all()

    def test_a_direction_that_is_none_of_the_two_is_refused(self):
        for data in (PAIRS, networkx.DiGraph(PAIRS), {"animal": ["dog"]}):
            with raises_exactly("direction is 'down', but must be parent-child or child-parent"):
                fit(data, direction="down")
        with pytest.raises(InputError, match="list is not a graph; give one of networkx or igraph"):
            Hierarchy.from_networkx(PAIRS, "parent-child")
        with raises_exactly("there is no setting 'directon'; did you mean direction?", UnknownNameError):
            fit(networkx.DiGraph(PAIRS), directon="parent-child")

    def test_the_split_of_another_hierarchy_is_refused(self):
        tree, other = hypercone.load_dataset("tree-3-4"), hypercone.load_dataset("tree-3-5")
        alike = Hierarchy([f"n{row}" for row in range(len(tree))], tree.edges)
        for split in (other.split(50), alike.split(50)):
            with pytest.raises(InputError, match="the split is of another hierarchy; give the one that it was made"):
                fit(tree, split=split, epochs=1)

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda h: fit(h, split=50), r"^split is 50, but must be a Split, as Hierarchy\.split makes it$"),
            (lambda h: fit(h, "order", checkpoint=3), "checkpoint is 3, but must be a folder, or Checkpointing"),
            (lambda h: fit(h, "order", recipe=3), "recipe is 3, but must be a name, a TOML file, or settings by name"),
            (
                lambda h: hypercone.evaluation.link_prediction(fit(h, dim=2), h.split(50)),
                r"^pairs is a Split, but must be LabeledPairs, such as split\.test$",
            ),
            (lambda h: h.split("a"), "percent is 'a', but must be a number"),
            (
                lambda h: fit(h, recipe=FitConfig(method="overlapping-caps", dim=2), start=np.zeros((4, 2))),
                "start is given, but overlapping-caps is constructed",
            ),
        ],
    )
    def test_arguments_of_the_wrong_type_or_without_a_use_are_refused_in_a_sentence(self, pets, call, message):
        with pytest.raises((InputError, ConfigError), match=message):
            call(pets)

    def test_labeled_pairs_can_be_made_of_lists(self, pets):
        pairs = hypercone.LabeledPairs([pets.rows(["animal", "poodle"])], [pets.rows(["cat", "dog"])])
        assert hypercone.evaluation.link_prediction(fit(pets, dim=2), pairs).f1 == 1.0


class TestAuto:
    def test_auto_constructs_a_complete_hierarchy_and_learns_with_a_split_or_a_start(self, tree):
        split, start = tree.split(50), fit(tree, method="nested-caps", dim=2).points
        constructed = fit(tree, "auto")
        assert (constructed.made_by, constructed.record["kind"]) == ("overlapping-caps", "constructed")
        learned = fit(tree, "auto", split=split, epochs=1, init_epochs=1)
        assert (learned.record["config"]["method"], learned.record["kind"]) == ("hyperbolic-cones", "learned")
        for given in ({"edges": "as-given"}, {"init": "overlapping-caps"}):
            started = fit(tree, dim=2, start=start, epochs=1, **given)
            assert (started.method, started.record["kind"]) == ("hyperbolic-cones", "learned")
            assert started.record["start"] == "given points"

    def test_a_split_makes_a_configuration_without_a_method_learn(self, tree):
        split, short = tree.split(50), {"epochs": 1, "init_epochs": 1}
        assert fit(tree, recipe=FitConfig(dim=5), split=split, **short).record["kind"] == "learned"
        assert fit(tree, recipe=FitConfig(method="nested-caps", dim=5), split=split).record["kind"] == "constructed"

    @pytest.mark.parametrize("method", ["nested-caps", "order"])
    def test_the_record_names_the_machine_also_after_saving(self, tmp_path, method):
        machine = fit("tree-2-3", method, dim=2).record["machine"]
        assert list(machine) == ["processor", "python", "numpy", "numba", "hypercone"]
        assert all(isinstance(value, str) and value for value in machine.values())
        assert (machine["numpy"], machine["hypercone"]) == (np.__version__, hypercone.__version__)
        fit("tree-2-3", method, dim=2).save(tmp_path / "model")
        assert hypercone.load(tmp_path / "model").record["machine"] == machine

    def test_the_default_dimension_is_five_and_ten_for_overlapping_caps_with_many_several_parents(self, tree, diamonds):
        assert fit(tree, "nested-caps").dim == fit(diamonds, "nested-caps").dim == fit(tree).dim == 5
        assert fit([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]).dim == 10
        assert fit(diamonds, dim=3).dim == 3
        assert FitConfig(method="hyperbolic-cones", epochs=3).dim == 5


class TestConstructed:
    @each_construction
    def test_a_model_records_its_quality_and_survives_saving(self, diamonds, name, tmp_path):
        embedding = fit(diamonds, method=name, dim=5)
        found, record = all_pairs(embedding), embedding.record
        assert record["calibration_f1"] == pytest.approx(found.f1, abs=1e-12)
        assert (record["precision"], record["recall"], embedding.threshold) == (found.precision, found.recall, 0.0)
        assert (record["kind"], record["closure_aware"]) == ("constructed", name == "overlapping-caps")
        again = hypercone.load(embedding.save(tmp_path / "model"))
        assert again.points.tobytes() == embedding.points.tobytes()
        assert "Constructed from" in (tmp_path / "model" / "README.md").read_text()

    @each_construction
    def test_only_the_training_edges_of_a_split_are_used(self, diamonds, name):
        split = diamonds.split(0)
        expected = fit(Hierarchy(diamonds.names, split.train), method=name, dim=5).points
        assert fit(diamonds, method=name, dim=5, split=split).points.tobytes() == expected.tobytes()

    def test_two_long_chains_that_join_are_embedded_almost_without_errors(self):
        """If each of 60 levels shrinks by a factor of its own, floats cannot distinguish the lowest ones."""
        chains = [[*(f"{side}{i}" for i in range(20)), *(f"c{i}" for i in range(20))] for side in "ab"]
        edges = {pair for chain in chains for pair in itertools.pairwise(chain)}
        embedding = fit(Hierarchy.from_pairs(sorted(edges)), method="overlapping-caps", dim=5)
        assert embedding.record["calibration_f1"] > 0.99

    def test_implied_edges_do_not_count_as_further_parents(self, tree):
        extra = [int(tree.leaf_rows[0]), int(tree.leaf_rows[-1])]
        second = Hierarchy(tree.names, [*tree.closure().tolist(), extra])
        (note,) = fit(second, method="nested-caps", dim=5).record["notes"]
        assert note.startswith("1 node has several parents")

    def test_the_notes_of_the_hierarchy_come_before_those_of_the_fit_and_are_few_and_short(self):
        edges = [[0, 1], [0, 2], [1, 3], [2, 3]]
        (own,) = fit(Hierarchy("abcd", edges), method="nested-caps", dim=2).record["notes"]
        for given, expected in [
            (["1 term skipped"], ["1 term skipped"]),
            (["x" * 301], ["x" * 299 + "…"]),
            ([str(i) for i in range(20)], [str(i) for i in range(20)]),
            ([str(i) for i in range(21)], [*(str(i) for i in range(19)), "2 more notes on the hierarchy"]),
        ]:
            noted = Hierarchy("abcd", edges, notes=given)
            assert fit(noted, method="nested-caps", dim=2).record["notes"] == [*expected, own]
            assert fit(noted, method="order", dim=2, epochs=1).record["notes"] == expected


class TestLearned:
    @pytest.mark.parametrize(
        ("init", "epochs"), [("poincare", 4 + METHODS["poincare"].defaults["burn_in"]), ("caps", 4)]
    )
    def test_the_callback_gets_every_epoch_of_every_stage(self, tree, init, epochs):
        seen = []
        fit(tree, **CONES, init=init, epochs=3, init_epochs=4, callback=seen.append)
        assert [event.stage for event in seen] == [f"pre-training ({init})"] * epochs + ["training"] * 3
        assert [event.epoch for event in seen] == [*range(1, epochs + 1), 1, 2, 3]
        assert (seen[-1].epochs, seen[epochs - 1].epochs) == (3, epochs)
        assert seen[epochs - 1].loss < seen[0].loss
        assert all(np.isfinite(event.loss) for event in seen)

    def test_the_record_states_settings_data_and_calibration(self, tree):
        record = fit(tree, **CONES, epochs=3, init_epochs=4, seed=5).record
        assert (record["config"]["seed"], record["config"]["epochs"], record["epoch"]) == (5, 3, 3)
        assert (record["hierarchy_digest"], record["training_edges"]) == (tree.digest, 34)
        assert record["calibrated_on"] == "training pairs"

    def test_a_split_without_validation_pairs_is_calibrated_on_training_pairs(self):
        tree = hypercone.load_dataset("tree-2-2")
        split = tree.split(50)
        assert len(split.validation.positives) == 0
        assert fit(tree, split=split, method="order", dim=2, epochs=1).record["calibrated_on"] == "training pairs"

    def test_arguments_take_precedence_over_a_recipe(self, tree):
        assert fit(tree, recipe=FitConfig(dim=5), dim=3).dim == 3
        assert fit(tree, recipe={"method": "order", "epochs": 5, "dim": 5}, dim=3, epochs=2).record["epoch"] <= 2

    def test_a_recipe_of_the_tables_learns_from_a_split_and_is_refused_for_a_construction(self):
        tree = hypercone.load_dataset("tree-3-4")
        tuned = fit(tree, "order", recipe="tuned", split=tree.split(50), dim=2, epochs=1).record["config"]
        assert (tuned["margin"], tuned["corrupt"], tuned["epochs"]) == (1.0, "both", 1)
        with pytest.raises(ConfigError, match='has none; choose method="hyperbolic-cones"'):
            fit(tree, recipe="tuned")

    @pytest.mark.parametrize(
        ("settings", "reason"),
        [({"rate": 1e300}, "is not finite"), ({"rate": 2e150, "optimizer": "adagrad"}, "is beyond all bounds")],
    )
    def test_divergence_is_one_sentence_also_for_finite_points(self, tree, settings, reason):
        """Points may be finite while the squares of their distances are not."""
        rate = re.escape(str(settings["rate"]))
        message = rf"^training diverged at epoch 1: a point {reason}; try a lower rate than {rate}$"
        with pytest.raises(ConfigError, match=message):
            fit(tree, method="order", dim=2, epochs=5, **settings)

    def test_an_epoch_is_compiled_once_wherever_the_edges_come_from(self):
        larger, order = hypercone.load_dataset("tree-2-4"), {"method": "order", "dim": 2, "epochs": 1}
        fit(larger, **order)
        before = len(margin_epoch.signatures)
        for given in ({"edges": "as-given"}, {"split": larger.split(50)}, {"known": "closure"}):
            fit(larger, **order, **given)
        assert len(margin_epoch.signatures) == before
