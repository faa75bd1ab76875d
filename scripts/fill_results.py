"""Copy result tables into the pages that quote them, between ``<!-- begin: FILE -->`` and ``<!-- end: FILE -->``.

``<!-- begin: FILE rows: TEXT; TEXT -->`` copies the tables only, with the rows that contain one of the texts.

::

    python scripts/fill_results.py            (writes the pages)
    python scripts/fill_results.py --check    (writes nothing; exit code 1 if a page is out of date)
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"<!-- begin: (\S+)( rows: [^\n]+?)? -->\n.*?<!-- end: \1 -->", re.DOTALL)


def fill_blocks(text: str, root: Path = ROOT) -> str:
    """The text with every block filled from its file."""

    def fill(block: re.Match[str]) -> str:
        name, rows = block[1], block[2] or ""
        content = (root / name).read_text(encoding="utf-8").strip()
        if rows:
            content = select_rows(content, rows.removeprefix(" rows: ").split("; "))
        return f"<!-- begin: {name}{rows} -->\n{content}\n<!-- end: {name} -->"

    return BLOCK.sub(fill, text)


def select_rows(content: str, texts: list[str]) -> str:
    """The tables, each with the rows that contain one of the texts; a table without such rows is left out."""
    tables = [block.splitlines() for block in content.split("\n\n") if block.startswith("|")]
    selected = [[*table[:2], *(row for row in table[2:] if any(text in row for text in texts))] for table in tables]
    return "\n\n".join("\n".join(table) for table in selected if len(table) > 2)


def parser_of_options() -> argparse.ArgumentParser:
    """The parser of the options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is out of date")
    return parser


def main() -> int:
    """Fill all pages, or list those that are out of date."""
    check = parser_of_options().parse_args().check
    stale = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        if fill_blocks(text) != text:
            stale.append(page)
            if not check:
                page.write_text(fill_blocks(text), encoding="utf-8")
    for page in stale:
        print(page.relative_to(ROOT))
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
