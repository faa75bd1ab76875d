"""The engine: the theorem it rests on, exact searches, classes of equal nodes, gradients, and what it pushes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.hierarchies import closure_matrix, dags, forest_matrix, shape

from hypercone.construction import given_edges, refining, skeleton
from hypercone.construction.ball_kernels import backpropagate, pull, push, push_siblings
from hypercone.construction.forest import spanning_forest
from hypercone.construction.given_edges import Balls, NestedPlan, NestedRun, Shape, balls_of, first_shape, nested_plan
from hypercone.construction.overlapping import _expand
from hypercone.construction.refining import RefiningRun, Wanted
from hypercone.construction.skeleton import build_skeleton, contract, forest_of
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.graph import ancestors, flipped_lists
from hypercone.runs.folder import FitContext


def contained(centers, radii):
    """By brute force: whether each ball contains each other ball; of two equal ones, the first contains the second."""
    apart = np.linalg.norm(centers[:, None] - centers[None], axis=2)
    inside = (apart <= radii[:, None] - radii[None]) & ~np.eye(len(radii), dtype=bool)
    return inside & ~(inside.T & np.tril(np.ones_like(inside)))


def unexplained(holds, edges):
    """The containments (u, v) such that (u, v) is not given, and no given parent of v lies in u."""
    is_given = np.zeros_like(holds)
    is_given[edges[:, 0], edges[:, 1]] = True
    return holds & ~is_given & ~((holds.astype(int) @ is_given.astype(int)) > 0)


@st.composite
def arrangements(draw):
    """A small DAG and a ball per node, close to an arrangement in which every edge holds, or nowhere near one."""
    dag = draw(dags(7, 12))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    noise = draw(st.sampled_from([0.0, 0.02, 0.1, 1.0]))
    truth = closure_matrix(dag) | np.eye(len(dag), dtype=bool)
    # A ball around those of all descendants, with a radius that grows on the way up.
    spots = random.normal(size=(len(dag), 3))
    centers = np.stack([spots[below].mean(axis=0) for below in truth])
    radii = np.zeros(len(dag))
    for row in np.argsort(-dag.depths):
        below = np.flatnonzero(truth[row])
        needed = [np.linalg.norm(centers[row] - centers[each]) + radii[each] for each in below if each != row]
        radii[row] = max([0.01, *needed]) * 1.01
    return (
        dag,
        centers + noise * random.normal(size=centers.shape),
        radii * np.exp(noise * random.normal(size=len(dag))),
    )


@settings(max_examples=400, deadline=None)
@given(arrangements())
def test_the_order_is_the_closure_exactly_if_every_given_edge_holds_and_nothing_is_unexplained(arrangement):
    dag, centers, radii = arrangement
    holds = contained(centers, radii)
    edges = dag.edges
    condition = holds[edges[:, 0], edges[:, 1]].all() and not unexplained(holds, edges).any()
    assert condition == np.array_equal(holds, closure_matrix(dag))


def test_both_sides_of_the_theorem_occur():
    """The property above would hold without a word if no arrangement were exact, or all."""
    found = {True: 0, False: 0}
    for seed in range(200):
        random = np.random.default_rng(seed)
        centers, radii = random.normal(size=(3, 2)), np.array([4.0, 1.0, 0.1])
        holds = contained(centers, radii)
        edges = np.array([[0, 1], [1, 2]])
        exact = np.array_equal(holds, np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], bool))
        assert exact == (holds[edges[:, 0], edges[:, 1]].all() and not unexplained(holds, edges).any())
        found[exact] += 1
    assert min(found.values()) > 10


@pytest.fixture(scope="module")
def dag():
    return shape("random_dag", 400, seed=3)


@pytest.fixture(scope="module")
def classes(dag):
    return contract(dag)


@pytest.fixture(scope="module")
def places(classes):
    return build_skeleton(classes, forest_of(classes))


@settings(max_examples=60, deadline=None)
@given(dags(12, 30))
def test_the_nodes_of_a_class_have_the_same_ancestors_and_descendants_and_others_do_not(dag):
    classes, truth = contract(dag), closure_matrix(dag)
    direct = np.zeros_like(truth)
    direct[tuple(dag.reduction().T)] = True
    for row, other in np.ndindex(len(dag), len(dag)):
        same = np.array_equal(direct[row], direct[other]) and np.array_equal(direct[:, row], direct[:, other])
        assert same == (classes.class_of[row] == classes.class_of[other])
    assert classes.weights.sum() == len(dag)
    above = ancestors(classes.order, classes.parents)
    for number, row in enumerate(classes.rows):
        assert above[number].tolist() == sorted(set(classes.class_of[truth[:, row]].tolist()))


def test_every_class_has_a_place_followed_by_its_subtree_and_edges_gain_what_the_forest_lacks(dag, classes, places):
    assert sorted(places.rows[places.rows >= 0].tolist()) == list(range(len(classes.rows)))
    assert places.totals[-1] == len(dag)
    above = forest_matrix(places.parents)
    for place in range(len(places.rows)):
        assert np.flatnonzero(above[place]).tolist() == list(range(place + 1, places.ends[place]))
    assert len(places.edges) == len(classes.parents.rows) - int((forest_of(classes) >= 0).sum())
    for (parent, child), gained in zip(places.edges.tolist(), places.gained.tolist(), strict=True):
        chain = set(np.flatnonzero(above[:, parent])) | {parent}
        assert gained == len(
            [place for place in chain - set(np.flatnonzero(above[:, child])) if places.rows[place] >= 0]
        )
    alone = contract(Hierarchy(["stone"], np.zeros((0, 2), int)))
    assert build_skeleton(alone, forest_of(alone)).rows.tolist() == [-1, 0]


def test_wide_families_are_divided_into_groups(classes, monkeypatch):
    monkeypatch.setattr(skeleton, "WIDEST_FAMILY", 8)
    monkeypatch.setattr(skeleton, "GROUP", 3)
    places = build_skeleton(classes, forest_of(classes))
    assert np.diff(places.kids.offsets).max() <= 8
    assert places.totals[-1] == classes.weights.sum()
    above = forest_matrix(places.parents)
    for place in range(len(places.rows)):
        assert np.flatnonzero(above[place]).tolist() == list(range(place + 1, places.ends[place]))
    # The groups between a node and its parent do not change who is above whom.
    forest = forest_of(classes)
    for place in np.flatnonzero(places.rows >= 0):
        up = places.parents[place]
        while up > 0 and places.rows[up] < 0:
            up = places.parents[up]
        assert forest[places.rows[place]] == (places.rows[up] if up > 0 else -1)


@pytest.mark.parametrize("widest", [1024, 6])
@pytest.mark.parametrize(("dim", "seed"), [(1, 0), (2, 1), (4, 2), (9, 3)])
def test_the_search_in_the_forest_equals_a_scan(classes, dim, seed, widest, monkeypatch):
    monkeypatch.setattr(skeleton, "WIDEST_FAMILY", widest)
    monkeypatch.setattr(skeleton, "GROUP", 3)
    places = build_skeleton(classes, forest_of(classes))
    run = NestedRun(places, first_shape(places, dim, seed))
    found, pushed = run.search(), run.pair_count
    is_node = np.flatnonzero(places.rows >= 0)
    at = np.empty(len(classes.rows), int)
    at[places.rows[is_node]] = is_node
    # Leaves contain nothing: in the end their balls are tiny.
    holds = contained(run.centers[at], run.radii[at]) & (classes.children.counts > 0)[:, None]
    edges = np.stack([classes.parents.rows, classes.parents.groups()], axis=1)
    scanned = unexplained(holds, edges)
    assert found.unexplained == scanned.sum() > 0
    outside = places.edges[:, 0]
    assert found.edges_held == sum(holds[places.rows[p], places.rows[c]] for p, c in places.edges.tolist())
    assert len(outside) >= found.edges_held
    # What is pushed and inside is unexplained, each pair once.
    inside = [(h, t) for h, t in run.pairs[:pushed].tolist() if holds[places.rows[h], places.rows[t]]]
    assert len(set(inside)) == len(inside) <= found.unexplained
    assert all(scanned[places.rows[h], places.rows[t]] for h, t in inside)


def test_a_search_that_finds_too_much_goes_on_where_it_ended_and_is_never_the_best(places):
    whole, parts = (NestedRun(places, first_shape(places, 4, 0)) for _ in range(2))
    found, wanted = whole.search(), whole.pairs[: whole.pair_count].tolist()
    parts._most_pairs, collected, unexplained = 10, [], 0
    parts.pairs, parts.pair_weights = parts._space_for(2)
    for _ in range(1000):
        unexplained += parts.search().unexplained
        collected += parts.pairs[: parts.pair_count].tolist()
        assert parts.best_found != found
        if parts.next_holder == 0:
            break
    assert (collected, unexplained) == (wanted, found.unexplained)
    assert len(collected) > 50
    # A complete one counts everything, whatever it stores, and may be the best.
    parts.pairs, parts.pair_weights = parts.pairs[:5], parts.pair_weights[:5]
    early = parts.search(complete=True)
    assert early == parts.best_found
    # It ends as soon as it is certain that the forest is better.
    assert found.false_pairs >= early.false_pairs > early.gained_pairs
    parts._weights[:] = found.false_pairs
    complete = parts.search(complete=True)
    assert (complete.unexplained, complete.false_pairs) == (found.unexplained, found.false_pairs)
    assert parts.pairs.tolist() == wanted[: parts.pair_count] == wanted[:5]


def test_a_schedule_ends_when_its_work_is_used_up_and_its_rate_has_fallen_by_then(places):
    plan = NestedPlan(separation_iterations=5, iterations=400)
    whole, short = [], []
    for reports, most in ((whole, plan.most_work), (short, 400_000)):
        limited = replace(plan, most_work=most)
        run = given_edges.move_nested(places, first_shape(places, 4, 0), limited, FitContext(reports.append))
        assert not run.is_exact
    assert 5 < len(short) < len(whole) / 2
    # Progress is by the share of the schedule, and both end at its end.
    assert [report.done for report in short] == sorted(report.done for report in short)
    assert short[-1].is_last
    assert whole[-1].is_last
    assert short[1].done > whole[1].done


def test_a_start_in_which_too_many_pairs_are_wrong_is_not_moved_and_not_counted(dag, monkeypatch):
    monkeypatch.setattr(refining, "MOST_WRONG", 5)
    start = refining_run(dag, 2, 0, 3.0)
    balls, counts = refining.refine(
        start.wanted, Balls(start.centers, start.radii), 1e-9, refining.RefiningPlan(iterations=20), FitContext()
    )
    assert counts is None
    assert np.array_equal(balls.centers, start.centers)


def test_false_negatives_are_rare_along_a_run_and_gone_once_every_edge_holds(dag, classes, places):
    truth = closure_matrix(dag)[np.ix_(classes.rows, classes.rows)]
    run, plan, pushed, false = NestedRun(places, first_shape(places, 4, 0)), nested_plan(len(places.rows)), 0, 0
    for _ in range(plan.separation_iterations):
        run.step(plan.separation_rate, separating=True)
    for i in range(0, plan.iterations, plan.search_every):
        found = run.search()
        pairs = places.rows[run.pairs[: run.pair_count]]
        wrong = int(truth[pairs[:, 0], pairs[:, 1]].sum())
        assert not (wrong and found.edges_held == len(places.edges))
        pushed, false = pushed + len(pairs), false + wrong
        for k in range(i, min(i + plan.search_every, plan.iterations)):
            run.step(plan.rate(k / plan.iterations), separating=False)
    assert pushed > 1000
    assert false < 0.08 * pushed


def test_steps_keep_every_ball_inside_the_one_above(places):
    run = NestedRun(places, first_shape(places, 3, 0))
    for separating in (True, False):
        run.search()
        for _ in range(20):
            run.step(0.05, separating)
    apart = np.linalg.norm(run.centers[1:] - run.centers[places.parents[1:]], axis=1)
    assert (apart <= run.radii[places.parents[1:]] - run.radii[1:]).all()


@pytest.mark.parametrize("term", ["pull", "push"])
def test_gradients_in_the_coordinates_of_the_forest_match_finite_differences(places, term):
    first = first_shape(places, 3, 5)
    run = NestedRun(places, first)
    run.search()
    pairs = places.edges if term == "pull" else run.pairs[: run.pair_count]
    one, other = pairs.T
    # The scale of a term is constant: enlarging a ball that is in the wrong place must not pay off.
    scale, weights = run.scales[other], 1.0 + np.arange(len(pairs)) % 3

    def loss(centers, radii):
        excess = np.linalg.norm(centers[one] - centers[other], axis=1) + radii[other] - radii[one]
        violation = excess + 0.05 * scale if term == "pull" else 0.05 * scale - excess
        return (weights * np.log(1 + np.maximum(violation, 0) / scale)).sum()

    balls, shapes = (cls(np.zeros_like(run.centers), np.zeros_like(run.radii)) for cls in (Balls, Shape))
    (pull if term == "pull" else push)(run.centers, run.radii, run.scales, pairs, weights, 0.05, *balls, run.dim)
    backpropagate(places.parents, first.offsets, run.radii, *balls, *shapes, run.dim)
    random = np.random.default_rng(0)
    aside, wider = random.normal(size=first.offsets.shape), random.normal(size=first.log_ratios.shape)
    aside[0], wider[0], step = 0, 0, 1e-8
    ahead = loss(*balls_of(places, Shape(first.offsets + step * aside, first.log_ratios + step * wider)))
    behind = loss(*balls_of(places, Shape(first.offsets - step * aside, first.log_ratios - step * wider)))
    slope = (shapes.offsets * aside).sum() + (shapes.log_ratios * wider).sum()
    assert slope == pytest.approx((ahead - behind) / (2 * step), rel=1e-4)


def test_in_a_wide_family_all_siblings_are_compared_in_turns():
    star = contract(
        Hierarchy(
            [str(row) for row in range(41)],
            [*((0, row) for row in range(1, 21)), *((row, row + 20) for row in range(1, 21))],
        )
    )
    places = build_skeleton(star, forest_of(star))
    kids = places.kids.rows[places.kids.offsets[1] : places.kids.offsets[2]]
    met = np.zeros((20, 20), bool)
    for turn in range(8):
        for first in range(20):
            # Only one sibling has a size, so only those that are compared with it are moved.
            centers, radii = np.zeros((len(places.rows), 2)), np.full(len(places.rows), 1e-9)
            centers[:, 0], radii[kids[first]] = 10.0 * np.arange(len(places.rows)), 1e4
            gradients = np.zeros_like(centers), np.zeros_like(radii)
            push_siblings(places.kids, centers, radii, np.ones(len(radii)), 3, turn, *gradients, 2)
            met[first] |= gradients[1][kids] > 0
    np.fill_diagonal(met, True)
    assert met.all()


def test_the_nodes_of_a_class_are_apart_from_each_other_and_stay_inside_what_holds_the_class():
    names = ["top", "left", "right", "end", "a", "b", "c"]
    dag = Hierarchy(names, [[0, 1], [0, 2], [1, 3], [2, 3], [3, 4], [3, 5], [3, 6]])
    classes = contract(dag)
    balls = Balls(np.array([[0.0, 0], [0.1, 0], [0.1, 0], [0.1, 0.05]]), np.array([1.0, 0.5, 0.2, 1e-6]))
    centers, radii = _expand(classes, balls, seed=0)
    assert np.array_equal(contained(centers, radii), closure_matrix(dag))


def refining_run(dag, dim, seed, radii, by_given=False):
    true = dag.parent_lists if by_given else dag.ancestor_lists()
    wanted = Wanted(true, spanning_forest(dag), np.ones(len(dag), np.int64), by_given)
    centers = np.random.default_rng(seed).normal(size=(len(dag), dim))
    return RefiningRun(wanted, Balls(centers, np.broadcast_to(radii, len(dag)).copy()), 1e-9)


@pytest.mark.parametrize("by_given", [False, True])
@pytest.mark.parametrize(("dim", "seed"), [(1, 0), (2, 1), (4, 2)])
def test_the_count_of_free_balls_equals_brute_force_and_leaves_contain_nothing(dag, dim, seed, by_given):
    run = refining_run(dag, dim, seed, np.random.default_rng(seed).uniform(0.01, 2, len(dag)), by_given)
    counts = run.search(0.2)
    holds = contained(run.centers, run.radii)
    assert not holds[run.is_leaf].any()
    true = np.zeros_like(holds)
    true[tuple(dag.edges.T)] = True
    if not by_given:
        true = closure_matrix(dag)
    wrong = unexplained(holds, dag.edges) if by_given else holds & ~true
    assert (counts.true_positives, counts.false_positives) == ((holds & true).sum(), wrong.sum())
    assert counts.false_positives > 0


def test_weights_count_the_nodes_that_a_ball_stands_for(dag):
    run = refining_run(dag, 2, 0, np.random.default_rng(0).uniform(0.01, 2, len(dag)))
    weights = 1 + np.arange(len(dag)) % 4
    weighted = RefiningRun(Wanted(run.true, run.wanted.forest_parents, weights), Balls(run.centers, run.radii), 1e-9)
    counts, holds, truth = weighted.search(0.0), contained(weighted.centers, weighted.radii), closure_matrix(dag)
    pairs = np.outer(weights, weights)
    assert counts.positives == (pairs * truth).sum()
    assert (counts.true_positives, counts.false_positives) == (
        (pairs * (holds & truth)).sum(),
        (pairs * (holds & ~truth)).sum(),
    )


def test_the_array_of_wrong_pairs_grows(dag):
    run = refining_run(dag, 2, 0, 3.0)
    run._wrong = run._wrong[:1]
    before = run.search(0.0)
    assert len(run._wrong) >= run._found > 1
    assert run.search(0.0) == before


def test_radii_never_fall_below_the_smallest(dag):
    wanted = Wanted(dag.ancestor_lists(), spanning_forest(dag), np.ones(len(dag), np.int64))
    run = RefiningRun(wanted, Balls(np.zeros((len(dag), 2)), np.zeros(len(dag))), 1e-6)
    for _ in range(5):
        run.search(0.1)
        run.step(0.1, 1.0)
    assert run.radii.min() >= 1e-6
    assert run.radii[run.holders].min() >= refining.ABOVE_SMALLEST * 1e-6 * (1 - 1e-12)


def test_an_exact_run_says_so_and_it_is_exact():
    dag = Hierarchy([str(row) for row in range(6)], [[0, 1], [0, 2], [1, 3], [2, 3], [2, 4], [3, 5]])
    classes = contract(dag)
    places = build_skeleton(classes, forest_of(classes))
    run = given_edges.move_nested(
        places, first_shape(places, 3, 0), nested_plan(len(places.rows)), given_edges.FitContext()
    )
    assert run.is_exact
    is_node = places.rows >= 0
    balls = balls_of(places, run.best)
    order = np.argsort(places.rows[is_node])
    holds = contained(balls.centers[is_node][order], balls.radii[is_node][order])
    assert np.array_equal(holds, closure_matrix(dag)[np.ix_(classes.rows, classes.rows)])


def brute_force_counts(run, truth):
    holds = contained(run.centers, run.radii) & ~run.is_leaf[:, None]
    weights = np.outer(run.weights, run.weights)
    return (weights * (holds & truth)).sum(), (weights * (holds & ~truth)).sum()


@pytest.mark.parametrize(("dim", "seed"), [(1, 0), (2, 1), (4, 2), (9, 3)])
def test_a_round_of_jumps_raises_the_gain_by_exact_count_and_counts_as_brute_force(dag, dim, seed):
    drawn = refining_run(dag, dim, seed, np.random.default_rng(seed).uniform(0.05, 2, len(dag)))
    weights = 1 + np.arange(len(dag)) % 3
    wanted = Wanted(drawn.true, drawn.wanted.forest_parents, weights)
    run, truth = RefiningRun(wanted, Balls(drawn.centers, drawn.radii), 1e-9), closure_matrix(dag)
    direct = dag.lineage.parent_lists
    for i in range(3):
        counts, before = run.search(0.0), brute_force_counts(run, truth)
        assert (counts.true_positives, counts.false_positives) == before
        cost = run.best_counts.f1 / (2 - run.best_counts.f1)
        run.jump(run.erring_balls(), direct, flipped_lists(direct), i)
        after = brute_force_counts(run, truth)
        assert after[0] - cost * after[1] > before[0] - cost * before[1]


def test_exactly_the_balls_of_wrong_pairs_err(dag):
    run, truth = refining_run(dag, 3, 5, np.random.default_rng(5).uniform(0.05, 1, len(dag))), closure_matrix(dag)
    run.search(0.1)
    holds = contained(run.centers, run.radii) & ~run.is_leaf[:, None]
    assert run.erring_balls().tolist() == np.unique(np.nonzero(holds != truth)).tolist()


def test_a_ball_jumps_over_what_is_between_it_and_where_it_belongs():
    # "both" is in the cap of "left" alone; between the two caps it belongs to is one that it does not belong to.
    names = ["left", "right", "between", "both", "x", "y", "z"]
    graph = Hierarchy(names, [[0, 3], [1, 3], [0, 4], [1, 5], [2, 6]])
    centers = np.array([[0.0, 0], [1.5, 0], [0.75, 0.45], [-0.5, 0], [-0.6, 0], [2.1, 0], [0.75, 0.5]])
    radii = np.array([1.0, 1.0, 0.5, 1e-4, 1e-4, 1e-4, 1e-4])
    wanted = Wanted(graph.ancestor_lists(), spanning_forest(graph), np.ones(7, np.int64))
    refined = refining.Refined(Balls(centers, radii), None)
    balls, counts = refining.jump_from(wanted, refined, graph.parent_lists, 1e-9, FitContext())
    assert counts.f1 == 1.0
    assert np.array_equal(contained(balls.centers, balls.radii), closure_matrix(graph))


def test_nothing_jumps_where_one_pass_would_compare_too_much(dag, monkeypatch):
    start = refining_run(dag, 3, 5, np.random.default_rng(5).uniform(0.05, 1, len(dag)))
    refined, direct = refining.Refined(Balls(start.centers, start.radii), None), dag.lineage.parent_lists
    jumped = refining.jump_from(start.wanted, refined, direct, 1e-9, FitContext()).counts
    monkeypatch.setattr(refining, "MOST_NEAR_ERRORS", 1_000)
    assert refining.jump_from(start.wanted, refined, direct, 1e-9, FitContext()).counts == start.search(0.0)
    assert jumped.f1 > start.search(0.0).f1 + 0.05
