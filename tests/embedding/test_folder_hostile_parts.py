"""Parts of a model folder that are no files, endless files, bombs or programs: refused at once, and never run."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import pickle
import signal
import socket
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from hypercone.embedding import load
from hypercone.errors import ModelFileError, ResourceError

CONFIG, POINTS, NODES, LABELS, EDGES = NEEDED = (
    "config.json",
    "model.safetensors",
    "nodes.txt.gz",
    "labels.txt.gz",
    "edges.safetensors",
)
ABOUT = "model folders"


@pytest.fixture(autouse=True)
def _in_time():
    """What waits for a pipe, or reads a file without an end, fails here instead of going on for ever."""

    def fail(*_):
        raise TimeoutError("still at it after 20 s")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def _socket(path: Path) -> None:
    # The name of a socket must be short, and the folders of tests are not.
    here = os.getcwd()
    os.chdir(path.parent)
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(here)


OTHER_THINGS = {
    "a pipe": os.mkfifo,
    "a folder": os.mkdir,
    "a socket": _socket,
    "a link to /dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "a link to nowhere": lambda path: path.symlink_to("nowhere"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to a file of the kernel": lambda path: path.symlink_to("/proc/self/maps"),
}
TOLD = {("a pipe", NODES), ("a link to /dev/zero", POINTS), ("a link to nowhere", CONFIG), ("a folder", EDGES)}


@pytest.mark.parametrize("thing", OTHER_THINGS)
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_a_part_that_is_no_ordinary_file_is_refused_at_once(full_model, is_refused, told, thing):
    for part in NEEDED:
        path = full_model / part
        content = path.read_bytes()
        path.unlink()
        OTHER_THINGS[thing](path)
        sentence = is_refused(full_model, part)
        if (thing, part) in TOLD:
            told("hostile file", f"a model whose {part} is {thing}", sentence, 3, about=ABOUT)
        path.rmdir() if path.is_dir() else path.unlink()
        path.write_bytes(content)
    assert len(load(full_model)) == 3


def test_a_part_that_is_a_link_to_the_file_is_as_good_as_the_file(full_model, tmp_path, is_same):
    """As caches of models keep them."""
    saved = load(full_model)
    for part in NEEDED:
        (full_model / part).rename(tmp_path / part)
        (full_model / part).symlink_to(tmp_path / part)
    assert is_same(load(full_model), saved)


@pytest.mark.parametrize("part", NEEDED)
def test_a_part_of_100_gigabytes_is_refused_by_its_size(full_model, is_refused, told, part):
    os.truncate(full_model / part, 100 << 30)
    sentence = is_refused(full_model, f"{part}: has {100 << 30} bytes, more than such a file can have")
    if part in (POINTS, NODES):
        told("hostile file", f"a model whose {part} is stretched to 100 GiB", sentence, 3, about=ABOUT)


def test_points_that_are_announced_but_do_not_fit_into_memory_are_refused_before_they_are_read(full_model, forge):
    forge(full_model, nodes=(8 << 40) // 16)
    os.truncate(full_model / POINTS, 8 << 40)
    with pytest.raises(ResourceError, match=r"takes 16,384\.0 GiB of memory to load, and .* are free") as error:
        load(full_model)
    assert error.value.exit_code == 4


def _without_reason(sentence: str) -> str:
    # What stands in brackets is the library's, and another release may word it otherwise.
    return sentence.partition(" (")[0] + " (…)"


class Bomb:
    """Unpickling this would leave a mark."""

    def __reduce__(self):
        return os.mkdir, ("pickle-was-run",)


@pytest.mark.parametrize("part", NEEDED)
@pytest.mark.parametrize("protocol", [0, 4])
def test_a_pickle_in_place_of_any_part_is_refused_and_not_run(
    full_model, tmp_path, monkeypatch, forge, is_refused, told, part, protocol
):
    monkeypatch.chdir(tmp_path)
    content = pickle.dumps(Bomb(), protocol)
    if part == CONFIG:
        (full_model / part).write_bytes(content)
    else:
        forge(full_model, {part: content})
    sentence = is_refused(full_model, part)
    if part == POINTS and protocol == 4:
        told("hostile file", "a model whose model.safetensors is a pickle", _without_reason(sentence), 3, about=ABOUT)
    packed = gzip.compress(content)
    if part in (NODES, LABELS):
        forge(full_model, {part: packed})
        is_refused(full_model, part)
    assert not Path("pickle-was-run").exists()


def _peak(call) -> int:
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _bomb(size: int) -> bytes:
    return gzip.compress(b"\n" * size)


def test_a_gzip_bomb_is_not_unpacked_beyond_what_is_announced(full_model, forge, is_refused):
    bomb = _bomb(3 << 18)
    assert len(bomb) < 4096
    forge(full_model, {NODES: bomb})
    assert _peak(lambda: is_refused(full_model, "does not hold 3 lines of 17 bytes")) < 1 << 20


def test_a_gzip_bomb_that_announces_what_it_is_is_not_unpacked_at_all(full_model, forge, is_refused, told):
    size = 80 << 20
    bomb = _bomb(size)
    assert len(bomb) < 1 << 19
    forge(full_model, {NODES: bomb}, nodes_bytes=size)
    sentences = []
    assert _peak(lambda: sentences.append(is_refused(full_model, "announces 83886080 bytes compressed into"))) < 4 << 20
    told(
        "hostile file",
        "a model whose nodes.txt.gz is a gzip bomb",
        sentences[0].replace(str(len(bomb)), "N"),
        3,
        about=ABOUT,
    )


def test_lines_are_counted_before_they_are_split(full_model, forge, is_refused):
    size = 16 << 20
    forge(full_model, {LABELS: _bomb(size)}, labels_bytes=size)
    # As a list they would take eight times as much.
    assert _peak(lambda: is_refused(full_model, "does not hold 3 lines")) < 3 * size


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(b"animal\n") + gzip.compress("Löwe\nx y\n".encode()),
        gzip.compress("animal\nLöwe\nx y\n".encode()) + gzip.compress(b""),
        gzip.compress(b"") * 190,
        gzip.compress("animal\nLöwe\nx y\n".encode()) + b"\0" * 100,
        gzip.compress("animal\nLöwe\nx y\n".encode())[:-1],
        gzip.compress("animal\nLöwe\nx y\n".encode())[:-8] + bytes(8),
        "animal\nLöwe\nx y\n".encode(),
    ],
    ids=[
        "two members",
        "an empty member behind",
        "190 empty members",
        "zeros behind",
        "cut",
        "wrong sum",
        "not packed",
    ],
)
def test_names_are_one_whole_gzip_member_and_nothing_else(full_model, forge, is_refused, content):
    forge(full_model, {NODES: content})
    assert is_refused(full_model, NODES)


def test_a_hundred_thousand_gzip_members_are_refused_by_their_size(full_model, forge, is_refused, told):
    forge(full_model, {NODES: gzip.compress(b"", mtime=0) * 100_000})
    told(
        "hostile file",
        "a model whose nodes.txt.gz is 100,000 empty gzip members",
        is_refused(full_model, "more than such a file can have"),
        3,
        about=ABOUT,
    )


def test_a_zip_in_place_of_the_names_is_refused(full_model, forge, is_refused, told):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../nodes.txt", "animal\nLöwe\nx y\n")
    forge(full_model, {NODES: packed.getvalue()})
    sentence = is_refused(full_model, "cannot be decompressed")
    told("hostile file", "a model whose nodes.txt.gz is a zip archive", _without_reason(sentence), 3, about=ABOUT)
    assert not (full_model.parent.parent / "nodes.txt").exists()


def _tensors(header: object, data: bytes = bytes(48), length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def _of(shape, offsets, kind="F64"):
    return {"dtype": kind, "shape": shape, "data_offsets": offsets}


TENSORS = {
    "a header of 2^63 bytes": _tensors(b"{}", length=2**63),
    "a header of 2^64 - 1 bytes": _tensors(b"{}", length=2**64 - 1),
    "a header longer than the file": _tensors(b"{}", length=1000),
    "overlapping offsets": _tensors({"points": _of([3, 2], [0, 48]), "more": _of([1], [40, 48])}),
    "offsets with a hole": _tensors({"points": _of([2, 2], [0, 32]), "more": _of([1], [40, 48])}),
    "offsets behind the end": _tensors({"points": _of([3, 2], [8, 56])}),
    "offsets the wrong way round": _tensors({"points": _of([3, 2], [48, 0])}),
    "negative offsets": _tensors({"points": _of([3, 2], [-48, 0])}),
    "a shape whose size overflows": _tensors({"points": _of([2**62, 2**62], [0, 48])}),
    "an empty shape of huge sides": _tensors({"points": _of([2**62, 0], [0, 0])}, b""),
    "a shape of a million sides": _tensors({"points": _of([1] * 20_000 + [3, 2], [0, 48])}),
    "a kind of number nobody knows": _tensors({"points": _of([3, 2], [0, 48], "F65")}),
    "a kind of number that NumPy lacks": _tensors({"points": _of([12, 2], [0, 48], "BF16")}),
    "other numbers of the same size": _tensors({"points": _of([3, 2], [0, 48], "I64")}),
    "bytes behind the tensors": _tensors({"points": _of([3, 2], [0, 48])}, bytes(49)),
    "a header nested too deeply": _tensors(b"[" * 30_000 + b"]" * 30_000),
    "a header that is not UTF-8": _tensors(b'{"\xff": 1}'),
    "two tensors of one name": _tensors(
        b'{"points":{"dtype":"F64","shape":[9,9],"data_offsets":[0,48]},'
        b'"points":{"dtype":"F64","shape":[1,6],"data_offsets":[0,48]}}'
    ),
}


@pytest.mark.parametrize("case", TENSORS)
def test_a_safetensors_file_that_lies_about_itself_is_refused(full_model, forge, is_refused, told, case):
    forge(full_model, {POINTS: TENSORS[case]})
    sentence = is_refused(full_model, POINTS)
    assert len(sentence) < 500
    if case in ("a header of 2^63 bytes", "overlapping offsets"):
        told("hostile file", f"a model.safetensors with {case}", _without_reason(sentence), 3, about=ABOUT)


def test_damage_that_a_checksum_covers_up_never_does_more_than_refuse(full_model, forge, is_same):
    """Every byte of the points' file turned, with the checksum made to fit: other points, or one sentence."""
    content = (full_model / POINTS).read_bytes()
    outcomes = set()
    for place in range(len(content)):
        forge(full_model, {POINTS: content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]})
        try:
            outcomes.add(len(load(full_model)))
        except ModelFileError:
            outcomes.add("refused")
    assert outcomes == {3, "refused"}


def test_a_checksum_is_compared_with_the_very_bytes_that_are_used(full_model):
    config = json.loads((full_model / CONFIG).read_bytes())
    for part, checksum in config["checksums"].items():
        assert checksum == hashlib.sha256((full_model / part).read_bytes()).hexdigest()
