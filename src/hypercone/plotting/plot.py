"""``plot(embedding, kind)``: pictures of a model, with a caption."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hypercone._arrays import Rows
from hypercone.embedding.embedding import Embedding
from hypercone.embedding.folder import checked_path
from hypercone.errors import InputError, did_you_mean, option, some, warn_renamed
from hypercone.hierarchy import LabeledPairs
from hypercone.hierarchy.split import negative_pairs, random_bits
from hypercone.methods import Points
from hypercone.plotting.arcs import seen_from
from hypercone.plotting.canvas import (
    LIGHT,
    Theme,
    any_letters,
    check_endings,
    find_theme,
    group_name,
    new_figure,
    save_figure,
)
from hypercone.plotting.charts import heights_of, norms_picture, precision_recall_picture, stand_apart, training_picture
from hypercone.plotting.labels import LONGEST_AT_RIM, choose_names, draw_names, room_for
from hypercone.plotting.scene import (
    Look,
    Scene,
    draw_cones,
    draw_disk,
    draw_dots,
    draw_scene_edges,
    make_look,
    make_scene,
    shades,
)
from hypercone.plotting.views import as_written, planar_view
from hypercone.progress import Step

# True pairs that a precision-recall curve is drawn from at most, and the wrong ones of each, as in the paper.
MOST_PAIRS, A_SIDE = 100_000, 5
# Streams of random numbers that nothing else draws from.
CHOSEN, WRONG = 0x9107, 0x9108
Names = str | Sequence[str]
OLD_OPTIONS = {"centre": "center", "colour": "color"}


def plot(embedding: Embedding, kind: str = "disk", path: str | Path | None = None, **options: Any) -> Any:
    """A matplotlib figure of the embedding, also written to a path if one is given: .svg, .pdf or .png.

    The kinds and what each can be told are in KINDS; every one has ``theme``, light or dark.
    """
    if kind not in KINDS:
        raise InputError(f"there is no picture {kind!r}; use {some_of(KINDS)}")
    if not len(embedding):
        raise InputError("the model has no nodes, so there is nothing to draw")
    for old, new in OLD_OPTIONS.items():
        if old in options:
            warn_renamed(f"plot({old}=…)", f"{new}=")
            options[new] = options.pop(old)
    _refuse_unknown(kind, options)
    theme = find_theme(options.pop("theme", "light"))
    target = None if path is None else checked_target(path)
    figure = KINDS[kind](embedding, theme=theme, **options)
    if target is not None:
        save_figure(figure, target, colours=0)
    return figure


def _refuse_unknown(kind: str, options: Iterable[str]) -> None:
    """InputError for an option that the picture does not take."""
    _, *known = inspect.signature(KINDS[kind]).parameters
    for name in options:
        if name not in known:
            hint = did_you_mean(name, known) or "leave it out"
            raise InputError(f"{name} says nothing about the picture {kind}; {hint}")


def checked_target(path: str | Path) -> Path:
    """The path, if a picture can be written there as far as its name tells.

    >>> checked_target("disk.jpeg")
    Traceback (most recent call last):
    hypercone.errors.InputError: disk.jpeg: is no format of a picture; end it in .svg, .png or .pdf
    """
    target = checked_path(path)
    if target.is_dir():
        raise InputError(f"{target}: is a folder; give a file to write")
    check_endings(target)
    return target


def some_of(kinds: Any) -> str:
    """The names with commas and an or.

    >>> some_of(["a", "b", "c"])
    'a, b or c'
    """
    *first, last = kinds
    return f"{', '.join(first)} or {last}"


def disk(
    embedding: Embedding,
    *,
    theme: Theme,
    cones: Names | None = None,
    labels: Names | int | None = None,
    center: str | None = None,
    color: str = "branch",
    view: str = "auto",
    moved: bool = True,
) -> Any:
    """The Poincaré disk with edges, cones and names."""
    hierarchy = embedding.hierarchy
    seen = planar_view(embedding.points, embedding.method, embedding.settings, hierarchy, view)
    middle = None if center is None else embedding.row(center)
    scene = make_scene(seen, hierarchy, middle, moved=moved)
    named = labels if labels is None or isinstance(labels, int) else _rows(embedding, labels)
    shaded = None if cones is None else _rows(embedding, cones)
    return disk_picture(scene, embedding.called, DiskStyle(shaded, named, color, theme, embedding.threshold))


def _rows(embedding: Embedding, names: Names) -> list[int]:
    return [embedding.row(name) for name in ([names] if isinstance(names, str) else names)]


def training(embedding: Embedding, *, theme: Theme) -> Any:
    """The loss and the validation F1 of each epoch, as the record keeps them."""
    record = embedding.record
    losses, validations = _course(record, "loss"), _course(record, "validation_f1")
    if not len(losses):
        reason = "was constructed, not trained" if record.get("kind") == "constructed" else "keeps no record of them"
        raise InputError(
            f"this model {reason}, so there are no training curves; "
            f"learn one with {option('method', 'hyperbolic-cones')} to see some"
        )
    chosen = record.get("epoch")
    caption = f"{embedding.method} in {embedding.dim}-D: the mean loss of a true pair, over the epochs of training."
    return training_picture(losses, validations, chosen if isinstance(chosen, int) else None, caption, theme)


def _course(record: dict[str, Any], what: str) -> Points:
    """(epoch, value) of what a record keeps, which may be anything: it comes from a file."""
    history = record.get("history")
    kept = history.get(what) if isinstance(history, dict) else None
    try:
        found = np.array(kept or [], np.float64).reshape(-1, 2)
    except (TypeError, ValueError):
        found = np.full((1, 2), np.nan)
    if not np.isfinite(found).all():
        raise InputError(f"the record of this model has a {what} that is no list of epochs and numbers; fit it again")
    return found


def curve(embedding: Embedding, *, theme: Theme, pairs: LabeledPairs | None = None) -> Any:
    """Precision against recall, on given pairs or on the closure of the edges and wrong pairs made from it."""
    given = _drawn_pairs(embedding) if pairs is None else pairs
    if not len(given.positives):
        raise InputError("there are no true pairs to draw a precision-recall curve from; a larger hierarchy has some")
    right, wrong = (_signed(embedding, rows) for rows in (given.positives, given.negatives))
    of = "held-out pairs" if pairs is not None else "pairs of the closure"
    caption = f"{len(right):,} true {of} and {len(wrong):,} wrong pairs; the dot is the model's threshold."
    return precision_recall_picture(right, wrong, embedding.threshold, caption, theme)


def _signed(embedding: Embedding, rows: Rows) -> Points:
    return embedding.scorer.signed_energies(rows)


def _drawn_pairs(embedding: Embedding) -> LabeledPairs:
    """True pairs of the closure, not too many, with five wrong parents and five wrong children for each."""
    hierarchy = embedding.hierarchy
    if hierarchy is None:
        raise InputError(f"this model does not know its edges; judge it by those of a split, with {option('pairs')}")
    closure = hierarchy.closure()
    if len(closure) > MOST_PAIRS:
        closure = closure[np.sort(np.argsort(random_bits(0, CHOSEN, len(closure)))[:MOST_PAIRS])]
    return LabeledPairs(closure, negative_pairs(hierarchy, closure, A_SIDE, 0, WRONG))


def norms(embedding: Embedding, *, theme: Theme) -> Any:
    """How far out the nodes of each depth are."""
    hierarchy = embedding.hierarchy
    if hierarchy is None:
        raise InputError("this model does not know its edges, and so not how deep its nodes are")
    is_hyperbolic = embedding.scorer.method.is_hyperbolic
    lengths = np.linalg.norm(embedding.points, axis=1)
    is_leaf, depths = hierarchy.child_lists.counts == 0, hierarchy.depths
    apart = is_leaf if stand_apart(heights_of(lengths) if is_hyperbolic else lengths, depths, is_leaf) else None
    said = "." if apart is None else f"; {is_leaf.sum():,} without children stand together, furthest out."
    caption = (
        f"{len(embedding):,} nodes of {embedding.method} in {embedding.dim}-D{said}\n"
        f"Of {'each depth' if apart is None else 'the others, by depth,'} "
        "the median, the middle half and the middle 90 %; above them, how many nodes."
    )
    return norms_picture(lengths, depths, caption, is_hyperbolic=is_hyperbolic, theme=theme, apart=apart)


KINDS: dict[str, Callable[..., Any]] = {
    "disk": disk,
    "training": training,
    "precision-recall": curve,
    "norms": norms,
}


# In inches; below the disk is the caption.
SIDE, CAPTION = 7.6, 0.5
POINTS_AN_INCH = 72.0
# Dots in the legend of depths.
MOST_DEPTHS = 20


@dataclass(frozen=True)
class DiskStyle:
    """What is shown and how: the rows whose cones are drawn, and those named; None for the picture's own choice."""

    cones: Sequence[int] | None = None
    labels: Sequence[int] | int | None = None
    colour: str = "branch"
    theme: Theme = LIGHT
    # Energies up to this count as inside where the view is of the model's own points; a cone is where they are 0.
    threshold: float = 0.0


def disk_picture(scene: Scene, called: Callable[[int], str], style: DiskStyle | None = None) -> Any:
    """A matplotlib figure of the scene; ``called`` gives the name of a row."""
    style = style or DiskStyle()
    theme = style.theme
    figure, (axes,) = new_figure(SIDE, SIDE + CAPTION, ground=theme.ground)
    share = CAPTION / (SIDE + CAPTION)
    axes.set_position((0, share, 1, 1 - share))
    cones = _own_choice(scene, style) if style.cones is None else style.cones
    # Who looks from a node has no use for the names of far branches.
    first = [scene.middle, *(style.cones or [])] if scene.middle is not None else cones
    with any_letters(), Step("plot", 11) as step:
        named = choose_names(scene, style.labels, first)
        step.advance(1)
        room = room_for(figure, [as_written(called(row), LONGEST_AT_RIM) for row in named.rim], SIDE * POINTS_AN_INCH)
        look = make_look(scene, style.colour, theme, SIDE * POINTS_AN_INCH / (2 + 2 * room))
        draw_disk(axes, room, paper=theme.disk, rim=theme.rim)
        draw_cones(axes, scene, look, cones, faint=style.cones is None)
        draw_scene_edges(axes, scene, look)
        step.advance(4)
        draw_dots(axes, scene, look)
        step.advance(2)
        draw_names(axes, scene, look, named, called)
        if style.colour == "depth":
            _draw_depths(figure, look, int(scene.depths.max(initial=0)))
        _draw_origin(axes, scene, look)
        figure.text(
            0.5, share / 2, caption(scene, called, style), ha="center", va="center", fontsize=8.6, **_faint(look)
        )
    return figure


def _own_choice(scene: Scene, style: DiskStyle) -> list[int]:
    """The cones that are tinted if nobody asks for any: of the top node of each branch, the largest branch first."""
    if style.colour != "branch" or scene.view.K is None:
        return []
    rows = [np.flatnonzero(scene.branch == branch) for branch in range(int(scene.branch.max(initial=-1)) + 1)]
    return [int(branch[np.argmax(scene.weights[branch])]) for branch in rows if len(branch)]


def caption(scene: Scene, called: Callable[[int], str], style: DiskStyle) -> str:
    """What the picture is, in one or two lines."""
    said = []
    if style.cones:
        said.append(
            f"Shaded: the cone{'s'[: len(style.cones) > 1]} of {some([as_written(called(r)) for r in style.cones])}."
        )
        if scene.view.kind == "own" and style.threshold > 0:
            said.append(f"It is where the energy is 0; the model's threshold is {style.threshold:.3g}.")
    if scene.is_moved:
        where = "the middle of the nodes" if scene.middle is None else as_written(called(scene.middle))
        said.append(f"Seen from {where}; + is the origin.")
    return "\n".join(filter(None, [scene.view.caption, " ".join(said)]))


def _draw_origin(axes: Any, scene: Scene, look: Look) -> None:
    if scene.is_moved:
        spot, line = seen_from(scene.centre, np.zeros(2)), {"markersize": 7, "markeredgewidth": 0.9, "zorder": 4}
        axes.plot(*spot, "+", color=look.theme.faint, gid=group_name(axes, "origin"), **line)


def _draw_depths(figure: Any, look: Look, deepest: int) -> None:
    """A row of dots in the lower right corner: the colours from the roots to the deepest."""
    axes = figure.add_axes((0.72, 0.055, 0.27, 0.035))
    axes.set_axis_off()
    last = min(deepest, MOST_DEPTHS)
    axes.scatter(range(last + 1), np.zeros(last + 1), s=26, c=shades(look.theme.depths, last), linewidths=0)
    axes.set_xlim(-0.3 * last - 1.5, 1.1 * last + 1.5)
    axes.text(-0.06 * last - 0.5, 0, "depth 0", ha="right", va="center", fontsize=8.5, **_faint(look))
    axes.text(1.06 * last + 0.5, 0, f"{deepest}", ha="left", va="center", fontsize=8.5, **_faint(look))


def _faint(look: Look) -> dict[str, Any]:
    return {"color": look.theme.faint, "parse_math": False}
