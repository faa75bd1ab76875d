"""Models of format version 1 load as before; those of version 2 must be the very bytes that were written."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from hypercone.embedding import load
from hypercone.embedding.folder import card_is_as_saved
from hypercone.hierarchy.names import Labels
from hypercone.methods import FARTHEST, Settings

# Written by the last program that wrote version 1.
OLD = Path(__file__).parent / "models" / "version-1"


@pytest.fixture
def old(tmp_path):
    return Path(shutil.copytree(OLD, tmp_path / "old"))


def test_a_model_of_version_1_loads(old):
    loaded = load(old)
    assert json.loads((old / "config.json").read_bytes())["format_version"] == 1
    assert loaded.names == ("animal", "Löwe", "x y")
    assert loaded.points.tolist() == [[0.5, 0.0], [0.9, 0.0], [0.0, 0.25]]
    assert (loaded.method, loaded.settings, loaded.threshold) == ("hyperbolic-cones", Settings(), 0.125)
    assert loaded.record == {"epoch": 3, "config": {"dim": 2}, "calibration_f1": 0.5, "letters": "Löwe 猫"}
    assert loaded.labels == Labels(["Animal", "", "ex why"])
    assert loaded.edges.tolist() == [[0, 1], [0, 2]]


def test_a_model_of_version_1_may_be_laid_out_anew_but_not_changed(old, is_refused, is_same):
    path, saved = old / "config.json", load(old)
    values = json.loads(path.read_bytes())
    path.write_text(json.dumps(values), encoding="utf-8")
    assert is_same(load(old), saved)
    path.write_text(json.dumps(values | {"threshold": 0.25}), encoding="utf-8")
    assert is_refused(old, "does not match its own checksum")


def test_a_model_of_version_1_does_not_know_its_card_and_is_replaced_by_one_that_does(old, is_same):
    (old / "README.md").write_text("mine")
    assert card_is_as_saved(old)
    saved = load(old)
    saved.save(old)
    assert json.loads((old / "config.json").read_bytes())["format_version"] == 2
    assert is_same(load(old), saved)


def test_a_description_that_is_laid_out_anew_is_refused(full_model, is_refused):
    path = full_model / "config.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()), indent=4), encoding="utf-8")
    assert is_refused(full_model, "does not match its own checksum; the file was damaged or edited")


def test_a_program_that_changes_line_ends_is_told_apart_from_damage(full_model, is_refused, told):
    path = full_model / "config.json"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    sentence = is_refused(full_model, "has other line ends than it was written with; copy it byte for byte")
    told("hostile file", "a model whose config.json was given other line ends", sentence, 3, about="model folders")


def test_the_seal_is_the_checksum_of_the_bytes_before_it(full_model):
    content = (full_model / "config.json").read_bytes()
    head, mark, seal = content.rpartition(b',\n  "seal": "')
    assert mark
    assert seal.decode() == hashlib.sha256(head).hexdigest() + '"\n}\n'


def test_a_version_1_that_claims_to_be_2_or_the_other_way_round_is_refused(old, full_model, is_refused):
    for folder, before, after in ((old, b'version": 1', b'version": 2'), (full_model, b'version": 2', b'version": 1')):
        path = folder / "config.json"
        content = path.read_bytes()
        assert content.count(before) == 1
        path.write_bytes(content.replace(before, after))
        assert is_refused(folder, "does not match its own checksum")


def test_numbers_come_back_to_the_last_bit(make_embedding, tmp_path):
    points = np.array([[5e-324, -0.0], [-FARTHEST, 1e-310]])
    saved = make_embedding("order", names=["a", "b"], points=points, threshold=5e-324)
    loaded = load(saved.save(tmp_path / "model"))
    assert loaded.points.tobytes() == points.tobytes()
    assert loaded.threshold == 5e-324
