"""The paper's figures and the film: complete files, exact geometry, and the documented settings."""

import base64
import itertools
import json
import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise, product

import numpy as np
import pytest
from PIL import Image

from hypercone import Hierarchy, fit, load_dataset
from hypercone.errors import HyperconeError, InputError
from hypercone.geometry import cones, hyperboloid
from hypercone.geometry.manifold_cones import BALL, EUCLIDEAN, HYPERBOLOID
from hypercone.reproduce import figures, film
from hypercone.training import FitConfig

SMALL_TREE = figures.uniform_tree("tree-3-3")
BATS = load_dataset("wordnet-mammals").subtree("bat.n.01")
QUICK = tuple(
    {**settings, "epochs": 20} | ({"init_epochs": 20} if "init" in settings else {})
    for settings in (figures.POINCARE, figures.CONES)
)


def draw_small_figure3(folder):
    return figures.draw_figure3(folder, tree=lambda: SMALL_TREE, animals=lambda: BATS, settings=QUICK)


@pytest.fixture(scope="module")
def small_figure3(tmp_path_factory):
    return draw_small_figure3(tmp_path_factory.mktemp("figure3"))


def curves_in(path, name):
    """How many curves the groups of that name have together; tests of arcs check their geometry."""
    groups = [one for one in ElementTree.parse(path).iter() if (one.get("id") or "").startswith(f"{name}-")]
    return sum(next(iter(group)).get("d", "").count("M") for group in groups)


def words_in(path):
    return re.findall(r"<!-- (.*?) -->", path.read_text(encoding="utf-8"), re.DOTALL)


class TestFigure1:
    def test_it_is_written_as_svg_and_png_with_the_three_manifolds(self, tmp_path):
        svg, png = figures.draw_figure1(tmp_path)
        assert (svg.name, png.name) == ("figure1.svg", "figure1.png")
        with Image.open(png) as picture:
            assert picture.width > 1200
        assert png.stat().st_size < 300_000
        words = " ".join(words_in(svg))
        assert all(name in words for name in ("Euclidean space", "The hyperboloid", "The Poincaré ball"))

    @pytest.mark.parametrize("manifold", [BALL, EUCLIDEAN, HYPERBOLOID], ids=["ball", "euclidean", "hyperboloid"])
    def test_what_is_drawn_is_the_cone_and_its_image_and_the_path_between_two_points_of_it_stays_inside(self, manifold):
        is_lifted = manifold == HYPERBOLOID
        apex = hyperboloid.to_hyperboloid(figures.APEX) if is_lifted else figures.APEX
        axis = hyperboloid.spoke(apex) if is_lifted else apex
        aside = np.array([-figures.APEX[1], figures.APEX[0]])
        aside = hyperboloid.push_forward(figures.APEX, aside) if is_lifted else aside
        carried = figures.carry_cone(manifold, apex, axis, aside)
        back = manifold.log_map(apex, carried.image)
        np.testing.assert_allclose(apex + back, carried.tangent, rtol=0, atol=1e-12)
        reach, angles = manifold.length(apex, back), manifold.angle(apex, back, axis)
        assert reach.max() == pytest.approx(figures.REACH)
        assert angles[reach > 0].max() == pytest.approx(figures.HALF_ANGLE)
        start, end = carried.ends
        path = manifold.exp_map(start, np.linspace(0, 1, 40)[:, None] * manifold.log_map(start, end))
        assert manifold.angle(apex, manifold.log_map(apex, path), axis).max() < figures.HALF_ANGLE


class TestFigure2:
    def test_it_is_written_as_svg_and_png_with_the_norm_and_the_half_aperture_of_every_cone(self, tmp_path):
        svg, png = figures.draw_figure2(tmp_path)
        assert (svg.name, png.name) == ("figure2.svg", "figure2.png")
        with Image.open(png) as picture:
            assert picture.width > 1200
        assert png.stat().st_size < 600_000
        words = words_in(svg)
        for norm in figures.NORMS:
            assert f"{norm:.1f}" in words
            assert f"{np.degrees(cones.half_aperture([norm, 0.0], figures.K)):.1f}°" in words
        assert curves_in(svg, "cone") == len(figures.NORMS) + len(figures.NESTED) + 2

    def test_cones_on_the_left_are_disjoint_and_those_on_the_right_nested_like_their_names(self):
        apexes = figures.fan_of_apexes(figures.NORMS)
        for a, b in product(apexes, apexes):
            assert (a is b) == bool(cones.contains(a, b, figures.K))
        places = dict(figures.nested_apexes())
        for apex in figures.NESTED:
            energy = float(cones.signed_energy(places[apex.parent], places[apex.name], figures.K))
            # The upper ones are on the border.
            assert abs(energy) < 1e-9 if apex.name.startswith("A") else energy < -1e-3
            assert cones.signed_energy(places[apex.name[0]], places[apex.name], figures.K) < 1e-9
        for one, other in pairwise(figures.NESTED):
            if one.parent == other.parent:
                assert not cones.contains(places[one.name], places[other.name], figures.K)


class TestFigure3:
    def test_the_hierarchies_are_those_of_the_paper(self):
        mammals = figures.mammals()
        assert (len(mammals), len(mammals.closure())) == (1165, 4230)
        assert not set(figures.TOP_TWO) & set(mammals.names)
        tree = figures.uniform_tree()
        assert (len(tree), len(tree.root_rows), int(tree.depths.max())) == (3 * (3**7 - 1) // 2, 3, 6)

    def test_the_settings_are_valid_and_used_and_cones_learn_a_small_tree_in_the_plane(self):
        for settings in (figures.POINCARE, figures.CONES):
            used = FitConfig.from_dict(dict(settings)).as_dict()
            assert used.items() >= settings.items()
        panel = figures.make_panel(SMALL_TREE, QUICK[1], seed=3)
        assert panel.embedding.record["config"].items() >= (QUICK[1] | {"seed": 3}).items()
        panel = figures.make_panel(SMALL_TREE, {**figures.CONES, "epochs": 100, "init_epochs": 500}, seed=0)
        assert panel.quality.f1 > 0.95

    def test_poincare_embeddings_crowd_the_border_and_cones_do_not(self):
        """Of the 363 nodes of a tree, nearly all are beyond the norm 0.95 on the left, and none on the right."""
        tree, shares = figures.uniform_tree("tree-3-5"), []
        for settings in QUICK:
            norms = np.linalg.norm(fit(tree, seed=0, **(settings | {"epochs": 40})).points, axis=1)
            shares.append(np.mean(norms > 0.95))
        assert shares[0] > 0.9
        assert shares[1] == 0

    def test_it_is_written_as_svg_and_png_with_a_caption_and_every_direct_edge(self, small_figure3):
        svg, png = small_figure3
        assert (svg.name, png.name) == ("figure3.svg", "figure3.png")
        words = " ".join(words_in(svg))
        assert words.count("F1 over all pairs") == 4
        assert f"{len(SMALL_TREE):,} nodes and {len(SMALL_TREE.closure()):,} relations" in words
        assert f"{len(BATS):,} nodes and {len(BATS.closure()):,} relations" in words
        assert svg.read_text("utf-8").count('id="label-') == 2
        assert curves_in(svg, "geodesics") == 2 * (len(SMALL_TREE.reduction()) + len(BATS.reduction()))

    def test_the_same_seed_draws_the_same_picture(self, small_figure3, tmp_path):
        for one, other in zip(small_figure3, draw_small_figure3(tmp_path), strict=True):
            assert one.read_bytes() == other.read_bytes()

    def test_the_quality_is_computed_over_all_ordered_pairs(self):
        panel = figures.make_panel(BATS, QUICK[1], seed=0)
        points, count = panel.embedding.points, len(BATS)
        energies = cones.energy(points[:, None], points[None], panel.embedding.settings.K)
        is_true = np.zeros((count, count), bool)
        is_true[tuple(BATS.closure().T)] = True
        off_diagonal = ~np.eye(count, dtype=bool)
        best = 0.0
        for threshold in np.unique(energies[is_true]):
            called = (energies <= threshold + 1e-12) & off_diagonal
            best = max(best, 2 * (called & is_true).sum() / (called.sum() + is_true.sum()))
        assert panel.quality.f1 == pytest.approx(best, abs=1e-6)


class TestFilm:
    def moments(self, frames=10):
        return film.record(BATS, QUICK[1], seed=0, frames=frames)

    def test_it_ends_with_the_points_of_the_fit_and_shows_both_stages(self):
        moments = self.moments()
        np.testing.assert_array_equal(moments[-1].points, fit(BATS, seed=0, **QUICK[1]).points)
        captions = {moment.caption().split(",")[0] for moment in moments}
        assert captions == {"Poincaré embeddings", "Hyperbolic entailment cones"}
        assert moments[0].visits < moments[0].edges / 10
        assert len({moment.points.tobytes() for moment in moments}) == len(moments)

    def test_nodes_move_about_equally_far_between_frames(self):
        """By epochs, half of the way would lie between the first two frames of the cones."""
        moments = [moment for moment in self.moments(24) if moment.method == "hyperbolic-cones"]
        ways = [np.linalg.norm(b.points - a.points, axis=1).mean() for a, b in itertools.pairwise(moments)]
        assert len(ways) >= 6
        assert max(ways) < 0.4 * sum(ways)

    def test_the_page_is_self_contained_and_contains_the_points_of_every_frame(self, tmp_path):
        moments = self.moments(6)
        page = film.make_film(tmp_path / "film.html", hierarchy=BATS, settings=QUICK[1], frames=6).read_text("utf-8")
        assert film.DATA not in page
        for reference in ("http:", "https:", "//cdn", "src=", "<link", "@import", "fetch(", "import("):
            assert reference not in page
        data = json.loads(re.search(r"const film = (\{.*\});", page)[1])
        steps = np.frombuffer(base64.b64decode(data["points"]), "<i2").reshape(len(moments), len(BATS), 2)
        np.testing.assert_allclose(steps[-1] / film.STEPS, moments[-1].points, atol=1 / film.STEPS)
        edges = np.frombuffer(base64.b64decode(data["edges"]), "<i4").reshape(-1, 2)
        np.testing.assert_array_equal(edges, BATS.reduction())
        assert len(data["captions"]) == len(data["losses"]) == len(moments)
        assert [0, "bat"] in data["labels"]

    def test_a_name_cannot_end_the_script(self, tmp_path):
        nasty = Hierarchy.from_pairs([("bat.</script><b>", "horse.</script>")])
        moments = film.record(nasty, QUICK[1], seed=0, frames=4)
        page = film.write_html(tmp_path / "film.html", nasty, moments).read_text(encoding="utf-8")
        assert page.count("</script>") == 1

    def test_a_gif_shows_every_moment(self, tmp_path):
        path = film.make_film(tmp_path / "film.gif", hierarchy=BATS, settings=QUICK[1], frames=6)
        with Image.open(path) as picture:
            assert picture.n_frames == len(self.moments(6))
            assert picture.size == (480, 504)

    @pytest.mark.parametrize(
        ("name", "frames", "message"),
        [
            # Before anything is trained.
            ("film.mp4", 60, "film.mp4: an MP4 needs ffmpeg"),
            ("film", 60, "film: is not a film format; end it in .html, .gif or .mp4$"),
            ("film.avi", 60, "film.avi: is not a film format; end it in .html, .gif or .mp4$"),
            ("film.html", 1, "frames is 1, but a film needs at least 2$"),
        ],
    )
    def test_a_film_that_cannot_be_made_is_refused(self, name, frames, message, tmp_path, monkeypatch):
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(HyperconeError if name.endswith("mp4") else InputError, match=f"^{message}"):
            film.make_film(tmp_path / name, frames=frames)

    @pytest.mark.parametrize(("edges", "total", "count"), [(1, 5, 5), (20, 20, 1), (20, 80, 4), (1000, 10**6, 60)])
    def test_the_last_visit_is_always_shown_and_steps_are_equal_factors(self, edges, total, count):
        shown = film.shown_visits(edges, total, count)
        assert max(shown) == total
        assert min(shown) >= 1
        assert len(shown) <= count
        if count == 60:
            factors = np.divide(shown[1:], shown[:-1])
            assert factors.max() / factors.min() < 1.1
