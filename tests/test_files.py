"""Files and folders are written atomically, and leftovers of killed processes are removed."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from tests.support.embeddings import is_same, make_embedding, strange_embedding

from hypercone import _files
from hypercone._files import make_file, make_folder, new_file, new_folder, remove_leftovers
from hypercone.embedding import Embedding, load
from hypercone.errors import InputError, ResourceError


@pytest.fixture(scope="module")
def strange() -> Embedding:
    return strange_embedding()


@pytest.fixture
def model(strange: Embedding, tmp_path: Path) -> Path:
    return strange.save(tmp_path / "model")


def _fail(monkeypatch, place, name: str, error: BaseException, *turns: int) -> list[str]:
    """Let some of the calls fail; the list grows with each call."""
    real, calls = getattr(place, name), []

    def stand_in(*arguments, **options):
        calls.append(name)
        if len(calls) in turns:
            raise error
        return real(*arguments, **options)

    monkeypatch.setattr(place, name, stand_in)
    return calls


FULL = OSError(errno.ENOSPC, "No space left on device")
BROKEN = OSError(errno.EIO, "Input/output error")
WRITES = [(Path, "write_bytes", 1), (Path, "write_bytes", 2), (Path, "write_bytes", 4)]
PLACES = [*WRITES, (Path, "chmod", 1), (os, "fsync", 1), (os, "fsync", 5), (Path, "rename", 1)]
# Without an atomic exchange, the old folder is moved aside and the new one takes its place: two renames.
IN_TWO_STEPS = [*PLACES, (Path, "rename", 2)]


@pytest.fixture
def without_exchange(monkeypatch):
    """Simulate a system without an atomic exchange."""
    monkeypatch.setattr(_files, "_exchange", lambda one, other: False)


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [(FULL, ResourceError, 4), (BROKEN, InputError, 2), (KeyboardInterrupt(), KeyboardInterrupt, None)],
    ids=["full", "broken", "interrupted"],
)
@pytest.mark.parametrize(
    ("steps", "place", "name", "turn"),
    [*((1, *place) for place in PLACES[:-1]), *((2, *place) for place in IN_TWO_STEPS)],
)
def test_a_save_that_fails_midway_leaves_the_old_model_and_nothing_else(
    strange, model, request, monkeypatch, steps, place, name, turn, error, kind, code
):
    if steps == 2:
        request.getfixturevalue("without_exchange")
    calls = _fail(monkeypatch, place, name, error, turn)
    with pytest.raises(kind) as caught:
        make_embedding("order").save(model)
    assert len(calls) >= turn
    assert code is None or caught.value.exit_code == code
    assert os.listdir(model.parent) == ["model"]
    assert is_same(load(model), strange)


@pytest.mark.parametrize(("place", "name", "turn"), PLACES)
def test_a_first_save_that_fails_leaves_nothing(strange, tmp_path, monkeypatch, place, name, turn):
    with monkeypatch.context() as patch:
        _fail(patch, place, name, FULL, turn)
        with pytest.raises(ResourceError, match="the disk is full; nothing was changed"):
            strange.save(tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_an_old_model_that_cannot_be_restored_is_not_deleted(strange, model, monkeypatch, without_exchange):
    with monkeypatch.context() as patch:
        _fail(patch, Path, "rename", BROKEN, 2, 3)
        with pytest.raises(InputError):
            strange.save(model)
    kept = [path.parent for path in model.parent.rglob("config.json")]
    assert len(kept) == 1
    assert is_same(load(kept[0]), strange)
    # A save that fails again leaves this only copy alone; one that succeeds removes it.
    with monkeypatch.context() as patch:
        _fail(patch, os, "fsync", FULL, 1)
        with pytest.raises(ResourceError):
            strange.save(model)
    assert is_same(load(kept[0]), strange)
    strange.save(model)
    assert os.listdir(model.parent) == ["model"]


@pytest.mark.parametrize("steps", [1, 2])
def test_a_new_model_replaces_the_old_one(model, request, steps):
    if steps == 2:
        request.getfixturevalue("without_exchange")
    new = make_embedding("order", count=5)
    new.save(model)
    assert is_same(load(model), new)
    assert os.listdir(model.parent) == ["model"]


@pytest.mark.skipif(sys.platform != "linux", reason="renameat2 is Linux's")
def test_two_folders_are_exchanged_in_one_step(tmp_path):
    one, other = tmp_path / "one", tmp_path / "an other Löwe"
    for folder in (one, other):
        folder.mkdir()
        (folder / "name").write_text(folder.name)
    assert _files._exchange(one, other)
    assert ((one / "name").read_text(), (other / "name").read_text()) == ("an other Löwe", "one")
    assert not _files._exchange(one, tmp_path / "nothing")


def _write(new, target: Path, error: type[BaseException] | None = None) -> None:
    with new(target) as temporary:
        assert temporary.parent == target.parent
        (temporary / "part" if temporary.is_dir() else temporary).write_text("new")
        if error:
            raise error


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, SystemExit])
def test_a_target_is_written_completely_with_the_usual_permissions_or_not_at_all(tmp_path, error):
    (tmp_path / "file").write_text("old")
    for new, target in ((new_folder, "folder"), (new_file, "new"), (new_file, "file")):
        with pytest.raises(error):
            _write(new, tmp_path / target, error)
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_text() == "old"
    _write(new_folder, tmp_path / "folder")
    with new_file(tmp_path / "file") as temporary:
        temporary.write_text("new")
        assert (tmp_path / "file").read_text() == "old"
    assert (tmp_path / "file").read_text() == (tmp_path / "folder" / "part").read_text() == "new"
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("folder", "file")] == [0o755, 0o644]
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


def test_content_is_synced_before_the_rename_and_the_parent_folder_after_it(strange, tmp_path, monkeypatch):
    """Checks the order of calls; synced files are identified by inode, as they are renamed afterwards."""
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
        (partial(_write, new_file), file, "replace"),
        (partial(_write, new_file), file, "replace"),
    ):
        calls.clear()
        save(target)
        # An exchange only changes the mtime of a folder; its list of files was synced before.
        written = [state(path.stat()) for path in target.rglob("*")] if target == model else [state(file.stat())]
        *before, (taken, ino), after = calls
        assert (taken, ino) == (step, target.stat().st_ino)
        assert {name for name, _ in before} == {"fsync"}
        assert set(written) <= {found for _, found in before}
        assert target.stat().st_ino in {found[0] for _, found in before}
        assert (after[0], after[1][0]) == ("fsync", tmp_path.stat().st_ino)


# Starts to write, reports it, and waits to be killed.
WRITER = """
import sys, time
from pathlib import Path
from hypercone import _files
with getattr(_files, sys.argv[1])(Path(sys.argv[2])) as temporary:
    (temporary / "part" if temporary.is_dir() else temporary).write_text("half of the n")
    print(temporary.name, flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("new", [new_folder, new_file])
def test_leftovers_of_a_killed_process_are_removed_and_those_of_a_living_one_are_not(tmp_path, new):
    target = tmp_path / "target"
    command = [sys.executable, "-c", WRITER, new.__name__, str(target)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            name = process.stdout.readline().strip()
            _write(new, target)
            assert sorted(os.listdir(tmp_path)) == sorted([name, "target"])
        finally:
            process.kill()
    assert sorted(os.listdir(tmp_path)) == sorted([name, "target"])
    _write(new, target)
    assert os.listdir(tmp_path) == ["target"]


def test_only_temporaries_of_this_target_are_removed(tmp_path):
    left, lock = make_file(tmp_path / "model")
    _files.release(lock)
    others = (
        *(".model.abcdefgh", ".model.hypercone-notes", ".model.hypercone-ABCDEFGH", ".model.hypercone-abcdefgh.tsv"),
        *("model.hypercone-abcdefgh", ".model2.hypercone-abcdefgh", ".a model.hypercone-abcdefgh"),
        *(".model\n.hypercone-abcdefgh", ".mode\u0301l.hypercone-abcdefgh"),
    )
    for name in others:
        (tmp_path / name).touch()
    _write(new_file, tmp_path / "model")
    assert not left.exists()
    assert sorted(os.listdir(tmp_path)) == sorted([*others, "model"])


def test_special_characters_in_a_name_are_not_patterns_and_all_targets_are_cleared_together(tmp_path):
    for make, name in ((make_file, "a.c"), (make_file, "abc"), (make_file, "[ab]*"), (make_folder, "other")):
        _files.release(make(tmp_path / name)[1])
    _, held = make_folder(tmp_path / "held")
    for name in ("a.c", "[ab]*"):
        assert [entry[: -len("xxxxxxxx")] for entry in remove_leftovers(tmp_path, name)] == [f".{name}.hypercone-"]
    assert len(remove_leftovers(tmp_path)) == 2
    assert len(os.listdir(tmp_path)) == 1
    _files.release(held)


def test_links_and_pipes_are_neither_followed_nor_opened_nor_removed(tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.tex").write_text("years")
    (tmp_path / ".model.hypercone-linklink").symlink_to(precious)
    os.mkfifo(tmp_path / ".model.hypercone-pipepipe")
    _write(new_folder, tmp_path / "model")
    assert (precious / "thesis.tex").read_text() == "years"
    assert len(os.listdir(tmp_path)) == 4


def test_an_old_folder_that_was_moved_aside_stays_while_its_target_is_missing(tmp_path):
    aside, lock = make_folder(tmp_path / "model", _files.ASIDE)
    _files.release(lock)
    assert remove_leftovers(tmp_path, "model") == []
    (tmp_path / "model").mkdir()
    assert remove_leftovers(tmp_path, "model") == [aside.name]


def test_a_temporary_removed_before_it_was_locked_is_created_again(tmp_path, monkeypatch):
    real, taken = _files._lock, []

    def locked(path: Path):
        if not taken:
            taken.append(path)
            # Another process removes it between creation and locking.
            assert remove_leftovers(tmp_path) == [path.name]
        return real(path)

    def removed(path: Path) -> bool:
        lock = real(path)
        _files.remove(path)
        _files.release(lock)
        return True

    monkeypatch.setattr(_files, "_lock", locked)
    monkeypatch.setattr(_files, "_remove_leftover", removed)
    for make in (make_file, make_folder):
        taken.clear()
        path, lock = make(tmp_path / "model")
        assert path not in taken
        assert path.exists()
        with pytest.raises(BlockingIOError):
            real(path)
        _files.release(lock)
        _files.remove(path)


def test_without_file_locks_nothing_is_removed(tmp_path, monkeypatch):
    def unknown(handle, how):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", unknown)
    _, lock = make_file(tmp_path / "model")
    assert lock is None
    assert remove_leftovers(tmp_path) == []
    _write(new_file, tmp_path / "other")
    assert (tmp_path / "other").read_text() == "new"


@pytest.mark.parametrize("new", [new_folder, new_file])
def test_threads_that_write_the_same_target_do_not_interfere(tmp_path, new):
    def write() -> None:
        for _ in range(25):
            _write(new, tmp_path / "target")

    with ThreadPoolExecutor(4) as pool:
        for written in [pool.submit(write) for _ in range(4)]:
            written.result()
    assert os.listdir(tmp_path) == ["target"]
