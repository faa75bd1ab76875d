"""What nobody could see is left out, and what matters is named."""

import numpy as np
import pytest

from hypercone.data import load_dataset
from hypercone.hierarchy import Hierarchy
from hypercone.plotting.scene import MOST_EDGES, RESOLUTION, SHORTEST, dots_to_draw, edges_to_draw
from hypercone.plotting.views import LONGEST_NAME, branches, display_name, nodes_below, rows_by_importance


@pytest.fixture(scope="module")
def mammals():
    return load_dataset("wordnet-mammals")


def test_every_edge_left_out_is_short_or_lies_on_one_that_is_drawn():
    random = np.random.default_rng(0)
    points, scale = random.uniform(-0.7, 0.7, (60, 2)), 12.0
    edges = random.integers(0, 60, (900, 2)).astype(np.int32)
    drawn = edges_to_draw(points, edges, np.zeros(60, np.int32), scale)
    assert len(drawn) < len(edges)
    lines = points[drawn].reshape(-1, 4) * scale
    for line in points[edges].reshape(-1, 4) * scale:
        if np.linalg.norm(line[2:] - line[:2]) > SHORTEST:
            assert np.abs(lines - line).max(axis=1).min() <= RESOLUTION
    kept = drawn.tolist()
    assert len(set(map(tuple, kept))) == len(kept)


def test_of_dots_on_one_spot_the_heaviest_is_drawn():
    points = np.zeros((5, 2))
    assert dots_to_draw(points, np.array([3, 1, 9, 2, 9]), 500.0).tolist() == [2]


def test_points_far_apart_are_all_drawn():
    points = np.stack(np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-1, 1, 9)), axis=-1).reshape(-1, 2)
    assert sorted(dots_to_draw(points, np.arange(81), 100.0).tolist()) == list(range(81))


def test_nothing_at_all_is_fine():
    nothing = np.empty((0, 2), np.int32)
    assert len(edges_to_draw(np.zeros((1, 2)), nothing, np.zeros(1, np.int32), 100.0)) == 0
    assert len(dots_to_draw(np.empty((0, 2)), np.empty(0, np.int32), 100.0)) == 0


def test_a_picture_never_holds_more_edges_than_a_file_can_bear():
    random = np.random.default_rng(0)
    edges = random.integers(0, 50_000, (60_000, 2)).astype(np.int32)
    points = random.uniform(-1, 1, (50_000, 2))
    assert len(edges_to_draw(points, edges, np.zeros(50_000, np.int32), 1000.0)) == MOST_EDGES


def test_nodes_below_a_tree_are_its_descendants():
    tree = load_dataset("tree-3-5")
    assert nodes_below(tree).tolist() == [len(tree.descendants_of(row)) for row in range(len(tree))]


def test_no_node_of_several_parents_is_counted_twice(mammals):
    assert nodes_below(mammals)[mammals.root_rows].sum() == len(mammals) - len(mammals.root_rows)


def test_the_first_names_are_no_line_of_single_children(mammals):
    below = nodes_below(mammals)
    first = rows_by_importance(mammals, below, np.zeros((len(mammals), 2)))[:20]
    names = {mammals.names[row] for row in first}
    assert {"mammal.n.01", "carnivore.n.01", "rodent.n.01", "dog.n.01"} <= names
    # Of the canines nearly all are dogs.
    assert "canine.n.02" not in names


def test_names_in_the_middle_come_before_those_at_the_rim():
    star = Hierarchy(["root", "near", "far"], [[0, 1], [0, 2]])
    points = np.array([[0.0, 0.0], [0.2, 0.0], [0.9, 0.0]])
    assert rows_by_importance(star, nodes_below(star), points).tolist() == [0, 1, 2]
    assert rows_by_importance(star, nodes_below(star), points[[0, 2, 1]]).tolist() == [0, 2, 1]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("dog.n.01", "dog"),
        ("even-toed_ungulate.n.01", "even-toed ungulate"),
        ("snake_case", "snake_case"),
        ("Dr. No.", "Dr. No."),
        ("Abnormality of the cardiovascular system", "Abnormality of the cardiovascular system"),
        ("x" * 50 + "y" * 50, "x" * (LONGEST_NAME // 2 - 1) + "…" + "y" * (LONGEST_NAME // 2)),
    ],
)
def test_names_are_written_as_people_do(name, written):
    assert display_name(name) == written


def test_branches_do_not_overlap_and_hold_nearly_all(mammals):
    found = branches(mammals)
    assert found.max() < 12
    assert (found >= 0).mean() > 0.8
    for branch in range(found.max() + 1):
        rows = np.flatnonzero(found == branch)
        tops = [row for row in rows if not np.isin(mammals.ancestors_of(int(row)), rows).any()]
        assert len(tops) == 1
