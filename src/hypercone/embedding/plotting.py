"""Pictures of an embedding: what it knows, handed to the figures; matplotlib is loaded when one is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hypercone.embedding.embedding import Embedding
from hypercone.embedding.folder import checked_path
from hypercone.errors import InputError
from hypercone.figures.canvas import check_endings, save_figure
from hypercone.figures.disk_picture import DiskStyle, disk_picture
from hypercone.figures.norms import heights_of, norms_picture, stand_apart
from hypercone.figures.planar import planar_view
from hypercone.figures.precision_recall import precision_recall_picture
from hypercone.figures.scene import make_scene
from hypercone.figures.themes import Theme, find_theme
from hypercone.figures.training_curves import training_picture
from hypercone.hierarchy import LabelledPairs
from hypercone.hierarchy.split import corrupted, random_bits
from hypercone.methods import Points, find_method
from hypercone.methods.scoring import Rows, signed_energies_of_pairs

# True pairs that a precision-recall curve is drawn from at most, and the wrong ones of each, as in the paper.
MOST_PAIRS, A_SIDE = 100_000, 5
# Streams of random numbers that nothing else draws from.
CHOSEN, WRONG = 0x9107, 0x9108
Names = str | Sequence[str]


def plot(embedding: Embedding, kind: str = "disk", path: str | Path | None = None, **options: Any) -> Any:
    """A matplotlib figure of the embedding, also written to a path if one is given: .svg, .pdf or .png.

    The kinds and what each can be told are in KINDS; every one has ``theme``, light or dark.
    """
    if kind not in KINDS:
        raise InputError(f"there is no picture {kind!r}; use {some_of(KINDS)}")
    if not len(embedding) or not np.isfinite(embedding.points).all():
        raise InputError("the model has no nodes, or points that are not finite numbers, so there is nothing to draw")
    theme = find_theme(options.pop("theme", "light"))
    target = None if path is None else checked_target(path)
    try:
        figure = KINDS[kind](embedding, theme=theme, **options)
    except TypeError as error:
        unknown = next((name for name in options if f"'{name}'" in str(error)), None)
        if unknown is None:
            raise
        raise InputError(f"{unknown} says nothing about the picture {kind}; leave it out") from None
    if target is not None:
        save_figure(figure, target, colours=0)
    return figure


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
    centre: str | None = None,
    colour: str = "branch",
    view: str = "auto",
    moved: bool = True,
) -> Any:
    """The Poincaré disk with edges, cones and names."""
    hierarchy = embedding.hierarchy
    seen = planar_view(embedding.points, embedding.method, embedding.settings, hierarchy, view)
    middle = None if centre is None else embedding.row(centre)
    scene = make_scene(seen, hierarchy, middle, moved=moved)
    named = labels if labels is None or isinstance(labels, int) else _rows(embedding, labels)
    shaded = None if cones is None else _rows(embedding, cones)
    return disk_picture(scene, embedding.called, DiskStyle(shaded, named, colour, theme, embedding.threshold))


def _rows(embedding: Embedding, names: Names) -> list[int]:
    return [embedding.row(name) for name in ([names] if isinstance(names, str) else names)]


def training(embedding: Embedding, *, theme: Theme) -> Any:
    """The loss and the validation F1 of each epoch, as the record keeps them."""
    record = embedding.record
    losses, validations = _course(record, "loss"), _course(record, "validation_f1")
    if not len(losses):
        reason = "was constructed, not trained" if record.get("kind") == "constructed" else "keeps no record of them"
        raise InputError(f"this model {reason}, so there are no training curves; fit one with epochs to see some")
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


def curve(embedding: Embedding, *, theme: Theme, pairs: LabelledPairs | None = None) -> Any:
    """Precision against recall, on given pairs or on the closure of the edges and wrong pairs made from it."""
    given = _drawn_pairs(embedding) if pairs is None else pairs
    if not len(given.positives):
        raise InputError("there are no true pairs to draw a precision-recall curve from; a larger hierarchy has some")
    right, wrong = (_signed(embedding, rows) for rows in (given.positives, given.negatives))
    of = "held-out pairs" if pairs is not None else "pairs of the closure"
    caption = f"{len(right):,} true {of} and {len(wrong):,} wrong pairs; the dot is the model's threshold."
    return precision_recall_picture(right, wrong, embedding.threshold, caption, theme)


def _signed(embedding: Embedding, rows: Rows) -> Points:
    return signed_energies_of_pairs(find_method(embedding.method), embedding.settings, embedding.points, rows)


def _drawn_pairs(embedding: Embedding) -> LabelledPairs:
    """True pairs of the closure, not too many, with five wrong parents and five wrong children for each."""
    hierarchy = embedding.hierarchy
    if hierarchy is None:
        raise InputError("this model does not know its edges, so give pairs to judge it by, such as those of a split")
    closure = hierarchy.closure()
    if len(closure) > MOST_PAIRS:
        closure = closure[np.sort(np.argsort(random_bits(0, CHOSEN, len(closure)))[:MOST_PAIRS])]
    return LabelledPairs(closure, corrupted(hierarchy, closure, A_SIDE, 0, WRONG))


def norms(embedding: Embedding, *, theme: Theme) -> Any:
    """How far out the nodes of each depth are."""
    hierarchy = embedding.hierarchy
    if hierarchy is None:
        raise InputError("this model does not know its edges, and so not how deep its nodes are")
    is_hyperbolic = find_method(embedding.method).is_hyperbolic
    lengths = np.linalg.norm(embedding.points, axis=1)
    is_leaf, depths = hierarchy.children.counts == 0, hierarchy.depths()
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
