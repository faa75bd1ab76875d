"""The site is built without a warning, its reference has everything that a user can meet, and links lead somewhere."""

import inspect
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

import hypercone
from hypercone import errors, geometry
from hypercone.cli.main import COMMANDS
from hypercone.construction import CONSTRUCTIONS
from hypercone.data import datasets
from hypercone.methods import METHODS
from hypercone.queries import QUESTIONS
from hypercone.training.config import OPTIONS

ERRORS = [kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, Exception)]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")
FENCES = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")


def build(config, folder):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", config, "--site-dir", folder]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=180)


class Parts(HTMLParser):
    """The anchors of a page, its text, and what a browser would load with it."""

    def __init__(self, page):
        super().__init__()
        self.anchors, self.loaded, self.text = set(), [], ""
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors.add(found.get("id"))
        if tag in ("script", "link", "img"):
            self.loaded.append(found.get("src") or found.get("href") or "")

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def site(tmp_path_factory, project):
    folder = tmp_path_factory.mktemp("site")
    done = build(project / "mkdocs.yml", folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def reference(site):
    return {page.stem: Parts(page) for page in (site / "reference").glob("*.html")}


def test_no_page_of_the_site_needs_a_network(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        assert [place for place in Parts(page).loaded if "//" in place] == [], page.name


@pytest.mark.parametrize("link", ["missing.md", "#missing", "index.md#missing", "/absolute.md", "folder"])
def test_a_link_that_leads_nowhere_stops_the_build(link, tmp_path, project):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(f"# Title\n\n[text]({link})\n")
    config = tmp_path / "mkdocs.yml"
    config.write_text(f"INHERIT: {project / 'mkdocs.yml'}\ndocs_dir: docs\nhooks: []\nplugins: []\nnav: [index.md]\n")
    done = build(config, tmp_path / "site")
    assert done.returncode == 1
    assert link in done.stderr


def test_every_public_name_is_in_the_reference(reference):
    on_their_own_pages = {"errors", "geometry", "__version__", *(kind.__name__ for kind in ERRORS)}
    wanted = {f"hypercone.{name}" for name in {*hypercone.__all__} - on_their_own_pages}
    wanted |= {f"hypercone.evaluation.{name}" for name in hypercone.evaluation.__all__}
    assert wanted - reference["api"].anchors == set()
    assert {f"hypercone.errors.{kind.__name__}" for kind in ERRORS} <= reference["errors"].anchors
    for module in (getattr(geometry, name) for name in geometry.__all__):
        functions = [each for name, each in inspect.getmembers(module, inspect.isfunction) if name[0] != "_"]
        own = {f"{module.__name__}.{each.__name__}" for each in functions if each.__module__ == module.__name__}
        assert own <= reference["geometry"].anchors


def test_every_method_of_a_public_class_is_in_the_reference_and_no_old_name_is(reference):
    for kind in (hypercone.Hierarchy, hypercone.Embedding):
        methods = {name: each for name, each in vars(kind).items() if name[0] != "_" and inspect.getdoc(each)}
        old = {name for name, each in methods.items() if inspect.getdoc(each).startswith("The old name")}
        shown = {anchor.rpartition(".")[2] for anchor in reference["api"].anchors if anchor and kind.__name__ in anchor}
        assert old
        assert {name for name, each in methods.items() if inspect.isfunction(each)} - old <= shown
        assert not old & shown


def test_every_command_setting_and_method_is_in_the_reference(reference):
    assert {*COMMANDS} <= reference["commands"].anchors
    assert all(name in reference["settings"].text for name in OPTIONS)
    assert all(name in reference["methods"].text for name in (*METHODS, *CONSTRUCTIONS))


def test_no_docstring_reaches_the_reference_as_a_quotation_or_with_double_backticks(site):
    for name in ("api", "geometry", "errors"):
        text = (site / "reference" / f"{name}.html").read_text(encoding="utf-8")
        assert "<blockquote>" not in text
        assert "``" not in text


def test_every_recorded_fault_is_in_the_table_of_what_goes_wrong(reference, fault_rows):
    text = " ".join(reference["what-goes-wrong"].text.split())
    for row in fault_rows:
        assert " ".join(row["case"].split()) in text
        assert all(" ".join(line.split()) in text for line in row["seen"].splitlines())


def test_every_command_is_shown_on_a_page_and_every_choice_where_one_chooses(text_of, project):
    pages = [*project.glob("docs/tutorial/*.md"), *project.glob("docs/how-to/*.md")]
    assert all(f"hypercone {command}" in text_of("README.md", "docs/index.md", *pages) for command in COMMANDS)
    assert all(name in text_of(*pages) for name in datasets())
    assert all(name in text_of("docs/how-to/choose-a-method.md") for name in METHODS)
    assert all(name in text_of("docs/how-to/ask-questions.md") for name in QUESTIONS)
    assert f"## [{hypercone.__version__}]" in text_of("CHANGELOG.md")
    assert all(f"| {code} |" in text_of("docs/reference/errors.md") for code in {0, *(e.exit_code for e in ERRORS)})


# The pages as a code host shows them, which has no site.


def test_every_relative_link_leads_somewhere_and_nothing_is_left_to_be_filled_in(page, project):
    assert "{{" not in page.read_text(encoding="utf-8")
    for target in links_of(page):
        path, _, anchor = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        assert place.exists(), f"{page.name}: {target}"
        assert place.is_relative_to(project), f"{page.name}: {target} is outside the project"
        if anchor:
            assert anchor in anchors_of(place), f"{page.name}: no heading for {target}"


def test_every_page_can_be_reached_from_the_readme(project):
    seen = [project / "README.md"]
    for page in seen:
        linked = {(page.parent / target.partition("#")[0]).resolve() for target in links_of(page)}
        seen += [place for place in linked if place.suffix == ".md" and place not in seen]
    assert {*(project / "docs").rglob("*.md")} <= {*seen}


def test_every_picture_is_small_enough_to_load_at_once(project):
    pictures = list((project / "docs" / "images").iterdir())
    assert pictures
    assert all(picture.stat().st_size <= 300 * 1024 for picture in pictures)


def links_of(page):
    text = CODE.sub("", FENCES.sub("", page.read_text(encoding="utf-8")))
    found = (match[1] or match[2] for match in LINK.finditer(text))
    return [target for target in found if not re.match(r"[a-z]+:", target)]


def anchors_of(page):
    headings = re.findall(r"^#+ (.+)$", FENCES.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
