"""A model folder made by an enemy who recomputes every checksum: refused in one sentence, or harmless."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save as safetensors_bytes

from hypercone.embedding import load
from hypercone.methods import FARTHEST

CONFIG, POINTS, NODES = "config.json", "model.safetensors", "nodes.txt.gz"


def test_a_forged_model_that_is_in_order_loads(model, forge):
    forge(model)
    assert len(load(model)) == 12


@pytest.mark.parametrize("version", [3, 10**6, 10**300])
def test_a_newer_format_asks_for_an_upgrade(model, version, forge, is_refused):
    forge(model, format_version=version)
    assert is_refused(model, "newer than this program reads")


@pytest.mark.parametrize("version", [0, -1, "1", None, 1.5, [1]])
def test_a_format_version_that_is_none_is_refused(model, version, forge, is_refused):
    forge(model, format_version=version)
    assert is_refused(model)


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
def test_settings_that_make_no_sense_are_refused(model, method, change, forge, is_refused):
    forge(model, method=method, settings=SETTINGS | change)
    assert is_refused(model)


@pytest.mark.parametrize("settings", [None, [], "K", {}, 3])
def test_settings_that_are_none_are_refused(model, settings, forge, is_refused):
    forge(model, settings=settings)
    assert is_refused(model)


@pytest.mark.parametrize("threshold", ["0", None, True, {}, 10**350])
def test_a_threshold_that_is_no_number_is_refused(model, threshold, forge, is_refused):
    forge(model, threshold=threshold)
    assert is_refused(model, "threshold is not a number")


@pytest.mark.parametrize("method", ["hyperbolic-cone", "", None, 5, ["order"], "\ud800", "a\nb"])
def test_a_method_nobody_knows_is_refused(model, method, forge, is_refused):
    forge(model, method=method)
    assert is_refused(model)


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
def test_counts_that_do_not_fit_are_refused_before_anything_is_made_of_them(model, change, forge, is_refused):
    forge(model, **change)
    tracemalloc.start()
    try:
        assert is_refused(model)
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
        ("hyperbolic-cones", [[1.0 + 5e-10, 0.0]]),
        ("order", [[np.nan, 0.0]]),
        ("euclidean", [[np.inf, 0.0]]),
        ("order", [[0.0, -1.01 * FARTHEST]]),
        ("euclidean-cones", [[1e200, 1e200]]),
    ],
)
def test_points_outside_the_domain_are_refused(make_embedding, tmp_path, method, points, forge, is_refused):
    folder = make_embedding(method, count=1).save(tmp_path / "model")
    forge(folder, {POINTS: safetensors_bytes({"points": np.array(points)})})
    assert is_refused(folder, "outside the domain|is not finite")


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
def test_points_of_another_kind_are_refused(model, tensors, forge, is_refused):
    forge(model, {POINTS: safetensors_bytes(tensors)})
    assert is_refused(model, "does not hold 12 float64 points")


def test_a_model_without_dimensions_is_refused(make_embedding, tmp_path, forge, is_refused):
    folder = make_embedding("poincare").save(tmp_path / "model")
    forge(folder, {POINTS: safetensors_bytes({"points": np.empty((12, 0))})}, dim=0)
    assert is_refused(folder)


class Bomb:
    """Unpickling this would leave a mark."""

    def __reduce__(self):
        return os.mkdir, ("pickle-was-run",)


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 7, b"\xff" * 8, (2**40).to_bytes(8, "little"), pickle.dumps(Bomb()), b"\x08" + b"\0" * 7 + b"{" * 8],
)
def test_points_that_are_no_safetensors_are_refused(model, tmp_path, monkeypatch, content, forge, is_refused):
    monkeypatch.chdir(tmp_path)
    forge(model, {POINTS: content})
    assert is_refused(model, "is not a safetensors file")
    assert not Path("pickle-was-run").exists()


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
def test_names_that_do_not_fit_the_points_are_refused(model, names, forge, is_refused):
    forge(model, {NODES: gzip.compress(names)}, nodes_bytes=len(names))
    assert is_refused(model)


def _damaged_deflate(names: bytes) -> bytes:
    packed = bytearray(gzip.compress(names))
    packed[10] = 0xFF
    return bytes(packed)


@pytest.mark.parametrize(
    "content", [b"", b"plain text", gzip.compress(b"x" * 99)[:-9], _damaged_deflate(b"n1\n")], ids=range(4)
)
def test_names_that_cannot_be_unpacked_are_refused(model, content, forge, is_refused):
    forge(model, {NODES: content})
    assert is_refused(model)


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
        '{"format": "hypercone-model", "format_version": 2}',
        '{"format": "hypercone-model", "format_version": 2, "x": ' + "[" * 500 + "]" * 500 + "}",
        '{"format": "hypercone-model", "format_version": 2, "x": ' + "9" * 5000 + "}",
        " " * (1 << 20) + "{}",
        "\ufeff{}",
        "{'format': 'hypercone-model'}",
    ],
    ids=range(13),
)
def test_a_config_that_describes_no_model_is_refused(model, text, is_refused):
    (model / CONFIG).write_text(text, encoding="utf-8")
    assert is_refused(model)


def test_a_config_nested_to_the_limit_of_the_interpreter_is_refused(model, is_refused):
    for depth in range(800, 1000, 3):
        nested = "[" * depth + "]" * depth
        (model / CONFIG).write_text(f'{{"format": "hypercone-model", "format_version": 2, "record": {nested}}}')
        assert is_refused(model)


def test_the_seal_covers_every_value(model, is_refused):
    config = json.loads((model / CONFIG).read_bytes())
    for name in config:
        changed = dict(config)
        del changed[name]
        (model / CONFIG).write_text(json.dumps(changed))
        assert is_refused(model)
    (model / CONFIG).write_text(json.dumps(config | {"threshold": 1e9}))
    assert is_refused(model, "does not match its own checksum")
