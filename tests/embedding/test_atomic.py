"""An interrupted save leaves the old model, whole, and nothing else."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from hypercone import _files
from hypercone._files import new_file, new_folder
from hypercone.embedding import load
from hypercone.errors import InputError, ResourceError


class Failing:
    """A stand-in that works until its turn to fail comes."""

    def __init__(self, real, error: BaseException, turns: tuple[int, ...]) -> None:
        self.real, self.error, self.turns, self.calls = real, error, turns, 0
        self.turn = max(turns)

    def __call__(self, *arguments, **options):
        self.calls += 1
        if self.calls in self.turns:
            raise self.error
        return self.real(*arguments, **options)


def _fail(monkeypatch, place, name: str, error: BaseException, *turns: int) -> Failing:
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
    (Path, "write_bytes", 4),
    (Path, "chmod", 1),
    (os, "fsync", 1),
    (os, "fsync", 5),
    (Path, "rename", 1),
]
# Where the system cannot exchange two folders, the old one steps aside and the new one comes: two renames.
PLACES_OF_TWO_STEPS = [*PLACES, (Path, "rename", 2)]


FAILURES = pytest.mark.parametrize(
    ("error", "kind", "code"),
    [(FULL, ResourceError, 4), (BROKEN, InputError, 2), (KeyboardInterrupt(), KeyboardInterrupt, None)],
    ids=["full", "broken", "interrupted"],
)


def _each(places):
    return pytest.mark.parametrize(
        ("place", "name", "turn"), places, ids=[f"{name}-{turn}" for _, name, turn in places]
    )


@pytest.fixture
def without_exchange(monkeypatch):
    """As on a system that does not know it."""
    monkeypatch.setattr(_files, "_exchange", lambda one, other: False)


def _refuses_and_keeps(make_embedding, model, old, is_same, failing, kind, code):
    with pytest.raises(kind) as caught:
        make_embedding("order").save(model)
    assert failing.calls >= failing.turn
    assert code is None or caught.value.exit_code == code
    assert os.listdir(model.parent) == ["model"]
    assert is_same(load(model), old)


@FAILURES
@_each(PLACES[:-1])
def test_a_save_that_fails_midway_leaves_the_old_model_and_nothing_else(
    strange, make_embedding, model, is_same, monkeypatch, place, name, turn, error, kind, code
):
    failing = _fail(monkeypatch, place, name, error, turn)
    _refuses_and_keeps(make_embedding, model, strange, is_same, failing, kind, code)


@FAILURES
@_each(PLACES_OF_TWO_STEPS)
def test_so_does_one_that_cannot_exchange_folders(
    strange, make_embedding, model, is_same, monkeypatch, without_exchange, place, name, turn, error, kind, code
):
    failing = _fail(monkeypatch, place, name, error, turn)
    _refuses_and_keeps(make_embedding, model, strange, is_same, failing, kind, code)


@_each(PLACES)
def test_a_first_save_that_fails_leaves_nothing(strange, tmp_path, monkeypatch, place, name, turn):
    with monkeypatch.context() as patch:
        _fail(patch, place, name, FULL, turn)
        with pytest.raises(ResourceError, match="the disk is full; nothing was changed"):
            strange.save(tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_even_when_the_old_model_cannot_be_brought_back_it_is_still_there(
    strange, model, is_same, monkeypatch, without_exchange
):
    with monkeypatch.context() as patch:
        _fail(patch, Path, "rename", BROKEN, 2, 3)
        with pytest.raises(InputError):
            strange.save(model)
    kept = [path.parent for path in model.parent.rglob("config.json")]
    assert len(kept) == 1
    assert is_same(load(kept[0]), strange)
    # A save that fails again leaves this only copy alone; one that succeeds makes it superfluous.
    with monkeypatch.context() as patch:
        _fail(patch, os, "fsync", FULL, 1)
        with pytest.raises(ResourceError):
            strange.save(model)
    assert is_same(load(kept[0]), strange)
    strange.save(model)
    assert os.listdir(model.parent) == ["model"]


@pytest.mark.parametrize("is_known", [True, False], ids=["exchange", "two steps"])
def test_a_new_model_replaces_the_old_one(strange, make_embedding, model, is_same, monkeypatch, is_known):
    if not is_known:
        monkeypatch.setattr(_files, "_exchange", lambda one, other: False)
    new = make_embedding("order", count=5)
    new.save(model)
    assert is_same(load(model), new)
    assert os.listdir(model.parent) == ["model"]


@pytest.mark.skipif(sys.platform != "linux", reason="renameat2 is Linux's")
def test_two_folders_change_places_in_one_step(tmp_path):
    one, other = tmp_path / "one", tmp_path / "an other Löwe"
    for folder in (one, other):
        folder.mkdir()
        (folder / "name").write_text(folder.name)
    assert _files._exchange(one, other)
    assert ((one / "name").read_text(), (other / "name").read_text()) == ("an other Löwe", "one")
    assert not _files._exchange(one, tmp_path / "nothing")


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


def test_every_byte_is_on_the_disk_before_it_takes_its_place_and_the_place_after_that(
    strange, make_embedding, tmp_path, monkeypatch
):
    """The order of the calls; what was synced is known by its inode, for it changes its name afterwards."""
    calls = []

    def note(place, name, noted):
        real = getattr(place, name)

        def stand_in(*arguments):
            calls.append((name, noted(*arguments)))
            return real(*arguments)

        monkeypatch.setattr(place, name, stand_in)

    def state(found: os.stat_result) -> tuple[int, ...]:
        return found.st_ino, found.st_size, found.st_mtime_ns

    note(os, "fsync", lambda handle: state(os.fstat(handle)))
    for place, name in ((Path, "rename"), (Path, "replace"), (_files, "_exchange")):
        note(place, name, lambda one, other: os.stat(one).st_ino)
    model, file = tmp_path / "model", tmp_path / "file"
    for save, target, step in (
        (strange.save, model, "rename"),
        (make_embedding("order").save, model, "_exchange"),
        (_write, file, "replace"),
        (_write, file, "replace"),
    ):
        calls.clear()
        save(target)
        # Changing places changes only when a folder was last changed; its list of files was synced before.
        written = [state(path.stat()) for path in target.rglob("*")] if target == model else [state(file.stat())]
        *before, (taken, ino), after = calls
        assert (taken, ino) == (step, target.stat().st_ino)
        assert {name for name, _ in before} == {"fsync"}
        assert set(written) <= {found for _, found in before}
        assert target.stat().st_ino in {found[0] for _, found in before}
        assert (after[0], after[1][0]) == ("fsync", tmp_path.stat().st_ino)


def _write(target: Path) -> None:
    with new_file(target) as temporary:
        temporary.write_text("all of it")
