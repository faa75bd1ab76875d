"""Matplotlib, loaded when a picture is made: figures without global state, themes, files that are always the same."""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypercone._files import new_file
from hypercone._system import import_optional
from hypercone.errors import InputError

INK = "#1f2933"
# The metadata that would make two runs differ.
UNDATED = {
    ".svg": {"Date": None, "Creator": "hypercone"},
    ".png": {"Software": "hypercone"},
    ".pdf": {"CreationDate": None},
}
# The salt fixes the names inside an SVG; letters become outlines, so that labels that do not touch here touch nowhere.
STYLE = {"svg.hashsalt": "hypercone", "svg.fonttype": "path"}


def extra_module(name: str, extra: str = "plot") -> Any:
    """A module that comes with an extra; without it, one sentence that says how to get it.

    >>> extra_module("no_such_module")
    Traceback (most recent call last):
    hypercone.errors.HyperconeError: pictures need no_such_module, which is not installed; pip install 'hypercone[plot]'
    """
    return import_optional(name, "pictures need", f"'hypercone[{extra}]'")


def matplotlib_part(name: str) -> Any:
    """A part of matplotlib, such as ``path`` or ``patches``."""
    return extra_module(f"matplotlib.{name}")


def new_figure(
    width: float, height: float, rows: int = 1, columns: int = 1, *, ground: str = "white"
) -> tuple[Any, list[Any]]:
    """A figure of so many inches, and its axes from left to right and from the top."""
    figure = matplotlib_part("figure").Figure(figsize=(width, height), facecolor=ground)
    matplotlib_part("backends.backend_agg").FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False)
    return figure, list(axes.flat)


def save_figure(figure: Any, *paths: Path, dpi: int = 150, colours: int = 256) -> list[Path]:
    """Write the figure to each path, in the format that its ending names; a PNG with so many colours, 0 for all."""
    check_endings(*paths)
    with extra_module("matplotlib").rc_context(STYLE), any_letters():
        for path in paths:
            with new_file(path) as temporary:
                ending = path.suffix.lower()
                figure.savefig(temporary, format=ending[1:], dpi=dpi, metadata=UNDATED.get(ending))
                if ending == ".svg":
                    _fewer_digits(temporary)
                elif ending == ".png" and colours:
                    _fewer_colours(temporary, colours)
    return list(paths)


@contextmanager
def any_letters() -> Iterator[None]:
    """Names in letters that the font lacks are drawn as boxes, without a warning for each."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        yield


def _fewer_digits(path: Path) -> None:
    # A hundredth of a point is below what screens and printers show.
    text = path.read_text(encoding="utf-8")
    path.write_text(DRAWN.sub(lambda found: LONG_NUMBER.sub(r"\1", found[0]), text), encoding="utf-8")


def _fewer_colours(path: Path, colours: int) -> None:
    image = extra_module("PIL.Image")
    with image.open(path) as picture:
        lighter = picture.convert("RGB").quantize(colours)
    lighter.save(path, format="PNG", optimize=True)


DRAWN = re.compile(r'(?<= )(d|x|y)="[^"]*"')
LONG_NUMBER = re.compile(r"(\.\d\d)\d+")


def check_endings(*paths: Path) -> None:
    """Refuse a path whose ending names no format that pictures are written in."""
    for path in paths:
        if path.suffix.lower() not in UNDATED:
            raise InputError(f"{path.name}: is no format of a picture; end it in .svg, .png or .pdf")


def group_name(axes: Any, what: str) -> str:
    """A name for the next thing drawn on the axes, by which it can be found in an SVG; no other has it."""
    return f"{what}-{axes.figure.axes.index(axes) + 1}-{len(axes.get_children())}"


def pixels(figure: Any, dpi: int) -> Any:
    """The figure as an array of pixels (height, width, 4), for the frames of a film."""
    numpy = importlib.import_module("numpy")
    figure.set_dpi(dpi)
    figure.canvas.draw()
    return numpy.asarray(figure.canvas.buffer_rgba()).copy()


# Twelve hues in an order in which neighbours, and the first few above all, differ in brightness too; the first eight
# lean on the colours of Okabe and Ito, which people with any kind of colour vision tell apart.
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
    """The ground, the disk on it, its rim, what is written, and the colours of branches and of depths."""

    ground: str
    disk: str
    rim: str
    ink: str
    faint: str
    branches: tuple[str, ...]
    # From the roots to the deepest, along viridis; the end that would vanish on the ground is left out.
    depths: tuple[str, ...]


LIGHT = Theme(
    ground="#ffffff",
    disk="#fbfbf9",
    rim="#8b97a3",
    ink="#1f2933",
    faint="#66727f",
    branches=ON_LIGHT,
    depths=("#440154", "#443983", "#31688e", "#21918c", "#35b779", "#7ac943", "#a9c92b"),
)
DARK = Theme(
    ground="#0f1420",
    disk="#141b2b",
    rim="#4a5a74",
    ink="#eef2f7",
    faint="#9aa8bc",
    branches=ON_DARK,
    depths=("#fde725", "#a0da39", "#4ac16d", "#2fb09a", "#3c9fb0", "#5f93c8", "#8a90d6"),
)
THEMES = {"light": LIGHT, "dark": DARK}


def find_theme(name: str) -> Theme:
    """The theme of that name.

    >>> find_theme("dark").ground
    '#0f1420'
    """
    if name not in THEMES:
        raise InputError(f"there is no theme {name!r}; use {' or '.join(THEMES)}")
    return THEMES[name]
