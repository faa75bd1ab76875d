"""Model folders made by an attacker who recomputes every checksum: refused in one sentence, or harmless."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import signal
import socket
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save as safetensors_bytes
from tests.support.embeddings import forge, is_refused, is_same, make_embedding, write_with_checksum

from hypercone.cli.main import main
from hypercone.embedding import load
from hypercone.errors import InputError, ModelFileError, ResourceError
from hypercone.methods import FARTHEST

PARTS = CONFIG, POINTS, NODES, LABELS, EDGES = (
    "config.json",
    "model.safetensors",
    "nodes.txt.gz",
    "labels.txt.gz",
    "edges.safetensors",
)
ABOUT = "model folders"
NAN, INFINITY = float("nan"), float("inf")


@pytest.fixture(autouse=True)
def _time_limit():
    """A test that waits for a pipe, or reads a file without end, fails instead of hanging."""

    def fail(*_):
        raise TimeoutError("still running after 20 s")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def _peak(call: Callable[[], object]) -> int:
    """The most memory that a call has allocated."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _without_reason(sentence: str) -> str:
    # The text in parentheses is the library's, and may change with its version.
    return sentence.partition(" (")[0] + " (…)"


# Values of config.json.


def test_a_forged_model_with_valid_values_is_loaded(model):
    forge(model)
    assert len(load(model)) == 12


INVALID = {
    "newer than this program reads": [{"format_version": version} for version in (3, 10**6, 10**300)],
    "has no valid format version": [{"format_version": version} for version in (0, -1, "1", None, 1.5, [1], True)],
    "threshold is not a number": [{"threshold": value} for value in ("0", None, True, {}, 10**350)],
    "is not known to this version": [{"method": name} for name in ("hyperbolic-cone", "", "a\nb")],
    "is damaged or not a model's": [{"method": "\ud800"}, {"nodes": 10**400}],
    "method is missing or malformed": [{"method": value} for value in (None, 5, ["order"])],
    "settings is missing or malformed": [{"settings": value} for value in (None, [], "K", 3)],
    "K is not a number": [{"settings": {}}],
    "nodes is missing or malformed": [{"nodes": value} for value in (-1, True, 12.0)],
    "does not hold": [{"nodes": 10**12}, {"nodes": 11}, {"dim": 3}, {"nodes_bytes": 3}],
    "dim is missing or malformed": [{"dim": value} for value in (0, -2, None)],
    "nodes_bytes is missing or malformed": [{"nodes_bytes": value} for value in (-1, 10**30)],
    "which no list of names is": [{"nodes_bytes": value} for value in (2**62, 2**63 - 2)],
    "record is missing or malformed": [{"record": None}, {"record": [1]}],
    "checksums is missing or malformed": [{"checksums": None}],
    "does not match its checksum": [{"checksums": {}}],
    "lists a part": [{"checksums": {CONFIG: "0"}}],
}


@pytest.mark.parametrize(("words", "changes"), INVALID.items())
def test_an_invalid_value_is_refused_without_allocating_memory(model, words, changes):
    content = (model / CONFIG).read_bytes()
    for change in changes:
        (model / CONFIG).write_bytes(content)
        forge(model, **change)
        assert _peak(lambda: is_refused(model, words)) < 10 << 20


@pytest.mark.parametrize("method", ["hyperbolic-cones", "order", "poincare"])
def test_settings_out_of_range_are_refused(model, method):
    usual = {"K": 0.1, "margin": 0.01, "border": 1e-5, "alpha": 0.0}
    invalid = {"K": [-1, 0, NAN, INFINITY, 10**400, "0.1", True, None, 1e300], "margin": [-1e9], "border": [-5, 2]}
    for name, values in (invalid | {"alpha": [-1, [3]]}).items():
        for value in values:
            forge(model, method=method, settings=usual | {name: value})
            assert is_refused(model, CONFIG)


@pytest.mark.parametrize("checksum", [None, 5, ["0"], "", "0" * 64, "é"])
def test_an_invalid_checksum_is_refused(full_model, checksum):
    config = json.loads((full_model / CONFIG).read_bytes())
    forge(full_model, checksums=config["checksums"] | {NODES: checksum})
    assert is_refused(full_model, "nodes.txt.gz: does not match its checksum")


@pytest.mark.parametrize(
    "part", ["../../secret", "/etc/passwd", "a/b", "", ".", "..", "con", "model.safetensors/", "\0", "x" * 10_000]
)
def test_an_unknown_part_is_refused_and_never_opened(full_model, monkeypatch, fault_row, part):
    config = json.loads((full_model / CONFIG).read_bytes())
    forge(full_model, checksums=config["checksums"] | {part: "0" * 64})
    opened = []
    real = os.open
    monkeypatch.setattr(os, "open", lambda path, *rest, **more: opened.append(str(path)) or real(path, *rest, **more))
    sentence = is_refused(full_model, "which no model has")
    monkeypatch.undo()
    assert {os.path.dirname(path) for path in opened} == {str(full_model)}
    assert len(sentence) < 300
    if part == "../../secret":
        fault_row("hostile file", "a config.json that lists a part ../../secret", sentence, 3, about=ABOUT)


# The text of config.json.

HEAD = '{"format": "hypercone-model", "format_version": 2'


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
        f"{HEAD}}}",
        f'{HEAD}, "x": {"[" * 500}{"]" * 500}}}',
        f'{HEAD}, "x": {"9" * 5000}}}',
        " " * (1 << 20) + "{}",
        "\ufeff{}",
        "{'format': 'hypercone-model'}",
    ],
    ids=range(13),
)
def test_a_config_that_does_not_describe_a_model_is_refused(model, text):
    (model / CONFIG).write_text(text, encoding="utf-8")
    assert is_refused(model)


def test_a_config_nested_to_the_recursion_limit_is_refused(model):
    for depth in range(800, 1000, 3):
        (model / CONFIG).write_text(f'{HEAD}, "record": {"[" * depth}{"]" * depth}}}')
        assert is_refused(model)


RECORDS = {
    "NaN": '{"loss": NaN}',
    "Infinity": '{"loss": [Infinity]}',
    "-Infinity": '{"loss": -Infinity}',
    "a number too large for a float": '{"loss": 1e999}',
    "a whole number of 5,000 digits": '{"epoch": ' + "9" * 5000 + "}",
    "half a character": '{"note": "\\ud800"}',
    "half a character in a key": '{"\\udfff": 1}',
    "brackets 100,000 deep": '{"x": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "a key twice": '{"epoch": 1, "epoch": 2}',
    "a key twice, deep inside": '{"x": [{"y": {"epoch": 1, "epoch": 1}}]}',
    "a list for a record": "[1]",
    "a trailing comma": '{"x": 1,}',
    "a comment": '{"x": 1 /* why not */}',
    "single quotes": "{'x': 1}",
    "a control character in a text": '{"x": "\x01"}',
}
# These are in the documentation.
DOCUMENTED = {"NaN", "a key twice", "brackets 100,000 deep", "half a character", "a whole number of 5,000 digits"}


def _with_record(folder: Path, text: str) -> None:
    config = json.loads((folder / CONFIG).read_bytes())
    del config["seal"]
    whole = json.dumps(config | {"record": "PUT HERE"}, ensure_ascii=False)
    write_with_checksum(folder / CONFIG, whole.replace('"PUT HERE"', text))


def test_a_valid_record_written_this_way_is_loaded(full_model):
    _with_record(full_model, '{"x": [1, 2.5, "\\u00e9", null, {"y": true}]}')
    assert load(full_model).record == {"x": [1, 2.5, "é", None, {"y": True}]}


@pytest.mark.parametrize("case", RECORDS)
def test_ambiguous_or_invalid_json_is_refused(full_model, fault_row, case):
    _with_record(full_model, RECORDS[case])
    sentence = is_refused(full_model, CONFIG)
    assert len(sentence) < 300
    if case in DOCUMENTED:
        fault_row("hostile file", f"a config.json with {case}", sentence, 3, about=ABOUT)


def test_a_duplicate_key_is_refused(full_model):
    text = (full_model / CONFIG).read_text(encoding="utf-8").rpartition(',\n  "seal"')[0]
    for name, value in (("threshold", "9.0"), ("format_version", "1"), ("checksums", "{}"), ("format", '"x"')):
        write_with_checksum(full_model / CONFIG, f'{text}, "{name}": {value}}}')
        assert is_refused(full_model, f"'{name}' stands there twice")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig", "latin-1"])
def test_a_config_in_another_encoding_is_refused(full_model, encoding):
    text = (full_model / CONFIG).read_text(encoding="utf-8")
    (full_model / CONFIG).write_bytes(text.encode(encoding, errors="replace"))
    assert is_refused(full_model, CONFIG)


def test_a_config_of_a_megabyte_is_refused(full_model):
    _with_record(full_model, json.dumps({"note": "x" * (1 << 20)}))
    assert is_refused(full_model, "more than such a file can have")


@pytest.mark.parametrize("config", [None, 5, [], [1], True, "x", {"method": ["x"]}, {"dim": "x"}, {"seed": 10**300}])
def test_a_record_with_invalid_settings_cannot_be_used_to_repeat_a_fit(full_model, capsys, config):
    forge(full_model, record={"config": config})
    assert main(["suggest", str(full_model), "--check"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


ODD_RECORDS = {
    "kind": ["constructed", 5, None, [], {}],
    "placed": [
        *(None, 5, [], "x", {}, {"nodes": "many"}),
        {"nodes": 1, "violated_constraints": None, "violated": 3},
        {"nodes": 1, "unmet_wishes": None, "unmet": 3},  # old name
    ],
    "config": [None, 5, [], "x", {}, {"dim": None}, {"|": "\n| x |"}],
    "notes": [None, 5, "x", [1, None], {}],
    "calibration_f1": [None, "x", 10**300, -1, []],
    "calibrated_on": [None, 5, ["\n"], "x\ny"],
    "training_edges": [None, "x", 1.5, []],
    "epoch": [None, "x", {}],
    "hierarchy_digest": [None, 5, "`\n"],
    "history": [None, 5, [], {"loss": "x"}],
}


@pytest.mark.parametrize("name", ODD_RECORDS)
def test_a_record_with_any_values_can_be_saved_and_extended(full_model, tmp_path, name):
    for value in ODD_RECORDS[name]:
        forge(full_model, record={"kind": "constructed", name: value})
        loaded = load(full_model)
        assert loaded.record[name] == value
        assert is_same(load(loaded.save(tmp_path / "again")), loaded)
        card = (tmp_path / "again" / "README.md").read_text(encoding="utf-8")
        assert "nan" not in card.split("##")[0].replace(name, "")
        assert loaded.add("dog", "animal").record["placed"]["nodes"] >= 1
        with pytest.raises(InputError, match=r"this model was constructed|the record of this model|keeps no record"):
            loaded.plot("training")


# Parts that are not regular files, or too large.


def _socket(path: Path) -> None:
    # The path of a socket must be short, and those of tests are not.
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
DOCUMENTED_THINGS = {
    "a pipe": NODES,
    "a link to /dev/zero": POINTS,
    "a link to nowhere": CONFIG,
    "a folder": EDGES,
}


@pytest.mark.parametrize("thing", OTHER_THINGS)
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_a_part_that_is_not_a_regular_file_is_refused_at_once(full_model, fault_row, thing):
    for part in PARTS:
        path = full_model / part
        content = path.read_bytes()
        path.unlink()
        OTHER_THINGS[thing](path)
        sentence = is_refused(full_model, part)
        if DOCUMENTED_THINGS.get(thing) == part:
            fault_row("hostile file", f"a model whose {part} is {thing}", sentence, 3, about=ABOUT)
        path.rmdir() if path.is_dir() else path.unlink()
        path.write_bytes(content)
    assert len(load(full_model)) == 3


def test_a_part_may_be_a_link_to_a_file(full_model, tmp_path):
    """Model caches store files this way."""
    saved = load(full_model)
    for part in PARTS:
        (full_model / part).rename(tmp_path / part)
        (full_model / part).symlink_to(tmp_path / part)
    assert is_same(load(full_model), saved)


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_100_gigabytes_is_refused_by_its_size(full_model, fault_row, part):
    os.truncate(full_model / part, 100 << 30)
    sentence = is_refused(full_model, f"{part}: has {100 << 30} bytes, more than such a file can have")
    if part in (POINTS, NODES):
        fault_row("hostile file", f"a model whose {part} is stretched to 100 GiB", sentence, 3, about=ABOUT)


def test_points_that_do_not_fit_into_memory_are_refused_before_they_are_read(full_model):
    forge(full_model, nodes=(8 << 40) // 16)
    os.truncate(full_model / POINTS, 8 << 40)
    with pytest.raises(ResourceError, match=r"takes 16,384\.0 GiB of memory to load, and .* are free") as error:
        load(full_model)
    assert error.value.exit_code == 4


class Bomb:
    """Unpickling this would create a folder."""

    def __reduce__(self):
        return os.mkdir, ("pickle-was-run",)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("protocol", [0, 4])
def test_a_pickle_in_place_of_any_part_is_refused_and_not_run(
    full_model, tmp_path, monkeypatch, fault_row, part, protocol
):
    monkeypatch.chdir(tmp_path)
    content = pickle.dumps(Bomb(), protocol)
    if part == CONFIG:
        (full_model / part).write_bytes(content)
    else:
        forge(full_model, {part: content})
    sentence = is_refused(full_model, part)
    if part == POINTS and protocol == 4:
        fault_row(
            "hostile file", "a model whose model.safetensors is a pickle", _without_reason(sentence), 3, about=ABOUT
        )
    if part in (NODES, LABELS):
        forge(full_model, {part: gzip.compress(content)})
        is_refused(full_model, part)
    assert not Path("pickle-was-run").exists()


# Names and labels.


def _lines_of(count: int, line: bytes = b"n%d\n") -> bytes:
    return b"".join(line % i for i in range(count))


@pytest.mark.parametrize(
    "names",
    [
        b"",
        b"a\n" * 12,
        _lines_of(12)[:-1],
        _lines_of(13)[:-1],
        _lines_of(12, b"\xff%d\n"),
        _lines_of(11),
        _lines_of(13),
    ],
    ids=["none", "twelve equal", "no end", "no end of 13", "not UTF-8", "11", "13"],
)
def test_names_that_do_not_match_the_points_are_refused(model, names):
    forge(model, {NODES: gzip.compress(names)}, nodes_bytes=len(names))
    assert is_refused(model, NODES)


WHOLE = "animal\nLöwe\nx y\n".encode()
PACKED = gzip.compress(WHOLE)


@pytest.mark.parametrize(
    "content",
    {
        "two members": gzip.compress(b"animal\n") + gzip.compress("Löwe\nx y\n".encode()),
        "an empty member behind": PACKED + gzip.compress(b""),
        "190 empty members": gzip.compress(b"") * 190,
        "zeros behind": PACKED + b"\0" * 100,
        "cut": PACKED[:-1],
        "wrong sum": PACKED[:-8] + bytes(8),
        "not compressed": WHOLE,
        "empty": b"",
        "damaged": PACKED[:10] + b"\xff" + PACKED[11:],
    }.items(),
    ids=lambda item: item[0],
)
def test_names_must_be_one_complete_gzip_member(full_model, content):
    forge(full_model, {NODES: content[1]})
    assert is_refused(full_model, NODES)


def test_a_gzip_bomb_is_not_decompressed_beyond_the_announced_size(full_model):
    bomb = gzip.compress(b"\n" * (3 << 18))
    assert len(bomb) < 4096
    forge(full_model, {NODES: bomb})
    assert _peak(lambda: is_refused(full_model, "does not hold 3 lines of 17 bytes")) < 1 << 20


def test_a_gzip_bomb_that_announces_its_size_is_not_decompressed_at_all(full_model, fault_row):
    size = 80 << 20
    bomb = gzip.compress(b"\n" * size)
    assert len(bomb) < 1 << 19
    forge(full_model, {NODES: bomb}, nodes_bytes=size)
    sentences = []
    assert _peak(lambda: sentences.append(is_refused(full_model, "announces 83886080 bytes compressed into"))) < 4 << 20
    seen = sentences[0].replace(str(len(bomb)), "N")
    fault_row("hostile file", "a model whose nodes.txt.gz is a gzip bomb", seen, 3, about=ABOUT)


def test_lines_are_counted_before_they_are_split(full_model):
    size = 16 << 20
    forge(full_model, {LABELS: gzip.compress(b"\n" * size)}, labels_bytes=size)
    # As a list they would take eight times as much.
    assert _peak(lambda: is_refused(full_model, "does not hold 3 lines")) < 3 * size


def test_a_hundred_thousand_gzip_members_are_refused_by_their_size(full_model, fault_row):
    forge(full_model, {NODES: gzip.compress(b"", mtime=0) * 100_000})
    sentence = is_refused(full_model, "more than such a file can have")
    fault_row("hostile file", "a model whose nodes.txt.gz is 100,000 empty gzip members", sentence, 3, about=ABOUT)


def test_a_zip_in_place_of_the_names_is_refused(full_model, fault_row):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as writer:
        writer.writestr("../../nodes.txt", WHOLE)
    forge(full_model, {NODES: archive.getvalue()})
    sentence = is_refused(full_model, "cannot be decompressed")
    fault_row("hostile file", "a model whose nodes.txt.gz is a zip archive", _without_reason(sentence), 3, about=ABOUT)
    assert not (full_model.parent.parent / "nodes.txt").exists()


# Points.


@pytest.mark.parametrize(
    ("method", "point"),
    [
        ("hyperbolic-cones", [0.0, 0.0]),
        ("hyperbolic-cones", [1.0, 0.0]),
        ("hyperbolic-cones", [5.0, 0.0]),
        ("poincare", [0.8, 0.8]),
        ("euclidean-cones", [1e-6, 0.0]),
        ("hyperbolic-cones", [1.0 + 5e-10, 0.0]),
        ("order", [NAN, 0.0]),
        ("euclidean", [INFINITY, 0.0]),
        ("order", [0.0, -1.01 * FARTHEST]),
        ("euclidean-cones", [1e200, 1e200]),
    ],
)
def test_points_outside_the_domain_are_refused(tmp_path, method, point):
    folder = make_embedding(method, count=1).save(tmp_path / "model")
    forge(folder, {POINTS: safetensors_bytes({"points": np.array([point])})})
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
def test_points_of_another_type_or_shape_are_refused(model, tensors):
    forge(model, {POINTS: safetensors_bytes(tensors)})
    assert is_refused(model, "does not hold 12 float64 points")


def _tensors(header: object, data: bytes = bytes(48), length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def _points(shape: list[int], offsets: list[int], kind: str = "F64", data: bytes = bytes(48), **more: object) -> bytes:
    return _tensors({"points": {"dtype": kind, "shape": shape, "data_offsets": offsets}} | more, data)


ONE_MORE = {"dtype": "F64", "shape": [1], "data_offsets": [40, 48]}
TENSORS = {
    "no bytes": b"",
    "seven bytes": b"\0" * 7,
    "no header": b"\xff" * 8,
    "a header of a terabyte": (2**40).to_bytes(8, "little"),
    "a header of brackets": b"\x08" + b"\0" * 7 + b"{" * 8,
    "a header of 2^63 bytes": _tensors(b"{}", length=2**63),
    "a header of 2^64 - 1 bytes": _tensors(b"{}", length=2**64 - 1),
    "a header longer than the file": _tensors(b"{}", length=1000),
    "overlapping offsets": _points([3, 2], [0, 48], more=ONE_MORE),
    "offsets with a hole": _points([2, 2], [0, 32], more=ONE_MORE),
    "offsets behind the end": _points([3, 2], [8, 56]),
    "offsets the wrong way round": _points([3, 2], [48, 0]),
    "negative offsets": _points([3, 2], [-48, 0]),
    "a shape whose size overflows": _points([2**62, 2**62], [0, 48]),
    "an empty shape of huge sides": _points([2**62, 0], [0, 0], data=b""),
    "a shape of a million sides": _points([1] * 20_000 + [3, 2], [0, 48]),
    "a kind of number nobody knows": _points([3, 2], [0, 48], "F65"),
    "a kind of number that NumPy lacks": _points([12, 2], [0, 48], "BF16"),
    "other numbers of the same size": _points([3, 2], [0, 48], "I64"),
    "bytes behind the tensors": _points([3, 2], [0, 48], data=bytes(49)),
    "a header nested too deeply": _tensors(b"[" * 30_000 + b"]" * 30_000),
    "a header that is not UTF-8": _tensors(b'{"\xff": 1}'),
    "two tensors of one name": _tensors(
        b'{"points":{"dtype":"F64","shape":[9,9],"data_offsets":[0,48]},'
        b'"points":{"dtype":"F64","shape":[1,6],"data_offsets":[0,48]}}'
    ),
}


@pytest.mark.parametrize("case", TENSORS)
def test_a_malformed_safetensors_file_is_refused(full_model, fault_row, case):
    forge(full_model, {POINTS: TENSORS[case]})
    sentence = is_refused(full_model, POINTS)
    assert len(sentence) < 500
    if case in ("a header of 2^63 bytes", "overlapping offsets"):
        fault_row("hostile file", f"a model.safetensors with {case}", _without_reason(sentence), 3, about=ABOUT)


def test_damage_with_a_matching_checksum_gives_other_points_or_a_refusal(full_model):
    content = (full_model / POINTS).read_bytes()
    outcomes = set()
    for place in range(len(content)):
        forge(full_model, {POINTS: content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]})
        try:
            outcomes.add(len(load(full_model)))
        except ModelFileError:
            outcomes.add("refused")
    assert outcomes == {3, "refused"}
