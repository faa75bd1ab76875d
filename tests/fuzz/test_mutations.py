"""A bounded run of the fuzzer: the same made-up inputs every time, some for every target."""

from __future__ import annotations

import pytest
from fuzzing import session
from fuzzing.mutations import Mutator

from hypercone.formats.registry import NAMES

FOLDERS = ("ncbi-names", "wordnet-index", "split", "released-split", "config", "model", "model-resealed", "run")
INPUTS = 150


@pytest.mark.parametrize("name", [*NAMES, "guessed", "packed", *FOLDERS, "run-resealed", "query", "body"])
def test_made_up_inputs_keep_the_promise(targets, name):
    target, seeds = targets[name], session.seeds_of(name)
    mutator = Mutator(name, session.words_of(target.words))
    read = 0
    for turn in range(INPUTS):
        data = mutator.changed(mutator.random.choice(seeds), mutator.random.choice(seeds))
        try:
            read += target.check(data, twice=turn % 10 == 0).kind == "read"
        except AssertionError as broken:
            pytest.fail(f"{name}: {broken}; the input, as hexadecimal digits: {data.hex()}")
    # If all of them were refused, most of the reader would be behind a door that they do not open.
    assert read or name == "model"


def test_the_same_seed_makes_the_same_inputs():
    made = [Mutator(5, [b"word"]).changed(b"parent\tchild\na\tb\n", b"other") for _ in range(2)]
    assert made[0] == made[1] != b"parent\tchild\na\tb\n"


def test_every_target_is_fuzzed_here(targets):
    assert set(targets) == {*NAMES, "guessed", "packed", *FOLDERS, "run-resealed", "query", "body"}
