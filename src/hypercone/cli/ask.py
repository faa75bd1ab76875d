"""Commands that use the answers of a saved model: place, suggest, compare."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from hypercone.cli.options import add_columns, read_source
from hypercone.cli.output import add_json, add_quiet, print_json
from hypercone.embedding import Embedding, load
from hypercone.embedding.folder import refuse_unwritable_folder
from hypercone.embedding.placement import parents_by_name
from hypercone.errors import InputError, option_language, plural, with_article
from hypercone.evaluation import suggestions
from hypercone.evaluation.damaged import PrecisionAt
from hypercone.formats.parsed import ParsedEdges
from hypercone.formats.registry import read_names
from hypercone.hierarchy import Hierarchy
from hypercone.queries.comparison import SAMPLE, Comparison, Disagreement
from hypercone.queries.suggestions import MissingLink, Suggestions, WrongLink
from hypercone.training import FitConfig

PLACE_EXAMPLE = """examples:
  hypercone place model husky --parent dog -o larger
  hypercone place model teapot --parent pot --parent crockery --not-under cookware -o larger
  hypercone place model --edges new.tsv -o larger       (columns named parent and child)"""

# At most so many nodes are listed; --json lists all.
MOST_LINES = 20


def add_place_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model folder")
    parser.add_argument("name", nargs="?", metavar="NAME", help="the new node")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="the model folder to write")
    parser.add_argument("--parent", action="append", default=[], metavar="NAME", help="what it is; may be repeated")
    parser.add_argument(
        "--not-under", action="append", default=[], metavar="NAME", help="what it is not; may be repeated"
    )
    parser.add_argument("--label", help="what people call it")
    parser.add_argument("--edges", metavar="FILE", help="many new nodes: one parent and child per line")
    add_quiet(parser)
    add_json(parser)


def run_place(options: argparse.Namespace) -> int:
    """Load a model, place the new nodes, save it, and print their ancestors."""
    _check_place_options(options)
    refuse_unwritable_folder(options.output)
    embedding = load(options.model)
    if options.edges is not None:
        pairs = read_names(options.edges)
        _check_pairs(pairs, embedding)
        parents = parents_by_name(zip(pairs.parents, pairs.children, strict=True))
        larger = embedding.add_many(parents)
    else:
        parents = {options.name: options.parent}
        larger = embedding.add(options.name, options.parent, not_under=options.not_under, label=options.label)
    larger.save(options.output)
    placed = [_describe_place(larger, name, parents[name]) for name in larger.names[len(embedding) :]]
    if options.json:
        print_json({"model": options.output, "nodes": len(larger), "placed": placed})
    else:
        _print_placed(placed, options)
    return 0


def _check_place_options(options: argparse.Namespace) -> None:
    if (options.name is None) == (options.edges is None):
        raise InputError("give the name of one new node with --parent, or a file of many with --edges")
    if options.edges is not None and (options.parent or options.not_under or options.label):
        raise InputError("--parent, --not-under and --label are for one new node, not for --edges; leave them out")


def _check_pairs(pairs: ParsedEdges, embedding: Embedding) -> None:
    """Raise the same errors as ``add_many``, with the line of the file."""
    if not pairs.children:
        raise InputError(f"{pairs.label}: has no edges, so there is nothing to place; add one per line")
    new, names = set(pairs.children), set(embedding.names)
    for edge, (parent, child) in enumerate(zip(pairs.parents, pairs.children, strict=True)):
        if child in names:
            raise pairs.error(edge, f"{child!r} is already in the model; only new nodes can be placed")
        try:
            _ = parent in new or embedding.row(parent)
        except InputError as error:
            raise pairs.error(edge, str(error)) from None


def _describe_place(embedding: Embedding, name: str, parents: list[str]) -> dict[str, Any]:
    """The ancestors that the geometry gives a new node, those it misses, and those it should not have."""
    found = embedding.ancestors(name, by="geometry")
    expected = _expected_ancestors(embedding, name, parents)
    return {
        "name": name,
        "by": "geometry",
        "ancestors": found,
        "missed": [other for other in expected if other not in found],
        "unwanted": [other for other in found if other not in expected],
    }


def _expected_ancestors(embedding: Embedding, name: str, parents: list[str]) -> list[str]:
    hierarchy = embedding.hierarchy
    if hierarchy is not None:
        return [hierarchy.names[row] for row in hierarchy.ancestors_of(hierarchy.row(name))]
    own = [embedding.names[embedding.row(parent)] for parent in parents]
    return list(
        dict.fromkeys([*own, *(above for parent in own for above in embedding.ancestors(parent, by="geometry"))])
    )


def _print_placed(placed: list[dict[str, Any]], options: argparse.Namespace) -> None:
    for node in placed[:MOST_LINES]:
        print(f"{node['name']} is a (by geometry): {', '.join(node['ancestors']) or 'nothing'}")
        if node["missed"]:
            print(f"  but should be a: {', '.join(node['missed'])}")
        if node["unwanted"]:
            print(f"  and should not be a: {', '.join(node['unwanted'])}")
    if len(placed) > MOST_LINES:
        print(f"and {plural(len(placed) - MOST_LINES, 'new node')} more; see --json")
    print(f"model: {options.output}")


SUGGEST_EXAMPLE = """examples:
  hypercone suggest model
  hypercone suggest model --count 1000 --json
  hypercone suggest model --hierarchy newer.tsv
  hypercone suggest model --check                  (how many suggestions would be right?)"""

WIDEST = 40

CONSTRUCTED = (
    "note: this model was constructed and repeats the edges it was given, wrong ones too; for wrong links use a learned"
    " one (hypercone fit ... --method hyperbolic-cones)"
)


def add_suggest_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model folder")
    parser.add_argument(
        "--hierarchy",
        metavar="SOURCE",
        dest="source",
        help="suggest links for this hierarchy, not the one the model was fitted to",
    )
    parser.add_argument("--count", type=int, default=20, help="how many of each kind (default 20)")
    parser.add_argument(
        "--check",
        action="store_true",
        help="hide and plant links, fit the model again for those planted, and count the correct suggestions",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the damage for --check (default 0)")
    add_columns(parser)
    add_quiet(parser)
    add_json(parser)


def run_suggest(options: argparse.Namespace) -> int:
    """Load a model, suggest links or measure the precision of suggestions, and print the result."""
    embedding = load(options.model)
    hierarchy = read_source(options, quiet=True) if options.source else embedding.hierarchy
    if hierarchy is None:
        raise InputError(f"{options.model} does not know its edges; give the hierarchy with --hierarchy")
    if options.check:
        return _check(options, embedding, hierarchy)
    if embedding.record.get("kind") == "constructed":
        print(CONSTRUCTED, file=sys.stderr)
    found = embedding.suggest(options.count, hierarchy)
    if options.json:
        print_json(found.as_dict())
    else:
        _print_suggestions(found)
    return 0


def _check(options: argparse.Namespace, embedding: Embedding, hierarchy: Hierarchy) -> int:
    if not isinstance(embedding.record.get("config"), dict):
        raise InputError(f"{options.model} was not made by a fit, so there are no settings to fit again with")
    # The settings come from the model, so errors name them as in Python: this command has no options for them.
    with option_language("python"):
        config = FitConfig.from_dict(embedding.record["config"])
    found = suggestions(hierarchy, recipe=config, seed=options.seed)
    if options.json:
        print_json(found.as_dict())
        return 0
    print("Links were hidden in the hierarchy, and others planted; then it was asked for suggestions.\n")
    _print_precision("missing", "hidden", found.missing)
    _print_precision("wrong", "planted", found.wrong)
    return 0


def _print_precision(kind: str, done: str, found: PrecisionAt) -> None:
    print(f"{kind} links: {found.links:,} {done}, {found.found:,} of them among the {found.listed:,} suggestions")
    for cut, precision in found.precision.items():
        if cut <= found.listed:
            expected = f"   (mean confidence {100 * found.confidence[cut]:.1f} %)" if found.confidence else ""
            print(f"  right among the first {cut:<6,} {100 * precision:6.1f} %{expected}")
    print(f"  right if nothing is ranked   {100 * found.base_rate:6.1f} %")
    if found.calibration_error is not None:
        print(f"  expected calibration error   {found.calibration_error:8.3f}")


def _print_suggestions(found: Suggestions) -> None:
    considered = plural(found.considered, "pair")
    print(f"Likely missing, the best {len(found.missing):,} of {considered} within reach:")
    _print_links(found.missing, ("confidence", "kind", "shared_descendants", "energy"))
    rejected = plural(found.rejected, "edge")
    print(f"\nLikely wrong, the worst {len(found.wrong):,} of {rejected} that the geometry rejects:")
    _print_links(found.wrong, ("score", "violation", "shared_descendants", "energy"))


def _print_links(links: Sequence[MissingLink | WrongLink], columns: Sequence[str]) -> None:
    if not links:
        print("  none")
        return
    texts = [(_shorten(link.child_label or link.child), _shorten(link.parent_label or link.parent)) for link in links]
    child, parent = (max(len("parent"), *(len(text[side]) for text in texts)) for side in (0, 1))
    widths = {name: max(10, len(name), *(len(_figure(link, name)) for link in links)) for name in columns}
    heads = (f"{name.replace('_', ' '):>{width}}" for name, width in widths.items())
    print(f"  {'child':{child}}  {'parent':{parent}}", *heads)
    for link, (one, other) in zip(links, texts, strict=True):
        figures = (f"{_figure(link, name):>{width}}" for name, width in widths.items())
        print(f"  {one:{child}}  {other:{parent}}", *figures)


def _figure(link: MissingLink | WrongLink, name: str) -> str:
    value = getattr(link, name)
    return value if isinstance(value, str) else f"{value:.3f}"


def _shorten(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


COMPARE_EXAMPLE = """examples:
  hypercone compare model other-model
  hypercone compare model other-model --sample 0 --json      (all nodes)"""

ROW_TITLES = {"made_by": "made by", "asserted": "is-a pairs", "alone": "asserted by it alone"}


def add_compare_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("first", metavar="MODEL_A", help="a model folder")
    parser.add_argument("second", metavar="MODEL_B", help="another one")
    parser.add_argument(
        "--sample", type=int, default=SAMPLE, help=f"how many nodes to compare (default {SAMPLE:,}; 0 for all)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the sample (default 0)")
    add_quiet(parser)
    add_json(parser)


def run_compare(options: argparse.Namespace) -> int:
    """Load both models, compare them and print the result."""
    sample = None if options.sample == 0 else options.sample
    found = load(options.first).compare(load(options.second), sample, options.seed)
    if options.json:
        print_json(found.as_dict())
        return 0
    _print_sides(options.first, options.second, found)
    _print_agreement(found)
    _print_examples(options.first, options.second, found.only_first)
    _print_examples(options.second, options.first, found.only_second)
    return 0


def _print_sides(first: str, second: str, found: Comparison) -> None:
    rows = [["", first, second]]
    for name, one in asdict(found.first).items():
        rows.append(
            [ROW_TITLES.get(name, name), _format_figure(name, one), _format_figure(name, asdict(found.second)[name])]
        )
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for title, *values in rows:
        print(f"{title:{widths[0]}}", *(f"{value:>{width}}" for value, width in zip(values, widths[1:], strict=True)))


def _format_figure(name: str, value: float | str | None) -> str:
    if value is None:
        return "-"
    if name in ("precision", "recall", "f1"):
        return f"{100 * float(value):.2f} %"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isinstance(value, float) else value


def _print_agreement(found: Comparison) -> None:
    compared = "all" if found.sampled == found.shared else f"{found.sampled:,}"
    print(f"\nThey share {plural(found.shared, 'node')}, of which {compared} were asked for their ancestors.")
    print(f"Both assert {plural(found.both, 'pair')}; the ancestors of a node agree to {100 * found.agreement:.1f} %,")
    print(f"and its nearest nodes to {100 * found.neighbor_overlap:.1f} %.")


def _print_examples(one: str, other: str, examples: Sequence[Disagreement]) -> None:
    if examples:
        print(f"\nOnly {one} says, and {other} denies most clearly:")
    for pair in examples:
        print(f"  {pair.child_label or pair.child} is {with_article(pair.parent_label or pair.parent)}")
