"""The same seed gives the same bits everywhere: the points of small fits are those in ``same_bits.json``.

After a change that is meant to change points, run ``HYPERCONE_RECORD_BITS=1 pytest tests/test_same_bits.py`` once.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest
from tools.same_bits import DIMS, ROWS, another_machine, digests, digests_in, key_of

RECORDED = Path(__file__).with_name("same_bits.json")
ELSEWHERE = another_machine()
# Together they run every kernel of training and of both constructions; each is compiled for the other processor.
CHOSEN = ["hyperbolic-cones from caps", "euclidean-cones from random", "order from random", "poincare from random"]
CHOSEN += ["euclidean from random", "overlapping-caps"]


@pytest.fixture(scope="module")
def recorded():
    if os.environ.get("HYPERCONE_RECORD_BITS"):
        RECORDED.write_text(json.dumps(digests(), indent=1) + "\n", encoding="utf-8")
    return json.loads(RECORDED.read_text(encoding="utf-8"))


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("row", ROWS)
def test_a_fit_gives_the_recorded_bits(recorded, row, dim):
    assert digests([row], [dim]) == {key_of(row, dim): recorded[key_of(row, dim)]}


def test_the_table_has_every_fit_and_no_two_are_the_same_but_forests_in_the_plane(recorded):
    assert list(recorded) == [key_of(row, dim) for row in ROWS for dim in DIMS]
    named = defaultdict(set)
    for key, digest in recorded.items():
        named[digest].add(key.replace("overlapping", "nested") if key.endswith("d = 2") else key)
    assert [names for names in named.values() if len(names) > 1] == []


@pytest.mark.skipif(ELSEWHERE is None, reason="only for x86-64 there are variables that take instructions away")
def test_kernels_a_math_library_numpy_and_blas_without_newer_instructions_give_the_recorded_bits(recorded):
    """A process that is as different as another machine would be. Its kernels are cached on disk as well."""
    found = digests_in(ELSEWHERE, CHOSEN, [5])
    assert found == {key: recorded[key] for key in found}
    assert len(found) == len(CHOSEN)
