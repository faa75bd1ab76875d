"""Damaged model folders, and those of an attacker who recomputes every checksum: refused in one sentence."""

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
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save as safetensors_bytes
from tests.support.embeddings import forge, is_refused, is_same, make_embedding, write_with_checksum

from hypercone.cli.main import main
from hypercone.embedding import folder_format, load
from hypercone.embedding.folder import card_is_as_saved, model_card
from hypercone.embedding.folder_format import Description
from hypercone.errors import InputError, ModelFileError, ResourceError
from hypercone.hierarchy import Glossary

PARTS = "config.json", "model.safetensors", "nodes.txt.gz", "labels.txt.gz", "edges.safetensors", "glossary.tsv.gz"
CONFIG, POINTS, NODES, LABELS, EDGES, GLOSSARY = PARTS
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


# Damage: checksums do not match.


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
@pytest.mark.parametrize("part", PARTS)
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
    for _ in _flips(full_model / POINTS):
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


@pytest.mark.parametrize("part", PARTS)
def test_appended_bytes_a_missing_part_and_a_part_of_another_model_are_refused(full_model, tmp_path, part):
    path = full_model / part
    content = path.read_bytes()
    for more in (b"!", b"\n", b"\0", b" "):
        path.write_bytes(content + more)
        assert is_refused(full_model)
    path.unlink()
    assert is_refused(full_model, f"{part}: is missing")
    if part in (POINTS, NODES):
        other = make_embedding(count=3, seed=1, names=["animal", "Löwe", "xy"]).save(tmp_path / "other")
        path.write_bytes((other / part).read_bytes())
        assert is_refused(full_model, f"{part}: does not match its checksum")


# Values of config.json.

INVALID = {
    "newer than this program reads": [{"format_version": version} for version in (4, 10**6, 10**300)],
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
    forge(model, **json.loads(content))
    assert len(load(model)) == 12


@pytest.mark.parametrize("method", ["hyperbolic-cones", "order", "poincare"])
def test_settings_out_of_range_are_refused(model, method):
    usual = {"K": 0.1, "margin": 0.01, "border": 1e-5, "alpha": 0.0}
    invalid = {"K": [-1, 0, NAN, INFINITY, 10**400, "0.1", True, None, 1e300], "margin": [-1e9], "border": [-5, 2]}
    for name, values in (invalid | {"alpha": [-1, [3]]}).items():
        for value in values:
            forge(model, method=method, settings=usual | {name: value})
            assert is_refused(model, CONFIG)


def test_an_invalid_checksum_is_refused(full_model):
    checksums = json.loads((full_model / CONFIG).read_bytes())["checksums"]
    for checksum in (None, 5, ["0"], "", "0" * 64, "é"):
        forge(full_model, checksums=checksums | {NODES: checksum})
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

HEAD = '{"format": "hypercone-model", "format_version": 3'


TEXTS = [
    *("", "null", "[]", "{}", '"hypercone-model"', "[" * 100_000, '{"format": "hypercone-model"}', f"{HEAD}}}"),
    *(f'{HEAD}, "x": {"[" * 500}{"]" * 500}}}', f'{HEAD}, "x": {"9" * 5000}}}', " " * (1 << 20) + "{}", "\ufeff{}"),
    "{'format': 'hypercone-model'}",
    # Nested to the recursion limit.
    *(f'{HEAD}, "record": {"[" * depth}{"]" * depth}}}' for depth in range(800, 1000, 3)),
]


def test_a_config_that_does_not_describe_a_model_or_is_in_another_encoding_is_refused(full_model):
    content = (full_model / CONFIG).read_text(encoding="utf-8")
    encoded = [content.encode(name, errors="replace") for name in ("utf-16", "utf-32", "utf-8-sig", "latin-1")]
    for wrong in [*(text.encode() for text in TEXTS), *encoded]:
        (full_model / CONFIG).write_bytes(wrong)
        assert is_refused(full_model, CONFIG)


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


@pytest.mark.parametrize("case", RECORDS)
def test_ambiguous_or_invalid_json_is_refused(full_model, fault_row, case):
    _with_record(full_model, '{"x": [1, 2.5, "\\u00e9", null, {"y": true}]}')
    assert load(full_model).record == {"x": [1, 2.5, "é", None, {"y": True}]}
    _with_record(full_model, RECORDS[case])
    sentence = is_refused(full_model, CONFIG)
    assert len(sentence) < 300
    if case in DOCUMENTED:
        fault_row("hostile file", f"a config.json with {case}", sentence, 3, about=ABOUT)


def test_a_duplicate_key_is_refused(full_model):
    text = (full_model / CONFIG).read_text(encoding="utf-8").rpartition(',\n  "seal"')[0]
    for name, value in (("threshold", "9.0"), ("format_version", "1"), ("checksums", "{}"), ("format", '"x"')):
        write_with_checksum(full_model / CONFIG, f'{text}, "{name}": {value}}}')
        assert is_refused(full_model, f"'{name}' appears twice")


def test_a_config_of_a_megabyte_is_refused(full_model):
    _with_record(full_model, json.dumps({"note": "x" * (1 << 20)}))
    assert is_refused(full_model, "more than such a file can have")


def test_a_record_with_invalid_settings_cannot_be_used_to_repeat_a_fit(full_model, capsys):
    for config in (None, 5, [], [1], True, "x", {"method": ["x"]}, {"dim": "x"}, {"seed": 10**300}):
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
def test_a_record_with_any_values_can_be_saved_described_and_extended(full_model, tmp_path, name):
    for value in ODD_RECORDS[name]:
        forge(full_model, record={"kind": "constructed", name: value})
        loaded = load(full_model)
        assert loaded.record[name] == value
        assert is_same(load(loaded.save(tmp_path / "again")), loaded)
        assert loaded.add("dog", "animal").record["placed"]["nodes"] >= 1
        with pytest.raises(InputError, match=r"this model (was constructed|has no record)|the record of this model"):
            loaded.plot("training")
    for value in [*ODD_RECORDS[name], True, None, 10**300, 1e308, "", [], {}, ["a\n|b"], -1, 0.5]:
        card = model_card(make_embedding(record={name: value, "reproducible": value, "closure_aware": value}))
        assert card.startswith("# 12 nodes as hyperbolic-cones in 2 dimensions\n")
        assert not {"nan", "inf"} & set(card.lower().replace(")", " ").split())


# Parts that are not regular files, or too large.


def _socket(path: Path) -> None:
    # The path of a socket must be short, and those of tests are not.
    here = os.getcwd()
    os.chdir(path.parent)
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(here)


@pytest.mark.parametrize("cycle", [[[0, 1], [1, 0]], [[0, 1], [2, 2]], [[0, 1], [1, 2], [2, 0]]])
def test_edges_that_form_a_cycle_are_refused_whatever_the_checksums(full_model, fault_row, cycle):
    content = safetensors_bytes({"edges": np.array(cycle, np.int32)})
    forge(full_model, {"edges.safetensors": content}, edges=len(cycle))
    sentence = is_refused(full_model, "edges.safetensors: its edges form a cycle; the file is damaged")
    assert main(["query", str(full_model), "ancestors", "animal"]) == 3
    if len(cycle) == 3:
        fault_row("hostile file", "a model whose edges form a cycle, with matching checksums", sentence, 3, about=ABOUT)


OTHER_THINGS = {
    "a pipe": os.mkfifo,
    "a folder": os.mkdir,
    "a socket": _socket,
    "a link to /dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "a link to nowhere": lambda path: path.symlink_to("nowhere"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to a file of the kernel": lambda path: path.symlink_to("/proc/self/maps"),
}
DOCUMENTED_THINGS = {"a pipe": NODES, "a link to /dev/zero": POINTS, "a link to nowhere": CONFIG, "a folder": EDGES}


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


WHOLE = "animal\nLöwe\nx y\n".encode()
PACKED = gzip.compress(WHOLE)
NAME_LISTS = [b"", b"a\n" * 3, WHOLE[:-1], WHOLE + b"z", WHOLE.replace(b"x", b"\xff"), WHOLE[:-4], WHOLE + b"z\n"]
MEMBERS = {
    "two members": gzip.compress(b"animal\n") + gzip.compress("Löwe\nx y\n".encode()),
    "an empty member behind": PACKED + gzip.compress(b""),
    "190 empty members": gzip.compress(b"") * 190,
    "zeros behind": PACKED + b"\0" * 100,
    "cut": PACKED[:-1],
    "wrong sum": PACKED[:-8] + bytes(8),
    "not compressed": WHOLE,
    "empty": b"",
    "damaged": PACKED[:10] + b"\xff" + PACKED[11:],
}


def test_names_must_match_the_points_and_be_one_complete_gzip_member(full_model):
    for content in MEMBERS.values():
        forge(full_model, {NODES: content})
        assert is_refused(full_model, NODES)
    for names in NAME_LISTS:
        forge(full_model, {NODES: gzip.compress(names)}, nodes_bytes=len(names))
        assert is_refused(full_model, NODES)
    forge(full_model, {NODES: PACKED}, nodes_bytes=len(WHOLE))
    assert load(full_model).names == ("animal", "Löwe", "x y")


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


# The glossary.

BAD_ENTRIES = {
    b"definition\t3\tA fourth.\n": r"'definition 3 A fourth\.' is empty or not about one of the rows 0 … 2",
    b"definition\t-1\tx\n": "not about one of the rows",
    "synonym\t٢\tx\n".encode(): "not about one of the rows",
    b"synonym\t" + b"9" * 5000 + b"\tx\n": "not about one of the rows",
    b"synonym\t0\t\n": "is empty or not about",
    b"synonym\t0\n": "does not have three columns",
    b"synonym\t0\tx\ty\n": "does not have three columns",
    b"antonym\t0\tx\n": "is of an unknown kind",
    b"[[[[[[[[{\t0\tx\n": "is of an unknown kind",
    b"definition\t0\tx\ndefinition\t00\ty\n": "described twice",
    b"obsolete\tA:9\tx\nobsolete\tA:9\ty\n": "described twice",
    b"prefix\ta\tx\nprefix\ta\ty\n": "described twice",
    b"replaced_by\tA:9\tx\n": "an id is replaced that is not obsolete",
    b"obsolete\t\tx\n": "an obsolete id is empty",
    b"synonym\t0\t\xff\n": "cannot be decompressed",
    b"synonym\t0\tx": "does not hold 1 lines",
}


@pytest.mark.parametrize("content", BAD_ENTRIES)
def test_an_entry_of_a_glossary_that_is_never_written_is_refused(full_model, content):
    sizes = {"glossary_bytes": len(content), "glossary_lines": max(1, content.count(b"\n"))}
    forge(full_model, {GLOSSARY: gzip.compress(content)}, **sizes)
    assert GLOSSARY in is_refused(full_model, BAD_ENTRIES[content])
    whole = b"synonym\t0\tx\n"
    forge(full_model, {GLOSSARY: gzip.compress(whole)}, glossary_bytes=len(whole), glossary_lines=1)
    assert load(full_model).row("x") == 0


def test_a_million_tiny_entries_in_a_small_file_are_refused_before_they_are_unpacked(full_model, fault_row):
    content = b"synonym\t0\tx\n" * (1 << 20)
    bomb = gzip.compress(content)
    forge(full_model, {GLOSSARY: bomb}, glossary_bytes=len(content), glossary_lines=1 << 20)
    sentences = []
    assert _peak(lambda: sentences.append(is_refused(full_model, "which no glossary has"))) < 1 << 20
    seen = sentences[0].replace(str(len(bomb)), "N")
    fault_row("hostile file", "a model whose glossary.tsv.gz is a bomb of tiny entries", seen, 3, about=ABOUT)


def test_a_glossary_that_could_not_be_loaded_is_not_saved(tmp_path):
    many = make_embedding(count=1, glossary=Glossary.of_rows(1, synonyms={0: ["x"] * 200_000}))
    with pytest.raises(InputError, match="the entries of its glossary are nearly all the same; leave them out"):
        many.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


# Points.


def test_points_of_another_type_or_shape_are_refused(model):
    half = np.full((12, 2), 0.5)
    others = [half.astype(np.float32), half.astype(np.int64), half.reshape(2, 12), half.ravel(), half[:, :0]]
    for tensors in [{}, {"weights": half}, *({"points": other} for other in others)]:
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
