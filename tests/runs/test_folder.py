"""The checkpoints of a run: when they are due, what is restored, which content is refused, and one run per folder.

The tests of interrupted runs test the sentences about damaged runs, runs in use and existing runs.
"""

from __future__ import annotations

import errno
import math
import os
import shutil
import time
from types import SimpleNamespace

import numpy as np
import pytest

from hypercone._files import with_checksum
from hypercone.errors import ConfigError, InputError, ModelFileError
from hypercone.runs import Checkpoint, Checkpointing, open_run
from hypercone.runs.checkpoint import LARGEST_SHARE, Cadence
from hypercone.runs.folder import LARGEST, FolderCheckpoints, hold_lock

IDENTITY = {"rate": 0.05, "dim": 5, "hierarchy": "ab" * 32}
HEADER = {"format": "hypercone-run", "format_version": 1}
NEWEST = "checkpoint-training-30.safetensors"


def checkpoint_of(epoch: int) -> Checkpoint:
    arrays = {"points": np.full((4, 2), epoch / 100), "memory": np.arange(4.0)}
    return Checkpoint("training", epoch, arrays, {"best": {}, "waited": epoch})


@pytest.fixture
def notes() -> list[str]:
    """The sentences for the user."""
    return []


@pytest.fixture
def make_run(tmp_path, notes):
    """A context manager that opens the folder of a run."""

    def make(resume=True, identity=IDENTITY):
        return open_run(Checkpointing(tmp_path / "run", resume=resume, tell=notes.append), identity)

    return make


@pytest.fixture
def saved(make_run):
    """The folder of a run that wrote three checkpoints and ended."""
    with make_run(resume=False) as folder:
        for epoch in (10, 20, 30):
            folder.keep(checkpoint_of(epoch))
    return folder.path


@pytest.fixture
def refuses(make_run):
    """Checks that the folder of the run is refused with a message; returns the message."""

    def check(error, message=None, **options):
        with pytest.raises(error, match=message) as refused, make_run(**options):
            pass
        return str(refused.value)

    return check


def test_the_newest_checkpoint_is_restored_to_the_last_bit(saved, make_run):
    with make_run() as folder:
        found, expected = folder.latest, checkpoint_of(30)
    assert (found.stage, found.epoch, found.facts) == (expected.stage, expected.epoch, expected.facts)
    assert found.arrays.keys() == expected.arrays.keys()
    assert all(np.array_equal(found.arrays[name], expected.arrays[name]) for name in expected.arrays)


def test_two_checkpoints_stay_and_leftovers_of_a_killed_run_are_removed(saved, make_run):
    names = ["checkpoint-training-20.safetensors", NEWEST, "lock", "manifest.json", "run.json"]
    assert sorted(os.listdir(saved)) == names
    for name in (".checkpoint-training-40.safetensors.hypercone-abcd1234", "checkpoint-training-40.safetensors"):
        (saved / name).write_text("half")
    (saved / "notes.txt").write_text("mine")
    with make_run():
        pass
    assert sorted(os.listdir(saved)) == sorted([*names, "notes.txt"])


def test_a_folder_with_other_content_is_refused_and_not_changed(refuses, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").write_text("years of work")
    refuses(InputError, "is a folder with other things in it")
    assert os.listdir(tmp_path / "run") == ["thesis.tex"]


def test_a_run_killed_before_its_first_checkpoint_starts_again(make_run, refuses, notes):
    with make_run(resume=False):
        pass
    refuses(InputError, "without a checkpoint yet", resume=False)
    with make_run() as folder:
        assert folder.latest is None
    assert notes[0].endswith("holds no checkpoint yet; starting from the beginning")


def test_a_pipe_instead_of_a_checkpoint_does_not_block(saved, make_run, notes):
    (saved / NEWEST).unlink()
    os.mkfifo(saved / NEWEST)
    with make_run() as folder:
        assert folder.latest.epoch == 20
    assert "is a pipe, not an ordinary file" in notes[0]


@pytest.mark.parametrize("name", ["run.json", "manifest.json"])
def test_every_flipped_bit_and_every_truncation_of_a_json_file_is_detected(saved, refuses, name):
    path = saved / name
    content = path.read_bytes()
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ (1 << place % 8)]) + content[place + 1 :])
        refuses(ModelFileError)
        path.write_bytes(content[:place])
        refuses(ModelFileError)


UNNAMED = {"bytes": 10, "sha256": "0", "stage": "training", "epoch": 1, "facts": {}}
ENTRY = UNNAMED | {"file": "checkpoint-training-1.safetensors"}


@pytest.mark.parametrize(
    "listed",
    [
        *(None, "x", {"a": 1}, [1]),
        [UNNAMED],
        *([ENTRY | {"file": file}] for file in ("../../secret", "/etc/passwd", ENTRY["file"] + "\n")),
        *([ENTRY | wrong] for wrong in ({"bytes": -1}, {"bytes": "10"}, {"facts": None}, {"more": 1})),
    ],
    ids=str,
)
def test_a_malicious_manifest_opens_no_file(saved, refuses, listed):
    (saved / "manifest.json").write_text(with_checksum(HEADER | {"checkpoints": listed}), encoding="utf-8")
    refuses(ModelFileError, "does not list checkpoints")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format_version": 2}, "newer format"),
        ({"format": "other"}, "is not a run's"),
        ({"identity": 3}, "what is run"),
    ],
)
def test_a_run_of_another_format_or_version_is_refused(saved, refuses, change, message):
    (saved / "run.json").write_text(with_checksum(HEADER | {"identity": IDENTITY} | change), encoding="utf-8")
    refuses(ModelFileError, message)


def test_a_manifest_that_is_too_large_is_not_read(saved, refuses):
    with open(saved / "manifest.json", "r+b") as file:
        file.truncate(LARGEST + 1)
    refuses(ModelFileError, "more than such a file can have")


def test_values_of_a_malicious_run_are_shown_in_one_short_printable_line(saved, refuses):
    changed = {"rate": "a\nb", "dim": "\x1b[2J", "hierarchy": "\n" * 99}
    forged = IDENTITY | changed | {f"k{i}\n": "x" * 99 for i in range(99)}
    (saved / "run.json").write_text(with_checksum(HEADER | {"identity": forged}), encoding="utf-8")
    message = refuses(InputError, "and 90 more; give the same")
    assert message.isprintable()
    assert len(message) < 1000


@pytest.mark.parametrize("how", ["removed", "renamed", "replaced"])
def test_a_folder_that_disappears_during_a_run_is_not_called_safe(make_run, tmp_path, how):
    run = Checkpointing(tmp_path / "run")
    with make_run(resume=False) as folder:
        folder.keep(checkpoint_of(10))
        run.path.rename(tmp_path / "elsewhere")
        if how == "removed":
            shutil.rmtree(tmp_path / "elsewhere")
        if how == "replaced":
            shutil.copytree(tmp_path / "elsewhere", run.path)
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(InputError, match="was removed or replaced while the run was working"):
            folder.keep(checkpoint_of(20))
        assert FolderCheckpoints(run, folder).safe_checkpoint() == ""
    assert sorted(tmp_path.rglob("*")) == before


def test_a_run_keeps_its_folder_if_the_working_directory_changes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    with open_run(Checkpointing("run"), IDENTITY) as folder:
        monkeypatch.chdir(tmp_path / "other")
        folder.keep(checkpoint_of(10))
    assert (tmp_path / "run" / "manifest.json").exists()
    assert not list((tmp_path / "other").iterdir())


def test_checkpoints_without_a_manifest_are_not_removed(saved, refuses):
    (saved / "manifest.json").unlink()
    before = sorted(os.listdir(saved))
    refuses(ModelFileError, "manifest.json: is missing, but there are checkpoints")
    assert sorted(os.listdir(saved)) == before


def test_a_checkpoint_that_cannot_be_read_at_the_moment_is_neither_skipped_nor_removed(
    saved, refuses, monkeypatch, notes
):
    real = os.open

    def failing(path, *arguments, **options):
        if str(path) == str(saved / NEWEST):
            raise OSError(errno.EIO, "Input/output error")
        return real(path, *arguments, **options)

    monkeypatch.setattr(os, "open", failing)
    refuses(ModelFileError, "cannot be read")
    assert (saved / NEWEST).exists()
    assert notes == []


def test_only_one_run_at_a_time_holds_the_lock(tmp_path):
    message = rf"in use by another run \(process {os.getpid()}\); wait until it ends, or give another folder"
    for _ in range(2):
        with hold_lock(tmp_path), pytest.raises(InputError, match=message), hold_lock(tmp_path):
            pass


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_foreign_file_named_lock_is_not_changed(refuses, tmp_path, kind):
    precious, lock = tmp_path / "precious", tmp_path / "run" / "lock"
    precious.write_text("mine")
    lock.parent.mkdir()
    if kind == "link":
        lock.symlink_to(precious)
    else:
        lock.write_text("mine")
    refuses(InputError, resume=False)
    assert precious.read_text() == lock.read_text() == "mine"


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test moves."""
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(time, "perf_counter", lambda: clock.now)
    monkeypatch.setattr(time, "time", lambda: pytest.fail("the wall clock may jump"))
    return clock


def test_a_checkpoint_is_due_every_so_many_epochs(clock):
    cadence = Cadence(Checkpointing("run", every_epochs=3))
    due = []
    for _ in range(9):
        due.append(cadence.is_due())
        if due[-1]:
            cadence.wrote(clock.now)
    assert due == [False, False, True] * 3


def test_a_checkpoint_is_due_every_so_many_seconds_or_if_the_clock_is_set_back(clock):
    cadence = Cadence(Checkpointing("run", every_seconds=10))
    clock.now += 9.9
    assert not cadence.is_due()
    clock.now += 0.2
    assert cadence.is_due()
    cadence.wrote(clock.now)
    assert not cadence.is_due()
    clock.now -= 1e6
    assert cadence.is_due()


def test_a_slow_disk_gets_fewer_checkpoints_so_that_writing_takes_a_small_share_of_the_time(clock):
    cadence = Cadence(Checkpointing("run", every_seconds=10))
    started = clock.now
    clock.now += 6
    cadence.wrote(started)
    clock.now += 6 / LARGEST_SHARE - 1
    assert not cadence.is_due()
    clock.now += 2
    assert cadence.is_due()


@pytest.mark.parametrize(
    ("name", "value"), [("every_epochs", 0), ("every_seconds", 0), ("every_seconds", math.nan), ("every_seconds", -1)]
)
def test_an_invalid_cadence_is_refused(tmp_path, name, value):
    with pytest.raises(ConfigError, match=rf"^{name} is {value}(\.0)?, but must be .* from a checkpoint to the next$"):
        Checkpointing(tmp_path, **{name: value})
