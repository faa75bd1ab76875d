"""Matplotlib, imported on demand: figures without global state, themes, and byte-for-byte reproducible files."""

from __future__ import annotations

import importlib
import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from hypercone._files import new_file
from hypercone._system import import_optional
from hypercone.errors import InputError

INK = "#1f2933"
# File metadata without dates and versions, so that two runs write the same bytes.
METADATA = {
    ".svg": {"Date": None, "Creator": "hypercone"},
    ".png": {"Software": "hypercone"},
    ".pdf": {"CreationDate": None},
}
# The salt makes the ids in an SVG reproducible. Text is written as outlines, so that labels have the same extent in
# every viewer and cannot overlap there.
STYLE = {"svg.hashsalt": "hypercone", "svg.fonttype": "path"}


def extra_module(name: str, extra: str = "plot") -> Any:
    """A module that an extra installs; if it is missing, the error says how to install it.

    >>> extra_module("no_such_module")
    Traceback (most recent call last):
    hypercone.errors.HyperconeError: pictures need no_such_module, which is not installed; pip install 'hypercone[plot]'
    """
    return import_optional(name, "pictures need", f"'hypercone[{extra}]'")


def matplotlib_module(name: str) -> Any:
    """A submodule of matplotlib, such as ``path`` or ``patches``."""
    return extra_module(f"matplotlib.{name}")


def new_figure(
    width: float, height: float, rows: int = 1, columns: int = 1, *, background: str = "white"
) -> tuple[Any, list[Any]]:
    """A figure of the given size in inches, and its axes in row-major order."""
    figure = matplotlib_module("figure").Figure(figsize=(width, height), facecolor=background)
    matplotlib_module("backends.backend_agg").FigureCanvasAgg(figure)
    # A notebook shows a figure without pyplot only if the figure says how.
    figure._repr_png_ = partial(notebook_png, figure)
    axes = figure.subplots(rows, columns, squeeze=False)
    return figure, list(axes.flat)


# A picture in a notebook has twice the pixels of the space it takes, for sharp screens.
NOTEBOOK_DPI, PIXELS_PER_POINT = 144, 2


def notebook_png(figure: Any) -> tuple[bytes, dict[str, int]]:
    """The figure for a notebook: the bytes of a PNG, and the size that it should take."""
    buffer = io.BytesIO()
    with ignore_missing_glyphs():
        figure.savefig(buffer, format="png", dpi=NOTEBOOK_DPI, metadata=METADATA[".png"])
    width, height = (round(side * NOTEBOOK_DPI / PIXELS_PER_POINT) for side in figure.get_size_inches())
    return buffer.getvalue(), {"width": width, "height": height}


def save_figure(figure: Any, *paths: Path, dpi: int = 150, colors: int = 256) -> list[Path]:
    """Write the figure to each path in the format of its file ending; ``colors`` limits those of a PNG, 0 does not."""
    check_file_endings(*paths)
    with extra_module("matplotlib").rc_context(STYLE), ignore_missing_glyphs():
        for path in paths:
            with new_file(path) as temporary:
                ending = path.suffix.lower()
                figure.savefig(temporary, format=ending[1:], dpi=dpi, metadata=METADATA.get(ending))
                if ending == ".svg":
                    _shorten_numbers(temporary)
                elif ending == ".png" and colors:
                    _reduce_colors(temporary, colors)
    return list(paths)


@contextmanager
def ignore_missing_glyphs() -> Iterator[None]:
    """Suppress matplotlib's warnings about characters that the font lacks; they are drawn as boxes."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        yield


def _shorten_numbers(path: Path) -> None:
    # Differences below a hundredth of a point are not visible on screens or in print.
    text = path.read_text(encoding="utf-8")
    path.write_text(COORDINATES.sub(lambda found: LONG_NUMBER.sub(r"\1", found[0]), text), encoding="utf-8")


def _reduce_colors(path: Path, colors: int) -> None:
    image = extra_module("PIL.Image")
    with image.open(path) as picture:
        lighter = picture.convert("RGB").quantize(colors)
    lighter.save(path, format="PNG", optimize=True)


COORDINATES = re.compile(r'(?<= )(d|x|y)="[^"]*"')
LONG_NUMBER = re.compile(r"(\.\d\d)\d+")


def check_file_endings(*paths: Path) -> None:
    """Raise InputError for a path whose file ending is not a supported picture format."""
    for path in paths:
        if path.suffix.lower() not in METADATA:
            raise InputError(f"{path.name}: is not a picture format; end it in .svg, .png or .pdf")


def group_name(axes: Any, what: str) -> str:
    """A unique id for the next artist on the axes, by which it can be found in an SVG."""
    return f"{what}-{axes.figure.axes.index(axes) + 1}-{len(axes.get_children())}"


def pixels(figure: Any, dpi: int) -> Any:
    """The figure as an array of RGBA pixels (height, width, 4), for the frames of a film."""
    numpy = importlib.import_module("numpy")
    figure.set_dpi(dpi)
    figure.canvas.draw()
    return numpy.asarray(figure.canvas.buffer_rgba()).copy()


# Twelve hues, ordered so that adjacent ones (most of all the first few) also differ in brightness. The first eight are
# based on the palette of Okabe and Ito, which is distinguishable with any kind of color vision.
ON_LIGHT = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc5f9c",
    "#c98a00",
    "#3a9bd9",
    "#7a4fb5",
    "#7a8b1f",
    "#a8322d",
    "#1c8c99",
    "#8c6239",
    "#b04bc4",
)
ON_DARK = (
    "#4ba3e3",
    "#ff8a4c",
    "#2fc79a",
    "#f08cc0",
    "#f0c04a",
    "#8fd3ff",
    "#b39bf0",
    "#b9d05a",
    "#ff7d76",
    "#5fd6de",
    "#d9a877",
    "#e58ae8",
)


@dataclass(frozen=True)
class Theme:
    """Colors of the background, the disk, its rim, the text, secondary text, the branches and the depths."""

    background: str
    disk: str
    rim: str
    ink: str
    faint: str
    branches: tuple[str, ...]
    # From the roots to the deepest nodes, along viridis without the end that is invisible on this background.
    depths: tuple[str, ...]


LIGHT = Theme(
    background="#ffffff",
    disk="#fbfbf9",
    rim="#8b97a3",
    ink="#1f2933",
    faint="#66727f",
    branches=ON_LIGHT,
    depths=("#440154", "#443983", "#31688e", "#21918c", "#35b779", "#7ac943", "#a9c92b"),
)
DARK = Theme(
    background="#0f1420",
    disk="#141b2b",
    rim="#4a5a74",
    ink="#eef2f7",
    faint="#9aa8bc",
    branches=ON_DARK,
    depths=("#fde725", "#a0da39", "#4ac16d", "#2fb09a", "#3c9fb0", "#5f93c8", "#8a90d6"),
)
THEMES = {"light": LIGHT, "dark": DARK}


def find_theme(name: str) -> Theme:
    """The theme with this name.

    >>> find_theme("dark").background
    '#0f1420'
    """
    if name not in THEMES:
        raise InputError(f"there is no theme {name!r}; use {' or '.join(THEMES)}")
    return THEMES[name]
