"""plot, explore and serve: what they write or serve, and where."""

from __future__ import annotations

import importlib
import os
import stat
import subprocess
import sys
import tempfile
import webbrowser
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

from hypercone import service
from hypercone.cli.show import named_folders
from hypercone.embedding import load
from hypercone.errors import InputError
from hypercone.explorer import explorer_page
from hypercone.plotting import plot


def groups(path, what):
    return [node for node in ElementTree.parse(path).iter() if (node.get("id") or "").startswith(what)]


@pytest.mark.parametrize("kind", plot.KINDS)
def test_each_kind_is_written_beside_and_named_after_the_model(run, model, tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    done = run("plot", model, "--kind", kind, "--json")
    assert done.json["file"] == f"{Path(model).name}-{kind}.svg"
    assert done.json["bytes"] == Path(done.json["file"]).stat().st_size > 5_000


def test_the_options_of_the_disk_reach_the_picture(run, model, tmp_path):
    target = tmp_path / "dogs.svg"
    done = run("plot", model, "-o", target, "--cones", "dog", "cat", "--labels", "2", "--center", "dog", "--dark")
    assert done.code == 0, done.err
    assert done.out.startswith("file ")
    # The nodes of both cones are named, which makes two names.
    assert [len(groups(target, what)) for what in ("cone", "label", "origin")] == [2, 2, 1]
    assert "#0f1420" in target.read_text()
    assert run("plot", model, "-o", target, "--cones", "--labels", "--origin", "--color", "depth").code == 0
    assert not any(groups(target, what) for what in ("cone", "label", "origin"))


@pytest.fixture
def browser(tmp_path, monkeypatch):
    """A program that replaces the browser, and what it was asked to open."""
    program, opened = tmp_path / "browser", tmp_path / "opened"
    program.write_text(f'#!/bin/sh\nprintf "%s" "$1" > "{opened}"\n')
    program.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(program))
    # webbrowser looks for browsers only once.
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


def test_with_o_the_page_of_the_model_is_written_and_not_opened(run, process, model, tmp_path):
    done = run("explore", model, "-o", tmp_path / "a.html", "--json").json
    size = (tmp_path / "a.html").stat().st_size
    assert done == {"page": str(tmp_path / "a.html"), "bytes": size, "nodes": 10, "opened": False}
    assert os.listdir(tmp_path) == ["a.html"]
    assert process("explore", model, "-o", "b.html", "--title", "Pets", "--view", "projection", cwd=tmp_path).code == 0
    assert (tmp_path / "a.html").read_text() == explorer_page(load(model), title="model")
    assert (tmp_path / "b.html").read_text() == explorer_page(load(model), title="Pets", view="projection")


def test_without_o_or_with_open_the_page_is_opened_in_the_browser(run, model, browser, temporary, tmp_path):
    done = run("explore", model, "--json").json
    page = Path(done["page"])
    assert (done["opened"], browser()) == (True, page)
    assert (page.name, page.parent.parent) == ("model.html", temporary)
    assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    there = tmp_path / "a page #1.html"
    assert run("explore", model, "-o", there, "--open", "--json").json["opened"] is True
    assert browser() == there


def test_no_open_opens_nothing_and_a_page_that_cannot_be_made_leaves_no_folder_behind(run, model, browser, temporary):
    assert run("explore", model.parent / "nowhere").code == 3
    assert run("explore", model, "--view", "globe").code == 2
    assert os.listdir(temporary) == []
    assert run("explore", model, "--no-open", "--json").json["opened"] is False
    assert browser() is None


def test_without_a_browser_the_path_is_printed_and_the_command_succeeds(run, model, browser, temporary, monkeypatch):
    monkeypatch.setenv("BROWSER", "no-such-browser")
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("DISPLAY", raising=False)
    importlib.reload(webbrowser)
    done = run("explore", model)
    assert done.code == 0, done.err
    assert Path(done.out.splitlines()[0].split(maxsplit=1)[1]).parent.parent == temporary
    assert "open the page in one yourself" in done.out
    assert browser() is None


@pytest.fixture
def served(monkeypatch):
    """What would be served; nothing is."""
    given = {}
    monkeypatch.setattr(service, "serve", lambda embeddings, options: given.update(models=embeddings, options=options))
    return given


def test_every_option_of_serve_reaches_the_service(run, model, served, tmp_path):
    assert run("serve", model).code == 0
    assert list(served["models"]) == ["model"]
    assert (served["options"].host, served["options"].token) == ("127.0.0.1", None)
    (tmp_path / "token").write_text("s3cret\n")
    options = ["--host", "::1", "--port", 0, "--token-file", tmp_path / "token", "--allow-host", "a.example"]
    more = ["--allow-host", "b.example", "--cors", "https://c.example", "--deadline", 2.5, "--concurrency", 3]
    assert run("serve", f"one={model}", f"two={model}", *options, *more, "--no-explorer").code == 0
    assert list(served["models"]) == ["one", "two"]
    chosen = served["options"]
    assert (chosen.host, chosen.port, chosen.token) == ("::1", 0, "s3cret")
    assert (chosen.allow_hosts, chosen.cors) == (("a.example", "b.example"), ("https://c.example",))
    assert (chosen.deadline, chosen.concurrency, chosen.explorer) == (2.5, 3, False)


def test_a_folder_may_have_an_equals_sign_in_its_name_but_no_line_break(tmp_path):
    folder = tmp_path / "a=b"
    folder.mkdir()
    assert named_folders([str(folder), f"c={folder}"]) == {"a=b": str(folder), "c": str(folder)}
    with pytest.raises(InputError, match="gives no name"):
        named_folders(["a\nb=x"])


def test_without_the_extra_one_sentence_says_how_to_install_it(model):
    """In another process, since these packages are imported in this one."""
    code = "import sys\nfrom hypercone.cli.main import main\n"
    code += f"for package in {service.PACKAGES!r}:\n"
    code += "    sys.modules[package] = None\n    assert main(sys.argv[1:]) == 1\n    del sys.modules[package]\n"
    given = [sys.executable, "-c", code, "serve", str(model)]
    done = subprocess.run(given, capture_output=True, text=True, check=True)
    sentence = "hypercone: the service needs {}, which is not installed; pip install 'hypercone[serve]'\n"
    assert done.stderr == "".join(map(sentence.format, service.PACKAGES))
