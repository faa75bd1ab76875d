"""Copy results into the pages that quote them, between ``<!-- begin: FILE -->`` and ``<!-- end: FILE -->``.

``<!-- begin: FILE rows: TEXT; TEXT -->`` copies the tables only, with the rows that contain one of the texts.
With --check nothing is written, and it fails if a page is out of date.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLACE = re.compile(r"<!-- begin: (\S+)( rows: [^\n]+?)? -->\n.*?<!-- end: \1 -->", re.DOTALL)


def filled(text: str, root: Path = ROOT) -> str:
    """The text with every place filled from its file."""

    def fill(place: re.Match[str]) -> str:
        name, rows = place[1], place[2] or ""
        content = (root / name).read_text(encoding="utf-8").strip()
        if rows:
            content = select_rows(content, rows.removeprefix(" rows: ").split("; "))
        return f"<!-- begin: {name}{rows} -->\n{content}\n<!-- end: {name} -->"

    return PLACE.sub(fill, text)


def select_rows(content: str, texts: list[str]) -> str:
    """The tables, each with the rows that contain one of the texts; a table without such rows is left out."""
    tables = [block.splitlines() for block in content.split("\n\n") if block.startswith("|")]
    selected = [[*table[:2], *(row for row in table[2:] if any(text in row for text in texts))] for table in tables]
    return "\n\n".join("\n".join(table) for table in selected if len(table) > 2)


def main() -> int:
    """Fill all pages, or say which ones are out of date."""
    stale = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        if filled(text) != text:
            stale.append(page)
            if "--check" not in sys.argv:
                page.write_text(filled(text), encoding="utf-8")
    for page in stale:
        print(page.relative_to(ROOT))
    return int("--check" in sys.argv and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
