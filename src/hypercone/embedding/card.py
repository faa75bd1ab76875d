"""The model card: what a stranger who finds the folder needs to know."""

from __future__ import annotations

from hypercone.embedding.embedding import Embedding
from hypercone.hierarchy.words import counted


def model_card(embedding: Embedding) -> str:
    """Markdown for people: what it is, how it was made, how to use it."""
    record = embedding.record
    judged = "of a construction, judged" if record.get("kind") == "constructed" else "chosen"
    example = embedding.names[len(embedding) // 2] if len(embedding) else "a name"
    return f"""# {len(embedding):,} nodes as {embedding.method} in {embedding.dim} dimensions

An embedding made by hypercone. A node *is a* another when the energy of the pair is at most
{embedding.threshold:.6g}, the threshold {judged} on {record.get("calibrated_on", "unknown pairs")}
(F1 there: {100 * record.get("calibration_f1", float("nan")):.2f}).

{_reproducibility(embedding)}

```python
import hypercone

embedding = hypercone.load("this folder")
embedding.ancestors({example!r})
```

## How it was fitted

{_making(embedding)} Data digest `{record.get("hierarchy_digest", "?")}`.
{_placed(embedding)}
{_settings_table(embedding)}
"""


def _making(embedding: Embedding) -> str:
    record = embedding.record
    edges = f"{record.get('training_edges', 0):,} edges"
    aware = "; everything these imply was used as well" if record.get("closure_aware") else ""
    if record.get("kind") == "constructed":
        return " ".join([f"Constructed from {edges}{aware}.", *record.get("notes", [])])
    start = " from a construction" if record.get("kind") == "learned from a construction" else ""
    return f"Trained{start} on {edges}{aware}; points of epoch {record.get('epoch', '?')}."


def _reproducibility(embedding: Embedding) -> str:
    if embedding.record.get("reproducible", True):
        return "Fitted with one thread: the same data, settings and version give the same bytes again."
    return "**Not reproducible**: fitted with several threads at once, so another run gives slightly different points."


def _placed(embedding: Embedding) -> str:
    count = embedding.record.get("placed", {}).get("nodes", 0)
    return f"\n{counted(count, 'node')} {'was' if count == 1 else 'were'} placed after the fit.\n" if count else ""


def _settings_table(embedding: Embedding) -> str:
    rows = [f"| {name} | {value} |" for name, value in embedding.record.get("config", {}).items()]
    return "\n".join(["| setting | value |", "|---|---|", *rows])
