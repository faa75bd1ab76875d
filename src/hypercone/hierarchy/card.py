"""A hierarchy as a small table in HTML, which notebooks show in place of its text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from hypercone.errors import plural, some, visible

if TYPE_CHECKING:
    from hypercone.hierarchy.hierarchy import Hierarchy

# Colors of the notebook are inherited, so that a card fits a light and a dark one.
_CARD = (
    "display:inline-flex;gap:1.5em;align-items:center;padding:.7em 1em;border:1px solid rgba(128,128,128,.4);"
    "border-radius:6px;font-size:13px;line-height:1.45"
)
_ROW = '<div style="display:flex"><span style="opacity:.65;min-width:7.5em">{}</span><span>{}</span></div>'
_NOTE = '<div style="opacity:.65;max-width:46em">{}</div>'
LONGEST_NOTE = 200


def html_card(title: str, rows: Iterable[tuple[str, str]], notes: Sequence[str] = (), picture: str = "") -> str:
    """A card with a title, named values and notes, all escaped, beside a picture, which is HTML.

    >>> html_card("Pets", [("nodes", "<4>")]).count("&lt;4&gt;")
    1
    """
    lines = [f"<strong>{escape(title)}</strong>"]
    lines += [_ROW.format(escape(name), escape(value)) for name, value in rows]
    lines += [_NOTE.format(escape(visible(note, LONGEST_NOTE))) for note in notes]
    return f'<div style="{_CARD}">{picture}<div>{"".join(lines)}</div></div>'


def hierarchy_card(hierarchy: Hierarchy) -> str:
    """The size and shape of a hierarchy, three edges read back, and what its reader skipped.

    >>> from hypercone import Hierarchy
    >>> "dog is an animal" in hierarchy_card(Hierarchy.from_pairs([("animal", "dog")]))
    True
    """
    roots = [hierarchy.display_name(row) for row in hierarchy.root_rows[:3].tolist()]
    several = int((hierarchy.parent_lists.counts > 1).sum())
    rows = [
        ("nodes", f"{len(hierarchy):,}, of them {plural(len(hierarchy.leaf_rows), 'leaf').replace('leafs', 'leaves')}"),
        (
            "edges",
            f"{len(hierarchy.edges):,}" + (f"; {plural(several, 'node')} with several parents" if several else ""),
        ),
        ("roots", some(roots, len(hierarchy.root_rows)) or "none"),
        ("depth", str(int(hierarchy.depths.max(initial=0)))),
    ]
    sentences = "; ".join(visible(sentence, LONGEST_NOTE // 2) for sentence in hierarchy.in_words())
    rows += [("read as", sentences)] if sentences else []
    return html_card("Hierarchy", rows, hierarchy.notes)
