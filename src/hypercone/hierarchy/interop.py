"""Hierarchies from Python objects: data frames (pandas, polars, pyarrow), graphs (networkx, igraph, pronto), dicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows
from hypercone.errors import (
    HierarchyError,
    InputError,
    option,
    plural,
    short,
    some,
    unknown_name,
    visible,
    with_article,
)
from hypercone.hierarchy.names import NameIndex, number_names
from hypercone.hierarchy.relation_names import (
    DEFAULT_RELATIONS,
    IS_A,
    RELATION_KEYS,
    checked_relations,
    first_other_relation,
    is_relation_key,
    refused_relation,
    relation_key,
)

# pyarrow, then pandas and polars, then NumPy.
TO_LIST = ("to_pylist", "to_list", "tolist")
# Types of missing values in pandas and polars, besides None and NaN.
MISSING = {"NAType", "NaTType"}
NO_ROWS = "the frame has no rows; a hierarchy needs at least one parent with a child"


def rows_of_frame(frame: Any, parent: str, child: str, label: str | None) -> tuple[NameIndex, Rows, list[str] | None]:
    """The names in order of first appearance, the edges as (parent, child) rows, and the labels if requested."""
    if not _column_names(frame):
        raise InputError(NO_ROWS)
    if parent == child:
        raise InputError(f"{option('parent')} and {option('child')} are both the column {parent!r}; name two columns")
    parents, children = (
        texts_of(_values(frame, column), f"the column {column!r}", "row", 0) for column in (parent, child)
    )
    if not parents:
        raise InputError(NO_ROWS)
    for column in _column_names(frame):
        if is_relation_key(column) and column not in (parent, child, label):
            check_relations_of_rows(_values(frame, column), column, f"the column {column!r}", 0)
    index, edges = number_names(zip(parents, children, strict=True))
    if label is None:
        return index, edges, None
    # Reversed, so that the first label of a child wins.
    label_of = dict(zip(reversed(children), reversed(_values(frame, label)), strict=True))
    return index, edges, ["" if is_missing(label_of.get(name)) else str(label_of[name]) for name in index]


def texts_of(values: Sequence[Any], column: str, row: str, first: int) -> list[str]:
    """The values of a column as names; InputError with the row of a value that is missing or not a name.

    >>> texts_of(["dog", 7, 9606.0], "the column 'child'", "row", 0)
    ['dog', '7', '9606']
    """
    if all(kind is str for kind in set(map(type, values))) and "" not in values:
        return list(values)
    return [_text(value, f"{column}, {row} {number}") for number, value in enumerate(values, first)]


def check_relations_of_rows(relations: Sequence[Any], column: str, title: str, first: int) -> None:
    """InputError with the row, counted from ``first``, of a relation other than is_a; ``title`` is the column in words.

    >>> check_relations_of_rows(["is_a", "is a"], "relation", "the column 'relation'", 0)
    """
    texts = ["" if is_missing(relation) else str(relation) for relation in relations]
    other = first_other_relation(texts)
    if other is not None:
        raise InputError(f"{title}, row {first + other}: {refused_relation(texts[other], column, 'row')}")


def is_missing(value: Any) -> bool:
    """Whether the cell is empty.

    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    return value is None or type(value).__name__ in MISSING or (isinstance(value, float) and value != value)


def _text(value: Any, where: str) -> str:
    if is_missing(value) or value == "":
        raise InputError(f"{where}: is empty; give it a name or remove the row")
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float) and value.is_integer():
        # pandas turns a column of integers with gaps into floats; 9606.0 must match the 9606 of the other column.
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{where}: {short(repr(value))} is not a name; names are text or whole numbers")
    return str(value)


def _values(frame: Any, column: str) -> list[Any]:
    names = _column_names(frame)
    if names.count(column) != 1:
        if column in names:
            raise InputError(f"there are {names.count(column)} columns named {column!r}; rename all but one")
        raise unknown_name("column", str(column), [str(name) for name in names])
    values = frame[column]
    to_list = next(getattr(values, name) for name in TO_LIST if hasattr(values, name))
    return list(to_list())


def _column_names(frame: Any) -> list[Any]:
    if hasattr(frame, "collect"):
        raise InputError("the frame is lazy and has no values yet; call .collect() on it first")
    for name in ("column_names", "columns"):
        if hasattr(frame, name):
            return list(getattr(frame, name))
    raise InputError(f"{type(frame).__name__} is not a data frame; give one of pandas, polars or pyarrow")


Direction = Literal["parent-child", "child-parent"]
DIRECTIONS = ("parent-child", "child-parent")
LABEL_KEYS = ("label", "name")


def checked_direction(direction: object) -> str:
    """The direction; InputError if it is not parent-child or child-parent."""
    if direction not in DIRECTIONS:
        raise InputError(f"{option('direction')} is {direction!r}, but must be parent-child or child-parent")
    return str(direction)


class GraphEdges(NamedTuple):
    """A graph of another library: names and labels of its nodes, (source, target) rows, and the relation of each edge.

    An edge without a relation has an empty one. ``aliases`` maps further names of relations, in normal form, to keys.
    """

    names: list[str]
    labels: list[str]
    edges: list[tuple[int, int]]
    relations: list[str]
    aliases: Mapping[str, str] = MappingProxyType({})
    notes: tuple[str, ...] = ()


def rows_of_graph(
    graph: Any, direction: Direction | None, relations: Sequence[str] = DEFAULT_RELATIONS
) -> tuple[list[str], Rows, list[str], tuple[str, ...]]:
    """The names, the (parent, child) rows, the labels and the notes of a networkx or igraph graph.

    InputError if the direction is missing, with what an edge would mean in each.
    """
    if direction is not None:
        checked_direction(direction)
    if hasattr(graph, "is_directed") and not graph.is_directed():
        raise InputError("the graph is undirected, so it does not say who is the parent; give a directed graph")
    if hasattr(graph, "vs") and hasattr(graph, "get_edgelist"):
        found = _igraph_edges(graph)
    elif hasattr(graph, "nodes") and hasattr(graph, "edges"):
        found = _networkx_edges(graph)
    else:
        raise InputError(f"{type(graph).__name__} is not a graph; give one of networkx or igraph")
    return _rows_of_relations(found, direction, relations)


def rows_of_ontology(
    ontology: Any, relations: Sequence[str] = DEFAULT_RELATIONS
) -> tuple[list[str], Rows, list[str], tuple[str, ...]]:
    """The same of a pronto Ontology, whose relations lead from child to parent; obsolete terms are skipped."""
    terms = list(ontology.terms())
    used = [term for term in terms if not term.obsolete]
    row_of = {term.id: row for row, term in enumerate(used)}
    edges, found = [], []
    for row, term in enumerate(used):
        above = {IS_A: term.superclasses(distance=1, with_self=False)}
        above |= {relation.id: others for relation, others in term.relationships.items()}
        for relation, others in above.items():
            rows = sorted(row_of[other.id] for other in others if other.id in row_of)
            edges += [(row, other) for other in rows]
            found += [relation] * len(rows)
    aliases = {
        relation_key(name): relation.id
        for relation in ontology.relationships()
        for name in (relation.name, *relation.alternate_ids, *(xref.id for xref in relation.xrefs))
        if name
    }
    skipped = len(terms) - len(used)
    notes = (f"{plural(skipped, 'obsolete term')} skipped",) if skipped else ()
    labels = [term.name or "" for term in used]
    return _rows_of_relations(GraphEdges(list(row_of), labels, edges, found, aliases, notes), "child-parent", relations)


def _networkx_edges(graph: Any) -> GraphEdges:
    """The label of a node is its attribute ``label``, or else ``name``; nodes become names by ``str(node)``."""
    nodes = list(graph.nodes)
    row_of = dict(zip(nodes, range(len(nodes)), strict=True))
    # Those of a graph of another library may be a plain list.
    attributes = [*graph.edges(data=True)] if callable(graph.edges) else [(*edge[:2], {}) for edge in graph.edges]
    edges = [(row_of[source], row_of[target]) for source, target, _ in attributes]
    is_multigraph = hasattr(graph, "is_multigraph") and graph.is_multigraph()
    keys = [edge[2] for edge in graph.edges] if is_multigraph else [None] * len(edges)
    relations = relations_of_edges(keys, [found for _, _, found in attributes])
    return GraphEdges(_texts(nodes), _labels(graph, nodes), edges, relations, _typedefs(getattr(graph, "graph", None)))


def _igraph_edges(graph: Any) -> GraphEdges:
    """The name of a vertex is its attribute ``name``, or its number; its label is the attribute ``label``."""
    known = graph.vs.attributes()
    size = len(graph.vs)
    names = texts_of(graph.vs["name"] if "name" in known else range(size), "the attribute 'name'", "vertex", 0)
    labels = [_label({"label": text}) for text in graph.vs["label"]] if "label" in known else [""] * size
    attributes = [edge.attributes() for edge in graph.es]
    return GraphEdges(
        names, labels, list(graph.get_edgelist()), relations_of_edges([None] * len(attributes), attributes)
    )


# Attributes that may hold the relation of an edge; they are also used for other things, so they count only if all edges
# have them.
PERHAPS_RELATION_KEYS = ("type", "label")


def relations_of_edges(keys: Sequence[Any], attributes: Sequence[Mapping[str, Any]]) -> list[str]:
    """The relation of each edge: an attribute, or else the key in a multigraph; empty if it has none.

    >>> relations_of_edges([None, "part_of"], [{"relation": "is_a"}, {}])
    ['is_a', 'part_of']
    """
    relations = [
        _first_text(found, RELATION_KEYS) or (str(key) if isinstance(key, str) and not key.isdecimal() else "")
        for key, found in zip(keys, attributes, strict=True)
    ]
    if any(relations):
        return relations
    perhaps = [_first_text(found, PERHAPS_RELATION_KEYS) for found in attributes]
    return perhaps if all(perhaps) else relations


def _typedefs(about: Any) -> dict[str, str]:
    """The names of relations that obonet stores with the graph, in normal form, and their ids."""
    typedefs = about.get("typedefs") if isinstance(about, Mapping) else None
    aliases: dict[str, str] = {}
    for each in typedefs if isinstance(typedefs, list) else ():
        names = [each.get("name"), *each.get("xref", ()), *each.get("alt_id", ())]
        aliases |= {relation_key(name.split(" ! ")[0]): each["id"] for name in names if isinstance(name, str)}
    return aliases


def _rows_of_relations(
    graph: GraphEdges, direction: Direction | None, relations: Sequence[str]
) -> tuple[list[str], Rows, list[str], tuple[str, ...]]:
    """The part of the graph with these relations; nodes whose edges all have others are left out, with a note."""
    wanted = checked_relations(relations)
    rows: Rows = np.array(graph.edges, np.int32).reshape(-1, 2)
    names, labels = graph.names, graph.labels
    is_taken, notes = edges_by_relation(graph.relations, wanted, graph.aliases)
    notes = graph.notes + notes
    if not is_taken.all():
        is_lost = np.zeros(len(names), np.bool_)
        is_lost[rows[~is_taken]] = True
        is_lost[rows[is_taken]] = False
        rows = (np.cumsum(~is_lost, dtype=np.int32) - 1)[rows[is_taken]]
        notes += note_on_lost_nodes(list(compress(names, is_lost.tolist())), wanted)
        names, labels = (list(compress(texts, (~is_lost).tolist())) for texts in (names, labels))
    if direction is None:
        raise _missing_direction(names, labels, rows)
    return names, rows if direction == "parent-child" else rows[:, ::-1], labels, notes


def edges_by_relation(
    relations: Sequence[str], wanted: Sequence[str], aliases: Mapping[str, str] = MappingProxyType({}), place: str = ""
) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """Which edges have one of the requested relations, all if none has any, and a note on the others.

    InputError if a requested one is not there; ``place`` is what it begins with, such as ``"file: "``.

    >>> edges_by_relation(["is_a", "part_of"], ["is a"])
    (array([ True, False]), ('1 other relation skipped (part_of 1)',))
    """
    if not any(relations):
        if tuple(wanted) != DEFAULT_RELATIONS:
            given = option("relations", list(wanted))
            raise InputError(f"{place}the edges of the graph have no relations, but {given}; leave it out")
        return np.ones(len(relations), np.bool_), ()
    chosen = _find_relations(relations, wanted, aliases, place)
    others = Counter(relation or "none" for relation in relations if relation not in chosen)
    shown = [f"{relation} {count:,}" for relation, count in others.most_common()]
    notes = (f"{plural(others.total(), 'other relation')} skipped ({some(shown)})",) if others else ()
    return np.array([relation in chosen for relation in relations], np.bool_), notes


def note_on_lost_nodes(lost: Sequence[str], wanted: Sequence[str]) -> tuple[str, ...]:
    """The note on nodes whose edges all have other relations; none if there are no such nodes.

    >>> note_on_lost_nodes(["paw"], ["is_a"])
    ('1 node without an edge by is_a left out: paw',)
    """
    if not lost:
        return ()
    return (f"{plural(len(lost), 'node')} without an edge by {some(list(wanted))} left out: {some(lost)}",)


def _find_relations(
    relations: Sequence[str], wanted: Sequence[str], aliases: Mapping[str, str], place: str
) -> set[str]:
    """The relations of the edges that are requested, as the edges have them; InputError if one is not there."""
    counts = Counter(relations)
    counts.pop("", None)
    chosen = set()
    for name in wanted:
        keys = {relation_key(name), relation_key(aliases.get(relation_key(name), name))}
        found = {relation for relation in counts if relation_key(relation) in keys}
        if not found:
            known = [f"{relation} {count:,}" for relation, count in counts.most_common()]
            example = option("relations", [counts.most_common(1)[0][0]])
            raise InputError(
                f"{place}no edge of the graph has the relation {short(name)!r}; there are {some(known)}; say which make"
                f" the hierarchy, as in {example}"
            )
        chosen |= found
    return chosen


def _missing_direction(names: Sequence[str], labels: Sequence[str], rows: Rows) -> InputError:
    if not len(rows):
        return InputError("the graph has no edges; a hierarchy needs at least one parent with a child")
    source, target = (visible(labels[row] or names[row]) for row in rows[0].tolist())
    up, down = option("direction", "child-parent"), option("direction", "parent-child")
    return InputError(
        f"the graph does not say which end of an edge is the parent; give {up} if {source} is {with_article(target)},"
        f" or {down} if {target} is {with_article(source)}"
    )


def _texts(nodes: list[Any]) -> list[str]:
    first: dict[str, Any] = {}
    for node in nodes:
        other = first.setdefault(str(node), node)
        if other is not node:
            raise HierarchyError(f"the nodes {other!r} and {node!r} are both written {str(node)!r}; rename one of them")
    return list(first)


def _labels(graph: Any, nodes: list[Any]) -> list[str]:
    attributes = getattr(graph.nodes, "get", None)
    per_node = [attributes(node) if attributes else None for node in nodes]
    return [_label(found) if isinstance(found, Mapping) else "" for found in per_node]


def _label(attributes: Mapping[str, Any]) -> str:
    return _first_text(attributes, LABEL_KEYS)


def _first_text(attributes: Mapping[str, Any], keys: Sequence[str]) -> str:
    texts = (attributes.get(key) for key in keys)
    return next((str(text) for text in texts if isinstance(text, str) and text), "")


# Deeper than any taxonomy; a dict that contains itself has no end.
DEEPEST = 10_000


def rows_of_dict(tree: Mapping[Any, Any]) -> tuple[NameIndex, Rows]:
    """The names and (parent, child) rows of a dict of parents with their children.

    Children are a list, tuple or set of names, or a dict of the same kind, or None. A node without children that is
    no child itself is a node of its own. The rows are in the order of first appearance.

    >>> rows_of_dict({"animal": ["dog", "cat"], "dog": {"poodle": {}}})[1].tolist()
    [[0, 1], [0, 2], [1, 3]]
    """
    if _is_table(tree):
        raise InputError(
            "the dict has the keys parent and child, as a table has; give a data frame of it, or pairs:"
            ' zip(data["parent"], data["child"])'
        )
    index, edges = NameIndex(), []
    for parent, child in _pairs_of_dict(tree):
        row = index[parent]
        if child is not None:
            edges.append((row, index[child]))
    return index, np.array(edges, np.int32).reshape(-1, 2)


def _is_table(tree: Mapping[Any, Any]) -> bool:
    parents, children = tree.get("parent"), tree.get("child")
    if not isinstance(parents, list | tuple) or not isinstance(children, list | tuple):
        return False
    return len(tree) == 2 or len(parents) == len(children)


def _pairs_of_dict(tree: Mapping[Any, Any]) -> Iterator[tuple[str, str | None]]:
    """Each parent with None, then with each of its children; parents before what is below them."""
    levels = [iter(tree.items())]
    while levels:
        given = next(levels[-1], None)
        if given is None:
            levels.pop()
            continue
        parent = _text(given[0], "a key of the dict")
        children = _children(parent, given[1])
        yield parent, None
        for child in children:
            yield parent, _text(child, f"a child of {short(parent)!r}")
        if isinstance(children, Mapping):
            if len(levels) >= DEEPEST:
                raise InputError(f"the dict is nested more than {DEEPEST:,} deep; does it contain itself?")
            levels.append(iter(children.items()))


def _children(parent: str, given: Any) -> Sequence[Any] | Mapping[Any, Any]:
    if given is None:
        return ()
    if isinstance(given, set | frozenset):
        # The order of a set of texts differs from run to run.
        return sorted(given, key=repr)
    if isinstance(given, list | tuple | Mapping):
        return given
    example = f"[{short(repr(given))}]" if isinstance(given, str) else '["dog", "cat"]'
    raise InputError(
        f"the children of {short(parent)!r} are {short(repr(given))}; give a list, such as {example}, or a dict"
    )
