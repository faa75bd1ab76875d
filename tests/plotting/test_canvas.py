"""Picture files are complete, small and reproducible; matplotlib is imported only when something is drawn."""

import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from PIL import Image

from hypercone.errors import HyperconeError
from hypercone.plotting.canvas import new_figure, pixels, save_figure
from hypercone.plotting.scene import depth_colors, draw_disk, draw_edges, draw_nodes, draw_ring
from hypercone.reproduce.film import write_gif, write_mp4


@pytest.fixture
def figure():
    points = np.array([[0.0, 0.2], [0.4, 0.6], [-0.5, 0.6], [-0.6, 0.7]])
    depths = np.array([0, 1, 1, 2], np.int32)
    figure, (axes,) = new_figure(3, 3)
    draw_disk(axes)
    draw_ring(axes, 0.5)
    draw_edges(axes, points, np.array([[0, 1], [0, 2], [2, 3]], np.int32), depths)
    draw_nodes(axes, points, depths)
    return figure


def test_an_svg_has_unique_ids_short_numbers_and_a_group_of_geodesics_per_depth_below_the_roots(figure, tmp_path):
    (path,) = save_figure(figure, tmp_path / "a.svg")
    nodes = list(ElementTree.parse(path).iter())
    names = [node.get("id") for node in nodes if node.get("id")]
    assert len(set(names)) == len(names)
    numbers = [number for node in nodes for number in (node.get("d") or "").split()]
    assert max(len(number.partition(".")[2]) for number in numbers) <= 2
    curves = [next(iter(node)).get("d") for node in nodes if (node.get("id") or "").startswith("geodesics")]
    assert sorted(curve.count("M") for curve in curves) == [1, 2]
    assert all("C" in curve for curve in curves)


def test_the_pixels_of_a_figure(figure):
    image = pixels(figure, 50)
    assert image.shape == (150, 150, 4)
    assert image[0, 0].tolist() == [255, 255, 255, 255]


def test_colors_go_from_dark_to_light():
    colors = depth_colors(7)
    light = [sum(int(color[digit : digit + 2], 16) for digit in (1, 3, 5)) for color in colors]
    assert len(set(colors)) == 8
    assert light == sorted(light)
    assert depth_colors(0) == ["#440154"]


def test_drawing_is_loaded_only_when_something_is_drawn_and_says_what_to_install():
    code = (
        "import sys, hypercone.plotting; print('matplotlib' in sys.modules, 'PIL' in sys.modules)\n"
        "sys.modules['matplotlib'] = None\n"
        "try: hypercone.plotting.new_figure(1, 1)\n"
        "except hypercone.errors.HyperconeError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    sentence = "pictures need matplotlib, which is not installed; pip install 'hypercone[plot]'"
    assert done.stdout.splitlines() == ["False False", sentence]


def frames(count):
    return [np.full((20, 31, 3), 40 * number, np.uint8) for number in range(count)]


def test_a_gif_has_its_frames_loops_and_pauses_on_the_last(tmp_path):
    with Image.open(write_gif(tmp_path / "a.gif", frames(4), 10)) as film:
        assert (film.n_frames, film.size, film.info["loop"]) == (4, (31, 20), 0)
        assert film.info["duration"] == 100
        film.seek(3)
        assert film.info["duration"] == 3000


def test_an_ffmpeg_that_fails_is_quoted_and_leaves_nothing_behind(tmp_path, monkeypatch):
    program = tmp_path / "bin" / "ffmpeg"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\ncat > /dev/null\necho 'no such encoder' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    message = r"ffmpeg could not write it \(no such encoder\); try a .gif or .html film$"
    with pytest.raises(HyperconeError, match=message):
        write_mp4(tmp_path / "a.mp4", frames(2), 10)
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]
