"""Model folders: what is saved is loaded again to the bit, and nothing else in a folder is ever lost."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest
from tests.support.embeddings import (
    all_files,
    forge,
    full_embedding,
    is_refused,
    is_same,
    make_embedding,
    strange_embedding,
)

import hypercone
from hypercone import _files
from hypercone.embedding import folder as folder_module
from hypercone.embedding import load, save
from hypercone.embedding.folder import card_is_as_saved, refuse_to_overwrite
from hypercone.errors import InputError, ModelFileError
from hypercone.hierarchy import Glossary
from hypercone.hierarchy.names import Labels
from hypercone.methods import FARTHEST, METHODS, Settings

EXTREME = np.array([[5e-324, -0.0], [-FARTHEST, 1e-310]])
SAVED = {method: lambda method=method: make_embedding(method, dim=5) for method in METHODS} | {
    "strange names": strange_embedding,
    "labels, edges and a glossary": full_embedding,
    "extreme numbers": lambda: make_embedding(
        *("order", 2), points=EXTREME, threshold=5e-324, settings=Settings(0.1, 1.0, 1e-5, 1e300)
    ),
    "a huge threshold": lambda: make_embedding(threshold=-1.7976931348623157e308),
    "no nodes": lambda: make_embedding(
        names=[], points=np.empty((0, 2)), labels=Labels([]), edges=np.empty((0, 2), np.int32)
    ),
}


@pytest.mark.parametrize("case", SAVED)
def test_a_saved_model_is_loaded_exactly(tmp_path, case):
    saved = SAVED[case]()
    assert saved.save(tmp_path / "model") == save(saved, tmp_path / "model") == tmp_path / "model"
    assert is_same(load(tmp_path / "model"), saved)
    assert is_same(hypercone.load(str(tmp_path / "model")), saved)


def test_a_fit_is_loaded_with_its_record_and_answers(fitted, tree, tmp_path):
    loaded = load(fitted.save(tmp_path / "deep" / "er" / "model"))
    assert is_same(loaded, fitted)
    assert loaded.record["hierarchy_digest"] == tree.digest
    assert loaded.record["config"]["dim"] == 2
    assert loaded.hierarchy == tree
    assert loaded.ancestors("r.0.1.0") == fitted.ancestors("r.0.1.0")
    with pytest.raises(ValueError, match="read-only"):
        loaded["r"][0] = 1.0


def test_the_same_model_saved_twice_has_the_same_bytes(strange, model, tmp_path):
    again = strange.save(tmp_path / "again")
    assert all_files(model) == all_files(again)
    # The time stamp of gzip is left out.
    assert (model / "nodes.txt.gz").read_bytes()[4:8] == bytes(4)
    assert all_files(load(model).save(again)) == all_files(model)


def test_the_folder_has_the_parts_with_checksums_and_a_model_card(model, tmp_path):
    parts = {name: hashlib.sha256(content).hexdigest() for name, content in all_files(model).items()}
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    assert (config["format"], config["format_version"], config["nodes"], config["dim"]) == ("hypercone-model", 3, 12, 2)
    assert sorted(config["checksums"]) == ["README.md", "model.safetensors", "nodes.txt.gz"]
    assert config["checksums"] | {"config.json": parts["config.json"]} == parts
    card = (model / "README.md").read_text(encoding="utf-8")
    for text in ("12 nodes as hyperbolic-cones in 2 dimensions", "hypercone.load", "| dim | 2 |"):
        assert text in card
    assert "**Not reproducible**" not in card
    folder = make_embedding(record={"reproducible": False}).save(tmp_path / "other")
    assert "**Not reproducible**" in (folder / "README.md").read_text(encoding="utf-8")


def test_a_glossary_is_a_part_only_if_it_has_entries(full_model, tmp_path):
    lines = gzip.decompress((full_model / "glossary.tsv.gz").read_bytes()).decode().split("\n")
    assert lines == [
        "definition\t1\tA big cat.",
        "synonym\t1\tlion",
        "synonym\t2\ty",
        "other_id\t0\tA:7",
        "obsolete\tA:9\tbeast",
        "replaced_by\tA:9\tanimal",
        "prefix\t\thttp://a/",
        "",
    ]
    empty = make_embedding(glossary=Glossary.of_rows(12)).save(tmp_path / "empty")
    assert not (empty / "glossary.tsv.gz").exists()
    assert load(empty).glossary is None


@pytest.mark.parametrize(
    ("folder", "content"),
    [
        ("folder", {"thesis.tex": "years of work"}),
        ("folder", {"config.json": '{"model_type": "bert"}', "model.safetensors": "someone else's weights"}),
        ("folder", {"config.json": "not JSON", "README.md": "mine"}),
        ("folder", {"config.json": "[" * 100_000}),
        ("folder", {"sub/config.json": "{}"}),
        ("model", {"notes.txt": "why I chose this one"}),
        ("model", {"README.md/thesis.tex": "years of work"}),
        ("model", {"nodes.txt.gz/thesis.tex": "years of work"}),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, dict) else value,
)
def test_a_folder_with_anything_but_a_model_is_not_overwritten(strange, model, tmp_path, folder, content):
    for name, text in content.items():
        path = tmp_path / folder / name
        if path.parent.is_file():
            path.parent.unlink()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    before = all_files(tmp_path)
    with pytest.raises(InputError, match="is a folder with other things in it"):
        strange.save(tmp_path / folder)
    assert all_files(tmp_path) == before
    assert set(os.listdir(tmp_path)) == {folder, "model"}


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("file", "is a file; give a folder"),
        ("pipe", "is neither a file nor a folder; give a new one"),
        ("link", "is neither a file nor a folder; give a new one"),
        *((path, "cannot be written") for path in ("file/model", "/proc/no/model", "/dev/null/model", "x" * 300)),
    ],
)
def test_a_target_that_cannot_be_a_folder_is_refused_and_stays(strange, tmp_path, fault_row, target, words):
    (tmp_path / "file").write_text("mine")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("elsewhere")
    with pytest.raises(InputError, match=words) as error:
        strange.save(tmp_path / target)
    assert "\n" not in str(error.value)
    assert sorted(os.listdir(tmp_path)) == ["file", "link", "pipe"]
    assert ((tmp_path / "file").read_text(), os.readlink(tmp_path / "link")) == ("mine", "elsewhere")
    assert (tmp_path / "pipe").is_fifo()
    if target == "pipe":
        fault_row("hostile file", "saving a model where a pipe is", str(error.value), 2, about="model folders")


def test_an_empty_folder_may_be_overwritten_and_the_working_directory_loses_nothing(strange, tmp_path, monkeypatch):
    (tmp_path / "model").mkdir()
    assert is_same(load(strange.save(tmp_path / "model")), strange)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    try:
        strange.save(".")
    except InputError:
        assert os.listdir(".") == []
    else:
        assert len(load(".")) == 12


@pytest.mark.parametrize("name", ["nothing", "x" * 300, "file", "file/model"])
def test_loading_something_else_is_refused_in_one_sentence(tmp_path, name):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ModelFileError) as error:
        load(tmp_path / name)
    assert "\n" not in str(error.value)


def test_a_link_to_a_model_stays_and_its_target_is_replaced(tmp_path):
    make_embedding(count=3).save(tmp_path / "real")
    (tmp_path / "link").symlink_to("real")
    newer = make_embedding(count=4)
    newer.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert is_same(load(tmp_path / "real"), newer)


def test_labels_are_found_after_loading_and_replaced_completely(full_model):
    again = load(full_model)
    assert again.row("tier") == 0
    assert again.hierarchy.labels == again.labels == Labels(["Tier", "", "ex why"])
    assert [again.display_name(row) for row in range(3)] == ["Tier", "Löwe", "ex why"]
    make_embedding().save(full_model)
    assert (load(full_model).labels, load(full_model).edges, load(full_model).hierarchy) == (None, None, None)


def test_a_fit_has_the_labels_and_edges_of_its_hierarchy():
    tree = hypercone.Hierarchy(["a", "b", "c"], [[0, 1], [1, 2]], ["A", "B", "C"])
    embedding = hypercone.fit(tree, method="hyperbolic-cones", dim=2, epochs=2, init_epochs=2)
    assert embedding.hierarchy == tree
    assert embedding.row("B") == 1


# Each was written by the last version of the program that wrote this format.
MODELS = Path(__file__).parent / "models"


@pytest.fixture
def old(tmp_path):
    return Path(shutil.copytree(MODELS / "version-1", tmp_path / "old"))


@pytest.mark.parametrize("version", [1, 2])
def test_a_model_of_an_older_version_loads(version):
    folder = MODELS / f"version-{version}"
    loaded = load(folder)
    assert json.loads((folder / "config.json").read_bytes())["format_version"] == version
    assert loaded.glossary is None
    assert loaded.names == ("animal", "Löwe", "x y")
    assert loaded.points.tolist() == [[0.5, 0.0], [0.9, 0.0], [0.0, 0.25]]
    assert (loaded.method, loaded.settings, loaded.threshold) == ("hyperbolic-cones", Settings(), 0.125)
    assert loaded.record == {"epoch": 3, "config": {"dim": 2}, "calibration_f1": 0.5, "letters": "Löwe 猫"}
    assert loaded.labels == Labels(["Animal", "", "ex why"])
    assert loaded.edges.tolist() == [[0, 1], [0, 2]]


def test_another_layout_of_the_config_is_accepted_for_version_1_only(old, full_model):
    path, saved = old / "config.json", load(old)
    values = json.loads(path.read_bytes())
    path.write_text(json.dumps(values), encoding="utf-8")
    assert is_same(load(old), saved)
    path.write_text(json.dumps(values | {"threshold": 0.25}), encoding="utf-8")
    assert is_refused(old, "does not match its own checksum")
    path = full_model / "config.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()), indent=4), encoding="utf-8")
    assert is_refused(full_model, "does not match its own checksum; the file was damaged or edited")


def test_a_model_of_version_1_has_no_checksum_of_its_card_and_is_saved_as_version_3(old):
    (old / "README.md").write_text("mine")
    assert card_is_as_saved(old)
    saved = load(old)
    saved.save(old)
    assert json.loads((old / "config.json").read_bytes())["format_version"] == 3
    assert is_same(load(old), saved)


def test_changed_line_endings_are_distinguished_from_damage(full_model, fault_row):
    path = full_model / "config.json"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    sentence = is_refused(full_model, "has other line ends than it was written with; copy it byte for byte")
    fault_row("hostile file", "a model whose config.json was given other line ends", sentence, 3, about="model folders")


def test_a_changed_format_version_is_refused(old, full_model):
    for folder, before, after in ((old, b'version": 1', b'version": 2'), (full_model, b'version": 3', b'version": 1')):
        path = folder / "config.json"
        content = path.read_bytes()
        assert content.count(before) == 1
        path.write_bytes(content.replace(before, after))
        assert is_refused(folder, "does not match its own checksum")


def test_an_edited_card_is_not_overwritten(strange, model, fault_row):
    (model / "README.md").write_text("Ask Ada before you use this.")
    message = r"README\.md: was changed since the model was saved, .* move it away"
    for attempt in (lambda: refuse_to_overwrite(model), lambda: strange.save(model)):
        with pytest.raises(InputError, match=message) as error:
            attempt()
    assert (model / "README.md").read_text() == "Ask Ada before you use this."
    assert len(load(model)) == 12
    fault_row("bad input", "saving over a model whose README.md you edited", str(error.value), 2, about="model folders")
    (model / "README.md").rename(model.parent / "kept.md")
    strange.save(model)
    # A card that is not a file counts as edited.
    (model / "README.md").unlink()
    os.mkfifo(model / "README.md")
    with pytest.raises(InputError, match=message):
        strange.save(model)


def test_a_damaged_model_can_be_replaced_whatever_the_checksum_of_its_card(strange, model):
    for part in ("model.safetensors", "nodes.txt.gz"):
        (model / part).write_bytes(b"damaged")
        assert is_same(load(strange.save(model)), strange)
    for checksums in (None, [], {}, {"README.md": None}, "x"):
        forge(model, checksums=checksums)
        assert is_same(load(strange.save(model)), strange)
    forge(model, checksums={"README.md": 5})
    with pytest.raises(InputError, match="was changed"):
        strange.save(model)


SAVE_ALL_THE_TIME = """
import sys
import hypercone
models = [hypercone.fit([("a", "b"), ("a", "c")], dim=2), hypercone.fit([("x", "y"), ("x", "z"), ("z", "w")], dim=2)]
while True:
    for model in models:
        model.save(sys.argv[1])
        print(flush=True)
"""


def test_loads_while_another_process_saves_give_one_of_its_models(tmp_path):
    target = tmp_path / "model"
    with subprocess.Popen([sys.executable, "-c", SAVE_ALL_THE_TIME, target], stdout=subprocess.PIPE) as saving:
        try:
            assert saving.stdout.readline() == b"\n"
            seen = Counter(len(load(target)) for _ in range(1_500))
        finally:
            saving.kill()
    # Both, or nothing was saved in the meantime.
    assert set(seen) == {3, 4}


@pytest.mark.parametrize("by_handle", [True, False])
@pytest.mark.parametrize("before", ["read_points", "read_names", "read_edges"])
def test_a_model_that_is_replaced_while_it_is_read_is_read_whole(before, by_handle, full_model, tmp_path, monkeypatch):
    if not by_handle:
        monkeypatch.setattr(os, "supports_dir_fd", set())
    newer, read = make_embedding(threshold=2.5, edges=np.array([[0, 1]], np.int32)), getattr(folder_module, before)

    def read_late(*arguments):
        if not saved:
            saved.append(newer.save(full_model))
        return read(*arguments)

    saved, older = [], load(full_model)
    monkeypatch.setattr(folder_module, before, read_late)
    assert is_same(load(full_model), older if by_handle else newer)
    assert is_same(load(full_model), newer)


def test_a_model_that_is_replaced_every_time_it_is_read_is_refused_in_one_sentence(full_model, monkeypatch):
    monkeypatch.setattr(os, "supports_dir_fd", set())
    monkeypatch.setattr(_files, "MOST_REPLACED", 5)
    models, read = cycle([make_embedding(threshold=1.5), full_embedding()]), folder_module.read_points

    def read_late(*arguments):
        next(models).save(full_model)
        return read(*arguments)

    monkeypatch.setattr(folder_module, "read_points", read_late)
    is_refused(full_model, "is replaced all the time; try again when nothing is written there")


def test_two_processes_may_save_to_one_folder_at_once(tmp_path):
    target = tmp_path / "model"
    command = [sys.executable, "-c", SAVE_ALL_THE_TIME.replace("while True", "for _ in range(20)"), target]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    assert [process.communicate(timeout=120) for process in running] == [(b"\n" * 40, b"")] * 2
    assert len(load(target)) in (3, 4)
    assert os.listdir(tmp_path) == ["model"]
