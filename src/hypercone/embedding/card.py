"""The model card: what a stranger who finds the folder needs to know."""

from __future__ import annotations

from typing import Any

from hypercone.embedding.domain import finite
from hypercone.embedding.embedding import Embedding
from hypercone.errors import counted, short


def model_card(embedding: Embedding) -> str:
    """Markdown for people: what it is, how it was made, how to use it; a record may hold anything."""
    record = embedding.record
    judged = "of a construction, judged" if record.get("kind") == "constructed" else "chosen"
    example = embedding.names[len(embedding) // 2] if len(embedding) else "a name"
    return f"""# {len(embedding):,} nodes as {embedding.method} in {embedding.dim} dimensions

An embedding made by hypercone. A node *is a* another when the energy of the pair is at most
{embedding.threshold:.6g}, the threshold {judged} on {_line(record.get("calibrated_on", "unknown pairs"))}{_f1(record)}.

{_reproducibility(embedding)}

```python
import hypercone

embedding = hypercone.load("this folder")
embedding.ancestors({example!r})
```

## How it was fitted

{_making(record)} Data digest `{_line(record.get("hierarchy_digest", "?"))}`.
{_placed(record)}
{_settings_table(record)}
"""


def _f1(record: dict[str, Any]) -> str:
    f1 = finite(record.get("calibration_f1"))
    return "" if f1 is None or not 0 <= f1 <= 1 else f"\n(F1 there: {100 * f1:.2f})"


def _making(record: dict[str, Any]) -> str:
    edges = record.get("training_edges", 0)
    counted_edges = f"{edges:,} edges" if isinstance(edges, int) else f"{_line(edges)} edges"
    aware = "; everything these imply was used as well" if record.get("closure_aware") else ""
    if record.get("kind") == "constructed":
        notes = record.get("notes", [])
        told = map(_line, notes if isinstance(notes, list | tuple) else [notes])
        return " ".join([f"Constructed from {counted_edges}{aware}.", *told])
    start = " from a construction" if record.get("kind") == "learned from a construction" else ""
    return f"Trained{start} on {counted_edges}{aware}; points of epoch {_line(record.get('epoch', '?'))}."


def _reproducibility(embedding: Embedding) -> str:
    if embedding.record.get("reproducible", True):
        return "Fitted with one thread: the same data, settings and version give the same bytes again."
    return "**Not reproducible**: fitted with several threads at once, so another run gives slightly different points."


def _placed(record: dict[str, Any]) -> str:
    placed = record.get("placed")
    count = placed.get("nodes", 0) if isinstance(placed, dict) else 0
    if not isinstance(count, int) or not count:
        return ""
    return f"\n{counted(count, 'node')} {'was' if count == 1 else 'were'} placed after the fit.\n"


def _settings_table(record: dict[str, Any]) -> str:
    config = record.get("config")
    settings = config.items() if isinstance(config, dict) else ()
    rows = [f"| {_cell(name)} | {_cell(value)} |" for name, value in settings]
    return "\n".join(["| setting | value |", "|---|---|", *rows])


def _line(value: object) -> str:
    """The value on one line, and not too much of it."""
    return short(" ".join(str(value).split()), 200)


def _cell(value: object) -> str:
    return _line(value).replace("|", "\\|")
