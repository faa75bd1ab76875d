"""Mean rank and MAP equal the definitions of Nickel and Kiela, written out in NumPy."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import hypercone
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.evaluation import reconstruction
from hypercone.methods import METHODS, Settings


@pytest.fixture(scope="module")
def tree() -> hypercone.Hierarchy:
    return hypercone.load_dataset("tree-3-4")


def _scattered(tree: hypercone.Hierarchy, name: str, seed: int = 0, dim: int = 2) -> Embedding:
    method = METHODS[name]
    settings = Settings(alpha=10.0 if method.uses_alpha else 0.0)
    random = np.random.default_rng(seed)
    points = method.start(random, len(tree), dim, 0.5)
    # Deeper nodes are further out, so that the ranks are neither perfect nor random.
    points *= 0.3 + 0.2 * tree.depths[:, None]
    if name == "order":
        # Multiples of 1/8 have exact energies, so that there are many ties.
        points = np.round(8 * points) / 8
    return Embedding(tree.names, method.project(points, settings), name, settings, 0.0)


def _by_definition(embedding: Embedding, tree: hypercone.Hierarchy) -> tuple[float, float]:
    method, plain = METHODS[embedding.method], replace(embedding.settings, alpha=0.0)
    ranks, precisions = [], []
    for child in range(len(tree)):
        ancestors = set(tree.ancestors_of(child).tolist())
        if not ancestors:
            continue
        energies = method.signed_energy(embedding.points, embedding.points[child], plain)
        others = [row for row in range(len(tree)) if row != child]
        # Nearest first, and among equals the wrong ones first.
        order = sorted(others, key=lambda row: (energies[row], row in ancestors))
        places = [place for place, row in enumerate(order, 1) if row in ancestors]
        ranks += [place - hits for hits, place in enumerate(places)]
        precisions.append(np.mean([hits / place for hits, place in enumerate(places, 1)]))
    return float(np.mean(ranks)), float(np.mean(precisions))


@pytest.mark.parametrize("name", sorted(METHODS))
@pytest.mark.parametrize("seed", [0, 1])
def test_reconstruction_equals_the_definition(tree, name, seed):
    embedding = _scattered(tree, name, seed)
    found = reconstruction(embedding, tree)
    mean_rank, mean_average_precision = _by_definition(embedding, tree)
    assert found.mean_rank == pytest.approx(mean_rank, rel=1e-12)
    assert found.map == pytest.approx(mean_average_precision, rel=1e-12)
    assert 1 < found.mean_rank < len(tree)
    assert (found.nodes, found.pairs) == (len(tree) - 1, len(tree.closure()))
    assert json.loads(json.dumps(found.as_dict()))["pairs"] == found.pairs


def test_ties_count_against_the_model_and_a_perfect_one_has_rank_one_and_precision_one(tree):
    # All points are equal, so every non-ancestor is ranked before every ancestor.
    embedding = Embedding(tree.names, np.ones((len(tree), 2)), "order", Settings(), 0.0)
    found = reconstruction(embedding, tree)
    assert (found.mean_rank, found.map) == pytest.approx(_by_definition(embedding, tree))
    assert found.mean_rank > 100
    chain = hypercone.Hierarchy.from_pairs([("a", "b"), ("b", "c"), ("c", "d")])
    embedding = Embedding(chain.names, np.arange(4.0)[:, None], "order", Settings(), 0.0)
    found = reconstruction(embedding, chain)
    assert (found.mean_rank, found.map) == (1.0, 1.0)


def test_bad_input_and_another_hierarchy_are_refused(tree):
    stones = hypercone.Hierarchy(["stone", "rock"], np.empty((0, 2), np.int32))
    with pytest.raises(InputError, match="nothing to reconstruct"):
        reconstruction(Embedding(stones.names, np.ones((2, 2)), "order", Settings(), 0.0), stones)
    embedding = _scattered(tree, "hyperbolic-cones")
    for option in ("sample", "threads"):
        with pytest.raises(InputError, match=f"{option} is 0, but must be at least 1"):
            reconstruction(embedding, tree, **{option: 0})
    for other in ("tree-3-5", "tree-2-3"):
        with pytest.raises(InputError, match="give the hierarchy it was fitted to"):
            reconstruction(embedding, hypercone.load_dataset(other))


@pytest.mark.parametrize("name", ["hyperbolic-cones", "poincare"])
def test_threads_and_large_samples_change_nothing_and_small_ones_depend_on_their_seed_alone(tree, name):
    embedding = _scattered(tree, name)
    alone = reconstruction(embedding, tree, threads=1)
    for threads in (2, 3, 8):
        assert reconstruction(embedding, tree, threads=threads) == alone
    one = reconstruction(embedding, tree, sample=20, seed=3)
    assert one == reconstruction(embedding, tree, sample=20, seed=3, threads=2)
    assert one.nodes == 20
    assert one != reconstruction(embedding, tree, sample=20, seed=4)
    for sample in (120, 121, 10**9):
        assert reconstruction(embedding, tree, sample=sample) == alone
