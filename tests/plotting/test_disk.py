"""The picture of the disk shows true cones (also after a move), names that do not overlap, and a caption."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.hierarchies import chain, forest_of
from tests.support.pictures import ANIMALS, drawn, filled, overlap

from hypercone.data import load_dataset
from hypercone.errors import InputError
from hypercone.geometry import cones
from hypercone.hierarchy import Hierarchy
from hypercone.methods import Settings
from hypercone.plotting.arcs import view_from
from hypercone.plotting.canvas import DARK, THEMES, new_figure, save_figure
from hypercone.plotting.labels import draw_labels, place_labels, spread
from hypercone.plotting.plot import DiskStyle, disk_picture
from hypercone.plotting.scene import draw_disk, make_scene
from hypercone.plotting.views import planar_view

BIRDS = Hierarchy.from_pairs(
    [("bird", "owl"), ("bird", "gull"), ("gull", "herring gull"), ("owl", "barn owl"), ("fish", "eel")]
)


@pytest.fixture(scope="module")
def mammals():
    return load_dataset("wordnet-mammals")


def scene_of(hierarchy, center=None, dim=5, **options):
    view = planar_view(np.zeros((len(hierarchy), dim)), "hyperbolic-cones", Settings(), hierarchy)
    return make_scene(view, hierarchy, None if center is None else hierarchy.row(center), **options)


def disk(hierarchy, center=None, dim=5, **style):
    return disk_picture(scene_of(hierarchy, center, dim), hierarchy.display_name, DiskStyle(**style))


def names_in(figure):
    return [text.get_text() for what in ("label", "name") for text in drawn(figure.axes[0], what)]


def no_two_overlap(boxes):
    return not any(overlap(a, b) for row, a in enumerate(boxes) for b in boxes[:row])


@pytest.mark.parametrize("center", [None, "dog.n.01"])
@pytest.mark.parametrize("shaded", ["dog.n.01", "carnivore.n.01", "whale.n.02"])
def test_the_shaded_region_holds_exactly_the_nodes_of_energy_zero_also_seen_from_a_node(mammals, center, shaded):
    scene, row = scene_of(mammals, center), mammals.row(shaded)
    figure = disk_picture(scene, mammals.display_name, DiskStyle(cones=[row], labels=0))
    (wedge,) = drawn(figure.axes[0], "cone")
    energies = cones.energy(scene.view.points[row], scene.view.points, scene.view.K)
    inside = filled(wedge.get_path(), scene.points, scale=1e6)
    others = np.arange(len(mammals)) != row
    np.testing.assert_array_equal(inside[others], (energies <= 0)[others])
    assert 1 < (energies <= 0).sum() < len(mammals)
    np.testing.assert_array_equal(scene.points, view_from(scene.center, scene.view.points))
    if center:
        np.testing.assert_allclose(scene.points[mammals.row(center)], 0, atol=1e-12)
    assert not scene_of(mammals, moved=False).is_moved


@pytest.mark.parametrize(("labels", "center"), [(None, None), (60, None), (25, "dog.n.01")])
def test_names_do_not_overlap(mammals, labels, center):
    figure = disk(mammals, center, labels=labels)
    labels = drawn(figure.axes[0], "label")
    assert len(labels) >= 20
    assert no_two_overlap([text.get_window_extent(figure.canvas.get_renderer()).extents for text in labels])


def test_a_small_hierarchy_has_every_name_and_its_leaves_around_the_rim():
    figure = disk(BIRDS)
    assert sorted(names_in(figure)) == sorted(BIRDS.names)
    around = drawn(figure.axes[0], "name")
    assert {text.get_text() for text in around} == {"herring gull", "barn owl", "eel"}
    width, height = figure.canvas.get_width_height()
    for text in (*around, *drawn(figure.axes[0], "label")):
        left, bottom, right, top = text.get_window_extent().extents
        assert 0 <= left < right <= width
        assert 0 <= bottom < top <= height


@pytest.mark.parametrize("shaded", ["bird", "cat", "dog", "fish", "mammal", "pelican"])
def test_names_around_the_rim_are_at_exactly_the_cones_that_contain_their_leaves(shaded):
    row = ANIMALS.row(shaded)
    figure = disk(ANIMALS, cones=[row])
    (wedge,) = drawn(figure.axes[0], "cone")
    below = {ANIMALS.names[child] for child in ANIMALS.descendants_of(row)}
    names = drawn(figure.axes[0], "name")
    for text, leader in zip(names, drawn(figure.axes[0], "leader"), strict=True):
        spot = np.array(text.get_position())
        on_rim = 0.9999 * spot[None] / np.linalg.norm(spot)
        assert filled(wedge.get_path(), on_rim, scale=1e6)[0] == (text.get_text() in below)
        # The line except its ends, which are the dot and points on and outside the rim.
        assert filled(wedge.get_path(), leader.get_xydata()[1:-2], scale=1e6).all() == (text.get_text() in below)
    assert len(names) == 9


def test_names_around_the_rim_do_not_touch_and_long_ones_fit():
    words = Hierarchy.from_pairs([("root", f"{'long ' * (i % 5)}name {i}") for i in range(100)])
    figure = disk(words)
    names = drawn(figure.axes[0], "name")
    assert len(names) == 100
    angles = np.sort([np.arctan2(*text.get_position()[::-1]) for text in names])
    gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi))
    pixels = figure.axes[0].transData.transform([[0, 0], [1, 0]])
    radius = (pixels[1] - pixels[0])[0] * 72 / figure.dpi
    # A line of 8.5 points needs that much of the rim.
    assert gaps.min() * 1.045 * radius > 8.5
    width, _ = figure.canvas.get_width_height()
    assert all(box[0] >= 0 and box[2] <= width for box in (text.get_window_extent().extents for text in names))


def test_a_long_chain_gets_only_some_names_and_a_legend_of_its_depths():
    figure = disk(chain(1500), color="depth", theme=DARK)
    assert 1 < len(names_in(figure)) < 60
    assert not drawn(figure.axes[0], "cone")
    assert [text.get_text() for text in figure.axes[1].texts] == ["depth 0", "1499"]
    (legend,) = figure.axes[1].collections
    assert len(legend.get_offsets()) == 21


def test_the_caption_names_the_view_and_what_was_done_and_only_the_given_names_are_written(mammals):
    rows = [mammals.row(name) for name in ("dog.n.01", "cat.n.01")]
    figure = disk(mammals, "dog.n.01", dim=10, cones=rows)
    (caption,) = figure.texts
    assert caption.get_text() == (
        "View: a 2-D construction of the same hierarchy; the model itself has 10 dimensions.\n"
        "Shaded: the cones of dog, cat. Seen from dog; + is the origin."
    )
    (cross,) = drawn(figure.axes[0], "origin")
    center = scene_of(mammals, "dog.n.01").center
    np.testing.assert_allclose(np.ravel(cross.get_data()), view_from(center, [0.0, 0.0]))
    figure = disk(mammals, cones=[], labels=rows)
    assert names_in(figure) == ["dog", "cat"]
    assert not drawn(figure.axes[0], "cone")


def test_edges_are_geodesics_in_the_color_of_their_branch(mammals):
    paths = drawn(disk(mammals, labels=0).axes[0], "geodesics")
    assert sum((path.get_path().codes == 1).sum() for path in paths) > 0.9 * len(mammals)
    assert len({path.get_edgecolor()[:3] for path in paths}) == 13


def test_a_few_roots_have_a_color_each_for_all_below_them():
    pairs = [(f"root {r}", f"child {r} {c}") for r in range(5) for c in range(3 + r)]
    forest = Hierarchy.from_pairs([*pairs, ("child 0 0", "grandchild"), ("grandchild", "last")])
    branch = scene_of(forest).branch
    for child in range(len(forest)):
        above = [row for row in forest.ancestors_of(child) if row in forest.root_rows] or [child]
        assert branch[child] == branch[above[0]]
    assert [branch[forest.row(f"root {r}")] for r in (4, 3, 2, 1, 0)] == [0, 1, 3, 4, 2]


def test_without_edges_there_are_dots_and_names_by_radius():
    points = np.random.default_rng(0).uniform(-0.6, 0.6, (300, 2))
    view = planar_view(points, "poincare", Settings())
    figure = disk_picture(make_scene(view, None), str, DiskStyle(labels=3))
    first = np.argsort(np.linalg.norm(points, axis=1))[:3]
    assert names_in(figure) == [str(row) for row in first]
    assert not drawn(figure.axes[0], "geodesics")
    with pytest.raises(InputError, match="this view has no cones"):
        disk_picture(make_scene(view, None), str, DiskStyle(cones=[0]))


def test_names_of_any_letters_and_one_node_alone_are_drawn_as_they_are(tmp_path):
    strange = Hierarchy.from_pairs([("猫", "$x$"), ("猫", "a_{b}"), ("猫", "100 %"), ("猫", "<b>&amp;")])
    figure = disk(strange)
    assert set(names_in(figure)) == set(strange.names)
    (path,) = save_figure(figure, tmp_path / "a.svg")
    ElementTree.parse(path)
    assert names_in(disk(Hierarchy(["alone"], np.empty((0, 2), np.int32)))) == ["alone"]


def test_a_wide_forest_keeps_its_file_small(tmp_path):
    random = np.random.default_rng(0)
    big = forest_of([-1, *(random.integers(max(0, i - 2000), i) for i in range(1, 8_000))])
    (path,) = save_figure(disk(big), tmp_path / "big.svg")
    assert path.stat().st_size < 6_000_000
    assert "<image" in path.read_text(), "the dots are pixels"
    assert len(re.findall("<use", path.read_text())) < 5_000


RED_GREEN_BLUE = np.array([0.2126, 0.7152, 0.0722])


def parts_of(color):
    return np.array([int(color[digit : digit + 2], 16) / 255 for digit in (1, 3, 5)])


def luminance(color):
    """The relative luminance by the accessibility guidelines WCAG 2."""
    parts = parts_of(color)
    return RED_GREEN_BLUE @ np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def test_the_colors_of_branches_differ_and_contrast_with_the_disk_as_all_depths_with_the_dark_background():
    for theme in THEMES.values():
        assert len(set(theme.branches)) == 12
        for color in (*theme.branches, theme.ink, theme.faint):
            assert abs(RED_GREEN_BLUE @ (parts_of(color) - parts_of(theme.disk))) > 60 / 255
    behind = max(luminance(DARK.disk), luminance(DARK.background))
    assert min((luminance(color) + 0.05) / (behind + 0.05) for color in DARK.depths) > 4.5


BOUNDS = np.array([0.0, 0.0, 400.0, 300.0])


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32), st.integers(0, 40))
def test_placed_labels_never_overlap_nor_leave_the_bounds(seed, count):
    random = np.random.default_rng(seed)
    anchors = random.uniform(0, 1, (count, 2)) * BOUNDS[2:]
    sizes = random.uniform((10, 8), (90, 14), (count, 2))
    placed = place_labels(anchors, sizes, anchors, BOUNDS)
    boxes = [np.concatenate([c - s / 2, c + s / 2]) for c, s in zip(placed, sizes, strict=True) if not np.isnan(c[0])]
    assert no_two_overlap(boxes)
    for box in boxes:
        assert (box[:2] >= BOUNDS[:2]).all()
        assert (box[2:] <= BOUNDS[2:]).all()


def test_a_label_covers_as_few_dots_as_possible():
    anchor = np.array([[200.0, 150.0]])
    crowd = np.array([[220.0, 150.0]] * 5)
    (center,) = place_labels(anchor, np.array([[60.0, 10.0]]), crowd, BOUNDS)
    assert center[0] < 200


def test_a_label_that_does_not_fit_is_nan_and_not_drawn():
    crowded = np.full((3, 2), 20.0)
    placed = place_labels(crowded, np.full((3, 2), 30.0), np.empty((0, 2)), np.array([0.0, 0.0, 70.0, 40.0]))
    assert np.isnan(placed).any()
    _, (axes,) = new_figure(0.5, 0.5)
    draw_disk(axes)
    assert draw_labels(axes, np.zeros((1, 2)), ["much too long for so small a picture"]) == []


def test_crowded_names_stand_away_from_their_dots_and_a_line_leads_to_them():
    _, (axes,) = new_figure(5, 5)
    draw_disk(axes)
    points = 0.3 * np.random.default_rng(5).uniform(-1, 1, (25, 2))
    assert draw_labels(axes, points[:0], [], dots=points[:0]) == []
    assert len(draw_labels(axes, points, [f"name {row}" for row in range(25)], dots=points)) == 25
    assert axes.lines


@settings(deadline=None)
@given(st.lists(st.floats(-np.pi, np.pi), min_size=1, max_size=30).map(np.array), st.floats(0.01, 1.0))
def test_angles_are_a_gap_apart_and_keep_their_order_around(given_angles, part):
    gap = part * 2 * np.pi / len(given_angles)
    placed = spread(given_angles, gap)
    around = np.sort(placed % (2 * np.pi))
    assert np.diff(around, append=around[0] + 2 * np.pi).min() > gap - 1e-9
    # One turn from the first in the old order passes all in that order.
    order = np.argsort(given_angles, kind="stable")
    steps = np.diff(placed[order], append=placed[order[0]]) % (2 * np.pi)
    assert steps.sum() == pytest.approx(2 * np.pi if len(order) > 1 else 0)


def test_angles_far_enough_apart_stay_and_a_crowd_across_the_cut_is_moved_to_both_sides_alike():
    wide = np.array([3.0, -3.0, 0.2, 1.0])
    np.testing.assert_array_equal(spread(wide, 0.2), wide)
    crowd = np.array([np.pi - 0.01, -np.pi + 0.01])
    np.testing.assert_allclose(spread(crowd, 0.2), [np.pi - 0.1, -np.pi + 0.1])
