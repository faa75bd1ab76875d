"""Copy results into the pages that quote them, between ``<!-- begin: FILE -->`` and ``<!-- end: FILE -->``.

With --check nothing is written, and it fails if a page is out of date.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLACE = re.compile(r"<!-- begin: (\S+) -->\n.*?<!-- end: \1 -->", re.DOTALL)


def filled(text: str, root: Path = ROOT) -> str:
    """The text with every place filled from its file."""

    def fill(place: re.Match[str]) -> str:
        name = place[1]
        content = (root / name).read_text(encoding="utf-8").strip()
        return f"<!-- begin: {name} -->\n{content}\n<!-- end: {name} -->"

    return PLACE.sub(fill, text)


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
