"""hypercone explore: a page is written, said where, and shown in whatever browser there is."""

from __future__ import annotations

import importlib
import os
import stat
import tempfile
import webbrowser
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

from hypercone.embedding import load
from hypercone.explorer import explorer_page


@pytest.fixture
def browser(tmp_path, monkeypatch):
    """A program in the place of the browser, and what it was asked to open."""
    program, opened = tmp_path / "browser", tmp_path / "opened"
    program.write_text(f'#!/bin/sh\nprintf "%s" "$1" > "{opened}"\n')
    program.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(program))
    # Which browsers there are is found out once.
    importlib.reload(webbrowser)
    yield lambda: Path(unquote(urlparse(opened.read_text()).path)) if opened.exists() else None
    monkeypatch.undo()
    importlib.reload(webbrowser)


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Where temporary files go."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_with_o_the_page_is_written_and_not_opened(run, model, tmp_path):
    done = run("explore", model, "-o", tmp_path / "page.html", "--json").json
    assert done["page"] == str(tmp_path / "page.html")
    assert done["bytes"] == (tmp_path / "page.html").stat().st_size
    assert done["nodes"] == 10
    assert done["opened"] is False
    assert os.listdir(tmp_path) == ["page.html"]


def test_the_page_is_that_of_the_model_under_its_folders_name(run, model, tmp_path):
    assert run("explore", model, "-o", tmp_path / "a.html").code == 0
    assert run("explore", model, "-o", tmp_path / "b.html", "--title", "Pets", "--view", "projection").code == 0
    assert (tmp_path / "a.html").read_text() == explorer_page(load(model), title="model")
    assert (tmp_path / "b.html").read_text() == explorer_page(load(model), title="Pets", view="projection")


def test_without_o_a_private_page_is_opened_in_the_browser(run, model, browser, temporary):
    done = run("explore", model, "--json").json
    page = Path(done["page"])
    assert done["opened"] is True
    assert browser() == page
    assert page.name == "model.html"
    assert page.parent.parent == temporary
    assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700


def test_where_there_is_no_browser_the_path_is_said_and_all_is_well(run, model, browser, temporary, monkeypatch):
    monkeypatch.setenv("BROWSER", "no-such-browser")
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("DISPLAY", raising=False)
    importlib.reload(webbrowser)
    done = run("explore", model)
    assert done.code == 0, done.err
    assert Path(done.out.splitlines()[0].split(maxsplit=1)[1]).parent.parent == temporary
    assert "open the page in one yourself" in done.out
    assert browser() is None


def test_open_and_no_open_have_the_last_word(run, model, browser, temporary, tmp_path):
    assert run("explore", model, "--no-open", "--json").json["opened"] is False
    assert browser() is None
    kept = tmp_path / "a page #1.html"
    assert run("explore", model, "-o", kept, "--open", "--json").json["opened"] is True
    assert browser() == kept


def test_a_page_that_cannot_be_made_leaves_no_folder_behind(run, model, temporary):
    assert run("explore", model.parent / "nowhere").code == 3
    assert run("explore", model, "--view", "globe").code == 2
    assert os.listdir(temporary) == []


def test_a_real_process_writes_the_same_page(process, run, model, tmp_path):
    assert run("explore", model, "-o", tmp_path / "here.html").code == 0
    assert process("explore", model, "-o", "there.html", cwd=tmp_path).code == 0
    assert (tmp_path / "there.html").read_bytes() == (tmp_path / "here.html").read_bytes()
