"""The pages people read, and the fenced blocks in them."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
REFERENCE = PROJECT / "docs" / "reference"
FRONT = [PROJECT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
ALL_PAGES = [*FRONT, *sorted((PROJECT / "docs").rglob("*.md"))]
# The reference is made from docstrings, whose examples run with the modules they stand in.
PAGES = [page for page in ALL_PAGES if REFERENCE not in page.parents]

FENCE = re.compile(
    r"(?:^<!-- (?P<mark>not run|exit|file): (?P<value>[^\n]*?) -->\n)?"
    r"^(?P<ticks>```+)(?P<language>[^\n]*)\n(?P<body>.*?)^(?P=ticks)$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A fenced block, with the comment above it: ``not run: reason``, ``exit: code`` or ``file: name``."""

    page: Path
    line: int
    language: str
    body: str
    mark: str | None
    value: str | None

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(PROJECT)}:{self.line}"


def blocks_of(page):
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            page,
            text.count("\n", 0, match.start("ticks")) + 1,
            match["language"].strip(),
            match["body"],
            match["mark"],
            match["value"],
        )
        for match in FENCE.finditer(text)
    ]


def name_of(page):
    return page.relative_to(PROJECT).as_posix()


def pytest_generate_tests(metafunc):
    for argument, pages in (("page", PAGES), ("any_page", ALL_PAGES)):
        if argument in metafunc.fixturenames:
            metafunc.parametrize(argument, pages, ids=name_of)


@pytest.fixture
def project():
    return PROJECT


@pytest.fixture
def blocks(page):
    return blocks_of(page)


@pytest.fixture
def all_blocks():
    return [block for page in PAGES for block in blocks_of(page)]


@pytest.fixture
def text_of():
    """What the pages under some paths say, as one text."""

    def read(*paths):
        return "\n".join((PROJECT / path).read_text(encoding="utf-8") for path in paths)

    return read
