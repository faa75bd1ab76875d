"""Placed by their parents alone, leaves are found under what a fit that never saw them should put them under."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone.embedding.placement import Placer, Constraints
from hypercone.methods import METHODS, Settings
from hypercone.methods.scoring import Scorer


def f1_of(embedding, hierarchy, names):
    """F1 of the ancestors of these nodes, against all other nodes."""
    right = called = true = 0
    for name in names:
        found = set(embedding.ancestors(name))
        wanted = {hierarchy.names[row] for row in hierarchy.ancestors_of(hierarchy.row(name))}
        right, called, true = right + len(found & wanted), called + len(found), true + len(wanted)
    return 2 * right / (called + true)


def test_leaves_placed_by_their_parents_are_as_right_as_leaves_that_were_trained(mammals, left_out, mammals_without):
    placed = mammals_without.add_many(left_out)
    trained = [mammals.names[row] for row in mammals.leaf_rows if mammals.names[row] in mammals_without]
    ours, theirs = f1_of(placed, mammals, left_out), f1_of(mammals_without, mammals, trained)
    print(f"F1 of {len(left_out)} placed leaves: {ours:.4f}, of {len(trained)} trained ones: {theirs:.4f}")
    assert ours > 0.95
    assert ours > theirs - 0.01
    assert sum(len(placed.descendants(name)) for name in left_out) <= 5


def test_trying_is_worth_it_against_a_step_behind_the_parent(mammals, left_out, mammals_without):
    """The search beats the obvious guess, a point a little behind the parent."""
    placer = Placer(mammals_without.scorer, mammals_without.edges, capacity=len(left_out))
    wrong_by_search = wrong_by_guess = 0
    for parents in left_out.values():
        rows = [mammals_without.row(parent) for parent in parents]
        new = placer.place(rows)
        wanted = set(placer.constraints_for(rows).above.tolist())
        wrong_by_search += len(wanted ^ set(placer.ancestors_by_geometry(new).tolist()))
        kept = placer.points[new].copy()
        placer.points[new] = 1.1 * placer.points[rows[0]]
        wrong_by_guess += len(wanted ^ set(placer.ancestors_by_geometry(new).tolist()))
        placer.points[new] = kept
    assert wrong_by_search < 0.5 * wrong_by_guess


def test_the_scan_finds_what_the_energies_say(fitted):
    from hypercone._jit import dimension_type
    from hypercone.embedding.embedding_kernels import rows_within

    for name, method in METHODS.items():
        model = fitted(name)
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
def test_whatever_the_points_a_place_is_found_in_the_domain(seed, method):
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


def test_constraints_follow_the_edges_in_any_order():
    edges = np.array([[3, 4], [0, 1], [1, 3], [2, 3], [5, 6]], np.int32)
    for order in (edges, edges[::-1].copy()):
        assert Constraints.by_edges(order, 7, [4]).above.tolist() == [0, 1, 2, 3, 4]
