"""An interrupted save leaves the old model, whole, and nothing else."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from hypercone.atomic import new_file, new_folder
from hypercone.embedding import load
from hypercone.errors import InputError, ResourceError


class Failing:
    """A stand-in that works until its turn to fail comes."""

    def __init__(self, real, error: BaseException, turns) -> None:
        self.real, self.error, self.turns, self.calls = real, error, turns, 0

    def __call__(self, *arguments, **options):
        self.calls += 1
        if self.calls in self.turns:
            raise self.error
        return self.real(*arguments, **options)


def _fail(monkeypatch, place, name: str, error: BaseException, turns) -> Failing:
    failing = Failing(getattr(place, name), error, turns)

    def stand_in(*arguments, **options):
        return failing(*arguments, **options)

    monkeypatch.setattr(place, name, stand_in)
    return failing


FULL = OSError(errno.ENOSPC, "No space left on device")
BROKEN = OSError(errno.EIO, "Input/output error")
PLACES = [
    (Path, "write_bytes", 1),
    (Path, "write_bytes", 2),
    (Path, "write_text", 1),
    (Path, "write_text", 2),
    (Path, "chmod", 1),
    (os, "fsync", 1),
    (os, "fsync", 5),
    (Path, "rename", 1),
    (Path, "rename", 2),
]


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [(FULL, ResourceError, 4), (BROKEN, InputError, 2), (KeyboardInterrupt(), KeyboardInterrupt, None)],
    ids=["full", "broken", "interrupted"],
)
@pytest.mark.parametrize(("place", "name", "turn"), PLACES, ids=[f"{name}-{turn}" for _, name, turn in PLACES])
def test_a_save_that_fails_midway_leaves_the_old_model_and_nothing_else(
    strange, make_embedding, model, is_same, monkeypatch, place, name, turn, error, kind, code
):
    with monkeypatch.context() as patch:
        failing = _fail(patch, place, name, error, {turn})
        with pytest.raises(kind) as caught:
            make_embedding("order").save(model)
    assert failing.calls >= turn
    assert code is None or caught.value.exit_code == code
    assert os.listdir(model.parent) == ["model"]
    assert is_same(load(model), strange)


@pytest.mark.parametrize(
    ("place", "name", "turn"), PLACES[:-1], ids=[f"{name}-{turn}" for _, name, turn in PLACES[:-1]]
)
def test_a_first_save_that_fails_leaves_nothing(strange, tmp_path, monkeypatch, place, name, turn):
    with monkeypatch.context() as patch:
        _fail(patch, place, name, FULL, {turn})
        with pytest.raises(ResourceError, match="the disk is full; nothing was changed"):
            strange.save(tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_even_when_the_old_model_cannot_be_brought_back_it_is_still_there(strange, model, is_same, monkeypatch):
    with monkeypatch.context() as patch:
        _fail(patch, Path, "rename", BROKEN, {2, 3})
        with pytest.raises(InputError):
            strange.save(model)
    kept = [path.parent for path in model.parent.rglob("config.json")]
    assert len(kept) == 1
    assert is_same(load(kept[0]), strange)


def _write_half(new, target: Path, error: type[BaseException]) -> None:
    with new(target) as temporary:
        assert temporary.parent == target.parent
        half = temporary / "part" if temporary.is_dir() else temporary
        half.write_text("half of the n")
        raise error


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("new", [new_folder, new_file])
def test_what_the_block_raises_goes_through_and_leaves_nothing(tmp_path, new, error):
    with pytest.raises(error):
        _write_half(new, tmp_path / "target", error)
    assert os.listdir(tmp_path) == []


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    target = tmp_path / "file"
    target.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        _write_half(new_file, target, KeyboardInterrupt)
    assert target.read_text() == "old"
    with new_file(target) as temporary:
        temporary.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["file"]


def test_others_may_read_what_was_written(tmp_path):
    with new_folder(tmp_path / "folder") as temporary:
        (temporary / "part").write_text("x")
    with new_file(tmp_path / "file") as temporary:
        temporary.write_text("x")
    assert (tmp_path / "folder").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o644
