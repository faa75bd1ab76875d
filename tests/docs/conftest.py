"""The pages people read, and the fenced blocks in them."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
FRONT = [PROJECT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
PAGES = [*FRONT, *sorted((PROJECT / "docs").rglob("*.md"))]

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
    found = [(match, text.count("\n", 0, match.start("ticks")) + 1) for match in FENCE.finditer(text)]
    return [Block(page, line, m["language"].strip(), m["body"], m["mark"], m["value"]) for m, line in found]


@pytest.fixture(params=PAGES, ids=lambda page: page.relative_to(PROJECT).as_posix())
def page(request):
    return request.param


@pytest.fixture(scope="session")
def project():
    return PROJECT


@pytest.fixture(scope="session")
def fault_rows():
    """What tests saw of bad inputs, hostile files and faults, file by file."""
    files = sorted((PROJECT / "tests" / "faults" / "rows").glob("*.json"))
    return [row for file in files for row in json.loads(file.read_text(encoding="utf-8"))]


@pytest.fixture
def blocks(page):
    return blocks_of(page)


@pytest.fixture
def all_blocks():
    return [block for page in PAGES for block in blocks_of(page)]


@pytest.fixture
def text_of():
    """What the pages under some paths say, as one text."""
    return lambda *paths: "\n".join((PROJECT / path).read_text(encoding="utf-8") for path in paths)
