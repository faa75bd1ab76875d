"""The reference is what the source says, and the pages leave nothing out that a user can meet."""

import importlib.util
import inspect

import pytest

from hypercone import errors
from hypercone.cli.main import COMMANDS
from hypercone.data import datasets
from hypercone.methods import METHODS
from hypercone.queries import QUESTIONS


@pytest.fixture
def generated(project, monkeypatch):
    monkeypatch.syspath_prepend(project / "scripts")
    spec = importlib.util.spec_from_file_location("make_reference", project / "scripts" / "make_reference.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script.pages()


def test_the_reference_is_what_the_source_says(generated, project):
    folder = project / "docs" / "reference"
    stale = [name for name, text in generated.items() if (folder / name).read_text(encoding="utf-8") != text]
    assert not stale, f"run python scripts/make_reference.py; out of date: {stale}"
    assert {path.name for path in folder.iterdir()} == {*generated, "what-goes-wrong.md"}


def test_every_command_is_shown_in_the_readme_or_the_how_to_pages(text_of):
    text = text_of("README.md", "docs/tutorial/first-embedding.md", "docs/how-to/evaluate-and-split.md")
    for command in COMMANDS:
        assert f"hypercone {command}" in text


@pytest.mark.parametrize("kind", ["METHODS", "QUESTIONS", "datasets"])
def test_every_choice_is_explained_where_one_chooses(kind, text_of):
    page, names = {
        "METHODS": ("docs/how-to/choose-a-method.md", METHODS),
        "QUESTIONS": ("docs/how-to/ask-questions.md", QUESTIONS),
        "datasets": ("docs/how-to/read-your-data.md", datasets()),
    }[kind]
    for name in names:
        assert name in text_of(page)


def test_every_exit_code_is_in_the_readme(text_of):
    kinds = [kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, Exception)]
    codes = {0, 130, *(kind.exit_code for kind in kinds)}
    for code in codes:
        assert f"| {code} |" in text_of("README.md")


def test_every_error_is_explained_in_the_how_to(text_of):
    kinds = [kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, Exception)]
    for kind in kinds:
        assert f"`{kind.__name__}`" in text_of("docs/reference/errors.md")


def test_the_changelog_knows_the_version(text_of):
    from hypercone import __version__

    assert f"## [{__version__}]" in text_of("CHANGELOG.md")
