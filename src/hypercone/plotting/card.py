"""An embedding as a small table beside a small disk, which notebooks show in place of its text.

The disk is SVG written here, so it needs no matplotlib. However large the model is, at most a few hundred nodes are
drawn, those nearest to the roots, and nothing else of the model is computed.
"""

from __future__ import annotations

import numpy as np

from hypercone.embedding.embedding import Embedding
from hypercone.embedding.headline import stored_headline
from hypercone.embedding.origin import kind_in_words, method_in_words
from hypercone.errors import plural, some
from hypercone.hierarchy.card import html_card
from hypercone.plotting.arcs import Floats, geodesics
from hypercone.plotting.canvas import ON_LIGHT
from hypercone.plotting.scene import Scene, make_scene
from hypercone.plotting.views import planar_view

MOST_DRAWN = 300
# In pixels.
SIDE = 150
NO_BRANCH = "#8b97a3"


def embedding_card(embedding: Embedding) -> str:
    """What the model is, how good it is if that is known, and a small disk.

    >>> import hypercone
    >>> card = embedding_card(hypercone.fit("tree-2-3", dim=2))
    >>> "<svg" in card, "15, in 2 dimensions" in card
    (True, True)
    """
    hierarchy = embedding.hierarchy
    rows = [
        ("nodes", f"{len(embedding):,}, in {plural(embedding.dim, 'dimension')}"),
        ("made by", f"{method_in_words(embedding)}, {kind_in_words(embedding)}"),
        ("answers by", embedding.default_by),
    ]
    if hierarchy is not None:
        roots = [hierarchy.display_name(row) for row in hierarchy.root_rows[:3].tolist()]
        rows.insert(1, ("roots", some(roots, len(hierarchy.root_rows)) or "none"))
    known = stored_headline(embedding)
    if known is not None and known.get("f1") is not None:
        rows.append(("F1, all pairs", f"{100 * known['f1']:.2f} %"))
    return html_card("Embedding", rows, picture=small_disk(embedding) if len(embedding) else "")


def small_disk(embedding: Embedding) -> str:
    """The nodes nearest to the roots in the disk, as SVG; a construction if the model has more than two dimensions."""
    scene = _scene(embedding)
    colors = [ON_LIGHT[branch % len(ON_LIGHT)] if branch >= 0 else NO_BRANCH for branch in scene.branch.tolist()]
    # SVG counts y downward.
    places = np.round(scene.points * [100.0, -100.0], 2).tolist()
    arcs = geodesics(*(scene.points[scene.edges[:, end]] for end in (0, 1)))
    lines = []
    for (parent, child), sweep, radius in zip(
        scene.edges.tolist(), arcs.sweeps.tolist(), (100 * arcs.radii()).tolist(), strict=True
    ):
        (x, y), (u, v) = places[parent], places[child]
        is_straight = not radius < 10_000
        way = f"L{u} {v}" if is_straight else f"A{radius:.1f} {radius:.1f} 0 0 {int(sweep < 0)} {u} {v}"
        lines.append(f'<path d="M{x} {y}{way}" stroke="{colors[child]}"/>')
    left, top, side = _frame(np.array(places))
    scale = side / 208
    dots = [
        f'<circle cx="{x}" cy="{y}" r="{2 * scale:.2g}" fill="{color}"/>'
        for (x, y), color in zip(places, colors, strict=True)
    ]
    return (
        f'<svg width="{SIDE}" height="{SIDE}" viewBox="{left:.1f} {top:.1f} {side:.1f} {side:.1f}" role="img"'
        f' aria-label="nodes in the disk"><circle r="101" fill="none" stroke="{NO_BRANCH}" stroke-width="{scale:.2g}"/>'
        f'<g fill="none" stroke-width="{0.8 * scale:.2g}" opacity=".75">{"".join(lines)}</g>{"".join(dots)}</svg>'
    )


def _frame(places: Floats) -> tuple[float, float, float]:
    """The left, top and side of the square to show: the whole disk, or less if the nodes take less than half of it."""
    low, high = places.min(axis=0), places.max(axis=0)
    side = 1.2 * float((high - low).max())
    if side > 104:
        return -104.0, -104.0, 208.0
    side = max(side, 10.0)
    left, top = (low + high - side) / 2
    return float(left), float(top), side


def _scene(embedding: Embedding) -> Scene:
    hierarchy, points = embedding.hierarchy, embedding.points
    if hierarchy is None:
        rows = embedding._generality_order[0][:MOST_DRAWN]
    else:
        rows = np.argsort(hierarchy.depths, kind="stable")[:MOST_DRAWN].astype(np.int32)
    if len(rows) < len(embedding):
        is_drawn = np.zeros(len(embedding), np.bool_)
        is_drawn[rows] = True
        # A parent is nearer to a root than its child, so no drawn node loses its parents.
        points, hierarchy = points[is_drawn], hierarchy and hierarchy._subset(is_drawn)
    return make_scene(planar_view(points, embedding.method, embedding.settings, hierarchy), hierarchy)
