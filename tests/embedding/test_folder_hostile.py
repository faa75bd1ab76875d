"""A model folder made by an enemy who recomputes every checksum: refused in one sentence, or harmless."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save as safetensors_bytes

from hypercone.embedding import load
from hypercone.errors import ModelFileError

CONFIG, POINTS, NODES = "config.json", "model.safetensors", "nodes.txt.gz"


def _forge(folder: Path, parts: dict[str, bytes] | None = None, **changes: Any) -> None:
    """Replace parts and values, and make every checksum fit."""
    config = json.loads((folder / CONFIG).read_bytes())
    for name, content in (parts or {}).items():
        (folder / name).write_bytes(content)
        config["checksums"][name] = hashlib.sha256(content).hexdigest()
    config |= changes
    config.pop("seal", None)
    config["seal"] = hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()
    (folder / CONFIG).write_text(json.dumps(config), encoding="utf-8")


def _is_refused(folder: Path, words: str | None = None) -> bool:
    with pytest.raises(ModelFileError, match=words) as error:
        load(folder)
    assert "\n" not in str(error.value)
    return True


def test_a_forged_model_that_is_in_order_loads(model):
    _forge(model)
    assert len(load(model)) == 12


@pytest.mark.parametrize("version", [2, 10**6, 10**400])
def test_a_newer_format_asks_for_an_upgrade(model, version):
    _forge(model, format_version=version)
    assert _is_refused(model, "newer than this program reads")


@pytest.mark.parametrize("version", [0, -1, "1", None, 1.5, [1]])
def test_a_format_version_that_is_none_is_refused(model, version):
    _forge(model, format_version=version)
    assert _is_refused(model)


SETTINGS = {"K": 0.1, "margin": 0.01, "border": 1e-5, "alpha": 0.0}


@pytest.mark.parametrize(
    "change",
    [
        {"K": -1},
        {"K": 0},
        {"K": float("nan")},
        {"K": float("inf")},
        {"K": 10**400},
        {"K": "0.1"},
        {"K": True},
        {"K": None},
        {"K": 1e300},
        {"margin": -1e9},
        {"border": -5},
        {"border": 2},
        {"alpha": -1},
        {"alpha": [3]},
    ],
    ids=str,
)
@pytest.mark.parametrize("method", ["hyperbolic-cones", "order", "poincare"])
def test_settings_that_make_no_sense_are_refused(model, method, change):
    _forge(model, method=method, settings=SETTINGS | change)
    assert _is_refused(model)


@pytest.mark.parametrize("settings", [None, [], "K", {}, 3])
def test_settings_that_are_none_are_refused(model, settings):
    _forge(model, settings=settings)
    assert _is_refused(model)


@pytest.mark.parametrize("threshold", [float("nan"), float("-inf"), 10**400, "0", None, True, {}])
def test_a_threshold_that_is_no_number_is_refused(model, threshold):
    _forge(model, threshold=threshold)
    assert _is_refused(model, "threshold is not a number")


@pytest.mark.parametrize("method", ["hyperbolic-cone", "", None, 5, ["order"], "\ud800", "a\nb"])
def test_a_method_nobody_knows_is_refused(model, method):
    _forge(model, method=method)
    assert _is_refused(model)


@pytest.mark.parametrize(
    "change",
    [
        {"nodes": 10**12},
        {"nodes": 10**400},
        {"nodes": -1},
        {"nodes": 11},
        {"nodes": True},
        {"nodes": 12.0},
        {"dim": 3},
        {"dim": 0},
        {"dim": -2},
        {"dim": None},
        {"nodes_bytes": 3},
        {"nodes_bytes": -1},
        {"nodes_bytes": 2**62},
        {"nodes_bytes": 2**63 - 2},
        {"nodes_bytes": 10**30},
        {"record": None},
        {"record": [1]},
        {"checksums": None},
        {"checksums": {}},
        {"checksums": {CONFIG: "0"}},
    ],
    ids=str,
)
def test_counts_that_do_not_fit_are_refused_before_anything_is_made_of_them(model, change):
    _forge(model, **change)
    tracemalloc.start()
    try:
        assert _is_refused(model)
        assert tracemalloc.get_traced_memory()[1] < 10 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("method", "points"),
    [
        ("hyperbolic-cones", [[0.0, 0.0]]),
        ("hyperbolic-cones", [[1.0, 0.0]]),
        ("hyperbolic-cones", [[5.0, 0.0]]),
        ("poincare", [[0.8, 0.8]]),
        ("euclidean-cones", [[1e-6, 0.0]]),
        ("order", [[np.nan, 0.0]]),
        ("euclidean", [[np.inf, 0.0]]),
    ],
)
def test_points_outside_the_domain_are_refused(make_embedding, tmp_path, method, points):
    folder = make_embedding(method, count=1).save(tmp_path / "model")
    _forge(folder, {POINTS: safetensors_bytes({"points": np.array(points)})})
    assert _is_refused(folder, "outside the domain")


@pytest.mark.parametrize(
    "tensors",
    [
        {},
        {"weights": np.full((12, 2), 0.5)},
        {"points": np.full((12, 2), 0.5, np.float32)},
        {"points": np.full((12, 2), 1, np.int64)},
        {"points": np.full((2, 12), 0.5)},
        {"points": np.full(24, 0.5)},
        {"points": np.empty((12, 0))},
    ],
    ids=lambda tensors: str({name: (str(array.dtype), array.shape) for name, array in tensors.items()}),
)
def test_points_of_another_kind_are_refused(model, tensors):
    _forge(model, {POINTS: safetensors_bytes(tensors)})
    assert _is_refused(model, "does not hold 12 float64 points")


def test_a_model_without_dimensions_is_refused(make_embedding, tmp_path):
    folder = make_embedding("poincare").save(tmp_path / "model")
    _forge(folder, {POINTS: safetensors_bytes({"points": np.empty((12, 0))})}, dim=0)
    assert _is_refused(folder)


class Bomb:
    """Unpickling this would leave a mark."""

    def __reduce__(self):
        return os.mkdir, ("pickle-was-run",)


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 7, b"\xff" * 8, (2**40).to_bytes(8, "little"), pickle.dumps(Bomb()), b"\x08" + b"\0" * 7 + b"{" * 8],
)
def test_points_that_are_no_safetensors_are_refused(model, tmp_path, monkeypatch, content):
    monkeypatch.chdir(tmp_path)
    _forge(model, {POINTS: content})
    assert _is_refused(model, "is not a safetensors file")
    assert not Path("pickle-was-run").exists()


def test_a_gzip_bomb_is_not_unpacked_beyond_what_is_announced(model):
    bomb = gzip.compress(b"\n" * (200 << 20))
    assert len(bomb) < 1 << 20
    _forge(model, {NODES: bomb})
    tracemalloc.start()
    try:
        assert _is_refused(model, "does not hold 12 lines of 66 bytes")
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "names",
    [
        b"",
        b"a\n" * 12,
        b"\n".join(b"n%d" % i for i in range(12)),
        b"\n".join(b"n%d" % i for i in range(13)),
        b"".join(b"\xff%d\n" % i for i in range(12)),
        b"".join(b"n%d\n" % i for i in range(11)),
        b"".join(b"n%d\n" % i for i in range(13)),
    ],
)
def test_names_that_do_not_fit_the_points_are_refused(model, names):
    _forge(model, {NODES: gzip.compress(names)}, nodes_bytes=len(names))
    assert _is_refused(model)


def _damaged_deflate(names: bytes) -> bytes:
    packed = bytearray(gzip.compress(names))
    packed[10] = 0xFF
    return bytes(packed)


@pytest.mark.parametrize(
    "content", [b"", b"plain text", gzip.compress(b"x" * 99)[:-9], _damaged_deflate(b"n1\n")], ids=range(4)
)
def test_names_that_cannot_be_unpacked_are_refused(model, content):
    _forge(model, {NODES: content})
    assert _is_refused(model)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        '"hypercone-model"',
        "[" * 100_000,
        '{"format": "hypercone-model"}',
        '{"format": "hypercone-model", "format_version": 1}',
        '{"format": "hypercone-model", "format_version": 1, "x": ' + "[" * 500 + "]" * 500 + "}",
        '{"format": "hypercone-model", "format_version": 1, "x": ' + "9" * 5000 + "}",
        " " * (1 << 20) + "{}",
        "\ufeff{}",
        "{'format': 'hypercone-model'}",
    ],
    ids=range(13),
)
def test_a_config_that_describes_no_model_is_refused(model, text):
    (model / CONFIG).write_text(text, encoding="utf-8")
    assert _is_refused(model)


def test_a_config_nested_to_the_limit_of_the_interpreter_is_refused(model):
    for depth in range(800, 1000, 3):
        nested = "[" * depth + "]" * depth
        (model / CONFIG).write_text(f'{{"format": "hypercone-model", "format_version": 1, "record": {nested}}}')
        assert _is_refused(model)


def test_the_seal_covers_every_value(model):
    config = json.loads((model / CONFIG).read_bytes())
    for name in config:
        changed = dict(config)
        del changed[name]
        (model / CONFIG).write_text(json.dumps(changed))
        assert _is_refused(model)
    (model / CONFIG).write_text(json.dumps(config | {"threshold": 1e9}))
    assert _is_refused(model, "does not match its own checksum")
