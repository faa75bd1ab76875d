"""A run's folder gives back what was kept, refuses what is not its own, and never holds more than it needs."""

from __future__ import annotations

import errno
import math
import os
import re
import shutil

import numpy as np
import pytest

from hypercone._files import with_checksum
from hypercone.errors import ConfigError, InputError, ModelFileError
from hypercone.runs import Checkpointing, open_run
from hypercone.runs.folder import LARGEST, FolderCheckpoints


@pytest.fixture
def kept(make_run, identity, make_checkpoint):
    """The folder of a run that kept three checkpoints and ended."""
    with open_run(make_run(), identity) as folder:
        for epoch in (10, 20, 30):
            folder.keep(make_checkpoint(epoch))
    return folder.path


def test_the_newest_checkpoint_comes_back_bit_by_bit(kept, make_run, identity, make_checkpoint):
    with open_run(make_run(resume=True), identity) as folder:
        found, put = folder.latest, make_checkpoint(30)
    assert (found.stage, found.epoch, found.facts) == (put.stage, put.epoch, put.facts)
    assert found.arrays.keys() == put.arrays.keys()
    assert all(np.array_equal(found.arrays[name], put.arrays[name]) for name in put.arrays)


def test_two_checkpoints_are_kept_and_nothing_else_is_left(kept):
    names = ["checkpoint-training-20.safetensors", "checkpoint-training-30.safetensors"]
    assert sorted(os.listdir(kept)) == [*names, "lock", "manifest.json", "run.json"]


def test_what_a_killed_run_left_is_tidied_and_what_is_not_ours_stays(kept, make_run, identity):
    for name in (".checkpoint-training-40.safetensors.hypercone-abcd1234", "checkpoint-training-40.safetensors"):
        (kept / name).write_text("half")
    (kept / "notes.txt").write_text("mine")
    with open_run(make_run(resume=True), identity):
        pass
    assert {path.name for path in kept.glob("*40*")} == set()
    assert (kept / "notes.txt").read_text() == "mine"


def test_a_folder_with_other_things_in_it_is_refused_and_left_alone(tmp_path, identity):
    (tmp_path / "thesis.tex").write_text("years of work")
    with (
        pytest.raises(InputError, match="is a folder with other things in it"),
        open_run(Checkpointing(tmp_path), identity),
    ):
        pass
    assert os.listdir(tmp_path) == ["thesis.tex"]


def test_a_run_that_is_there_is_not_begun_again_by_accident(kept, make_run, identity):
    message = re.escape("holds a run already (training, epoch 30); go on with it by resume=True, or give a new folder")
    with pytest.raises(InputError, match=message), open_run(make_run(), identity):
        pass


def test_resuming_nothing_begins_and_says_so(make_run, identity, said):
    with open_run(make_run(resume=True), identity) as folder:
        assert folder.latest is None
    assert len(said) == 1
    assert said[0].endswith("holds no run yet; starting from the beginning")


def test_a_run_killed_before_its_first_checkpoint_begins_again(make_run, identity, said):
    with open_run(make_run(), identity):
        pass
    with pytest.raises(InputError, match="without a checkpoint yet"), open_run(make_run(), identity):
        pass
    with open_run(make_run(resume=True), identity) as folder:
        assert folder.latest is None
    assert said[0].endswith("holds no checkpoint yet; starting from the beginning")


def test_what_has_changed_is_listed(kept, make_run, identity):
    now = identity | {"rate": 0.1, "hierarchy": "cd" * 32, "percent": 50}
    words = "hierarchy was abababababab…, is cdcdcdcdcdcd…; percent was not given, is 50; rate was 0.05, is 0.1; give"
    with pytest.raises(InputError, match=re.escape(words)), open_run(make_run(resume=True), now):
        pass


def test_a_damaged_checkpoint_is_passed_over_for_the_one_before(kept, make_run, identity, said):
    newest = kept / "checkpoint-training-30.safetensors"
    newest.write_bytes(newest.read_bytes()[:-1] + b"!")
    with open_run(make_run(resume=True), identity) as folder:
        assert folder.latest.epoch == 20
    assert said == [f"{newest}: does not match its checksum; the file was damaged or replaced; trying the one before"]


def test_without_a_whole_checkpoint_the_run_is_refused(kept, make_run, identity):
    for path in kept.glob("checkpoint-*"):
        path.unlink()
    with pytest.raises(ModelFileError, match="no checkpoint is intact"), open_run(make_run(resume=True), identity):
        pass


@pytest.mark.parametrize("name", ["run.json", "manifest.json"])
def test_every_flipped_bit_of_a_description_is_noticed(kept, make_run, identity, name):
    path = kept / name
    content = path.read_bytes()
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ (1 << place % 8)]) + content[place + 1 :])
        with pytest.raises(ModelFileError), open_run(make_run(resume=True), identity):
            pass


@pytest.mark.parametrize("name", ["run.json", "manifest.json"])
def test_a_description_cut_anywhere_is_noticed(kept, make_run, identity, name):
    path = kept / name
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(ModelFileError), open_run(make_run(resume=True), identity):
            pass


ENTRY = {"bytes": 10, "sha256": "0", "stage": "training", "epoch": 1, "facts": {}}


@pytest.mark.parametrize(
    "listed",
    [
        None,
        "x",
        {"a": 1},
        [1],
        [ENTRY],
        [{**ENTRY, "file": "../../secret"}],
        [{**ENTRY, "file": "/etc/passwd"}],
        [{**ENTRY, "file": "checkpoint-training-1.safetensors\n"}],
        [{**ENTRY, "file": "checkpoint-training-1.safetensors", "bytes": -1}],
        [{**ENTRY, "file": "checkpoint-training-1.safetensors", "bytes": "10"}],
        [{**ENTRY, "file": "checkpoint-training-1.safetensors", "facts": None}],
        [{**ENTRY, "file": "checkpoint-training-1.safetensors", "more": 1}],
    ],
    ids=str,
)
def test_a_manifest_made_by_an_enemy_opens_nothing(kept, make_run, identity, listed):
    forged = {"format": "hypercone-run", "format_version": 1, "checkpoints": listed}
    (kept / "manifest.json").write_text(with_checksum(forged), encoding="utf-8")
    with pytest.raises(ModelFileError, match="does not list checkpoints"), open_run(make_run(resume=True), identity):
        pass


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format_version": 2}, "newer format"),
        ({"format": "other"}, "is not a run's"),
        ({"identity": 3}, "what is run"),
    ],
)
def test_a_run_of_another_kind_or_time_is_refused(kept, make_run, identity, change, words):
    values = {"format": "hypercone-run", "format_version": 1, "identity": identity} | change
    (kept / "run.json").write_text(with_checksum(values), encoding="utf-8")
    with pytest.raises(ModelFileError, match=words), open_run(make_run(resume=True), identity):
        pass


def test_a_manifest_larger_than_any_is_not_read(kept, make_run, identity):
    with open(kept / "manifest.json", "r+b") as file:
        file.truncate(LARGEST + 1)
    words = "more than such a file can have"
    with pytest.raises(ModelFileError, match=words), open_run(make_run(resume=True), identity):
        pass


def test_a_pipe_in_the_place_of_a_checkpoint_is_not_waited_for(kept, make_run, identity, said):
    newest = kept / "checkpoint-training-30.safetensors"
    newest.unlink()
    os.mkfifo(newest)
    with open_run(make_run(resume=True), identity) as folder:
        assert folder.latest.epoch == 20
    assert "is a pipe, not an ordinary file" in said[0]


@pytest.mark.parametrize(
    ("name", "value"), [("every_epochs", 0), ("every_seconds", 0), ("every_seconds", math.nan), ("every_seconds", -1)]
)
def test_a_cadence_that_is_none_is_refused(tmp_path, name, value):
    with pytest.raises(ConfigError, match="from a checkpoint to the next"):
        Checkpointing(tmp_path, **{name: value})


def test_what_an_enemy_wrote_into_a_run_is_told_in_one_short_line(kept, make_run, identity):
    forged = identity | {
        "rate": "a\nb",
        "dim": "\x1b[2J",
        "hierarchy": "\n" * 99,
        **{f"k{i}\n": "x" * 99 for i in range(99)},
    }
    values = {"format": "hypercone-run", "format_version": 1, "identity": forged}
    (kept / "run.json").write_text(with_checksum(values), encoding="utf-8")
    with (
        pytest.raises(InputError, match="and 90 more; give the same") as error,
        open_run(make_run(resume=True), identity),
    ):
        pass
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 1000


@pytest.mark.parametrize("how", ["removed", "renamed", "replaced"])
def test_a_folder_that_goes_away_during_a_run_is_not_called_safe(make_run, identity, make_checkpoint, tmp_path, how):
    run = make_run()
    with open_run(run, identity) as folder:
        folder.keep(make_checkpoint(10))
        run.path.rename(tmp_path / "elsewhere")
        if how == "removed":
            shutil.rmtree(tmp_path / "elsewhere")
        if how == "replaced":
            shutil.copytree(tmp_path / "elsewhere", run.path)
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(InputError, match="was removed or replaced while the run was working"):
            folder.keep(make_checkpoint(20))
        assert FolderCheckpoints(run, folder).safe_checkpoint() == ""
    assert sorted(tmp_path.rglob("*")) == before


def test_a_run_stays_where_it_began_wherever_the_program_goes(identity, make_checkpoint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    with open_run(Checkpointing("run"), identity) as folder:
        monkeypatch.chdir(tmp_path / "other")
        folder.keep(make_checkpoint(10))
    assert (tmp_path / "run" / "manifest.json").exists()
    assert not list((tmp_path / "other").iterdir())


def test_checkpoints_without_a_manifest_are_not_thrown_away(kept, make_run, identity):
    (kept / "manifest.json").unlink()
    before = sorted(os.listdir(kept))
    words = "manifest.json: is missing, but there are checkpoints"
    with pytest.raises(ModelFileError, match=words), open_run(make_run(resume=True), identity):
        pass
    assert sorted(os.listdir(kept)) == before


def test_a_checkpoint_that_cannot_be_read_now_is_neither_passed_over_nor_removed(
    kept, make_run, identity, monkeypatch, said
):
    newest, real = kept / "checkpoint-training-30.safetensors", os.open

    def failing(path, *arguments, **options):
        if str(path) == str(newest):
            raise OSError(errno.EIO, "Input/output error")
        return real(path, *arguments, **options)

    monkeypatch.setattr(os, "open", failing)
    with pytest.raises(ModelFileError, match="cannot be read"), open_run(make_run(resume=True), identity):
        pass
    assert newest.exists()
    assert said == []


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_file_called_lock_that_is_not_ours_is_left_as_it_is(make_run, identity, tmp_path, kind):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (tmp_path / "run").mkdir()
    lock = tmp_path / "run" / "lock"
    if kind == "link":
        lock.symlink_to(precious)
    else:
        lock.write_text("mine")
    with pytest.raises(InputError), open_run(make_run(), identity):
        pass
    assert precious.read_text() == lock.read_text() == "mine"
