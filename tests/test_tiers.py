"""Every kernel gives the same bits plain and compiled: in all that the package does, and for extreme values."""

from __future__ import annotations

import itertools
import math
from unittest import mock

import numpy as np
import pytest
from tests.support.hierarchies import random_dag
from tests.support.tiers import Comparison, all_kernels, compare

import hypercone
from hypercone import _jit, evaluation
from hypercone.construction import LEARNERS
from hypercone.construction.layout_kernels import caps_of_balls, points_of_caps
from hypercone.embedding.checks import first_outside
from hypercone.embedding.embedding_kernels import improve_position, points_outwards, rows_within
from hypercone.embedding.placement import ShortlistArrays
from hypercone.errors import HierarchyError
from hypercone.hierarchy import graph
from hypercone.hierarchy.similarity import MEASURES
from hypercone.index import ConeIndex
from hypercone.index.index_kernels import bound, directions_and_norms, halve, reaches
from hypercone.methods import FARTHEST, METHODS, Settings, find_method
from hypercone.methods.generic_kernels import energies_above, energies_below, energies_of_pairs
from hypercone.queries.questions import QUESTIONS, answer

KERNELS = all_kernels()
CONES = ("hyperbolic-cones", "euclidean-cones")
STARTS = {name: [start for start in ("random", "poincare", "euclidean") if start != name] for name in METHODS}
STARTS |= {name: [*STARTS[name], "caps", "nested-caps", "overlapping-caps", *LEARNERS] for name in CONES}
OPTIMIZERS = ("sgd", "sgd-exp", "adagrad")
QUICK = {"epochs": 2, "init_epochs": 2, "negatives": 3, "burn_in": 1}
CYCLES = [("top", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("b", "d"), ("d", "e"), ("e", "d"), ("x", "y"), ("y", "x")]


def compiled_in(is_unrolled):
    """The dimension is a type, as it is for many rows, or an integer; above 32 it is always an integer."""
    return mock.patch.object(_jit, "FEW_ROWS", 0 if is_unrolled else 10**9)


def read_hierarchies(folder):
    """Tables with and without cycles."""
    table = folder / "cycles.tsv"
    table.write_text("".join(f"{parent}\t{child}\n" for parent, child in CYCLES), encoding="utf-8")
    with pytest.raises(HierarchyError):
        hypercone.read(table, direction="parent-child")
    for choice in ("condense", "drop"):
        assert len(hypercone.read(table, direction="parent-child", on_cycle=choice)) > 3


def ask_hierarchy(dag):
    order = graph.Order(graph.top_down_order(dag.names, dag.parent_lists, dag.child_lists), dag.depths)
    assert graph.count_pairs_by_bits(order.rows, dag.parent_lists) == len(dag.closure()) == dag.count_closure()
    backwards = hypercone.Hierarchy(dag.names[::-1], len(dag) - 1 - dag.edges)
    for each in (dag, backwards):
        assert len(each.reduction()) + len(each.redundant_edges()) == len(each.edges)
        for name in each.names[:5]:
            each.ancestors(name), each.descendants(name), each.subtree(name)
        each.lineage.is_above(*each.edges.T), each.summary(), each.split(50)
        for measure in MEASURES:
            each.similarity(each.names[3], each.names[5], measure=measure)
            each.similarity(each.names[3:6], each.names[5], measure=measure)
            each.most_similar(each.names[3], 4, measure=measure)


def ask_embedding(embedding, other):
    names = list(embedding.names[1:6])
    for question, by in itertools.product(QUESTIONS, ("graph", "geometry")):
        wanted = QUESTIONS[question]
        if by in wanted.answered_by:
            answer(embedding, question, names[: max(wanted.least, 3 if wanted.is_open else 0)], by=by)
    for by in ("graph", "geometry"):
        embedding.to_sparse(by=by), embedding.lowest_common_ancestors(names, by=by)
        embedding.descendants(names, by=by), embedding.ancestors(names, by=by)
    embedding.centroid(names), embedding.ancestors_of_point(embedding.points[3]), embedding.nearest(names[0])
    index = ConeIndex(embedding.scorer)
    for rows in (np.arange(5), np.arange(len(embedding))):
        index.ancestors_of_many(rows), index.descendants_of_many(rows)
    for row in range(4):
        index.ancestors(row), index.descendants(row), index.nearest(row, 4)
    embedding.suggest(5), embedding.compare(other)


def evaluate(embedding, dag, split):
    for measure in (evaluation.all_pairs, evaluation.hard_pairs, evaluation.reconstruction):
        measure(embedding, dag)
    evaluation.link_prediction(embedding, split.test)
    for on in evaluation.reference.ON:
        evaluation.baselines(dag, split, on=on)


def grow(embedding):
    grown = embedding.add("new", embedding.names[2], not_under=embedding.names[5])
    grown = grown.add_many({"newer": ["new", embedding.names[3]], "newest": "newer"})
    grown.add("at", point=grown.centroid(["newest", "new"]))


def fits():
    """The settings of fits by name: both constructions, all methods with all optimizers, and all their starts."""
    for method, dim in itertools.product(("nested-caps", "overlapping-caps"), (2, 3, 5, 34)):
        yield f"{method} in {dim} dimensions", {"method": method, "dim": dim}
    for method, dim, optimizer in itertools.product(METHODS, (2, 34), OPTIMIZERS):
        given = {"method": method, "dim": dim, "optimizer": optimizer, "init": "random"}
        yield f"{method} in {dim} dimensions by {optimizer}", given | QUICK
    for method in METHODS:
        for start in STARTS[method]:
            yield f"{method} from {start}", {"method": method, "dim": 5, "init": start} | QUICK


def run_all(comparison, folder):
    """Run everything; calls of kernels are compared. The dimension is a type if it is 5."""
    # Nodes have several parents, so that no forest is exact.
    dag = random_dag(24, seed=3)
    split, fitted = dag.split(50, holdout=0.2), {}
    with comparison.watch("reading"):
        read_hierarchies(folder)
    with comparison.watch("hierarchy"):
        ask_hierarchy(dag)
    for name, given in fits():
        with comparison.watch(name), compiled_in(given["dim"] == 5):
            fitted[given["method"]] = hypercone.fit(dag, **given)
    with comparison.watch("a split"), compiled_in(True):
        hypercone.fit(dag, dim=5, split=split, relatives=1, **QUICK)
    for method in METHODS:
        with comparison.watch(f"questions to {method}"), compiled_in(True):
            ask_embedding(fitted[method], fitted["nested-caps"])
            evaluate(fitted[method], dag, split)
            grow(fitted[method])
    with comparison.watch("elementary functions"):
        # Not all of them are used in arrays.
        numbers = np.linspace(-1, 1, 9)
        for name in KERNELS:
            if name.endswith("_each"):
                more = (0.3,) if name.endswith("power_each") else ()
                _jit.KERNELS[name](np.abs(numbers), *more)


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    comparison = Comparison(calls=3)
    run_all(comparison, tmp_path_factory.mktemp("tables"))
    return comparison


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_gives_the_same_bits_in_both_tiers_in_all_that_the_package_does(compared, name):
    assert compared.compared[name] > 0, "no workload calls it"
    assert compared.found[name] == []


# Where results are infinite, NaN or subnormal, Python raises an exception unless a kernel avoids it.
NUMBERS = [0.0, 5e-324, 1e-310, 1e-200, 1e-30, 1e-9, 0.1, 0.5, 0.9, 1 - 2**-53, 1.0, 1 + 2**-52, 2.0, 1e8, 1e155, 1e200]
NUMBERS += [1.7976931348623157e308, math.inf, math.nan]
NUMBERS = np.array(NUMBERS + [-x for x in NUMBERS])
FINITE = NUMBERS[np.isfinite(NUMBERS)]


def extreme_points(seed, count, dim, numbers=NUMBERS):
    """Points with any mixture of extreme and usual coordinates."""
    random = np.random.default_rng(seed)
    usual = random.uniform(-1, 1, (count, dim)) / np.sqrt(dim)
    return np.where(
        random.random((count, dim)) < random.random((count, 1)), random.choice(numbers, (count, dim)), usual
    )


def all_pairs(count):
    return np.argwhere(~np.eye(count, dtype=bool)).astype(np.int32)


# The widest and narrowest cones, and the closest to the border, that a model may have.
EXTREME_SETTINGS = [Settings(), Settings(alpha=1e6), Settings(K=1e6, border=1e-12)]
EXTREME_SETTINGS += [Settings(K=1e-300), Settings(border=1e-300)]


def points_of_a_model(seed, count, dim, method, settings):
    """Extreme points that an embedding accepts, and usual ones."""
    with np.errstate(all="ignore"):
        points = method.project(extreme_points(seed, count, dim, FINITE[np.abs(FINITE) <= FARTHEST]), settings)
        is_inside = [first_outside(point[None], method.name, settings) is None for point in points]
    return points[is_inside]


@pytest.mark.parametrize("dim", [1, 2, 5, 34])
@pytest.mark.parametrize("name", METHODS)
def test_extreme_points_that_a_model_may_have_give_the_same_bits(name, dim):
    method = find_method(name)
    for seed, settings in enumerate(EXTREME_SETTINGS):
        points, constants = points_of_a_model(seed, 40, dim, method, settings), method.constants(settings)
        assert len(points) > 10, settings
        for kernel, rows in ((energies_of_pairs, all_pairs(len(points))), (energies_below, 3), (energies_above, 3)):
            assert compare(kernel, (points, rows, constants, dim))[1] == [], (kernel.__name__, settings)
        if method.curvature is not None:
            check_index(points, settings.K, method.curvature)
        new = len(points) - 1
        for threshold in (0.0, 1e-9, 3.0):
            found = np.zeros(len(points), np.int32)
            assert compare(rows_within, (points, new, found, threshold, constants, dim))[1] == [], settings
            listed = ShortlistArrays(np.arange(6, dtype=np.int32), np.arange(6, dtype=np.int32) % 3, np.ones(6))
            directions = extreme_points(seed, 6, dim, np.array([0.0, 1.0]))
            given = (points, new, listed, directions, 0.1, constants, threshold, 1e-3, dim)
            assert compare(improve_position, given)[1] == [], settings
        outwards = np.array([0.0, 1e-300, 0.05, 2.0, 1e3])
        assert compare(points_outwards, (points, new, outwards, constants, dim))[1] == [], settings


def check_index(points, K, curvature, threshold=0.1):
    """All kernels that build the index, each with what the one before gives."""
    dim, done = points.shape[1], np.zeros(1, np.int64)
    (directions, norms), found = compare(directions_and_norms, (points, dim))
    assert found == []
    widest, found = compare(reaches, (points, K, threshold, curvature, dim))
    assert found == []
    (rows, begin, end), found = compare(halve, (points, 3, dim, done))
    assert found == []
    assert compare(bound, (directions, norms, widest, rows, begin, end, dim, done))[1] == []


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_balls_of_any_size_and_the_caps_they_project_to_give_the_same_bits(dim):
    for seed in range(20):
        random = np.random.default_rng(seed)
        centers, radii = extreme_points(seed, 20, dim, FINITE), np.abs(random.choice(FINITE, 20))
        for scale in (1.0, *np.abs(random.choice(FINITE, 5))):
            (directions, angles), found = compare(caps_of_balls, (centers, radii, scale))
            assert found == [], (seed, scale)
            # Of caps that are narrower than a half sphere; κ is the sine of an angle.
            angles = np.where(angles < 1.5, angles, 0.1)
            for low in (1e-300, 1e-9, 0.1, 0.5):
                assert compare(points_of_caps, (directions, angles, low))[1] == [], (seed, scale, low)


@pytest.mark.parametrize("name", METHODS)
def test_points_that_no_model_may_have_give_the_same_bits_too(name):
    """The origin as the parent of a cone, points outside the ball, infinity and NaN."""
    method, constants = find_method(name), find_method(name).constants(Settings())
    for seed in range(10):
        points = extreme_points(seed, 20, 2)
        assert compare(energies_of_pairs, (points, all_pairs(20), constants, 2))[1] == [], seed
        if method.curvature is not None:
            check_index(points, 0.1, method.curvature)


def test_caps_that_no_construction_has_give_the_same_bits_too():
    for seed in range(10):
        random = np.random.default_rng(seed)
        directions, angles = extreme_points(seed, 20, 3), random.choice(NUMBERS, 20)
        for low in random.choice(NUMBERS, 5):
            assert compare(points_of_caps, (directions, angles, low))[1] == [], (seed, low)
            assert compare(caps_of_balls, (directions, angles, low))[1] == [], (seed, low)


def test_elementary_functions_of_extreme_numbers_have_the_same_bits():
    for name in KERNELS:
        kernel, sizes = _jit.KERNELS[name], np.abs(NUMBERS)
        if name.endswith("power_each"):
            for exponent in NUMBERS.tolist():
                assert compare(kernel, (sizes, exponent))[1] == [], exponent
        elif name.endswith("_each"):
            assert compare(kernel, (NUMBERS,))[1] == [], name
