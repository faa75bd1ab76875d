"""Every damaged byte and every truncation of a model folder is detected."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.embeddings import is_refused, is_same, make_embedding

from hypercone.embedding import folder_format, load
from hypercone.embedding.folder import card_is_as_saved
from hypercone.embedding.folder_format import Description
from hypercone.errors import ModelFileError

NEEDED = ("config.json", "model.safetensors", "nodes.txt.gz", "labels.txt.gz", "edges.safetensors")


def _flips(path: Path) -> Iterator[int]:
    """Each byte with its lowest, its highest and all bits flipped, and as a space; the benchmark tries all 255."""
    content = path.read_bytes()
    # In place: rewriting the file would sync it to the disk each time.
    with path.open("r+b", buffering=0) as file:
        for place, byte in enumerate(content):
            for other in sorted({byte ^ 1, byte ^ 0x80, byte ^ 0xFF, 0x20} - {byte}):
                os.pwrite(file.fileno(), bytes([other]), place)
                yield place
            os.pwrite(file.fileno(), content[place : place + 1], place)


def _cuts(path: Path) -> Iterator[int]:
    content = path.read_bytes()
    for length in reversed(range(len(content))):
        os.truncate(path, length)
        yield length
    path.write_bytes(content)


@pytest.mark.parametrize("damages", [_flips, _cuts], ids=["flip", "cut"])
@pytest.mark.parametrize("part", NEEDED)
def test_every_flipped_byte_and_every_cut_is_refused_in_one_sentence(full_model, part, damages):
    path = full_model / part
    tried = {place for place in damages(path) if is_refused(full_model)}
    assert len(tried) == path.stat().st_size
    assert len(load(full_model)) == 3


def test_without_checksums_damage_goes_unnoticed(full_model, monkeypatch):
    """The control arm: without checksums, the tests above would fail."""
    saved = load(full_model)
    monkeypatch.setattr(folder_format, "sha256", lambda content: "0")
    monkeypatch.setattr(Description, "checksum", lambda description, part: "0")
    outcomes: Counter[str] = Counter()
    for _ in _flips(full_model / "model.safetensors"):
        try:
            outcomes["same" if is_same(load(full_model), saved) else "another"] += 1
        except ModelFileError:
            outcomes["refused"] += 1
    assert outcomes["another"] > 50
    assert outcomes["refused"] > 50


@pytest.mark.parametrize("damages", [_flips, _cuts], ids=["flip", "cut"])
def test_every_change_to_the_card_is_detected_and_does_not_affect_the_model(full_model, damages):
    path, saved = full_model / "README.md", load(full_model)
    tried = {place for place in damages(path) if not card_is_as_saved(full_model)}
    assert len(tried) == path.stat().st_size
    assert card_is_as_saved(full_model)
    path.write_text("Ask Ada before you use this.")
    assert is_same(load(full_model), saved)
    path.unlink()
    assert card_is_as_saved(full_model)
    assert is_same(load(full_model), saved)


@pytest.mark.parametrize("part", NEEDED)
@pytest.mark.parametrize("more", [b"!", b"\n", b"\0", b" "])
def test_appended_bytes_are_refused(full_model, part, more):
    path = full_model / part
    path.write_bytes(path.read_bytes() + more)
    with pytest.raises(ModelFileError):
        load(full_model)


def test_parts_of_two_models_cannot_be_mixed(full_model, tmp_path):
    other = make_embedding(count=3, seed=1, names=["animal", "Löwe", "xy"]).save(tmp_path / "other")
    for part in ("model.safetensors", "nodes.txt.gz"):
        kept = (full_model / part).read_bytes()
        (full_model / part).write_bytes((other / part).read_bytes())
        assert is_refused(full_model, f"{part}: does not match its checksum")
        (full_model / part).write_bytes(kept)


@pytest.mark.parametrize("part", NEEDED)
def test_a_missing_part_is_named(full_model, part):
    (full_model / part).unlink()
    assert is_refused(full_model, f"{part}: is missing")
