"""What a killed process leaves behind is removed by the next one that writes there; nothing else ever is."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hypercone import _files
from hypercone._files import make_file, make_folder, new_file, new_folder, remove_leftovers

# Begins to write, says so, and waits for its end.
WRITER = """
import sys, time
from pathlib import Path
from hypercone import _files
with getattr(_files, sys.argv[1])(Path(sys.argv[2])) as temporary:
    (temporary / "part" if temporary.is_dir() else temporary).write_text("half of the n")
    print(temporary.name, flush=True)
    time.sleep(60)
"""


@contextlib.contextmanager
def _another_process(new: str, target: Path):
    process = subprocess.Popen([sys.executable, "-c", WRITER, new, str(target)], stdout=subprocess.PIPE, text=True)
    with process:
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def _write(new, target: Path) -> None:
    with new(target) as temporary:
        (temporary / "part" if temporary.is_dir() else temporary).write_text("new")


@pytest.mark.parametrize("new", [new_folder, new_file])
def test_what_a_killed_process_left_goes_and_what_a_living_one_writes_stays(tmp_path, new):
    target = tmp_path / "target"
    with _another_process(new.__name__, target) as (process, name):
        _write(new, target)
        assert sorted(os.listdir(tmp_path)) == sorted([name, "target"])
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert sorted(os.listdir(tmp_path)) == sorted([name, "target"])
    _write(new, target)
    assert os.listdir(tmp_path) == ["target"]


def test_only_what_is_named_as_our_temporaries_of_this_target_are_is_removed(tmp_path):
    left, lock = make_file(tmp_path / "model")
    _files.release(lock)
    strangers = [
        ".model.abcdefgh",
        ".model.hypercone-notes",
        ".model.hypercone-ABCDEFGH",
        ".model.hypercone-abcdefgh.tsv",
        "model.hypercone-abcdefgh",
        ".model2.hypercone-abcdefgh",
        ".a model.hypercone-abcdefgh",
        ".model\n.hypercone-abcdefgh",
        ".mode\u0301l.hypercone-abcdefgh",
    ]
    for name in strangers:
        (tmp_path / name).touch()
    _write(new_file, tmp_path / "model")
    assert not left.exists()
    assert sorted(os.listdir(tmp_path)) == sorted([*strangers, "model"])


def test_a_name_with_signs_that_patterns_know_means_itself(tmp_path):
    for name in ("a.c", "abc", "[ab]*"):
        _files.release(make_file(tmp_path / name)[1])
    assert [entry[: -len("xxxxxxxx")] for entry in remove_leftovers(tmp_path, "a.c")] == [".a.c.hypercone-"]
    assert [entry[: -len("xxxxxxxx")] for entry in remove_leftovers(tmp_path, "[ab]*")] == [".[ab]*.hypercone-"]
    assert len(os.listdir(tmp_path)) == 1


def test_links_and_pipes_are_not_followed_nor_opened_nor_removed(tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.tex").write_text("years")
    (tmp_path / ".model.hypercone-linklink").symlink_to(precious)
    os.mkfifo(tmp_path / ".model.hypercone-pipepipe")
    _write(new_folder, tmp_path / "model")
    assert (precious / "thesis.tex").read_text() == "years"
    assert len(os.listdir(tmp_path)) == 4


def test_the_leftovers_of_all_targets_in_a_folder_can_be_removed_at_once(tmp_path):
    for make, name in ((make_file, "one"), (make_folder, "other")):
        _files.release(make(tmp_path / name)[1])
    _, held = make_folder(tmp_path / "third")
    assert len(remove_leftovers(tmp_path)) == 2
    assert len(os.listdir(tmp_path)) == 1
    _files.release(held)


def test_an_old_folder_that_stepped_aside_stays_while_its_place_is_empty(tmp_path):
    aside, lock = make_folder(tmp_path / "model", _files.ASIDE)
    _files.release(lock)
    assert remove_leftovers(tmp_path, "model") == []
    (tmp_path / "model").mkdir()
    assert remove_leftovers(tmp_path, "model") == [aside.name]


def test_a_temporary_taken_for_a_leftover_before_it_was_locked_is_made_again(tmp_path, monkeypatch):
    real, taken = _files._lock, []

    def locked(path: Path):
        if not taken:
            taken.append(path)
            # Another process comes between the making and the lock.
            assert remove_leftovers(tmp_path) == [path.name]
        return real(path)

    for make in (make_file, make_folder):
        taken.clear()
        monkeypatch.setattr(_files, "_lock", locked)
        monkeypatch.setattr(_files, "_remove_leftover", _removed_with(real))
        path, lock = make(tmp_path / "model")
        assert path not in taken
        assert path.exists()
        with pytest.raises(BlockingIOError):
            real(path)
        _files.release(lock)
        _files.remove(path)


def _removed_with(locked):
    def removed(path: Path) -> bool:
        lock = locked(path)
        _files.remove(path)
        _files.release(lock)
        return True

    return removed


def test_where_locks_are_not_known_nothing_is_removed(tmp_path, monkeypatch):
    def unknown(handle, how):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", unknown)
    _, lock = make_file(tmp_path / "model")
    assert lock is None
    assert remove_leftovers(tmp_path) == []
    _write(new_file, tmp_path / "other")
    assert (tmp_path / "other").read_text() == "new"


@pytest.mark.parametrize("new", [new_folder, new_file])
def test_threads_that_write_one_target_again_and_again_do_not_disturb_each_other(tmp_path, new):
    target, errors = tmp_path / "target", []

    def write() -> None:
        try:
            for _ in range(25):
                _write(new, target)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert os.listdir(tmp_path) == ["target"]
