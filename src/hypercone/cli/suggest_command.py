"""hypercone suggest: links that a hierarchy may lack, and links that may be wrong."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from hypercone.cli.printing import add_json, print_json
from hypercone.cli.sources import add_columns, read_source
from hypercone.embedding import Embedding, load
from hypercone.errors import InputError, counted
from hypercone.evaluation.suggestions import PrecisionAt, suggestion_precision
from hypercone.hierarchy import Hierarchy
from hypercone.queries.suggestions import MissingLink, Suggestions, WrongLink, suggest
from hypercone.training import FitConfig, ProgressLine

EXAMPLE = """examples:
  hypercone suggest model
  hypercone suggest model --count 1000 --json
  hypercone suggest model --hierarchy newer.tsv
  hypercone suggest model --check                  (two fits: how many suggestions would be right?)"""

WIDEST = 40

CONSTRUCTED = (
    "note: this model was constructed and repeats the edges it was given, wrong ones too; suggestions are better from"
    " a learned one (hypercone fit ... --method hyperbolic-cones)"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("model", metavar="MODEL", help="a model folder")
    parser.add_argument(
        "--hierarchy", metavar="SOURCE", dest="source", help="look here for links, not in what the model was fitted to"
    )
    parser.add_argument("--count", type=int, default=20, help="how many of each kind (default 20)")
    parser.add_argument(
        "--check",
        action="store_true",
        help="damage the hierarchy, fit it again, and count the suggestions that are right",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the damage for --check (default 0)")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    add_columns(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Load, look for links or check how well that works, print."""
    embedding = load(options.model)
    hierarchy = read_source(options, quiet=True) if options.source else embedding.hierarchy
    if hierarchy is None:
        raise InputError(f"{options.model} does not know its edges; give the hierarchy with --hierarchy")
    if options.check:
        return _check(options, embedding, hierarchy)
    if embedding.record.get("kind") == "constructed":
        print(CONSTRUCTED, file=sys.stderr)
    found = suggest(embedding, hierarchy, options.count)
    if options.json:
        print_json(found.as_dict())
    else:
        _print(found)
    return 0


def _check(options: argparse.Namespace, embedding: Embedding, hierarchy: Hierarchy) -> int:
    if not isinstance(embedding.record.get("config"), dict):
        raise InputError(f"{options.model} was not made by a fit, so there are no settings to fit again with")
    config = FitConfig.from_dict(embedding.record["config"])
    with ProgressLine(sys.stderr) as progress:
        on_epoch = None if options.quiet else progress
        found = suggestion_precision(hierarchy, config, seed=options.seed, on_epoch=on_epoch)
    if options.json:
        print_json(found.as_dict())
        return 0
    print("Links were hidden or planted in the hierarchy, and a model was fitted to what came of it.\n")
    _print_precision("missing", "hidden", found.missing)
    _print_precision("wrong", "planted", found.wrong)
    return 0


def _print_precision(kind: str, done: str, found: PrecisionAt) -> None:
    print(f"{kind} links: {found.links:,} {done}, {found.found:,} of them among the {found.listed:,} suggestions")
    for cut, precision in found.precision.items():
        if cut <= found.listed:
            print(f"  right among the first {cut:<6,} {100 * precision:6.1f} %")
    print(f"  right if nothing is ranked   {100 * found.base_rate:6.1f} %")


def _print(found: Suggestions) -> None:
    considered = counted(found.considered, "pair")
    print(f"Likely missing, the best {len(found.missing):,} of {considered} within reach:")
    _print_links(found.missing, ("score", "company", "neighbours", "energy"))
    rejected = counted(found.rejected, "edge")
    print(f"\nLikely wrong, the worst {len(found.wrong):,} of {rejected} that the geometry rejects:")
    _print_links(found.wrong, ("score", "strain", "company", "energy"))


def _print_links(links: Sequence[MissingLink | WrongLink], columns: Sequence[str]) -> None:
    if not links:
        print("  none")
        return
    texts = [(_cut(link.child_label), _cut(link.parent_label)) for link in links]
    child, parent = (max(len("parent"), *(len(text[side]) for text in texts)) for side in (0, 1))
    print(f"  {'child':{child}}  {'parent':{parent}}", *(f"{name:>10}" for name in columns))
    for link, (one, other) in zip(links, texts, strict=True):
        print(f"  {one:{child}}  {other:{parent}}", *(f"{getattr(link, name):>10.3f}" for name in columns))


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
