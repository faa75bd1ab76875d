"""hypercone place: new nodes for a saved model, without training."""

from __future__ import annotations

import argparse
from typing import Any

from hypercone.cli.printing import add_json, print_json
from hypercone.embedding import Embedding, load
from hypercone.embedding.folder import refuse_in_vain
from hypercone.embedding.placement import parents_by_name
from hypercone.errors import InputError, counted
from hypercone.formats.reading import Reading
from hypercone.formats.registry import read_names

EXAMPLE = """examples:
  hypercone place model husky --parent dog -o larger
  hypercone place model teapot --parent pot --parent crockery --not-under cookware -o larger
  hypercone place model --edges new.tsv -o larger       (columns named parent and child)"""

# More lines than this help nobody; --json has them all.
SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("model", metavar="MODEL", help="a model folder")
    parser.add_argument("name", nargs="?", metavar="NAME", help="the new node")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="the model folder to write")
    parser.add_argument("--parent", action="append", default=[], metavar="NAME", help="what it is; may be repeated")
    parser.add_argument(
        "--not-under", action="append", default=[], metavar="NAME", help="what it is not; may be repeated"
    )
    parser.add_argument("--label", help="what people call it")
    parser.add_argument("--edges", metavar="FILE", help="many new nodes, a parent and a child a line")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Load, place, save, and say where the new nodes are."""
    _refuse_half_a_question(options)
    refuse_in_vain(options.output)
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
    placed = [_place(larger, name, parents[name]) for name in larger.names[len(embedding) :]]
    if options.json:
        print_json({"model": options.output, "nodes": len(larger), "placed": placed})
    else:
        _print(placed, options)
    return 0


def _refuse_half_a_question(options: argparse.Namespace) -> None:
    if (options.name is None) == (options.edges is None):
        raise InputError("give the name of one new node with --parent, or a file of many with --edges")
    if options.edges is not None and (options.parent or options.not_under or options.label):
        raise InputError("--parent, --not-under and --label are for one new node, not for --edges; leave them out")


def _check_pairs(pairs: Reading, embedding: Embedding) -> None:
    """The same refusals as those of ``add_many``, with the line of the file."""
    if not pairs.children:
        raise InputError(f"{pairs.label}: has no edges, so there is nothing to place; add one a line")
    new = set(pairs.children)
    for edge, (parent, child) in enumerate(zip(pairs.parents, pairs.children, strict=True)):
        if child in embedding:
            raise pairs.error(edge, f"{child!r} is already in the model; only new nodes can be placed")
        try:
            _ = parent in new or embedding.row(parent)
        except InputError as error:
            raise pairs.error(edge, str(error)) from None


def _place(embedding: Embedding, name: str, parents: list[str]) -> dict[str, Any]:
    """Where a new node is: what it is now, what it should be as well, and what it should not be."""
    found = embedding.ancestors(name)
    wanted = _wanted(embedding, name, parents)
    return {
        "name": name,
        "ancestors": found,
        "missed": [other for other in wanted if other not in found],
        "unwanted": [other for other in found if other not in wanted],
    }


def _wanted(embedding: Embedding, name: str, parents: list[str]) -> list[str]:
    hierarchy = embedding.hierarchy
    if hierarchy is not None:
        return [hierarchy.names[row] for row in hierarchy.ancestors_of(hierarchy.row(name))]
    own = [embedding.names[embedding.row(parent)] for parent in parents]
    return list(dict.fromkeys([*own, *(above for parent in own for above in embedding.ancestors(parent))]))


def _print(placed: list[dict[str, Any]], options: argparse.Namespace) -> None:
    for node in placed[:SHOWN]:
        print(f"{node['name']} is a: {', '.join(node['ancestors']) or 'nothing'}")
        if node["missed"]:
            print(f"  but should be a: {', '.join(node['missed'])}")
        if node["unwanted"]:
            print(f"  and should not be a: {', '.join(node['unwanted'])}")
    if len(placed) > SHOWN:
        print(f"and {counted(len(placed) - SHOWN, 'new node')} more; see --json")
    print(f"model: {options.output}")
