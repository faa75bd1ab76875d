"""Write docs/reference/what-goes-wrong.md: each bad input, hostile file and fault of the tests, and what is seen of it.

::

    python scripts/make_fault_table.py            (writes the page)
    python scripts/make_fault_table.py --check    (writes nothing; exit code 1 if the page is out of date)

The rows are what the tests saw, in tests/faults/rows; tests/faults/telling.py explains how they get there.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypercone.cli.main import COMMANDS

PROJECT = Path(__file__).parent.parent
ROWS = PROJECT / "tests" / "faults" / "rows"
PAGE = PROJECT / "docs" / "reference" / "what-goes-wrong.md"
NOTICE = "<!-- Written by scripts/make_fault_table.py from what the tests saw; record the rows, then run it again. -->"
SECTIONS = {
    "bad input": (
        "Bad input",
        "what you type",
        "`MODEL` is a small model of animals, `TAXONOMY` the file it was made of, `file` a file and `folder` a folder"
        " with somebody's thesis in it. The other files are what their names say. Nothing is written, and nothing that"
        " was there is changed.",
    ),
    "hostile file": (
        "Damaged and hostile files",
        "what is in the file",
        "Files that broke on the way, or that somebody made in order to do harm. No byte of a model is used before all"
        " of it was checked.",
    ),
    "fault": (
        "Faults",
        "what happens",
        "What is not the user's doing: no memory, no space, a signal, a lost machine.",
    ),
}
MEANINGS = {
    0: "done, with a remark",
    1: "something unexpected",
    2: "bad input",
    3: "bad model file",
    4: "out of memory or disk",
    130: "interrupted",
    137: "killed",
    143: "ended by SIGTERM",
}
Row = dict[str, Any]


def main() -> int:
    """Write or check the page."""
    text = page(rows())
    is_stale = not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text
    if "--check" in sys.argv[1:]:
        print(f"{PAGE.name} is {'out of date' if is_stale else 'up to date'}")
        return int(is_stale)
    PAGE.write_text(text, encoding="utf-8")
    print(f"{PAGE.name}: {len(rows())} rows")
    return 0


def rows() -> list[Row]:
    """What the tests told, file by file, and in a file as it was told."""
    return [row for path in sorted(ROWS.glob("*.json")) for row in json.loads(path.read_text(encoding="utf-8"))]


def page(told: list[Row]) -> str:
    """The page as Markdown."""
    return "\n\n".join([NOTICE, *_opening(told), *_sections(told)]) + "\n"


def _opening(told: list[Row]) -> Iterator[str]:
    kinds = Counter(row["kind"] for row in told)
    yield "# What goes wrong, and what you see"
    yield (
        f"**{len(told)} cases**: {kinds['bad input']} of bad input, {kinds['hostile file']} of damaged or hostile files"
        f" and {kinds['fault']} faults."
    )
    yield (
        "Nobody wrote these tables. Each row is what a test saw when it did what the row says, and the test fails once"
        " it sees anything else. A sentence stands here as it is printed on standard error, after `hypercone: `; paths"
        " are relative to where the user works, and a command to go on with, which is the one that was typed, is cut"
        " short."
    )
    codes = sorted(Counter(row["code"] for row in told).items())
    lines = [f"| {code} | {MEANINGS.get(code, '')} | {count} |" for code, count in codes]
    yield "\n".join(["| exit code | [meaning](errors.md) | cases |", "|---:|---|---:|", *lines])


def _sections(told: list[Row]) -> Iterator[str]:
    for kind, (title, first_column, words) in SECTIONS.items():
        of_kind = [row for row in told if row["kind"] == kind]
        if not of_kind:
            continue
        yield f"## {title}"
        yield words
        for heading, group in _groups(of_kind):
            if heading:
                yield f"### {heading}"
            yield _table(first_column, group)


def _groups(told: list[Row]) -> list[tuple[str, list[Row]]]:
    """Rows by heading: those without one first, then the commands as the program lists them, then the rest."""
    groups: dict[str, list[Row]] = {}
    for row in told:
        groups.setdefault(_heading(row), []).append(row)
    known = ["", "The command itself", *(f"hypercone {name}" for name in COMMANDS)]
    return sorted(groups.items(), key=lambda group: known.index(group[0]) if group[0] in known else len(known))


def _heading(row: Row) -> str:
    words = row["case"].split()
    if row["about"] or row["kind"] != "bad input":
        return str(row["about"][:1].upper() + row["about"][1:])
    if words[0] != "hypercone":
        return "From Python"
    return f"hypercone {words[1]}" if words[1] in COMMANDS else "The command itself"


def _table(first_column: str, told: list[Row]) -> str:
    lines = [f"| {first_column} | what you see | exit code |", "|---|---|---:|"]
    for row in told:
        is_code = re.match(r"hypercone |\w+\(", row["case"])
        case = f"`{_cell(row['case'])}`" if is_code else _prose(row["case"])
        lines.append(f"| {case} | {_prose(row['seen'])} | {row['code']} |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _prose(text: str) -> str:
    """Text that Markdown leaves as it is."""
    lines = [re.sub(r"(go on with: hypercone fit) .* (--resume)", r"\1 … \2", line) for line in text.splitlines()]
    escaped = [re.sub(r"([\\`*<>\[\]|]|(?<!\w)_|_(?!\w))", r"\\\1", line.removeprefix("hypercone: ")) for line in lines]
    return "<br>".join(escaped)


if __name__ == "__main__":
    sys.exit(main())
