"""A model folder: what is saved comes back, to the bit, and nothing that was there is lost."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import hypercone
from hypercone.embedding import load, save
from hypercone.errors import HyperconeError, InputError, ModelFileError
from hypercone.hierarchy.names import Labels, is_usable
from hypercone.methods import METHODS, Settings

PARTS = ("model.safetensors", "nodes.txt.gz", "config.json")


@pytest.mark.parametrize("method", METHODS)
def test_what_is_saved_comes_back_exactly(make_embedding, is_same, tmp_path, method):
    saved = make_embedding(method, dim=5)
    assert saved.save(tmp_path / "model") == tmp_path / "model"
    assert is_same(load(tmp_path / "model"), saved)


def test_strange_names_survive(strange, model, is_same):
    assert is_same(hypercone.load(str(model)), strange)


def test_a_fit_comes_back_with_its_record_and_its_answers(fitted, tree, tmp_path, is_same):
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
def test_any_names_and_any_numbers_come_back_exactly(
    make_embedding, is_same, tmp_path_factory, names, threshold, alpha, data
):
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
    # Nor does it matter when: the time that gzip would note is left out.
    assert (model / "nodes.txt.gz").read_bytes()[4:8] == bytes(4)
    load(model).save(again)
    for part in PARTS:
        assert (model / part).read_bytes() == (again / part).read_bytes()


def test_single_precision_points_are_saved_as_the_same_numbers(make_embedding, tmp_path):
    points = np.asfortranarray(make_embedding("order").points.astype(np.float32))
    loaded = load(make_embedding("order", points=points).save(tmp_path / "model"))
    assert loaded.points.dtype == np.float64
    assert np.array_equal(loaded.points, points)


def test_the_folder_holds_the_parts_and_a_card_for_people(model):
    assert sorted(path.name for path in model.iterdir()) == sorted([*PARTS, "README.md"])
    card = (model / "README.md").read_text(encoding="utf-8")
    assert "12 nodes as hyperbolic-cones in 2 dimensions" in card
    assert "hypercone.load" in card
    assert "| dim | 2 |" in card


def test_a_card_says_when_a_fit_cannot_be_repeated(make_embedding, tmp_path):
    folder = make_embedding(record={"reproducible": False}).save(tmp_path / "model")
    assert "**Not reproducible**" in (folder / "README.md").read_text(encoding="utf-8")


def test_the_card_is_not_needed_to_load(model):
    (model / "README.md").unlink()
    assert len(load(model)) == 12


def test_the_config_is_json_that_anyone_can_read(model):
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    assert (config["format"], config["format_version"], config["nodes"], config["dim"]) == ("hypercone-model", 2, 12, 2)
    assert sorted(config["checksums"]) == ["README.md", "model.safetensors", "nodes.txt.gz"]
    for part in config["checksums"]:
        assert config["checksums"][part] == hashlib.sha256((model / part).read_bytes()).hexdigest()


def test_a_new_model_takes_the_place_of_an_old_one(strange, make_embedding, model, is_same):
    newer = make_embedding("order", count=3)
    newer.save(model)
    assert is_same(load(model), newer)
    assert os.listdir(model.parent) == ["model"]


def test_an_empty_folder_is_as_good_as_none(strange, tmp_path, is_same):
    (tmp_path / "model").mkdir()
    assert is_same(load(strange.save(tmp_path / "model")), strange)


def _everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


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
def test_a_folder_that_is_not_a_model_is_refused_and_nothing_is_lost(strange, tmp_path, content):
    for name, text in content.items():
        (tmp_path / "folder" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "folder" / name).write_text(text)
    before = _everything(tmp_path)
    with pytest.raises(InputError, match="is a folder with other things in it"):
        strange.save(tmp_path / "folder")
    assert _everything(tmp_path) == before
    assert os.listdir(tmp_path) == ["folder"]


def test_a_model_with_something_of_the_users_beside_it_is_not_replaced(strange, model):
    (model / "notes.txt").write_text("why I chose this one")
    before = _everything(model)
    with pytest.raises(InputError, match="other things"):
        strange.save(model)
    assert _everything(model) == before


def test_a_file_in_the_way_is_refused(strange, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="is a file; give a folder"):
        strange.save(tmp_path / "file")
    with pytest.raises(InputError, match="cannot be written"):
        strange.save(tmp_path / "file" / "model")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("folder", ["/proc/no/model", "/dev/null/model", "x" * 300])
def test_a_place_that_cannot_be_written_is_named_in_one_sentence(strange, tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="cannot be written") as error:
        strange.save(folder)
    assert "\n" not in str(error.value)
    assert os.listdir(tmp_path) == []


def test_saving_where_one_stands_loses_nothing(strange, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        strange.save(".")
    except InputError:
        assert os.listdir(tmp_path) == []
    else:
        assert len(load(tmp_path)) == 12


@pytest.mark.parametrize("part", PARTS)
def test_a_missing_part_is_named(model, part):
    (model / part).unlink()
    with pytest.raises(ModelFileError, match=f"{part}: is missing"):
        load(model)


@pytest.mark.parametrize("part", PARTS)
def test_a_folder_in_place_of_a_part_is_refused(model, part):
    (model / part).unlink()
    (model / part).mkdir()
    with pytest.raises(ModelFileError, match=f"{part}: is a folder, not an ordinary file"):
        load(model)


@pytest.mark.parametrize("name", ["nothing", "x" * 300, "file", "file/model"])
def test_what_is_no_model_folder_is_refused_in_one_sentence(tmp_path, name):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ModelFileError) as error:
        load(tmp_path / name)
    assert "\n" not in str(error.value)


def test_save_is_the_same_as_the_method(strange, tmp_path):
    assert save(strange, tmp_path / "model") == tmp_path / "model"
    assert issubclass(ModelFileError, HyperconeError)


def test_a_link_to_a_model_stays_a_link_and_what_it_leads_to_is_replaced(make_embedding, tmp_path, is_same):
    make_embedding(count=3).save(tmp_path / "real")
    (tmp_path / "link").symlink_to("real")
    newer = make_embedding(count=4)
    newer.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert is_same(load(tmp_path / "real"), newer)


def test_a_model_of_no_nodes_comes_back(make_embedding, tmp_path, is_same):
    saved = make_embedding(names=[], points=np.empty((0, 2)), labels=Labels([]), edges=np.empty((0, 2), np.int32))
    assert is_same(load(saved.save(tmp_path / "model")), saved)


@pytest.mark.parametrize("strange", [True, None, 10**300, 1e308, "", [], {}, ["a\n|b"], -1, 0.5])
@pytest.mark.parametrize("name", ["kind", "placed", "config", "notes", "calibration_f1", "training_edges", "epoch"])
def test_the_card_of_any_record_is_text_without_numbers_that_are_none(make_embedding, name, strange):
    from hypercone.embedding.folder import model_card

    card = model_card(make_embedding(record={name: strange, "reproducible": strange, "closure_aware": strange}))
    assert card.startswith("# 12 nodes as hyperbolic-cones in 2 dimensions\n")
    assert not {"nan", "inf"} & set(card.lower().replace(")", " ").split())
