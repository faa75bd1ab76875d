"""What fit, info and evaluate print alike: the headline, the worst nodes, the method and kind, redundant edges."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypercone._files import new_file, refuse_unwritable
from hypercone.embedding import Embedding
from hypercone.embedding.headline import Headline, headline_sentences, worst_sentences
from hypercone.embedding.origin import kind_in_words, method_in_words
from hypercone.errors import InputError, plural, with_article
from hypercone.hierarchy import Hierarchy

MISSED_HELP = "write every wrong pair as TSV: node, label, missing or extra, ancestor, ancestor's label"
# So many redundant edges are shown as sentences.
REDUNDANT_SHOWN = 3
OF_ALL_PAIRS = ("f1", "precision", "recall")
LEFT_OUT = ("nodes", "edges", "threshold", "worst")


def headline_answer(found: dict[str, Any], as_json: bool) -> dict[str, Any]:
    """The figures of a headline: numbers by name for JSON, or one sentence by title for each of the three."""
    if not as_json:
        return dict(headline_sentences(found))
    return {
        f"all_pairs_{name}" if name in OF_ALL_PAIRS else name: value
        for name, value in found.items()
        if name not in LEFT_OUT
    }


def origin_answer(embedding: Embedding, as_json: bool) -> dict[str, Any]:
    """The method and the kind; in JSON, as over HTTP, the method and what made its points apart."""
    if not as_json:
        return {"method": method_in_words(embedding), "kind": kind_in_words(embedding)}
    return {"method": embedding.method, "made_by": embedding.made_by, "kind": kind_in_words(embedding)}


def print_worst(found: dict[str, Any]) -> None:
    """Print the nodes with the most wrong ancestors, if there are any."""
    lines = worst_sentences(found)
    if lines:
        nodes = plural(found["wrong_nodes"], "node")
        print(f"\nWrong by geometry are the ancestors of {nodes}, most of all:")
        print("\n".join(f"  {line}" for line in lines))


def refuse_missed(path: str | None) -> None:
    """InputError before the work if the wrong pairs could not be written to the path."""
    if path is None:
        return
    if Path(path).is_dir():
        raise InputError(f"{path}: is a folder; give a file for --missed")
    refuse_unwritable(Path(path))


def write_missed(path: str | Path, found: Headline) -> None:
    """Write every wrong pair of a headline: one line each, sorted by the rows of the nodes, missing ones first."""
    with new_file(Path(path)) as draft, draft.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in _missed_lines(found))


def _missed_lines(found: Headline) -> Iterator[str]:
    names, label = found.embedding.names, found.embedding.label
    yield "node\tlabel\twrong\tancestor\tancestor_label"
    for row, kind, other in found.wrong_pairs():
        # Names and labels contain no tabs or line ends.
        yield "\t".join((names[row], label(row) or "", kind, names[other], label(other) or ""))


def redundant_answer(hierarchy: Hierarchy, as_json: bool) -> dict[str, Any]:
    """The number of given edges that follow from others, with examples in JSON; empty if there are none."""
    count = len(hierarchy.edges) - len(hierarchy.reduction())
    if not count:
        return {}
    examples = redundant_sentences(hierarchy)
    if as_json:
        return {"redundant_edges": count, "redundant_examples": examples}
    return {"redundant_edges": f"{count:,}, such as: {examples[0]}"}


def redundant_sentences(hierarchy: Hierarchy, most: int = REDUNDANT_SHOWN) -> list[str]:
    """A few given edges that follow from others, each with the more specific edge that it follows from.

    >>> pets = [("animal", "dog"), ("dog", "poodle"), ("animal", "poodle")]
    >>> redundant_sentences(Hierarchy.from_pairs(pets))
    ["'poodle is an animal' follows from 'poodle is a dog'"]
    """
    lineage, sentences = hierarchy.lineage, []
    for parent, child in hierarchy.redundant_edges()[:most].tolist():
        between = next(row for row in lineage.parents(child).tolist() if lineage.is_above([parent], [row])[0])
        sentences.append(f"'{_edge(hierarchy, parent, child)}' follows from '{_edge(hierarchy, between, child)}'")
    return sentences


def _edge(hierarchy: Hierarchy, parent: int, child: int) -> str:
    return f"{hierarchy.display_name(child)} is {with_article(hierarchy.display_name(parent))}"
