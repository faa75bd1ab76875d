"""Adding nodes: a new node gets a point without training, and no other point moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.embeddings import is_same

import hypercone
from hypercone import Embedding, Glossary, Hierarchy
from hypercone._jit import dimension_type
from hypercone.embedding.embedding_kernels import rows_within
from hypercone.embedding.placement import Constraints, Placer
from hypercone.errors import HierarchyError, InputError, UnknownNameError
from hypercone.hierarchy import Obsolete
from hypercone.methods import METHODS, Settings
from hypercone.methods.scoring import Scorer

LEFT_OUT = 100


@pytest.fixture(scope="session")
def animals() -> Hierarchy:
    children = {"animal": "bird mammal fish", "bird": "owl penguin", "mammal": "dog cat", "dog": "poodle beagle"}
    pairs = [(above, below) for above in children for below in children[above].split()]
    return Hierarchy.from_pairs([*pairs, ("fish", "eel")])


@pytest.fixture(scope="session")
def fitted_animals(animals: Hierarchy) -> Callable[[str], Embedding]:
    """A model of the animals per method, fitted once."""
    models: dict[str, Embedding] = {}

    def fit(method: str) -> Embedding:
        if method not in models:
            models[method] = hypercone.fit(animals, method=method, epochs=300, init_epochs=300)
        return models[method]

    return fit


@pytest.fixture(scope="session")
def animal_model(fitted_animals: Callable[[str], Embedding]) -> Embedding:
    return fitted_animals("hyperbolic-cones")


@pytest.fixture(scope="session")
def mammals() -> Hierarchy:
    return hypercone.load_dataset("wordnet-mammals")


@pytest.fixture(scope="session")
def left_out(mammals: Hierarchy) -> dict[str, list[str]]:
    """A hundred leaves with their parents."""
    rows = np.random.default_rng(7).choice(mammals.leaf_rows, LEFT_OUT, replace=False).tolist()
    return {mammals.names[row]: [mammals.names[parent] for parent in mammals.parent_lists[row]] for row in rows}


@pytest.fixture(scope="session")
def mammals_without(mammals: Hierarchy, left_out: dict[str, list[str]]) -> Embedding:
    """A model trained without them."""
    return hypercone.fit(mammals.drop(left_out), method="hyperbolic-cones", epochs=100, init_epochs=100)


@pytest.mark.parametrize("method", METHODS)
def test_a_new_node_is_under_its_parent_and_no_other_point_moves(fitted_animals, method):
    animal_model = fitted_animals(method)
    larger = animal_model.add("husky", ["dog"])
    assert larger.is_a("husky", "dog")
    assert larger.record["placed"] == {"nodes": 1, "violated_constraints": 0, "violated": []}
    if method in ("hyperbolic-cones", "euclidean-cones"):
        assert larger.ancestors("husky") == ["animal", "mammal", "dog"]
        assert larger.descendants("husky") == []
    assert larger.points[:-1].tobytes() == animal_model.points.tobytes()
    assert len(animal_model) == 11 == len(larger) - 1
    assert larger["husky"].tobytes() == animal_model.add("husky", ["dog"])["husky"].tobytes()


def test_a_position_does_not_depend_on_nodes_added_elsewhere(animal_model):
    alone = animal_model.add("husky", ["dog"])["husky"]
    among = animal_model.add_many({"barn owl": ["owl"], "moray": ["eel"], "husky": ["dog"]})["husky"]
    assert alone.tobytes() == among.tobytes()


def test_a_chain_of_new_nodes_is_placed_top_down_in_any_order_together_or_one_by_one(animal_model):
    chain = [("sled dog", "lead dog"), ("husky", "sled dog"), ("dog", "husky")]
    one_by_one = animal_model.add("husky", "dog").add("sled dog", "husky").add("lead dog", "sled dog")
    for larger in (animal_model.add_many(chain), one_by_one):
        assert larger.ancestors("lead dog") == ["animal", "mammal", "dog", "husky", "sled dog"]
        assert larger.names[-3:] == ("husky", "sled dog", "lead dog")
        assert larger.record["placed"]["nodes"] == 3
    assert "placed" not in animal_model.record


def test_new_siblings_are_not_under_each_other(animal_model):
    names = [f"dog {i}" for i in range(30)]
    larger = animal_model.add_many(dict.fromkeys(names, "dog"))
    assert all(larger.ancestors(name) == ["animal", "mammal", "dog"] for name in names)


def test_edges_and_labels_grow_with_the_names(animal_model):
    larger = animal_model.add("HUS", ["dog", "mammal"], label="Siberian husky")
    assert larger.hierarchy is not None
    assert larger.edges[-2:].tolist() == [[animal_model.row("dog"), 11], [animal_model.row("mammal"), 11]]
    assert larger.row("siberian husky") == 11
    assert larger.display_name(11) == "Siberian husky"
    assert larger.display_name(0) == "animal"
    more = larger.add("MAL", ["siberian husky"])
    assert more.labels[12] == ""
    assert more.is_a("MAL", "HUS")


def test_without_edges_the_ancestors_of_the_parents_by_geometry_are_used(animal_model):
    bare = replace(animal_model, edges=None)
    larger = bare.add("husky", ["dog"])
    assert larger.edges is None
    assert larger.ancestors("husky") == [*animal_model.ancestors("dog"), "dog"]
    assert larger.descendants("husky") == []


def test_not_under_decides_if_both_sides_are_possible():
    # The first point is just within the threshold of the cone of the second; half of its own cone is not.
    points = np.zeros((2, 5))
    points[0, :2] = 0.6 * np.cos(0.3), 0.6 * np.sin(0.3)
    points[1, 0] = 0.3
    animal_model = Embedding(["inner", "other"], points, "hyperbolic-cones", Settings(K=0.1), threshold=0.0)
    animal_model = replace(animal_model, threshold=animal_model.energy("inner", "other") + 0.02)
    freely = animal_model.add("x", ["inner"])
    assert freely.ancestors("x") == ["other", "inner"]
    apart = animal_model.add("x", ["inner"], not_under=["other"])
    assert apart.ancestors("x") == ["inner"]
    assert apart.record["placed"]["violated"] == []


def test_not_under_a_sibling_or_another_new_node_is_satisfied(animal_model):
    larger = animal_model.add("husky", ["dog"], not_under=["poodle", "fish"])
    assert not larger.is_a("husky", "poodle")
    assert larger.record["placed"]["violated_constraints"] == 0
    two = animal_model.add_many({"husky": "dog", "spitz": "dog"}, not_under={"spitz": ["husky"], "husky": "spitz"})
    assert not two.is_a("spitz", "husky")
    assert not two.is_a("husky", "spitz")
    assert two.record["placed"]["violated"] == []


def test_violated_constraints_are_recorded(animal_model):
    # Possible by the graph, but by geometry everything under dog is under mammal.
    edges = np.array([edge for edge in animal_model.edges.tolist() if edge[1] != animal_model.row("dog")], np.int32)
    larger = replace(animal_model, edges=edges).add("husky", ["dog"], not_under=["mammal"])
    placed = larger.record["placed"]
    assert placed["violated_constraints"] == 1
    assert placed["violated"][0] in {"husky is under mammal", "husky is not under dog"}


def test_an_extended_model_is_saved_and_loaded(animal_model, tmp_path):
    larger = animal_model.add("husky", ["dog"], label="Husky")
    again = hypercone.load(larger.save(tmp_path / "larger"))
    assert is_same(again, larger)
    assert again.add("sled dog", ["Husky"]).is_a("sled dog", "husky")
    assert "1 node was placed" in (tmp_path / "larger" / "README.md").read_text()


@pytest.mark.parametrize(
    ("new", "more", "kind", "message"),
    [
        ({"dog": ["mammal"]}, {}, InputError, "'dog' is already in the model; give the new node another name"),
        ({"husky": ["dgo"]}, {}, UnknownNameError, r"there is no node 'dgo'; did you mean dog\?"),
        ({"husky": []}, {}, InputError, "'husky' has no parents; give at least one, to say where it belongs"),
        ({"husky": ["husky"]}, {}, InputError, "'husky' is given as its own parent; give another one"),
        ({"": ["dog"]}, {}, HierarchyError, "a node has an empty name; every node needs a name of .* one character"),
        ({"husky": None}, {}, InputError, "the parents of 'husky' are None; give a list of names"),
        ({"husky": 5}, {}, InputError, "the parents of 'husky' are 5; give a list of names"),
        (
            *({"husky": ["dog"]}, {"not_under": {"husky": ["animal"]}}, InputError),
            "'husky' cannot be outside 'animal', which is one of its parents or above one",
        ),
        (
            *({"husky": "dog"}, {"labels": {"hsky": "Husky"}}, UnknownNameError),
            r"there is no new node for labels called 'hsky'; did you mean husky\?",
        ),
        (
            *([("a", "b"), ("b", "a"), ("dog", "a")], {}, HierarchyError),
            "the new nodes form a cycle, parent → child: (a → b → a|b → a → b); remove one edge",
        ),
        (["husky"], {}, HierarchyError, r"'husky' is not an edge; each edge is two names, \(parent, child\)"),
    ],
)
def test_invalid_input_is_refused_in_one_sentence(animal_model, new, more, kind, message):
    with pytest.raises(kind, match=f"^{message}$"):
        animal_model.add_many(new, **more)
    if isinstance(new, dict) and not more:
        with pytest.raises(kind, match=f"^{message}$"):
            animal_model.add(*next(iter(new.items())))


def test_an_id_that_a_node_has_or_had_is_no_name_for_a_new_node_but_a_label_or_synonym_is():
    glossary = Glossary.of_rows(2, synonyms={1: ["hound"]}, other_ids={1: ["B:1"]}, obsolete={"A:9": Obsolete("cur")})
    model = hypercone.fit(Hierarchy(["A:0", "A:1"], [[0, 1]], ["animal", "dog"], glossary=glossary), dim=2)
    larger = model.add_many({"hound": "A:0", "dog": "A:0"})
    assert (larger.row("hound"), larger.row("dog")) in [(2, 3), (3, 2)]
    for holder in (model, larger, model.add("wolf", point=model["A:1"])):
        for name, known in [("B:1", "another id of 'A:1'"), ("A:9", "an obsolete id")]:
            sentence = f"^'{name}' is {known} in the model; give the new node another name$"
            with pytest.raises(InputError, match=sentence):
                holder.add(name, "A:0")
            with pytest.raises(InputError, match=sentence):
                holder.add(name, point=holder["A:0"])


def f1_of(embedding, hierarchy, names):
    """F1 of the ancestors of these nodes."""
    right = called = true = 0
    for name in names:
        found = set(embedding.ancestors(name))
        wanted = {hierarchy.names[row] for row in hierarchy.ancestors_of(hierarchy.row(name))}
        right, called, true = right + len(found & wanted), called + len(found), true + len(wanted)
    return 2 * right / (called + true)


def test_placed_leaves_are_as_accurate_as_trained_ones(mammals, left_out, mammals_without):
    placed = mammals_without.add_many(left_out)
    trained = [mammals.names[row] for row in mammals.leaf_rows if mammals.names[row] in mammals_without]
    ours, theirs = f1_of(placed, mammals, left_out), f1_of(mammals_without, mammals, trained)
    print(f"F1 of {len(left_out)} placed leaves: {ours:.4f}, of {len(trained)} trained ones: {theirs:.4f}")
    assert ours > 0.95
    assert ours > theirs - 0.01
    assert sum(len(placed.descendants(name)) for name in left_out) <= 5


def test_the_search_beats_a_step_outwards_from_the_parent(mammals, left_out, mammals_without):
    placer = Placer(mammals_without.scorer, mammals_without.edges, capacity=len(left_out))
    wrong_by_search = wrong_by_guess = 0
    for parents in left_out.values():
        rows = [mammals_without.row(parent) for parent in parents]
        new = placer.place(rows)
        wanted = set(placer.constraints_for(rows).above.tolist())
        wrong_by_search += len(wanted ^ set(placer.ancestors_by_geometry(new).tolist()))
        found = placer.points[new].copy()
        placer.points[new] = 1.1 * placer.points[rows[0]]
        wrong_by_guess += len(wanted ^ set(placer.ancestors_by_geometry(new).tolist()))
        placer.points[new] = found
    assert wrong_by_search < 0.5 * wrong_by_guess


def test_the_scan_of_nodes_agrees_with_the_energies(fitted_animals):
    for name, method in METHODS.items():
        model = fitted_animals(name)
        points = np.concatenate([model.points, model.points[[5]] * 1.01])
        found = np.empty(100, np.int32)
        constants, dim = method.constants(model.settings), dimension_type(5)
        above, both = rows_within(points, 11, found, model.threshold, constants, dim)
        expected = Scorer(points, method, model.settings).energies_above(11)[:11] <= model.threshold
        assert found[:above].tolist() == np.flatnonzero(expected).tolist()
        expected = Scorer(points, method, model.settings).energies_below(11)[:11] <= model.threshold
        assert found[above:both].tolist() == np.flatnonzero(expected).tolist()
        assert sum(rows_within(points, 11, found[:1], model.threshold, constants, dim)) <= 2


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), method=st.sampled_from(sorted(METHODS)))
def test_a_new_point_is_always_in_the_domain(seed, method):
    random, chosen = np.random.default_rng(seed), METHODS[method]
    constants = Settings(alpha=3.0 if chosen.uses_alpha else 0.0)
    points = chosen.project(chosen.start(random, 20, 5, 0.7), constants)
    edges = np.array([[random.integers(child), child] for child in range(1, 20)], np.int32)
    placer = Placer(Scorer(points, chosen, constants, 0.1), edges, capacity=2)
    for _ in range(2):
        placer.place([int(random.integers(20))], (int(random.integers(20)),))
    inner, outer = chosen.shell(constants)
    norms = np.linalg.norm(placer.points, axis=1)
    assert np.isfinite(placer.points).all()
    assert (norms >= inner - 1e-9).all()
    assert (norms <= outer + 1e-9).all()
    assert placer.points[:20].tobytes() == points.tobytes()


def test_constraints_do_not_depend_on_the_order_of_edges():
    edges = np.array([[3, 4], [0, 1], [1, 3], [2, 3], [5, 6]], np.int32)
    for order in (edges, edges[::-1].copy()):
        assert Constraints.by_edges(order, 7, [4]).above.tolist() == [0, 1, 2, 3, 4]
