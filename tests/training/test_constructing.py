"""Constructions as methods of a fit, as starts for learning, and as the default."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import hypercone
from hypercone import Hierarchy, fit
from hypercone.construction import CONSTRUCTIONS
from hypercone.errors import ConfigError, InputError
from hypercone.evaluation import all_pairs
from hypercone.methods import METHODS
from hypercone.training import FitConfig
from hypercone.training.config import COMMON, OPTIONS

LEARNING = {
    "epochs": 5,
    "rate": 0.1,
    "margin": 0.02,
    "init": "random",
    "threads": 2,
    "edges": "as-given",
    "border": 1e-4,
}

each_construction = pytest.mark.parametrize("name", CONSTRUCTIONS)


@pytest.fixture(scope="module")
def diamonds() -> Hierarchy:
    """Thirty nodes, every third of which has two parents."""
    edges = [(f"n{(i - 1) // 2}", f"n{i}") for i in range(1, 30)]
    return Hierarchy.from_pairs([*edges, *((f"n{i // 3}", f"n{i}") for i in range(9, 30, 3))])


class TestDefault:
    def test_nothing_given_constructs_overlapping_caps(self):
        assert FitConfig().method == "overlapping-caps"
        assert FitConfig(dim=5, seed=4, K=0.2).method == "overlapping-caps"

    @pytest.mark.parametrize("name", LEARNING)
    def test_a_setting_of_learning_does_not_decide_what_auto_is(self, tree, name):
        assert FitConfig(**{name: LEARNING[name]}).method == "overlapping-caps"
        with pytest.raises(ConfigError, match=rf"^{name} is .*, but overlapping-caps is constructed"):
            fit(tree, **{name: LEARNING[name]})

    def test_auto_can_be_said(self, tree):
        assert fit(tree, "auto").made_by == "overlapping-caps"
        assert fit(tree, "auto", split=tree.split(50), epochs=1, init_epochs=1).made_by == "hyperbolic-cones"

    def test_held_out_edges_mean_to_learn(self, tree):
        embedding = fit(tree, split=tree.split(50))
        assert embedding.record["config"]["method"] == "hyperbolic-cones"
        assert embedding.record["kind"] == "learned"

    def test_held_out_edges_mean_to_learn_with_a_configuration_that_leaves_the_method_open(self, tree):
        split = tree.split(50)
        assert fit(tree, recipe=FitConfig(dim=5), split=split).record["kind"] == "learned"
        assert fit(tree, recipe=FitConfig(method="nested-caps", dim=5), split=split).record["kind"] == "constructed"

    @pytest.mark.parametrize("name", ["edges", "threads", "border", "known"])
    def test_a_construction_takes_a_setting_of_learning_at_its_default(self, name):
        given = {name: OPTIONS[name].default}
        assert FitConfig(method="nested-caps", **given) == FitConfig(method="nested-caps")

    def test_an_estimator_whose_settings_are_left_alone_constructs(self, tree):
        assert hypercone.ConeEmbedder(tree).fit().embedding_.record["kind"] == "constructed"

    def test_given_points_are_no_construction_whatever_init_says(self, tree):
        start = np.random.default_rng(0).uniform(-0.3, 0.3, (len(tree), 2))
        record = fit(tree, dim=2, init="overlapping-caps", epochs=1, start=start).record
        assert (record["kind"], record["start"]) == ("learned", "given points")

    @each_construction
    @pytest.mark.parametrize("name_of_setting", LEARNING)
    def test_a_setting_of_learning_beside_a_construction_is_refused(self, name, name_of_setting):
        with pytest.raises(
            ConfigError, match=rf"^{name_of_setting} is .*, but {name} is constructed and learns nothing"
        ):
            FitConfig(method=name, **{name_of_setting: LEARNING[name_of_setting]})

    @each_construction
    def test_the_record_of_a_construction_is_a_configuration(self, name):
        config = FitConfig(method=name, dim=5, seed=2, K=0.3)
        assert set(config.as_dict()) == set(COMMON)
        assert FitConfig.from_dict(config.as_dict()) == config

    @each_construction
    def test_one_dimension_has_no_room_for_caps(self, name):
        with pytest.raises(ConfigError, match=r"^dim is 1, but .* needs at least 2"):
            FitConfig(method=name, dim=1)

    def test_a_start_beside_a_construction_is_refused(self, tree):
        with pytest.raises(ConfigError, match="start is given, but overlapping-caps is constructed"):
            fit(tree, recipe=FitConfig(method="overlapping-caps", dim=2), start=np.zeros((len(tree), 2)))

    def test_points_to_start_from_mean_to_learn(self, tree):
        start = fit(tree, method="nested-caps", dim=2).points
        assert fit(tree, dim=2, start=start, edges="as-given", epochs=1).record["start"] == "given points"


class TestDimension:
    def test_left_open_it_is_five_and_ten_where_many_have_several_parents(self, tree, diamonds):
        assert fit(tree).dim == 5
        assert fit(diamonds).dim == 10

    def test_a_forest_needs_no_more_room_for_several_parents(self, diamonds):
        assert fit(diamonds, method="nested-caps").dim == 5

    def test_what_is_given_counts(self, diamonds):
        assert fit(diamonds, dim=3).dim == 3
        assert FitConfig(method="hyperbolic-cones", epochs=3).dim == 5


class TestConstructed:
    @each_construction
    @pytest.mark.parametrize("dim", [2, 3, 5])
    def test_a_tree_is_embedded_without_a_mistake(self, tree, name, dim):
        embedding = fit(tree, method=name, dim=dim)
        assert all_pairs(embedding).f1 == 1.0
        assert embedding.threshold == 0.0

    @each_construction
    def test_the_record_says_how_good_it_is_and_what_it_used(self, diamonds, name):
        embedding = fit(diamonds, method=name, dim=5)
        found = all_pairs(embedding)
        assert embedding.record["calibration_f1"] == pytest.approx(found.f1, abs=1e-12)
        assert (embedding.record["precision"], embedding.record["recall"]) == (found.precision, found.recall)
        assert embedding.record["kind"] == "constructed"
        assert embedding.record["closure_aware"] == (name == "overlapping-caps")

    @each_construction
    def test_a_model_is_the_same_after_saving_and_loading(self, diamonds, name, tmp_path):
        embedding = fit(diamonds, method=name, dim=5)
        again = hypercone.load(embedding.save(tmp_path / "model"))
        assert again.points.tobytes() == embedding.points.tobytes()
        assert "Constructed from" in (tmp_path / "model" / "README.md").read_text()

    @each_construction
    def test_with_a_split_only_its_training_edges_are_looked_at(self, diamonds, name):
        split = diamonds.split(0)
        parts = Hierarchy(diamonds.names, split.train)
        same = fit(parts, method=name, dim=5)
        assert (
            fit(diamonds, recipe=FitConfig(method=name, dim=5), split=split).points.tobytes() == same.points.tobytes()
        )

    @each_construction
    def test_a_hierarchy_without_edges_is_refused(self, name):
        with pytest.raises(InputError, match="no edges to construct from"):
            fit(Hierarchy(["a", "b"], []), method=name)

    def test_another_cone_constant_gives_the_same_order(self, diamonds):
        one, other = (all_pairs(fit(diamonds, method="nested-caps", dim=5, K=K)) for K in (0.1, 1.0))
        assert one == other


class TestDeepAndImplied:
    def test_two_long_chains_that_join_are_held_without_a_mistake(self):
        """Each of 60 levels once shrank by its own, until floats could not tell the lowest apart."""
        lines = [[f"{side}{i}" for i in range(20)] for side in "ab"]
        chains = [*(line + [f"c{i}" for i in range(20)] for line in lines)]
        edges = {pair for chain in chains for pair in itertools.pairwise(chain)}
        embedding = fit(Hierarchy.from_pairs(sorted(edges)), method="overlapping-caps", dim=5)
        assert embedding.record["calibration_f1"] > 0.99

    def test_implied_edges_are_no_further_parents(self, tree):
        closure = Hierarchy(tree.names, tree.closure())
        second = Hierarchy(tree.names, [*closure.edges.tolist(), [int(tree.leaf_rows[0]), int(tree.leaf_rows[-1])]])
        (note,) = fit(second, method="nested-caps", dim=5).record["notes"]
        assert note.startswith("1 node has several parents")


class TestStart:
    @each_construction
    @pytest.mark.parametrize("method", ["hyperbolic-cones", "euclidean-cones"])
    def test_cones_can_start_from_it_and_begin_with_its_answers(self, tree, name, method):
        embedding = fit(tree, method=method, init=name, dim=5, epochs=0)
        assert all_pairs(embedding, threshold=0.0).f1 == 1.0
        assert embedding.record["kind"] == "learned from a construction"

    @pytest.mark.parametrize("method", [name for name, method in METHODS.items() if method.curvature is None])
    def test_a_method_without_cones_cannot(self, tree, method):
        with pytest.raises(ConfigError, match=f"init is nested-caps, but {method} has no cones"):
            fit(tree, method=method, init="nested-caps", dim=5, epochs=1)
