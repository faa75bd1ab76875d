"""A config.json made by an enemy, sealed as ours are: what readers could understand in two ways is refused."""

from __future__ import annotations

import json
import os
from collections.abc import Callable

import pytest

from hypercone.cli.main import main
from hypercone.embedding import load
from hypercone.errors import InputError

CONFIG = "config.json"
ABOUT = "model folders"

# What is written in the place of the record.
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


@pytest.fixture
def with_record(full_model, write_sealed) -> Callable[[str], None]:
    config = json.loads((full_model / CONFIG).read_bytes())
    del config["seal"]

    def put(text: str) -> None:
        whole = json.dumps(config | {"record": "PUT HERE"}, ensure_ascii=False)
        write_sealed(full_model / CONFIG, whole.replace('"PUT HERE"', text))

    return put


def test_a_record_put_there_in_this_way_is_read(full_model, with_record):
    with_record('{"x": [1, 2.5, "\\u00e9", null, {"y": true}]}')
    assert load(full_model).record == {"x": [1, 2.5, "é", None, {"y": True}]}


@pytest.mark.parametrize("case", RECORDS)
def test_json_that_could_be_read_in_two_ways_is_refused(full_model, with_record, is_refused, told, case):
    with_record(RECORDS[case])
    sentence = is_refused(full_model, CONFIG)
    assert len(sentence) < 300
    if case in ("NaN", "a key twice", "brackets 100,000 deep", "half a character", "a whole number of 5,000 digits"):
        told("hostile file", f"a config.json with {case}", sentence, 3, about=ABOUT)


def test_a_format_given_twice_does_not_choose_between_two_meanings(full_model, write_sealed, is_refused):
    text = (full_model / CONFIG).read_text(encoding="utf-8").rpartition(',\n  "seal"')[0]
    for name, value in (("threshold", "9.0"), ("format_version", "1"), ("checksums", "{}"), ("format", '"x"')):
        write_sealed(full_model / CONFIG, f'{text}, "{name}": {value}}}')
        assert is_refused(full_model, f"'{name}' appears twice")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig", "latin-1"])
def test_a_description_in_other_letters_than_utf8_is_refused(full_model, is_refused, encoding):
    text = (full_model / CONFIG).read_text(encoding="utf-8")
    (full_model / CONFIG).write_bytes(text.encode(encoding, errors="replace"))
    assert is_refused(full_model, CONFIG)


@pytest.mark.parametrize(
    "part", ["../../secret", "/etc/passwd", "a/b", "", ".", "..", "con", "model.safetensors/", "\0", "x" * 10_000]
)
def test_a_part_of_another_name_is_refused_and_no_path_is_made_of_it(
    full_model, forge, is_refused, monkeypatch, told, part
):
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
        told("hostile file", "a config.json that speaks of a part ../../secret", sentence, 3, about=ABOUT)


@pytest.mark.parametrize("checksum", [None, 5, ["0"], "", "0" * 64, "é"])
def test_a_checksum_that_is_none_is_refused(full_model, forge, is_refused, checksum):
    config = json.loads((full_model / CONFIG).read_bytes())
    forge(full_model, checksums=config["checksums"] | {"nodes.txt.gz": checksum})
    assert is_refused(full_model, "nodes.txt.gz: does not match its checksum")


def test_a_description_of_a_million_bytes_is_refused_without_being_read(full_model, with_record, is_refused):
    with_record(json.dumps({"note": "x" * (1 << 20)}))
    assert is_refused(full_model, "more than such a file can have")


@pytest.mark.parametrize("config", [None, 5, [], [1], True, "x", {"method": ["x"]}, {"dim": "x"}, {"seed": 10**300}])
def test_settings_of_anything_are_refused_when_a_fit_is_to_be_repeated_with_them(full_model, forge, capsys, config):
    forge(full_model, record={"config": config})
    assert main(["suggest", str(full_model), "--check"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


STRANGE = {
    "kind": ["constructed", 5, None, [], {}],
    "placed": [
        None,
        5,
        [],
        "x",
        {},
        {"nodes": "many"},
        {"nodes": 1, "violated_constraints": None, "violated": 3},
        {"nodes": 1, "unmet_wishes": None, "unmet": 3},
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


@pytest.mark.parametrize("name", STRANGE)
def test_a_record_of_anything_can_be_saved_again_added_to_and_drawn_or_is_refused_in_a_sentence(
    full_model, forge, tmp_path, is_same, name
):
    for value in STRANGE[name]:
        forge(full_model, record={"kind": "constructed", name: value})
        loaded = load(full_model)
        assert loaded.record[name] == value
        assert is_same(load(loaded.save(tmp_path / "again")), loaded)
        card = (tmp_path / "again" / "README.md").read_text(encoding="utf-8")
        assert "nan" not in card.split("##")[0].replace(name, "")
        assert loaded.add("dog", "animal").record["placed"]["nodes"] >= 1
        with pytest.raises(InputError, match=r"this model was constructed|the record of this model|keeps no record"):
            loaded.plot("training")
