"""For tests of the supply chain: the closure of requirements, and commands that need the declared dependencies only."""

from __future__ import annotations

from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

EDGES = "parent\tchild\nanimal\tdog\nanimal\tcat\ndog\tpoodle\n"
# For a file edges.tsv with these edges.
BASE_COMMANDS = [
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


def closure_of(requirements: list[str]) -> set[str]:
    """The names of all distributions that these need, directly or indirectly, as installed here."""
    found: set[str] = set()
    waiting = [(Requirement(text), "") for text in requirements]
    while waiting:
        requirement, extra = waiting.pop()
        name = canonicalize_name(requirement.name)
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        if name not in found or requirement.extras:
            found.add(name)
            required = [Requirement(text) for text in metadata.requires(name) or ()]
            waiting += [(each, extra) for each in required for extra in ("", *requirement.extras)]
    return found
