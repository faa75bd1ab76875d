"""``plot(embedding, kind)``: captioned pictures of a model."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hypercone.embedding.embedding import Embedding
from hypercone.embedding.folder import checked_path
from hypercone.errors import InputError, did_you_mean, option, some, warn_renamed
from hypercone.hierarchy import LabeledPairs
from hypercone.hierarchy.split import negative_pairs, random_bits
from hypercone.methods import Points
from hypercone.plotting.arcs import view_from
from hypercone.plotting.canvas import (
    LIGHT,
    Theme,
    check_file_endings,
    find_theme,
    group_name,
    ignore_missing_glyphs,
    new_figure,
    save_figure,
)
from hypercone.plotting.charts import (
    hyperbolic_distances,
    leaves_are_outermost,
    norms_picture,
    precision_recall_picture,
    training_picture,
)
from hypercone.plotting.labels import LONGEST_AT_RIM, choose_names, draw_names, rim_margin
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
from hypercone.plotting.views import display_name, planar_view
from hypercone.progress import Step

# A precision-recall curve uses at most so many positive pairs, with so many negative pairs per side, as in the paper.
MOST_PAIRS, NEGATIVES_PER_SIDE = 100_000, 5
# Random streams reserved for choosing the positive pairs and drawing the negative ones.
POSITIVE_STREAM, NEGATIVE_STREAM = 0x9107, 0x9108
Names = str | Sequence[str]
OLD_OPTIONS = {"centre": "center", "colour": "color"}  # old name


def plot(embedding: Embedding, kind: str = "disk", path: str | Path | None = None, **options: Any) -> Any:
    """A matplotlib figure of the embedding, also written to a path if one is given: .svg, .pdf or .png.

    The kinds are the keys of KINDS, and their options the keyword arguments of its functions; all have ``theme``, light
    or dark.
    """
    if kind not in KINDS:
        raise InputError(f"there is no picture {kind!r}; use {join_with_or(KINDS)}")
    if not len(embedding):
        raise InputError("the model has no nodes, so there is nothing to draw")
    for old, new in OLD_OPTIONS.items():
        if old in options:
            warn_renamed(f"plot({old}=…)", f"{new}=")
            options[new] = options.pop(old)
    _check_options(kind, options)
    theme = find_theme(options.pop("theme", "light"))
    target = None if path is None else checked_target(path)
    figure = KINDS[kind](embedding, theme=theme, **options)
    if target is not None:
        save_figure(figure, target, colors=0)
    return figure


def _check_options(kind: str, options: Iterable[str]) -> None:
    """Raise InputError for an option that this kind of picture does not have."""
    _, *known = inspect.signature(KINDS[kind]).parameters
    for name in options:
        if name not in known:
            hint = did_you_mean(name, known) or "leave it out"
            raise InputError(f"{name} is not an option of the picture {kind}; {hint}")


def checked_target(path: str | Path) -> Path:
    """The path as a ``Path``; InputError if it is a folder or its ending is not a picture format.

    >>> checked_target("disk.jpeg")
    Traceback (most recent call last):
    hypercone.errors.InputError: disk.jpeg: is not a picture format; end it in .svg, .png or .pdf
    """
    target = checked_path(path)
    if target.is_dir():
        raise InputError(f"{target}: is a folder; give a file to write")
    check_file_endings(target)
    return target


def join_with_or(kinds: Any) -> str:
    """The names separated by commas, with "or" before the last.

    >>> join_with_or(["a", "b", "c"])
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
    return disk_picture(scene, embedding.display_name, DiskStyle(shaded, named, color, theme, embedding.threshold))


def _rows(embedding: Embedding, names: Names) -> list[int]:
    return [embedding.row(name) for name in ([names] if isinstance(names, str) else names)]


def training(embedding: Embedding, *, theme: Theme) -> Any:
    """The loss and the validation F1 of each epoch in the training record."""
    record = embedding.record
    losses, validations = _read_history(record, "loss"), _read_history(record, "validation_f1")
    if not len(losses):
        reason = "was constructed, not trained" if record.get("kind") == "constructed" else "has no record of them"
        raise InputError(
            f"this model {reason}, so there are no training curves; "
            f"learn one with {option('method', 'hyperbolic-cones')} to see some"
        )
    chosen = record.get("epoch")
    caption = f"{embedding.method} in {embedding.dim}-D: the mean loss of a true pair, over the epochs of training."
    return training_picture(losses, validations, chosen if isinstance(chosen, int) else None, caption, theme)


def _read_history(record: dict[str, Any], what: str) -> Points:
    """Rows of (epoch, value) from a record, which is read from a file and so may hold anything."""
    history = record.get("history")
    recorded = history.get(what) if isinstance(history, dict) else None
    try:
        found = np.array(recorded or [], np.float64).reshape(-1, 2)
    except (TypeError, ValueError):
        found = np.full((1, 2), np.nan)
    if not np.isfinite(found).all():
        raise InputError(
            f"the record of this model has a {what} that is not a list of epochs and numbers; fit it again"
        )
    return found


def curve(embedding: Embedding, *, theme: Theme, pairs: LabeledPairs | None = None) -> Any:
    """Precision against recall, on the given pairs or on the transitive closure with sampled negative pairs."""
    given = _sample_pairs(embedding) if pairs is None else pairs
    if not len(given.positives):
        raise InputError("there are no true pairs to draw a precision-recall curve from; a larger hierarchy has some")
    positives, negatives = (embedding.scorer.signed_energies(rows) for rows in (given.positives, given.negatives))
    of = "held-out pairs" if pairs is not None else "pairs of the closure"
    caption = f"{len(positives):,} true {of} and {len(negatives):,} negative pairs; the dot is the model's threshold."
    return precision_recall_picture(positives, negatives, embedding.threshold, caption, theme)


def _sample_pairs(embedding: Embedding) -> LabeledPairs:
    """Up to MOST_PAIRS pairs of the transitive closure, each with five negative pairs per side."""
    hierarchy = embedding.hierarchy
    if hierarchy is None:
        raise InputError(f"this model does not know its edges; evaluate it on those of a split, with {option('pairs')}")
    closure = hierarchy.closure()
    if len(closure) > MOST_PAIRS:
        closure = closure[np.sort(np.argsort(random_bits(0, POSITIVE_STREAM, len(closure)))[:MOST_PAIRS])]
    return LabeledPairs(closure, negative_pairs(hierarchy, closure, NEGATIVES_PER_SIDE, 0, NEGATIVE_STREAM))


def norms(embedding: Embedding, *, theme: Theme) -> Any:
    """The norms of the nodes by depth."""
    hierarchy = embedding.hierarchy
    if hierarchy is None:
        raise InputError("this model does not know its edges, and so not how deep its nodes are")
    is_hyperbolic = embedding.scorer.method.is_hyperbolic
    lengths = np.linalg.norm(embedding.points, axis=1)
    is_leaf, depths = hierarchy.child_lists.counts == 0, hierarchy.depths
    apart = (
        is_leaf
        if leaves_are_outermost(hyperbolic_distances(lengths) if is_hyperbolic else lengths, depths, is_leaf)
        else None
    )
    note = "." if apart is None else f"; the {is_leaf.sum():,} without children are all furthest out."
    caption = (
        f"{len(embedding):,} nodes of {embedding.method} in {embedding.dim}-D{note}\n"
        f"Per depth{'' if apart is None else ', of the others'}: "
        "the median, the middle 50 % and the middle 90 %, and above them the number of nodes."
    )
    return norms_picture(lengths, depths, caption, is_hyperbolic=is_hyperbolic, theme=theme, apart=apart)


KINDS: dict[str, Callable[..., Any]] = {
    "disk": disk,
    "training": training,
    "precision-recall": curve,
    "norms": norms,
}


# In inches; the caption is below the disk.
SIDE, CAPTION = 7.6, 0.5
POINTS_PER_INCH = 72.0
# The maximal number of dots in the legend of depths.
MOST_DEPTHS = 20


@dataclass(frozen=True)
class DiskStyle:
    """What is shown and how: the rows whose cones are drawn and the rows that are named; None for a default choice."""

    cones: Sequence[int] | None = None
    labels: Sequence[int] | int | None = None
    color: str = "branch"
    theme: Theme = LIGHT
    # Mentioned in the caption if the view has the model's own points: the drawn cone is where the energy is 0.
    threshold: float = 0.0


def disk_picture(scene: Scene, name_of: Callable[[int], str], style: DiskStyle | None = None) -> Any:
    """A matplotlib figure of the scene; ``name_of`` gives the name of a row."""
    style = style or DiskStyle()
    theme = style.theme
    figure, (axes,) = new_figure(SIDE, SIDE + CAPTION, background=theme.background)
    share = CAPTION / (SIDE + CAPTION)
    axes.set_position((0, share, 1, 1 - share))
    cones = _default_cones(scene, style) if style.cones is None else style.cones
    # With a node in the middle, the names of distant branches are not useful.
    first = [scene.middle, *(style.cones or [])] if scene.middle is not None else cones
    with ignore_missing_glyphs(), Step("plot", 11) as step:
        named = choose_names(scene, style.labels, first)
        step.advance(1)
        margin = rim_margin(
            figure, [display_name(name_of(row), LONGEST_AT_RIM) for row in named.rim], SIDE * POINTS_PER_INCH
        )
        look = make_look(scene, style.color, theme, SIDE * POINTS_PER_INCH / (2 + 2 * margin))
        draw_disk(axes, margin, fill=theme.disk, rim=theme.rim)
        draw_cones(axes, scene, look, cones, faint=style.cones is None)
        draw_scene_edges(axes, scene, look)
        step.advance(4)
        draw_dots(axes, scene, look)
        step.advance(2)
        draw_names(axes, scene, look, named, name_of)
        if style.color == "depth":
            _draw_depths(figure, look, int(scene.depths.max(initial=0)))
        _draw_origin(axes, scene, look)
        figure.text(
            0.5, share / 2, caption(scene, name_of, style), ha="center", va="center", fontsize=8.6, **_faint(look)
        )
    return figure


def _default_cones(scene: Scene, style: DiskStyle) -> list[int]:
    """The cones that are tinted by default: those of the top node of each branch, the largest branch first."""
    if style.color != "branch" or scene.view.K is None:
        return []
    rows = [np.flatnonzero(scene.branch == branch) for branch in range(int(scene.branch.max(initial=-1)) + 1)]
    return [int(branch[np.argmax(scene.weights[branch])]) for branch in rows if len(branch)]


def caption(scene: Scene, name_of: Callable[[int], str], style: DiskStyle) -> str:
    """A description of the picture in one or two lines."""
    notes = []
    if style.cones:
        notes.append(
            f"Shaded: the cone{'s'[: len(style.cones) > 1]} of {some([display_name(name_of(r)) for r in style.cones])}."
        )
        if scene.view.kind == "own" and style.threshold > 0:
            notes.append(f"It is where the energy is 0; the model's threshold is {style.threshold:.3g}.")
    if scene.is_moved:
        where = "the middle of the nodes" if scene.middle is None else display_name(name_of(scene.middle))
        notes.append(f"Seen from {where}; + is the origin.")
    return "\n".join(filter(None, [scene.view.caption, " ".join(notes)]))


def _draw_origin(axes: Any, scene: Scene, look: Look) -> None:
    if scene.is_moved:
        spot, line = view_from(scene.center, np.zeros(2)), {"markersize": 7, "markeredgewidth": 0.9, "zorder": 4}
        axes.plot(*spot, "+", color=look.theme.faint, gid=group_name(axes, "origin"), **line)


def _draw_depths(figure: Any, look: Look, deepest: int) -> None:
    """Draw a legend of depths in the lower right corner: a row of dots in the colors from the roots to the deepest."""
    axes = figure.add_axes((0.72, 0.055, 0.27, 0.035))
    axes.set_axis_off()
    last = min(deepest, MOST_DEPTHS)
    axes.scatter(range(last + 1), np.zeros(last + 1), s=26, c=shades(look.theme.depths, last), linewidths=0)
    axes.set_xlim(-0.3 * last - 1.5, 1.1 * last + 1.5)
    axes.text(-0.06 * last - 0.5, 0, "depth 0", ha="right", va="center", fontsize=8.5, **_faint(look))
    axes.text(1.06 * last + 0.5, 0, f"{deepest}", ha="left", va="center", fontsize=8.5, **_faint(look))


def _faint(look: Look) -> dict[str, Any]:
    return {"color": look.theme.faint, "parse_math": False}
