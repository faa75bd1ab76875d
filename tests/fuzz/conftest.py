"""The targets of the fuzzer, after everything that they load or compile was loaded."""

from __future__ import annotations

import contextlib

import pytest
from tools.fuzz import session
from tools.fuzz import targets as fuzz_targets


@pytest.fixture(scope="session")
def targets(tmp_path_factory):
    found = fuzz_targets.all_targets(tmp_path_factory.mktemp("fuzz"))
    fuzz_targets.warm()
    for target in found.values():
        for seed in session.seeds_of(target.name):
            with contextlib.suppress(Exception):
                target.call(seed)
    return found
