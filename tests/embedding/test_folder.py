"""Model folders: what is saved is loaded again to the bit, and nothing else in a folder is ever lost."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from safetensors.numpy import save as safetensors_bytes
from tests.support.embeddings import all_files, forge, is_refused, is_same, make_embedding

import hypercone
from hypercone.embedding import load, save
from hypercone.embedding.folder import card_is_as_saved, model_card, refuse_to_overwrite
from hypercone.errors import InputError, ModelFileError
from hypercone.hierarchy.names import Labels, is_usable
from hypercone.methods import FARTHEST, METHODS, Settings

PARTS = ("model.safetensors", "nodes.txt.gz", "config.json")


@pytest.mark.parametrize("method", METHODS)
def test_a_saved_model_is_loaded_exactly(tmp_path, method):
    saved = make_embedding(method, dim=5)
    assert saved.save(tmp_path / "model") == tmp_path / "model"
    assert is_same(load(tmp_path / "model"), saved)


def test_strange_names_survive(strange, tmp_path):
    assert save(strange, tmp_path / "model") == tmp_path / "model"
    assert is_same(hypercone.load(str(tmp_path / "model")), strange)


def test_a_fit_is_loaded_with_its_record_and_answers(fitted, tree, tmp_path):
    loaded = load(fitted.save(tmp_path / "deep" / "er" / "model"))
    assert is_same(loaded, fitted)
    assert loaded.record["hierarchy_digest"] == tree.digest
    assert loaded.record["config"]["dim"] == 2
    assert loaded.ancestors("r.0.1.0") == fitted.ancestors("r.0.1.0")
    with pytest.raises(ValueError, match="read-only"):
        loaded["r"][0] = 1.0


@given(
    names=st.lists(st.text(min_size=1, max_size=8).filter(is_usable), min_size=1, max_size=6, unique=True),
    threshold=st.floats(allow_nan=False, allow_infinity=False),
    alpha=st.floats(0, 1e300),
    data=st.data(),
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_names_and_numbers_are_loaded_exactly(tmp_path_factory, names, threshold, alpha, data):
    finite = st.floats(-1e150, 1e150)
    points = data.draw(arrays(np.float64, (len(names), 3), elements=finite))
    saved = make_embedding(
        "order", names=names, points=points, threshold=threshold, settings=Settings(0.1, 1.0, 1e-5, alpha)
    )
    folder = tmp_path_factory.mktemp("law") / "model"
    assert is_same(load(saved.save(folder)), saved)


def test_the_same_model_saved_twice_has_the_same_bytes(strange, model, tmp_path):
    again = strange.save(tmp_path / "again")
    for part in PARTS:
        assert (model / part).read_bytes() == (again / part).read_bytes()
    # The time stamp of gzip is left out.
    assert (model / "nodes.txt.gz").read_bytes()[4:8] == bytes(4)
    load(model).save(again)
    for part in PARTS:
        assert (model / part).read_bytes() == (again / part).read_bytes()


def test_single_precision_points_are_saved_as_the_same_numbers(tmp_path):
    points = np.asfortranarray(make_embedding("order").points.astype(np.float32))
    loaded = load(make_embedding("order", points=points).save(tmp_path / "model"))
    assert loaded.points.dtype == np.float64
    assert np.array_equal(loaded.points, points)


def test_the_folder_has_the_parts_and_a_model_card(model):
    assert sorted(path.name for path in model.iterdir()) == sorted([*PARTS, "README.md"])
    card = (model / "README.md").read_text(encoding="utf-8")
    assert "12 nodes as hyperbolic-cones in 2 dimensions" in card
    assert "hypercone.load" in card
    assert "| dim | 2 |" in card
    assert (load(model).labels, load(model).edges, load(model).hierarchy) == (None, None, None)


def test_the_card_says_if_a_fit_is_not_reproducible(tmp_path):
    folder = make_embedding(record={"reproducible": False}).save(tmp_path / "model")
    assert "**Not reproducible**" in (folder / "README.md").read_text(encoding="utf-8")


def test_the_config_is_plain_json_with_checksums(model):
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    assert (config["format"], config["format_version"], config["nodes"], config["dim"]) == ("hypercone-model", 2, 12, 2)
    assert sorted(config["checksums"]) == ["README.md", "model.safetensors", "nodes.txt.gz"]
    for part in config["checksums"]:
        assert config["checksums"][part] == hashlib.sha256((model / part).read_bytes()).hexdigest()


def test_an_empty_folder_may_be_overwritten(strange, tmp_path):
    (tmp_path / "model").mkdir()
    assert is_same(load(strange.save(tmp_path / "model")), strange)


@pytest.mark.parametrize(
    "content",
    [
        {"thesis.tex": "years of work"},
        {"config.json": '{"model_type": "bert"}', "model.safetensors": "someone else's weights"},
        {"config.json": "not JSON", "README.md": "mine"},
        {"config.json": "[" * 100_000},
        {"sub/config.json": "{}"},
    ],
)
def test_a_folder_that_is_not_a_model_is_not_overwritten(strange, tmp_path, content):
    for name, text in content.items():
        (tmp_path / "folder" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "folder" / name).write_text(text)
    before = all_files(tmp_path)
    with pytest.raises(InputError, match="is a folder with other things in it"):
        strange.save(tmp_path / "folder")
    assert all_files(tmp_path) == before
    assert os.listdir(tmp_path) == ["folder"]


def test_a_model_folder_with_other_files_is_not_overwritten(strange, model):
    (model / "notes.txt").write_text("why I chose this one")
    before = all_files(model)
    with pytest.raises(InputError, match="other things"):
        strange.save(model)
    assert all_files(model) == before


def test_a_file_is_not_overwritten(strange, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="is a file; give a folder"):
        strange.save(tmp_path / "file")
    with pytest.raises(InputError, match="cannot be written"):
        strange.save(tmp_path / "file" / "model")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("folder", ["/proc/no/model", "/dev/null/model", "x" * 300])
def test_an_unwritable_target_is_named_in_one_sentence(strange, tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="cannot be written") as error:
        strange.save(folder)
    assert "\n" not in str(error.value)
    assert os.listdir(tmp_path) == []


def test_saving_to_the_working_directory_loses_nothing(strange, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        strange.save(".")
    except InputError:
        assert os.listdir(tmp_path) == []
    else:
        assert len(load(tmp_path)) == 12


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


def test_a_model_without_nodes_is_saved_and_loaded(tmp_path):
    saved = make_embedding(names=[], points=np.empty((0, 2)), labels=Labels([]), edges=np.empty((0, 2), np.int32))
    assert is_same(load(saved.save(tmp_path / "model")), saved)


@pytest.mark.parametrize("value", [True, None, 10**300, 1e308, "", [], {}, ["a\n|b"], -1, 0.5])
@pytest.mark.parametrize("name", ["kind", "placed", "config", "notes", "calibration_f1", "training_edges", "epoch"])
def test_the_card_of_any_record_contains_no_nan(name, value):
    card = model_card(make_embedding(record={name: value, "reproducible": value, "closure_aware": value}))
    assert card.startswith("# 12 nodes as hyperbolic-cones in 2 dimensions\n")
    assert not {"nan", "inf"} & set(card.lower().replace(")", " ").split())


@pytest.fixture
def labeled():
    labels = Labels([f"label {i} Löwe" if i % 3 else "" for i in range(12)])
    return make_embedding(labels=labels, edges=np.array([[0, 1], [0, 2]], np.int32))


def test_labels_and_edges_are_loaded(labeled, tmp_path):
    again = load(labeled.save(tmp_path / "model"))
    assert again.labels == labeled.labels
    assert again.edges.tolist() == [[0, 1], [0, 2]]
    assert again.row("label 4 löwe") == 4
    assert again.hierarchy.labels == labeled.labels
    assert again.display_name(0) == "n0"
    assert again.display_name(1) == "label 1 Löwe"


def test_a_model_without_labels_replaces_one_with_labels_completely(labeled, tmp_path):
    labeled.save(tmp_path / "model")
    make_embedding().save(tmp_path / "model")
    assert load(tmp_path / "model").labels is None


@pytest.mark.parametrize("edge", [[0, 12], [-1, 0]])
def test_an_edge_out_of_range_is_refused_on_creation_and_on_loading(labeled, tmp_path, edge):
    wrong = np.array([edge], np.int32)
    with pytest.raises(InputError, match="an edge names a row outside 0 … 11; give rows of its points"):
        dataclasses.replace(labeled, edges=wrong)
    labeled.save(tmp_path / "model")
    forge(tmp_path / "model", {"edges.safetensors": safetensors_bytes({"edges": wrong})}, edges=1)
    assert is_refused(tmp_path / "model", "outside 0 … 11")


def test_a_fit_keeps_the_labels_and_edges_of_its_hierarchy():
    tree = hypercone.Hierarchy(["a", "b", "c"], [[0, 1], [1, 2]], ["A", "B", "C"])
    embedding = hypercone.fit(tree, method="hyperbolic-cones", dim=2, epochs=2, init_epochs=2)
    assert embedding.hierarchy == tree
    assert embedding.row("B") == 1


# Written by the last release that wrote version 1.
OLD = Path(__file__).parent / "models" / "version-1"


@pytest.fixture
def old(tmp_path):
    return Path(shutil.copytree(OLD, tmp_path / "old"))


def test_a_model_of_version_1_loads(old):
    loaded = load(old)
    assert json.loads((old / "config.json").read_bytes())["format_version"] == 1
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


def test_a_model_of_version_1_has_no_checksum_of_its_card_and_is_saved_as_version_2(old):
    (old / "README.md").write_text("mine")
    assert card_is_as_saved(old)
    saved = load(old)
    saved.save(old)
    assert json.loads((old / "config.json").read_bytes())["format_version"] == 2
    assert is_same(load(old), saved)


def test_changed_line_endings_are_distinguished_from_damage(full_model, fault_row):
    path = full_model / "config.json"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    sentence = is_refused(full_model, "has other line ends than it was written with; copy it byte for byte")
    fault_row("hostile file", "a model whose config.json was given other line ends", sentence, 3, about="model folders")


def test_a_changed_format_version_is_refused(old, full_model):
    for folder, before, after in ((old, b'version": 1', b'version": 2'), (full_model, b'version": 2', b'version": 1')):
        path = folder / "config.json"
        content = path.read_bytes()
        assert content.count(before) == 1
        path.write_bytes(content.replace(before, after))
        assert is_refused(folder, "does not match its own checksum")


def test_extreme_numbers_are_loaded_to_the_last_bit(tmp_path):
    points = np.array([[5e-324, -0.0], [-FARTHEST, 1e-310]])
    saved = make_embedding("order", names=["a", "b"], points=points, threshold=5e-324)
    loaded = load(saved.save(tmp_path / "model"))
    assert loaded.points.tobytes() == points.tobytes()
    assert loaded.threshold == 5e-324


@pytest.mark.parametrize("thing", [os.mkfifo, lambda path: path.symlink_to("elsewhere")], ids=["pipe", "link"])
def test_a_pipe_or_a_dangling_link_is_not_overwritten(strange, tmp_path, fault_row, thing):
    thing(tmp_path / "model")
    with pytest.raises(InputError, match="is neither a file nor a folder; give a new one") as error:
        strange.save(tmp_path / "model")
    assert os.listdir(tmp_path) == ["model"]
    assert (tmp_path / "model").is_fifo() or (tmp_path / "model").is_symlink()
    if thing is os.mkfifo:
        fault_row("hostile file", "saving a model where a pipe is", str(error.value), 2, about="model folders")


@pytest.mark.parametrize("part", ["README.md", "nodes.txt.gz"])
def test_a_folder_named_like_a_part_is_not_overwritten(strange, model, part):
    """It may contain years of work."""
    (model / part).unlink()
    (model / part).mkdir()
    (model / part / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match="is a folder with other things in it"):
        strange.save(model)
    assert (model / part / "thesis.tex").read_text() == "years of work"


def test_an_edited_card_is_not_overwritten(strange, model, fault_row):
    (model / "README.md").write_text("Ask Ada before you use this.")
    for attempt in (lambda: refuse_to_overwrite(model), lambda: strange.save(model)):
        with pytest.raises(
            InputError, match=r"README\.md: was changed since the model was saved, .* move it away"
        ) as error:
            attempt()
    assert (model / "README.md").read_text() == "Ask Ada before you use this."
    assert len(load(model)) == 12
    fault_row("bad input", "saving over a model whose README.md you edited", str(error.value), 2, about="model folders")
    (model / "README.md").rename(model.parent / "kept.md")
    strange.save(model)
    assert (model / "README.md").exists()


def test_a_card_that_is_not_a_file_counts_as_edited(strange, model):
    (model / "README.md").unlink()
    os.mkfifo(model / "README.md")
    with pytest.raises(InputError, match="was changed since the model was saved"):
        strange.save(model)


@pytest.mark.parametrize("part", ["model.safetensors", "nodes.txt.gz"])
def test_a_damaged_model_can_be_replaced(strange, model, part):
    (model / part).write_bytes(b"damaged")
    strange.save(model)
    assert is_same(load(model), strange)


@pytest.mark.parametrize("checksums", [None, [], {}, {"README.md": None}, {"README.md": 5}, "x"])
def test_saving_never_crashes_on_the_checksum_of_a_card(strange, model, checksums):
    forge(model, checksums=checksums)
    if checksums == {"README.md": 5}:
        with pytest.raises(InputError, match="was changed"):
            strange.save(model)
    else:
        strange.save(model)
        assert len(load(model)) == 12
