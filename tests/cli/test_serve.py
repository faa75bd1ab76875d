"""hypercone serve on the command line: which models, which options, and what is refused before anything listens."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hypercone import service
from hypercone.cli.show import named_folders
from hypercone.errors import InputError


@pytest.fixture
def served(monkeypatch):
    """What would be served, instead of serving it until somebody ends it."""
    given = {}
    monkeypatch.setattr(service, "serve", lambda embeddings, options: given.update(models=embeddings, options=options))
    return given


def test_a_model_is_served_under_the_name_of_its_folder(run, model, served):
    assert run("serve", model).code == 0
    assert list(served["models"]) == ["model"]
    assert served["options"].host == "127.0.0.1"
    assert served["options"].token is None


def test_every_option_arrives(run, model, served, tmp_path):
    (tmp_path / "token").write_text("s3cret\n")
    options = ["--host", "::1", "--port", 0, "--token-file", tmp_path / "token", "--allow-host", "a.example"]
    more = ["--allow-host", "b.example", "--cors", "https://c.example", "--deadline", 2.5, "--concurrency", 3]
    assert run("serve", f"one={model}", f"two={model}", *options, *more, "--no-explorer").code == 0
    assert list(served["models"]) == ["one", "two"]
    chosen = served["options"]
    assert (chosen.host, chosen.port, chosen.token) == ("::1", 0, "s3cret")
    assert (chosen.allow_hosts, chosen.cors) == (("a.example", "b.example"), ("https://c.example",))
    assert (chosen.deadline, chosen.concurrency, chosen.explorer) == (2.5, 3, False)


def test_a_folder_may_have_an_equals_sign_in_its_name(tmp_path):
    folder = tmp_path / "a=b"
    folder.mkdir()
    assert named_folders([str(folder), f"c={folder}"]) == {"a=b": str(folder), "c": str(folder)}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["x/model", "y/model"], "two models are named 'model'; write NAME=FOLDER"),
        (["=x"], "'=x' gives no name"),
        (["a/b=x"], "gives no name"),
        (["a\nb=x"], "gives no name"),
        (["/"], "'/' gives no name"),
    ],
)
def test_a_model_needs_a_name_of_its_own(given, words):
    with pytest.raises(InputError, match=words):
        named_folders(given)


def test_a_damaged_model_is_exit_code_3(run, tmp_path):
    done = run("serve", tmp_path / "nowhere")
    assert (done.code, "there is no such model folder" in done.err) == (3, True)


@pytest.mark.parametrize("package", service.PACKAGES)
def test_without_the_extra_one_sentence_says_how_to_get_it(model, package):
    """In a process of its own: here all of it has been imported."""
    code = f"import sys; sys.modules[{package!r}] = None\n"
    code += "from hypercone.cli.main import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", code, "serve", model], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert (
        done.stderr
        == f"hypercone: the service needs {package}, which is not installed; pip install 'hypercone[serve]'\n"
    )
