"""A film of training in the plane, as an HTML page, an animated GIF or an MP4."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone._files import new_file
from hypercone.errors import HyperconeError, InputError
from hypercone.hierarchy import Hierarchy
from hypercone.methods import Points
from hypercone.plotting.arcs import Floats
from hypercone.plotting.canvas import INK, extra_module, new_figure, pixels
from hypercone.plotting.scene import depth_colors, draw_disk, draw_edges, draw_nodes
from hypercone.progress import track_progress
from hypercone.reproduce.figures import CONES, TITLES, mammals, named_rows, word_of
from hypercone.training import FitConfig, rescaled_start
from hypercone.training.loop import Stage
from hypercone.training.sampling import prepare
from hypercone.training.start import pretraining_config, random_points

FRAMES = 120
FRAME_RATE = 12.0
# Coordinates in (−1, 1) are stored as 16-bit integers; half a step is a hundredth of a pixel.
STEPS = 32767
DATA = "/*FILM*/ null"


@dataclass(frozen=True)
class Moment:
    """The points after so many visits of an edge, with the method and the loss; an epoch visits every edge once."""

    method: str
    visits: int
    edges: int
    loss: float
    points: Floats

    def caption(self) -> str:
        """The caption above the picture.

        >>> Moment("poincare", 3000, 2000, 1.0, np.zeros((1, 2))).caption()
        'Poincaré embeddings, 3,000 visits (1.5 epochs)'
        """
        return f"{TITLES[self.method]}, {self.visits:,} visits ({self.visits / self.edges:.3g} epochs)"


def make_film(
    path: Path,
    seed: int = 0,
    *,
    hierarchy: Hierarchy | None = None,
    settings: Mapping[str, Any] = CONES,
    frames: int = FRAMES,
) -> Path:
    """Train in the plane and write a film of it, by default of the mammals of WordNet.

    The ending of the path selects the format: ``.html`` is a self-contained page with a slider, ``.gif`` needs Pillow,
    and ``.mp4`` needs ffmpeg.
    """
    path = Path(path)
    write = _writer(path)
    if frames < 2:
        raise InputError(f"frames is {frames}, but a film needs at least 2")
    hierarchy = hierarchy or mammals()
    return write(path, hierarchy, record(hierarchy, settings, seed, frames))


def _writer(path: Path) -> Callable[[Path, Hierarchy, Sequence[Moment]], Path]:
    """The function for a path's ending; its dependencies are checked before the training."""
    writers = {".html": write_html, ".gif": _write_gif, ".mp4": _write_mp4}
    ending = path.suffix.lower()
    if ending not in writers:
        raise InputError(f"{path.name}: is not a film format; end it in .html, .gif or .mp4")
    if ending != ".html":
        extra_module("matplotlib")
        extra_module("PIL")
    if ending == ".mp4":
        find_ffmpeg(path)
    return writers[ending]


def record(hierarchy: Hierarchy, settings: Mapping[str, Any], seed: int, frames: int) -> list[Moment]:
    """The moments of a fit for a film of so many frames, half of them from each stage."""
    data = prepare(hierarchy, FitConfig(seed=seed, **settings), None)
    edges, known, config = data
    pretraining = pretraining_config(config)
    first = _watch(Stage(pretraining, edges, known), random_points(len(hierarchy), pretraining), frames // 2)
    start = rescaled_start(first[-1].points, config)
    return [*first, *_watch(Stage(config, edges, known), start, frames - frames // 2)]


def _watch(stage: Stage, points: Points, frames: int) -> list[Moment]:
    """At most so many moments of one stage, between which the nodes move equally far.

    By epochs, most frames would show nothing: cones have learned most before the second one, while Poincaré embeddings
    hardly move until burn-in ends.
    """
    edges, method = len(stage.edges), stage.config.method
    visits = shown_visits(edges, stage.total * edges, SEEN_PER_FRAME * frames)
    watched = track_progress(stage.moments(points, visits), TITLES[method], len(visits))
    moments = [Moment(method, visits, edges, loss, points.copy()) for visits, loss, points in watched]
    return [moments[chosen] for chosen in evenly_moved([moment.points for moment in moments], frames)]


def evenly_moved(points: Sequence[Points], count: int) -> list[int]:
    """At most ``count`` of these arrays, the first and the last among them, with equal ways of the nodes between.

    >>> evenly_moved([np.full((1, 2), x) for x in (0.0, 0.0, 0.1, 0.5, 0.9, 1.0, 1.0)], 3)
    [0, 3, 6]
    """
    ways = [float(np.linalg.norm(after - before, axis=1).mean()) for before, after in pairwise(points)]
    done = np.concatenate([[0.0], np.cumsum(ways)])
    wanted = np.linspace(0.0, done[-1], count)[1:-1]
    return sorted({0, *np.searchsorted(done, wanted).tolist(), len(points) - 1})


# So many moments are looked at for each that is shown.
SEEN_PER_FRAME = 6
# The first frame of a stage is after this share of an epoch.
FIRST_FRAME = 1 / 50


def shown_visits(edges: int, total: int, count: int) -> list[int]:
    """At most ``count`` numbers of visits, from a part of the first epoch to the last, by equal factors.

    >>> shown_visits(edges=100, total=20_000, count=5)
    [2, 20, 200, 2000, 20000]
    """
    first = max(1.0, min(edges * FIRST_FRAME, total))
    steps = np.linspace(0.0, 1.0, count) if count > 1 else np.ones(1)
    return sorted({round(first * (total / first) ** step) for step in steps.tolist()})


def write_html(path: Path, hierarchy: Hierarchy, moments: Sequence[Moment]) -> Path:
    """Write the film as one HTML page: the template ``film.html`` with the data filled in."""
    page = resources.files("hypercone.reproduce").joinpath("film.html").read_text(encoding="utf-8")
    # Otherwise "</script>" in a name would end the script.
    data = json.dumps(film_data(hierarchy, moments), ensure_ascii=False).replace("</", "<\\/")
    with new_file(path) as temporary:
        temporary.write_text(page.replace(DATA, data), encoding="utf-8")
    return path


def film_data(hierarchy: Hierarchy, moments: Sequence[Moment]) -> dict[str, Any]:
    """The data of the page, with points and edges as base64 of little-endian integers."""
    steps = np.stack([moment.points for moment in moments]) * STEPS
    return {
        "nodes": len(hierarchy),
        "frameRate": FRAME_RATE,
        "captions": [moment.caption() for moment in moments],
        "losses": [round(moment.loss, 4) for moment in moments],
        "points": _to_base64(steps.round(), "<i2"),
        "edges": _to_base64(hierarchy.reduction(), "<i4"),
        "depths": _to_base64(hierarchy.depths, "<i4"),
        "colors": depth_colors(int(hierarchy.depths.max(initial=0))),
        "labels": [[int(row), word_of(hierarchy.names[row])] for row in named_rows(hierarchy)],
    }


def _to_base64(values: Any, kind: str) -> str:
    return base64.b64encode(np.asarray(values).astype(kind).tobytes()).decode("ascii")


def _write_gif(path: Path, hierarchy: Hierarchy, moments: Sequence[Moment]) -> Path:
    return write_gif(path, render_frames(hierarchy, moments, dpi=80), FRAME_RATE)


def _write_mp4(path: Path, hierarchy: Hierarchy, moments: Sequence[Moment]) -> Path:
    return write_mp4(path, render_frames(hierarchy, moments, dpi=140), FRAME_RATE)


def render_frames(hierarchy: Hierarchy, moments: Sequence[Moment], dpi: int) -> list[Frame]:
    """Draw each moment as an array of pixels."""
    figure, (axes,) = new_figure(6.0, 6.3)
    figure.subplots_adjust(left=0.0, right=1.0, top=0.945, bottom=0.0)
    return [
        _render_frame(figure, axes, hierarchy, moment, dpi) for moment in track_progress(moments, "film", len(moments))
    ]


def _render_frame(figure: Any, axes: Any, hierarchy: Hierarchy, moment: Moment, dpi: int) -> Frame:
    axes.clear()
    draw_disk(axes)
    draw_edges(axes, moment.points, hierarchy.reduction(), hierarchy.depths)
    draw_nodes(axes, moment.points, hierarchy.depths)
    axes.set_title(moment.caption(), fontsize=12, color=INK, pad=3)
    return np.ascontiguousarray(pixels(figure, dpi)[..., :3])


# One frame of shape (height, width, 3): red, green and blue.
Frame = NDArray[np.uint8]
LAST_FRAME_SECONDS = 3.0


def write_gif(path: Path, frames: Sequence[Frame], frame_rate: float) -> Path:
    """Write an animated GIF that loops forever and pauses on its last frame."""
    image = extra_module("PIL.Image")
    # One palette for all frames, from a sample that includes the last: separate palettes would flicker.
    sample = [*frames[:: max(1, len(frames) // 6)], frames[-1]]
    palette = image.fromarray(np.concatenate(sample)).quantize(256)
    pictures = [image.fromarray(frame).quantize(palette=palette, dither=0) for frame in frames]
    waits = [round(1000 / frame_rate)] * (len(frames) - 1) + [round(1000 * LAST_FRAME_SECONDS)]
    with new_file(path) as temporary:
        first, *rest = pictures
        first.save(temporary, format="GIF", save_all=True, append_images=rest, duration=waits, loop=0, optimize=False)
    return path


def write_mp4(path: Path, frames: Sequence[Frame], frame_rate: float) -> Path:
    """Write an MP4 that all browsers can play and that pauses on its last frame."""
    program = find_ffmpeg(path)
    held = [*frames, *[frames[-1]] * round(LAST_FRAME_SECONDS * frame_rate)]
    height, width = frames[0].shape[:2]
    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{frame_rate}", "-i", "-"]
    # Players expect 4:2:0 chroma subsampling, which needs an even width and height.
    even = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
    with new_file(path) as temporary:
        command = [program, "-y", "-loglevel", "error", *source, *even, "-f", "mp4", str(temporary)]
        done = subprocess.run(
            command, input=b"".join(frame.tobytes() for frame in held), capture_output=True, check=False
        )
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
            raise HyperconeError(f"{path}: ffmpeg could not write it ({said[-1]}); try a .gif or .html film")
    return path


def find_ffmpeg(path: Path) -> str:
    """The path of ffmpeg; HyperconeError with the alternatives if it is not installed."""
    program = shutil.which("ffmpeg")
    if program is None:
        raise HyperconeError(
            f"{path.name}: an MP4 needs ffmpeg, which is not found; install it, or end the name in .gif or .html"
        )
    return program
