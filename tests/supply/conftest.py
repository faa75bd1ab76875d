"""What the project says it depends on, and what the lock file says about it."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

PROJECT = Path(__file__).parents[2]
ENTRY = re.compile(
    r"^(?P<name>[\w.-]+)==(?P<version>\S+)(?: ; (?P<marker>.+?))?(?P<hashes>(?: \\\n +--hash=\S+)+)\n", re.M
)


@dataclass(frozen=True)
class Locked:
    """An entry of the lock file."""

    name: str
    version: Version
    marker: Marker | None
    hashes: tuple[str, ...]


@pytest.fixture(scope="session")
def project() -> Path:
    return PROJECT


@pytest.fixture(scope="session")
def settings() -> dict:
    return tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def lock_text() -> str:
    return (PROJECT / "requirements-dev.lock").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def locked(lock_text) -> list[Locked]:
    return [
        Locked(
            canonicalize_name(entry["name"]),
            Version(entry["version"]),
            Marker(entry["marker"]) if entry["marker"] else None,
            tuple(re.findall(r"--hash=(\S+)", entry["hashes"])),
        )
        for entry in ENTRY.finditer(lock_text)
    ]


def closure_of(requirements: list[str]) -> set[str]:
    """The names of all distributions that these need, and those need, as installed here."""
    found: set[str] = set()
    waiting = [(Requirement(text), "") for text in requirements]
    while waiting:
        requirement, extra = waiting.pop()
        name = canonicalize_name(requirement.name)
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        if name not in found or requirement.extras:
            found.add(name)
            needed = [Requirement(text) for text in metadata.requires(name) or ()]
            waiting += [(each, extra) for each in needed for extra in ("", *requirement.extras)]
    return found


@pytest.fixture(scope="session")
def closure():
    return closure_of


@pytest.fixture(scope="session")
def base_commands() -> list[list[str]]:
    """What a file edges.tsv of animals can be put through with nothing but the package and its dependencies."""
    return [
        ["fit", "edges.tsv", "-o", "model", "--quiet"],
        ["info", "edges.tsv"],
        ["split", "edges.tsv", "-o", "split"],
        ["query", "model", "ancestors", "poodle"],
        ["place", "model", "beagle", "--parent", "dog", "-o", "larger"],
        ["suggest", "model"],
        ["compare", "model", "larger"],
        ["evaluate", "model", "--all-pairs"],
        ["explore", "model", "-o", "page.html"],
    ]
