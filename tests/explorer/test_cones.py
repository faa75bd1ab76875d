"""What the page lights up is what Python answers: for every method, for small and large models, node by node."""

from __future__ import annotations

import numpy as np
import pytest

import hypercone
from hypercone.data import load_dataset
from hypercone.embedding import Embedding
from hypercone.methods import METHODS

# Selects each row and gives back the rows lit up, as the page tells them.
LIT = "argument.map(row => { h.select(row); return Array.from(h.highlighted()); })"
MARKS = "argument.map(row => { h.select(row); return Array.from(h.state.inside); })"


@pytest.fixture(scope="module")
def pets() -> hypercone.Hierarchy:
    """Forty nodes, some with two parents."""
    tree = load_dataset("tree-3-3")
    again = [["r.0.0", "r.1.0.0"], ["r.1", "r.2.2"], ["r.0.1", "r.2.0.1"], ["r.2.1", "r.0.2.2"]]
    more = [[tree.row(parent), tree.row(child)] for parent, child in again]
    return hypercone.Hierarchy(tree.names, np.concatenate([tree.edges, np.array(more, np.int32)]))


@pytest.fixture(scope="module")
def learned(pets):
    """A model of each method, learned so briefly that it makes mistakes of both kinds."""
    made: dict[str, Embedding] = {}

    def model(method: str) -> Embedding:
        if method not in made:
            made[method] = hypercone.fit(pets, method=method, dim=2, epochs=20, init_epochs=20, seed=3)
        return made[method]

    return model


def _by_python(embedding: Embedding, rows) -> list[list[int]]:
    names = [embedding.names[row] for row in rows]
    return [sorted(embedding.row(name) for name in embedding.descendants(one)) for one in names]


def _lit(opened, rows) -> list[list[int]]:
    return [sorted(found) for found in opened.ask(LIT, [int(row) for row in rows])]


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_lights_up_the_descendants_of_python(method, learned, page_of, show):
    embedding = learned(method)
    opened = show(page_of(embedding))
    assert _lit(opened, range(len(embedding))) == _by_python(embedding, range(len(embedding)))


@pytest.mark.parametrize("method", sorted(METHODS))
def test_marks_are_where_the_cone_and_the_graph_differ(method, learned, page_of, show, pets):
    embedding = learned(method)
    marks = show(page_of(embedding)).ask(MARKS, list(range(len(pets))))
    mistakes = set()
    for row, found in enumerate(marks):
        inside, below = np.zeros(len(pets), bool), np.zeros(len(pets), bool)
        inside[_by_python(embedding, [row])[0]] = True
        below[pets.descendants_of(row)] = True
        expected = np.select([inside & below, inside, below], [1, 2, 3], 0)
        got = np.array(found)
        got[row] = expected[row]
        assert got.tolist() == expected.tolist()
        mistakes |= set(found)
    assert {2, 3} <= mistakes, "the model makes no mistakes, so nothing was tested"


def test_two_hundred_mammals_light_up_the_descendants_of_python(mammals, page_of, show):
    rows = np.random.default_rng(0).choice(len(mammals), 200, replace=False)
    assert _lit(show(page_of(mammals)), rows) == _by_python(mammals, rows)


def test_a_hundred_of_eighty_thousand_nouns_light_up_the_descendants_of_python(nouns, page_of, show):
    random = np.random.default_rng(1)
    below = np.flatnonzero(nouns.hierarchy.child_lists.counts > 0)
    chosen = random.choice(below, 100 - len(nouns.hierarchy.root_rows), replace=False)
    rows = [*nouns.hierarchy.root_rows.tolist(), *chosen.tolist()]
    assert _lit(show(page_of(nouns)), rows) == _by_python(nouns, rows)


def test_a_wider_threshold_lights_up_more(mammals, page_of, show):
    loose = Embedding(
        mammals.names, mammals.points, mammals.method, mammals.settings, 0.3, mammals.record, edges=mammals.edges
    )
    rows = np.random.default_rng(2).choice(len(mammals), 50, replace=False)
    found = _lit(show(page_of(loose)), rows)
    assert found == _by_python(loose, rows)
    assert sum(map(len, found)) > sum(map(len, _by_python(mammals, rows)))


def test_without_edges_nothing_is_marked_as_wrong(mammals, page_of, show):
    bare = Embedding(mammals.names, mammals.points, mammals.method, mammals.settings, mammals.threshold)
    rows = np.random.default_rng(3).choice(len(mammals), 20, replace=False).tolist()
    opened = show(page_of(bare))
    assert _lit(opened, rows) == _by_python(bare, rows)
    assert {mark for marks in opened.ask(MARKS, rows) for mark in marks} <= {0, 1}
