"""Trees nested in JSON or YAML: nodes with ``children`` (as d3 has them), dicts in dicts, and lists of records.

A node is named by its id, if every node has one, or else by its path, and labeled by its own name. A list of records
with a parent each is a table.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hypercone._system import import_optional
from hypercone.errors import InputError, option, short, visible
from hypercone.formats.headers import level_columns, node_columns, parent_column, triple_columns
from hypercone.formats.parsed import ParsedEdges
from hypercone.formats.paths import JOINED, PathNodes
from hypercone.formats.shapes import edges_of_table
from hypercone.formats.source import Content, text_of
from hypercone.formats.tables import Table

HOLDS = "a tree, such as {}"
CHILDREN = ("children", "_children", "subcategories", "narrower")
# What people call a node, and then what identifies it.
NAMES = ("name", "label", "title", "text", "prefLabel", "id", "key", "code", "notation", "uri", "@id")
IDS = NAMES[5:]
LINKS = ("links", "edges")
# Between the parents of a record that has a list of them; no name contains it.
BETWEEN = "\x1f"
DEEPEST_BRACKETS = 200
MOST_KEYS = 1_000


def read_json(content: Content, **given: Any) -> ParsedEdges:
    """The edges of nested JSON.

    >>> read_json(Content("a.json", ".json", b'{"name": "animal", "children": [{"name": "dog"}]}')).children
    ['animal > dog']
    """
    text = text_of(content, HOLDS.format('{"name": "animal", "children": [{"name": "dog"}]}'))
    try:
        tree = json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{content.label}:{error.lineno}: is not valid JSON ({error.msg.rstrip('.')}); fetch the file again"
        ) from None
    except _RepeatedKey as error:
        raise _twice(content.label, str(error)) from None
    except (RecursionError, ValueError):
        raise InputError(
            f"{content.label}: is not valid JSON (a number is too long or the nesting too deep); fetch the file again"
        ) from None
    return edges_of_nested(content, "json", tree, **given)


class _RepeatedKey(Exception):
    """An object has a key twice."""


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        keys = [key for key, _ in members]
        raise _RepeatedKey(next(key for key in keys if keys.count(key) > 1))
    return found


def _twice(place: str, key: str) -> InputError:
    return InputError(f"{place}: has the key {short(key)!r} twice in one place; rename one, or join what is below them")


def read_yaml(content: Content, **given: Any) -> ParsedEdges:
    r"""The edges of nested YAML; every scalar is text.

    >>> read_yaml(Content("a.yaml", ".yaml", b"animal:\n  - dog\n  - cat\n")).children
    ['animal > dog', 'animal > cat']
    """
    text = text_of(content, HOLDS.format("animal: [dog, cat]"))
    _refuse_deep_brackets(content)
    return edges_of_nested(content, "yaml", _YamlTree(content.label, text).value(), **given)


def _refuse_deep_brackets(content: Content) -> None:
    """InputError for brackets in brackets without end, at which the parser takes time by the square of their number."""
    letters = np.frombuffer(content.data, np.uint8)
    steps = np.isin(letters, [ord("["), ord("{")]).astype(np.int32) - np.isin(letters, [ord("]"), ord("}")])
    depth = np.cumsum(steps, dtype=np.int32)
    # A bracket that closes nothing does not make the next one less deep.
    depth -= np.minimum.accumulate(np.minimum(depth, 0))
    if len(depth) and depth.max() > DEEPEST_BRACKETS:
        line = content.data.count(b"\n", 0, int(depth.argmax())) + 1
        raise InputError(
            f"{content.label}:{line}: has {DEEPEST_BRACKETS:,} brackets in each other; write the tree by indentation"
        )


class _YamlTree:
    """The value of a YAML document, built from its events without recursion, so that any depth is safe."""

    def __init__(self, label: str, text: str) -> None:
        self._label, self._text = label, text
        self._yaml = import_optional("yaml", "YAML needs", "'hypercone[yaml]'")

    def value(self) -> Any:
        """The value; InputError with the line of what is not a plain tree."""
        yaml, documents = self._yaml, 0
        loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
        top: list[Any] = []
        # The open collections, and the key that waits for its value in each of those that are dicts.
        open_values: list[Any] = [top]
        keys: list[str | None] = [None]
        try:
            for event in yaml.parse(self._text, Loader=loader):
                line = event.start_mark.line + 1
                if isinstance(event, yaml.AliasEvent):
                    raise self._error(line, f"*{visible(event.anchor)} repeats another part; write it out")
                if isinstance(event, yaml.DocumentStartEvent):
                    documents += 1
                    if documents > 1:
                        raise self._error(line, "a second document begins; keep one of them")
                elif isinstance(event, yaml.CollectionEndEvent):
                    open_values.pop()
                    keys.pop()
                elif isinstance(event, yaml.NodeEvent):
                    self._add(event, line, open_values, keys)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            where = "" if mark is None else f":{mark.line + 1}"
            reason = visible(str(getattr(error, "problem", None) or getattr(error, "reason", "")), 100)
            raise InputError(f"{self._label}{where}: is not valid YAML ({reason}); fix this line") from None
        return top[0] if top else None

    def _add(self, event: Any, line: int, open_values: list[Any], keys: list[str | None]) -> None:
        yaml, inside, key = self._yaml, open_values[-1], keys[-1]
        is_scalar = isinstance(event, yaml.ScalarEvent)
        if isinstance(inside, dict) and key is None:
            if not is_scalar:
                raise self._error(line, "a key is a list or a dict; write a name")
            if event.value in inside:
                raise _twice(f"{self._label}:{line}", event.value)
            keys[-1] = event.value
            return
        value: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
        if is_scalar:
            value = None if event.style is None and event.value in ("", "~", "null") else event.value
        if isinstance(inside, dict):
            inside[key] = value
            keys[-1] = None
        else:
            inside.append(value)
        if not is_scalar:
            open_values.append(value)
            keys.append(None)

    def _error(self, line: int, problem: str) -> InputError:
        return InputError(f"{self._label}:{line}: {problem}")


def edges_of_nested(content: Content, format: str, tree: Any, **given: Any) -> ParsedEdges:
    """The edges of a nested value; ``given`` are options of ``read``."""
    records = _record_table(content.label, tree)
    if records is not None:
        table, has_lists = records
        given = ({"parent_separator": BETWEEN} if has_lists else {}) | given
        return edges_of_table(table, format, **given)
    for name in given:
        if name != "merge_names":
            raise InputError(f"{content.label}: {option(name)} does not apply to a nested tree; leave it out")
    if isinstance(tree, dict) and "nodes" in tree and any(isinstance(tree.get(key), list) for key in LINKS):
        raise InputError(
            f"{content.label}: is a graph of nodes and links, which do not say who is the parent; load it with "
            "networkx.node_link_graph, and give that to fit with a direction"
        )
    walk = _Walk(content.label, tree)
    return walk.edges(len(content.data), bool(given.get("merge_names")))


class _Node(NamedTuple):
    """A node: the row of its parent (-1 for a root), its name, and its id if it has one."""

    parent: int
    name: str
    id: str


class _Walk:
    """The nodes of a tree in the order of the file, parents first."""

    def __init__(self, label: str, tree: Any) -> None:
        self._label = label
        self.nodes: list[_Node] = []
        self._has_objects = self._has_children = False
        if not isinstance(tree, dict | list):
            raise self._error(
                f"holds only {short(repr(tree), 40)}; it should hold {HOLDS.format('animal: [dog, cat]')}"
            )
        # What is still to be read: a parent's row with what is below it.
        waiting: list[tuple[int, Iterator[Any]]] = [(-1, self._top(tree))]
        while waiting:
            parent, below = waiting[-1]
            given = next(below, None)
            if given is None:
                waiting.pop()
                continue
            name, own_id, children = given
            self.nodes.append(_Node(parent, name, own_id))
            waiting.append((len(self.nodes) - 1, self._below(children, len(self.nodes) - 1)))

    def edges(self, size: int, merge_names: bool) -> ParsedEdges:
        """The edges, by id or by path."""
        if self._has_objects and not self._has_children:
            raise self._error("has nodes with a name, but none with children; call the list of them children")
        with_id = [node for node in self.nodes if node.id]
        if 0 < len(self.nodes) - len(with_id) < len(self.nodes) / 10:
            row = next(row for row, node in enumerate(self.nodes) if not node.id)
            raise self._error(f"{self._path(row)!r} has no id, but most nodes have one; give each node one, or none")
        if len(with_id) == len(self.nodes) > 0 and not merge_names:
            return self._edges_by_id()
        found = PathNodes(self._label, size, merge_names, has_lines=False)
        names: list[str] = []
        for node in self.nodes:
            is_root = node.parent < 0
            names.append(found.add_root(node.name, 0) if is_root else found.add_below(names[node.parent], node.name, 0))
        return found.parsed_edges({}, shape=self._shape())

    def _edges_by_id(self) -> ParsedEdges:
        labels: dict[str, str] = {}
        for row, node in enumerate(self.nodes):
            if labels.setdefault(node.id, node.name) != node.name:
                raise self._error(
                    f"{self._path(row)!r} has the id {short(node.id)!r}, which is that of {short(labels[node.id])!r}; "
                    "give each node its own id"
                )
        edges = [(self.nodes[node.parent].id, node.id) for node in self.nodes if node.parent >= 0]
        parents, children = [parent for parent, _ in edges], [child for _, child in edges]
        return ParsedEdges(self._label, parents, children, labels=labels, shape=f"{self._shape()} with ids")

    def _shape(self) -> str:
        return "nodes with children" if self._has_objects else "names nested in names"

    def _top(self, tree: Any) -> Iterator[tuple[str, str, Any]]:
        return self._below([tree] if _is_object(tree) else tree, -1)

    def _below(self, children: Any, row: int) -> Iterator[tuple[str, str, Any]]:
        """The name, the id and the children of each child."""
        if children is None or children == "":
            return
        if isinstance(children, dict):
            for name, value in children.items():
                yield self._name(name, row), "", value
        elif isinstance(children, list):
            for child in children:
                yield self._item(child, row)
        else:
            problem = f"has {_in_words(children)} where its children should be; write them as a list"
            raise self._error(f"{self._path(row)!r} {problem}")

    def _item(self, child: Any, row: int) -> tuple[str, str, Any]:
        if isinstance(child, dict):
            if _has_name(child):
                return self._object_node(child, row)
            if len(child) == 1:
                ((name, below),) = child.items()
                return self._name(name, row), "", below
            shown = short(", ".join(map(str, child)), 40)
            raise self._error(f"a node below {self._path(row)!r} with {shown!r} has no name; give it a name or an id")
        return self._name(child, row), "", None

    def _object_node(self, node: dict[str, Any], row: int) -> tuple[str, str, Any]:
        self._has_objects = True
        name = next(self._name(node[key], row) for key in NAMES if _is_filled(node.get(key)))
        own_id = next((self._name(node[key], row) for key in IDS if _is_filled(node.get(key))), "")
        below = next((node[key] for key in CHILDREN if node.get(key) is not None), None)
        self._has_children |= below is not None
        other = next((key for key, value in node.items() if _holds_nodes(value)), None)
        if below is None and other is not None:
            raise self._error(
                f"{short(name)!r} below {self._path(row)!r} has no children, but nodes in {short(str(other))!r}; "
                "rename that to children if they are below it, or remove it"
            )
        return name, own_id, below

    def _name(self, value: Any, row: int) -> str:
        text = scalar_text(value)
        if text is None or not text.strip():
            raise self._error(f"a name below {self._path(row)!r} is {_in_words(value)}; names are text or numbers")
        return text.strip()

    def _path(self, row: int) -> str:
        names: list[str] = []
        while row >= 0 and len(names) < 4:
            names.append(short(self.nodes[row].name, 20))
            row = self.nodes[row].parent
        return JOINED.join((["…"] if row >= 0 else []) + names[::-1]) or "the top"

    def _error(self, problem: str) -> InputError:
        return InputError(f"{self._label}: {problem}")


def _is_object(value: Any) -> bool:
    """Whether a value is a node with a name or id and children; other dicts are names with what is below them."""
    return isinstance(value, dict) and any(key in value for key in CHILDREN) and _has_name(value)


def _has_name(value: dict[str, Any]) -> bool:
    return any(_is_filled(value.get(key)) for key in NAMES)


def _is_filled(value: Any) -> bool:
    return bool(scalar_text(value))


def _holds_nodes(value: Any) -> bool:
    """Whether a value has dicts in it, as that of a node's children has."""
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, dict) for item in value))


def _in_words(value: Any) -> str:
    """A value in a message, without what may be nested in it."""
    return f"a {type(value).__name__}" if isinstance(value, dict | list) else short(repr(value), 40)


def scalar_text(value: Any) -> str | None:
    """A text or number as text; None for anything else.

    >>> scalar_text("dog"), scalar_text(7), scalar_text(7.0), scalar_text(True)
    ('dog', '7', '7', None)
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return str(int(value)) if value == value and abs(value) < 2**63 and value == int(value) else str(value)


@dataclass(frozen=True)
class RecordTable(Table):
    """A list of records as a table: its columns have titles, and its records have numbers from 1."""

    records: list[dict[str, Any]]

    has_titles = True

    def row_lines(self, start: int) -> None:
        """There are no lines."""

    @property
    def row_word(self) -> str:
        """What a record is called in messages."""
        return "item"

    def error(self, record: int, problem: str) -> InputError:
        """The error: ``file: problem``."""
        return InputError(f"{self.label}: {problem}")

    def cell_error(self, record: int, index: int, problem: str) -> InputError:
        """The error for a value, with its record."""
        return InputError(f"{self.label}: item {self.lines[record]}: {problem}")

    def column(self, index: int, start: int) -> list[str]:
        """One column; made when it is needed, as most keys are never looked at."""
        title = self.cells[index]
        return [_cell(record.get(title)) for record in self.records]


def _record_table(label: str, tree: Any) -> tuple[RecordTable, bool] | None:
    """The table of a list of records with parents or levels, and whether a record may have a list of parents.

    None for anything else.
    """
    if not isinstance(tree, list) or not tree or not all(isinstance(record, dict) for record in tree):
        return None
    titles = list(dict.fromkeys(str(key) for record in tree for key in record))
    if len(titles) > MOST_KEYS:
        raise InputError(f"{label}: has records with {len(titles):,} different keys; they should be of one kind")
    if not (node_columns(titles) or level_columns(titles) or triple_columns(titles)):
        return None
    above = parent_column(titles)
    has_lists = above is not None and any(isinstance(record.get(titles[above]), list) for record in tree)
    return RecordTable(label, len(titles), titles, range(1, len(tree) + 1), tree), has_lists


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return BETWEEN.join(text for text in map(scalar_text, value) if text)
    return scalar_text(value) or ""
