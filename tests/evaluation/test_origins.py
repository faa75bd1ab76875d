"""What was learned, constructed or both, and what had the closure to look at, is told apart."""

from __future__ import annotations

import numpy as np
import pytest

import hypercone
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.evaluation import Kind, kind_of
from hypercone.methods import Settings


def recorded(**record) -> Embedding:
    return Embedding(["dog"], np.array([[0.5, 0.0]]), "hyperbolic-cones", Settings(), 0.0, record=record)


@pytest.mark.parametrize(
    ("record", "kind", "closure_aware"),
    [
        ({}, "learned", False),
        ({"config": {"edges": "closure", "known": "training"}, "split": None}, "learned", True),
        ({"config": {"edges": "closure", "known": "training"}, "split": {"percent": 0}}, "learned", False),
        ({"config": {"edges": "as-given", "known": "training"}, "split": None}, "learned", False),
        ({"config": {"edges": "as-given", "known": "closure"}, "split": {"percent": 0}}, "learned", True),
        ({"kind": "constructed", "closure_aware": True}, "constructed", True),
        ({"kind": "constructed", "config": {"edges": "closure"}, "closure_aware": False}, "constructed", False),
        ({"kind": "learned from a construction"}, "learned from a construction", False),
    ],
)
def test_the_record_tells_what_used_what(record, kind, closure_aware):
    found = kind_of(recorded(**record))
    assert (found.kind, found.closure_aware) == (Kind(kind), closure_aware)
    assert found.as_dict() == {"kind": kind, "closure_aware": closure_aware}
    assert str(found) == kind + (", closure-aware" if closure_aware else "")


@pytest.mark.parametrize("said", ["dreamed", 7, None, ["learned"]])
def test_a_kind_that_there_is_not_is_refused(said):
    with pytest.raises(InputError, match="must say one of: learned, constructed, learned from a construction"):
        kind_of(recorded(kind=said))


def test_a_fit_to_a_split_is_not_closure_aware_and_stays_so_in_its_folder(tmp_path):
    tree = hypercone.load_dataset("tree-2-4")
    fitted = {"dim": 2, "epochs": 2, "init_epochs": 2, "method": "hyperbolic-cones"}
    strict = hypercone.fit(tree, split=tree.split(10), **fitted)
    strict.save(tmp_path / "strict")
    assert not kind_of(hypercone.load(tmp_path / "strict")).closure_aware
    assert kind_of(hypercone.fit(tree, edges="closure", **fitted)).closure_aware
