"""The targets of the fuzzing, warm: whatever they load or compile is there before they are watched."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import pytest

# Tests are no package; the modules of the fuzzing are one by their folder, for the benchmark imports them too.
sys.path.insert(0, str(Path(__file__).parent))

from fuzzing import session
from fuzzing import targets as of_fuzzing


@pytest.fixture(scope="session")
def targets(tmp_path_factory):
    made = of_fuzzing.made(tmp_path_factory.mktemp("fuzz"))
    of_fuzzing.warm()
    for target in made.values():
        for seed in session.seeds_of(target.name):
            with contextlib.suppress(Exception):
                target.call(seed)
    return made
