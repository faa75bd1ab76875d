"""Saving replaces a model or an empty folder and nothing else: no pipe, no folder inside, no card that people wrote."""

from __future__ import annotations

import os

import pytest

from hypercone.embedding import load
from hypercone.embedding.folder import refuse_to_overwrite
from hypercone.errors import InputError


def test_a_pipe_in_the_way_is_refused_and_stays(strange, tmp_path, told):
    os.mkfifo(tmp_path / "model")
    with pytest.raises(InputError, match="is neither a file nor a folder; give a new one") as error:
        strange.save(tmp_path / "model")
    assert (tmp_path / "model").is_fifo()
    assert os.listdir(tmp_path) == ["model"]
    told("hostile file", "saving a model where a pipe is", str(error.value), 2, about="model folders")


def test_a_link_to_nowhere_in_the_way_is_refused_and_stays(strange, tmp_path):
    (tmp_path / "model").symlink_to("elsewhere")
    with pytest.raises(InputError, match="is neither a file nor a folder"):
        strange.save(tmp_path / "model")
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.parametrize("part", ["README.md", "nodes.txt.gz"])
def test_a_folder_inside_is_the_users_and_is_not_replaced(strange, model, part):
    """A folder may be called like a part of a model and hold years of work."""
    (model / part).unlink()
    (model / part).mkdir()
    (model / part / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match="is a folder with other things in it"):
        strange.save(model)
    assert (model / part / "thesis.tex").read_text() == "years of work"


def test_a_card_that_was_edited_is_not_lost(strange, model, told):
    (model / "README.md").write_text("Ask Ada before you use this.")
    for attempt in (lambda: refuse_to_overwrite(model), lambda: strange.save(model)):
        with pytest.raises(
            InputError, match=r"README\.md: was changed since the model was saved, .* move it away"
        ) as error:
            attempt()
    assert (model / "README.md").read_text() == "Ask Ada before you use this."
    assert len(load(model)) == 12
    told("bad input", "saving over a model whose README.md you edited", str(error.value), 2, about="model folders")
    (model / "README.md").rename(model.parent / "kept.md")
    strange.save(model)
    assert (model / "README.md").exists()


def test_a_card_that_is_no_file_counts_as_edited(strange, model):
    (model / "README.md").unlink()
    os.mkfifo(model / "README.md")
    with pytest.raises(InputError, match="was changed since the model was saved"):
        strange.save(model)


@pytest.mark.parametrize("part", ["model.safetensors", "nodes.txt.gz"])
def test_a_damaged_model_can_be_replaced(strange, model, part, is_same):
    (model / part).write_bytes(b"damaged")
    strange.save(model)
    assert is_same(load(model), strange)


@pytest.mark.parametrize("checksums", [None, [], {}, {"README.md": None}, {"README.md": 5}, "x"])
def test_whatever_a_description_says_of_its_card_saving_never_crashes(strange, model, forge, checksums):
    forge(model, checksums=checksums)
    if checksums == {"README.md": 5}:
        with pytest.raises(InputError, match="was changed"):
            strange.save(model)
    else:
        strange.save(model)
        assert len(load(model)) == 12
