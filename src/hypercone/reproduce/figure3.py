"""Figure 3 of the paper: a tree and the mammals of WordNet in the plane, by Poincaré embeddings and by cones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hypercone.data import load_dataset
from hypercone.embedding import Embedding
from hypercone.evaluation import evaluate_reconstruction
from hypercone.figures import depth_colours, draw_disk, draw_edges, draw_labels, draw_nodes, new_figure, save_figure
from hypercone.figures.canvas import INK
from hypercone.hierarchy import Hierarchy
from hypercone.methods import find_method
from hypercone.methods.scoring import ALPHAS, best_threshold, energies_below
from hypercone.training import fit

Settings = Mapping[str, Any]

# Of the nine settings of rate, negatives, corrupted end and epochs we tried, the ones that rank ancestors best in the
# plane: MAP 0.80 on mammals and 0.54 on the tree, where the defaults, meant for more dimensions, give 0.52 and 0.22.
# 1,000 epochs gain under a hundredth more. All settings here were chosen with seed 0, more of them tried for cones.
POINCARE: Settings = {"method": "poincare", "dim": 2, "rate": 0.3, "negatives": 50, "epochs": 300}
CONES: Settings = {
    "method": "hyperbolic-cones",
    "dim": 2,
    # As in the paper, Poincaré embeddings first. They put the subtrees in an order around the disk, and in the plane
    # cones cannot pass each other to mend it.
    "init": "poincare",
    # The paper draws the start inwards by 0.7, in 5 and 10 dimensions. In the plane that crushes siblings which
    # pre-training has parted: with all else at its default, F1 over all pairs is 0.78 on the tree and 0.91 on mammals
    # from 0.7, and 0.90 and 0.96 from 0.85. From 0.95 mammals reach 0.98, with fans too near the border to be seen.
    "rescale": 0.9,
    # Relatives part the cones of siblings, which uniform draws hardly ever test: from 0.85 the tree gains 0.03 with 5
    # of 20, mammals hardly any, and 10 of 50 cost mammals 0.02. So few of many.
    "negatives": 40,
    "relatives": 5,
    "epochs": 500,
}
TITLES = {"poincare": "Poincaré embeddings", "hyperbolic-cones": "Hyperbolic entailment cones"}
TREE_NAME, TREE_ROOT = "tree-3-7", "r"
TOP_TWO = ("mammal.n.01", "placental.n.01")
# General kinds that everyone knows, from the largest to the smallest.
LABELLED = """
carnivore ungulate rodent primate aquatic_mammal bat metatherian lagomorph dog hunting_dog terrier even-toed_ungulate
horse whale bear feline monkey mouse squirrel kangaroo seal cattle deer antelope rabbit elephant sheep ape
"""


@dataclass(frozen=True)
class Panel:
    """One picture: what is embedded, how, and how well that went."""

    hierarchy: Hierarchy
    embedding: Embedding
    quality: Quality


@dataclass(frozen=True)
class Quality:
    """The best F1 over all ordered pairs of nodes, and how well each node ranks its ancestors."""

    f1: float
    map: float
    mean_rank: float


def uniform_tree(name: str = TREE_NAME) -> Hierarchy:
    """The paper's toy tree with its root removed: 3 trees, 3,279 nodes and 18,045 relations.

    >>> len(uniform_tree()), len(uniform_tree().closure())
    (3279, 18045)
    """
    return load_dataset(name).without([TREE_ROOT])


def mammals() -> Hierarchy:
    """The mammals as the paper counts them: the top two nodes removed, and then the 15 nodes without relatives.

    >>> len(mammals()), len(mammals().closure())
    (1165, 4230)
    """
    below = load_dataset("wordnet-mammals").without(TOP_TWO)
    lonely = np.flatnonzero((below.parents.counts == 0) & (below.children.counts == 0))
    return below.without([below.names[row] for row in lonely])


def draw_figure3(
    folder: Path,
    seed: int = 0,
    *,
    tree: Callable[[], Hierarchy] = uniform_tree,
    animals: Callable[[], Hierarchy] = mammals,
    settings: Sequence[Settings] = (POINCARE, CONES),
) -> list[Path]:
    """Fit and draw figure 3 as ``figure3.svg`` and ``figure3.png`` in a folder, and say where they are.

    The other arguments are for smaller or other pictures: the two hierarchies, and the settings of the left and the
    right column.
    """
    panels = [make_panel(hierarchy, column, seed) for hierarchy in (tree(), animals()) for column in settings]
    figure, all_axes = new_figure(11.0, 12.7, rows=2, columns=2)
    figure.subplots_adjust(left=0.01, right=0.99, top=0.972, bottom=0.088, wspace=0.02, hspace=0.1)
    for axes, panel in zip(all_axes, panels, strict=True):
        draw_panel(axes, panel)
    for axes, panel in zip(all_axes[1::2], panels[1::2], strict=True):
        _draw_legend(axes, panel.hierarchy)
    figure.text(0.5, 0.012, _caption(panels), ha="center", fontsize=9.5, color=INK, linespacing=1.5)
    return save_figure(figure, folder / "figure3.svg", folder / "figure3.png", dpi=125)


def make_panel(hierarchy: Hierarchy, settings: Settings, seed: int) -> Panel:
    """Learn an embedding and measure it."""
    embedding = fit(hierarchy, seed=seed, **settings)
    return Panel(hierarchy, embedding, measure(embedding, hierarchy))


def measure(embedding: Embedding, hierarchy: Hierarchy) -> Quality:
    """How well an embedding keeps all that it was fitted to; every ordered pair of nodes is asked for."""
    ranks = evaluate_reconstruction(embedding, hierarchy)
    method = find_method(embedding.method)
    alphas = ALPHAS if method.uses_alpha else (embedding.settings.alpha,)
    return Quality(max(_all_pairs_f1(embedding, hierarchy, alpha) for alpha in alphas), ranks.map, ranks.mean_rank)


def _all_pairs_f1(embedding: Embedding, hierarchy: Hierarchy, alpha: float) -> float:
    method, settings = find_method(embedding.method), replace(embedding.settings, alpha=alpha)
    scores = np.stack([energies_below(method, settings, embedding.points, row) for row in range(len(hierarchy))])
    is_true = np.zeros(scores.shape, np.bool_)
    is_true[tuple(hierarchy.closure().T)] = True
    right, wrong = scores[is_true], scores[~is_true & ~np.eye(len(hierarchy), dtype=np.bool_)]
    return best_threshold(right, wrong)[1]


def draw_panel(axes: Any, panel: Panel) -> None:
    """The disk with the basic edges, the nodes, a few names, and the quality below."""
    hierarchy, points = panel.hierarchy, panel.embedding.points
    draw_disk(axes)
    draw_edges(axes, points, hierarchy.reduction(), hierarchy.depths())
    draw_nodes(axes, points, hierarchy.depths())
    chosen = named_rows(hierarchy)
    draw_labels(axes, points[chosen], [word_of(hierarchy.names[row]) for row in chosen], dots=points, fontsize=8.5)
    axes.set_title(TITLES[panel.embedding.method], fontsize=13, color=INK, pad=3)
    axes.text(0.5, -0.008, in_words(panel.quality), transform=axes.transAxes, ha="center", va="top", fontsize=10.5)


def in_words(quality: Quality) -> str:
    """The line below a panel.

    >>> in_words(Quality(0.5, 0.75, 3.0))
    'F1 over all pairs 50.0 %, MAP 75.0 %, mean rank 3.0'
    """
    return f"F1 over all pairs {quality.f1:.1%}, MAP {quality.map:.1%}, mean rank {quality.mean_rank:.1f}".replace(
        "%", " %"
    )


def named_rows(hierarchy: Hierarchy) -> list[int]:
    """The rows of the words that are written, for hierarchies that have them, the most general first."""
    by_word = {word_of(name): row for row, name in reversed(list(enumerate(hierarchy.names)))}
    return [by_word[word_of(word)] for word in LABELLED.split() if word_of(word) in by_word]


def word_of(name: str) -> str:
    """The name of a node as people write it.

    >>> word_of("even-toed_ungulate.n.01")
    'even-toed ungulate'
    """
    return name.split(".")[0].replace("_", " ")


def _draw_legend(axes: Any, hierarchy: Hierarchy) -> None:
    colours = depth_colours(int(hierarchy.depths().max(initial=0)))
    for depth, colour in enumerate(colours):
        axes.plot([], [], "o", color=colour, markersize=6, label=str(depth))
    spaces = {"labelspacing": 0.25, "handletextpad": 0.1, "borderaxespad": 0.0}
    legend = axes.legend(title="depth", loc="lower right", fontsize=8.5, title_fontsize=8.5, frameon=False, **spaces)
    legend.set_zorder(11)


def _caption(panels: Sequence[Panel]) -> str:
    above, below = panels[0].hierarchy, panels[-1].hierarchy
    shape = f"branching factor {above.children.counts.max()} and depth {above.depths().max() + 1}"
    return (
        f"Above: the uniform tree with {shape}, root removed: {_counts(above)}.\n"
        f"Below: the mammals of WordNet, top two nodes removed: {_counts(below)}.\n"
        "Edges are the geodesics from each node to its children.  F1 is over every ordered pair of nodes, at the best "
        "threshold;\nMAP and mean rank are of each node's ancestors among all nodes."
    )


def _counts(hierarchy: Hierarchy) -> str:
    return f"{len(hierarchy):,} nodes and {len(hierarchy.closure()):,} relations"
