"""GraphML, read as a stream of XML events; which end of an edge is the parent is never guessed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import compress
from typing import Any, NoReturn
from xml.parsers import expat

from hypercone.errors import InputError, option, plural, short, visible
from hypercone.formats.parsed import ParsedEdges
from hypercone.formats.rdf import problem_with_base
from hypercone.formats.source import Content
from hypercone.hierarchy.interop import (
    PERHAPS_RELATION_KEYS,
    checked_direction,
    edges_by_relation,
    note_on_lost_nodes,
    relations_of_edges,
)
from hypercone.hierarchy.relation_names import DEFAULT_RELATIONS, RELATION_KEYS, checked_relations
from hypercone.progress import Step

# Ontologies abbreviate addresses by entities; a longer expansion is an attack on memory.
LONGEST_ENTITY = 1000
# Default values of attributes are added to every element of their type.
LONGEST_DEFAULTS = 1000
REFERENCE = re.compile(r"&([^#;&\s][^;&\s]*);")
BUILT_IN = {"amp", "lt", "gt", "quot", "apos"}

Start = Callable[[str, dict[str, str]], None]


class XmlEvents:
    """A parser that calls ``start(name, attributes)``, ``end(name)`` and, on request, ``text(characters)``.

    Names are the address of the namespace followed by the local name, as in RDF.
    """

    def __init__(self, content: Content, start: Start, end: Callable[[str], None]) -> None:
        """``start`` and ``end`` are called for every element."""
        self.content = content
        self.prefixes: dict[str, str] = {}
        self._entities: dict[str, int] = {}
        self._defaults = 0
        self._has_outside_part = False
        self._parser: Any = expat.ParserCreate(namespace_separator="")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = start
        self._parser.EndElementHandler = end
        self._parser.StartNamespaceDeclHandler = self._prefix
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.EndDoctypeDeclHandler = self._end_of_doctype
        self._parser.EntityDeclHandler = self._entity
        self._parser.AttlistDeclHandler = self._attribute
        self._parser.SkippedEntityHandler = lambda name, _: self._refuse_entity(name)

    @property
    def line(self) -> int:
        """The line of the current event."""
        return int(self._parser.CurrentLineNumber)

    def capture_text(self, text: Callable[[str], object] | None) -> None:
        """From now on call ``text`` with the characters between tags; None stops it."""
        self._parser.CharacterDataHandler = text

    def run(self) -> None:
        """Parse the content; InputError with the line where the XML is broken."""
        if not self.content.data or self.content.data.isspace():
            raise InputError(f"{self.content.label}: is empty; it should hold XML")
        try:
            with Step("reading", len(self.content.data), lambda: int(self._parser.CurrentByteIndex)):
                self._parser.Parse(self.content.data, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise InputError(
                f"{self.content.label}:{error.lineno}: the XML is broken ({reason}); "
                f"fetch the file again, or name its format with {option('format')} if it is not XML"
            ) from None
        except (ValueError, LookupError) as error:
            raise InputError(f"{self.content.label}: cannot be read as text ({error}); save it as UTF-8") from None

    def error(self, problem: str) -> InputError:
        """The error at the current event: ``file:line: problem``."""
        return InputError(f"{self.content.label}:{self.line}: {problem}")

    def _prefix(self, prefix: str | None, namespace: str | None) -> None:
        if problem := problem_with_base(namespace or ""):
            raise self.error(problem)
        self.prefixes.setdefault(prefix or "", namespace or "")

    def _doctype(self, _name: str, outside: str | None, _public: str | None, _has_inside: int) -> None:
        self._has_outside_part = outside is not None

    def _end_of_doctype(self) -> None:
        if self._has_outside_part:
            # Entities declared in another file, which is never opened, would silently vanish from attributes.
            text = self.content.data.decode("utf-8", "replace")
            for found in REFERENCE.finditer(text):
                if found[1] not in BUILT_IN and found[1] not in self._entities:
                    self._refuse_entity(found[1])

    def _refuse_entity(self, name: str) -> NoReturn:
        raise self.error(f"the entity &{visible(name)}; is declared in another file, which is not opened; write it out")

    def _entity(
        self, name: str, is_parameter: int, value: str | None, _base: Any, outside: str | None, *_rest: Any
    ) -> None:
        if is_parameter or value is None or outside is not None:
            raise self.error(f"the entity {short(name)!r} refers to another file, which is not opened; write it out")
        inside = sum(self._entities.get(found, 0) for found in REFERENCE.findall(value))
        self._entities[name] = len(value) + inside
        if self._entities[name] > LONGEST_ENTITY:
            raise self.error(
                f"the entity {short(name)!r} stands for more than {LONGEST_ENTITY:,} characters, "
                "as in files made to fill the memory; write it out"
            )

    def _attribute(self, _element: str, name: str, _kind: str, default: str | None, _required: int) -> None:
        self._defaults += len(name) + len(default or "")
        if self._defaults > LONGEST_DEFAULTS:
            raise self.error(
                f"attributes of more than {LONGEST_DEFAULTS:,} characters are declared, which every element would get, "
                "as in files made to take forever; write them out"
            )


NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
# In order of preference; yEd has its own element for labels.
LABEL_KEYS = ("label", "name", "title")
DRAWN_LABEL = "NodeLabel"


def read_graphml(
    content: Content, *, direction: str | None = None, relations: Sequence[str] = DEFAULT_RELATIONS
) -> ParsedEdges:
    """The edges of a directed graph; the label of a node is its data named label, name or title.

    If edges have a relation, as data named relation, relationship or predicate, or all of them type or label, only
    those with one of ``relations`` are taken.

    >>> graph = b'''<graphml><graph edgedefault="directed"><node id="animal"/><node id="dog"/>
    ...   <edge source="animal" target="dog"/></graph></graphml>'''
    >>> read_graphml(Content("a.graphml", ".graphml", graph), direction="parent-child").parents
    ['animal']
    """
    if direction is None:
        raise InputError(
            f"{content.label}: GraphML does not say whether an edge points to the child or to the parent; "
            f"say {option('direction', 'parent-child', 'child-parent')}"
        )
    checked_direction(direction)
    graph = _Graph(content)
    graph.events.run()
    graph.check()
    notes = (*graph.notes(), *graph.keep_relations(checked_relations(relations)))
    ends = (graph.sources, graph.targets)
    parents, children = ends if direction == "parent-child" else ends[::-1]
    return ParsedEdges(content.label, parents, children, graph.lines, graph.best_labels(), notes)


class _Graph:
    """Collects nodes, edges and labels from the elements."""

    def __init__(self, content: Content) -> None:
        self.events = XmlEvents(content, self.start, self.end)
        self.elements: list[str] = []
        self.directed: list[bool] = []
        self.nodes: dict[str, None] = {}
        self.enclosing_nodes: list[str] = []
        self.open_edges: list[int] = []
        self.sources: list[str] = []
        self.targets: list[str] = []
        self.lines: list[int] = []
        self.label_keys: dict[str, int] = {}
        self.labels: dict[str, tuple[int, str]] = {}
        # The names of data of edges that may be relations, by key; their default values; and the values by edge.
        self.relation_keys: dict[str, str] = {}
        self.default_relations: dict[str, str] = {}
        self.data_of_edges: dict[int, dict[str, str]] = {}
        self.key = ""
        self.relation: str | None = None
        self.rank: int | None = None
        self.text_parts: list[str] = []
        self.skipped: Counter[str] = Counter()

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.removeprefix(NAMESPACE)
        if not self.elements and name != "graphml":
            raise self.events.error(
                f"begins with <{visible(name)}>, not with <graphml>; name the format if it is another"
            )
        self.elements.append(name)
        if name == "node":
            self._node(attributes)
        elif name == "edge":
            self._edge(attributes)
        elif name == "data" and self.elements[-2] == "edge":
            self._begin_relation(self.relation_keys.get(attributes.get("key", "")))
        elif name == "default" and self.elements[-2] == "key":
            self._begin_relation(self.relation_keys.get(self.key))
        elif name == "data" or name.endswith(DRAWN_LABEL):
            self._label(name, attributes)
        elif name == "graph":
            self._graph(attributes)
        elif name == "key":
            self._key(attributes)
        elif name in ("hyperedge", "port"):
            self.skipped[name] += 1

    def end(self, _name: str) -> None:
        name = self.elements.pop()
        if name == "edge":
            self.open_edges.pop()
        elif name == "node":
            self.enclosing_nodes.pop()
        elif name == "graph":
            self.directed.pop()
        elif self.relation is not None and name in ("data", "default"):
            self._end_of_relation(self.relation, self.default_relations if name == "default" else None)
        elif self.rank is not None and (name == "data" or name.endswith(DRAWN_LABEL)):
            self._end_of_label(self.rank)

    def check(self) -> None:
        """InputError for an edge from or to an undefined node."""
        for ends in (self.sources, self.targets):
            for line, node in zip(self.lines, ends, strict=True):
                if node not in self.nodes:
                    raise InputError(
                        f"{self.events.content.label}:{line}: the edge names a node {short(node)!r} that is not "
                        "in the file; add the node or remove the edge"
                    )

    def keep_relations(self, wanted: Sequence[str]) -> tuple[str, ...]:
        """Leave out the edges with other relations; returns notes on them and on nodes that have no others."""
        defaults = self.default_relations
        attributes = [defaults | self.data_of_edges.get(edge, {}) for edge in range(len(self.lines))]
        relations = relations_of_edges([None] * len(attributes), attributes)
        is_taken, notes = edges_by_relation(relations, wanted, place=f"{self.events.content.label}: ")
        before = dict.fromkeys(node for edge in zip(self.sources, self.targets, strict=True) for node in edge)
        taken = is_taken.tolist()
        self.sources, self.targets = list(compress(self.sources, taken)), list(compress(self.targets, taken))
        self.lines = list(compress(self.lines, taken))
        after = {*self.sources, *self.targets}
        return notes + note_on_lost_nodes([node for node in self.nodes if node in before and node not in after], wanted)

    def best_labels(self) -> dict[str, str]:
        return {node: text for node, (_, text) in self.labels.items()}

    def notes(self) -> list[str]:
        isolated = len(self.nodes.keys() - set(self.sources) - set(self.targets))
        notes = [f"{plural(count, thing)} skipped" for thing, count in self.skipped.items() if thing != "nested graph"]
        if self.skipped["nested graph"]:
            notes.append(f"{plural(self.skipped['nested graph'], 'nested graph')} read as if not nested")
        if isolated:
            notes.append(f"{plural(isolated, 'node')} without an edge left out")
        return notes

    def _graph(self, attributes: dict[str, str]) -> None:
        self.skipped["nested graph"] += bool(self.directed)
        self.directed.append(attributes.get("edgedefault", "directed") != "undirected")

    def _node(self, attributes: dict[str, str]) -> None:
        node = self._required_attribute(attributes, "node", "id")
        if node in self.nodes:
            raise self.events.error(f"there are two nodes with the id {short(node)!r}; rename one of them")
        self.nodes[node] = None
        self.enclosing_nodes.append(node)

    def _edge(self, attributes: dict[str, str]) -> None:
        directed = attributes.get("directed")
        if directed == "false" or (directed is None and not (self.directed and self.directed[-1])):
            raise self.events.error(
                "the edge is undirected, so it does not say who is the parent; give a directed graph"
            )
        self.sources.append(self._required_attribute(attributes, "edge", "source"))
        self.targets.append(self._required_attribute(attributes, "edge", "target"))
        self.open_edges.append(len(self.lines))
        self.lines.append(self.events.line)

    def _required_attribute(self, attributes: dict[str, str], element: str, name: str) -> str:
        if not attributes.get(name):
            raise self.events.error(f"the {element} has no {name}; give it one")
        return attributes[name]

    def _key(self, attributes: dict[str, str]) -> None:
        title = attributes.get("attr.name", "").strip().casefold()
        if title in LABEL_KEYS and attributes.get("for", "all") in ("node", "all"):
            self.label_keys[attributes.get("id", "")] = LABEL_KEYS.index(title)
        self.key = attributes.get("id", "")
        is_text = attributes.get("attr.type", "string") == "string"
        if (
            title in (*RELATION_KEYS, *PERHAPS_RELATION_KEYS)
            and is_text
            and attributes.get("for", "all") in ("edge", "all")
        ):
            self.relation_keys[self.key] = title

    def _begin_relation(self, title: str | None) -> None:
        if title is not None:
            self.relation, self.text_parts = title, []
            self.events.capture_text(self.text_parts.append)

    def _end_of_relation(self, title: str, defaults: dict[str, str] | None) -> None:
        self.events.capture_text(None)
        values = self.data_of_edges.setdefault(self.open_edges[-1], {}) if defaults is None else defaults
        values[title] = "".join(self.text_parts).strip()
        self.relation = None

    def _label(self, name: str, attributes: dict[str, str]) -> None:
        drawn = name != "data"
        of_node = self.enclosing_nodes and not self.open_edges
        rank = len(LABEL_KEYS) if drawn else self.label_keys.get(attributes.get("key", ""))
        if of_node and rank is not None and (drawn or self.elements[-2] == "node"):
            self.rank, self.text_parts = rank, []
            self.events.capture_text(self.text_parts.append)

    def _end_of_label(self, rank: int) -> None:
        self.events.capture_text(None)
        text, node = "".join(self.text_parts).strip(), self.enclosing_nodes[-1]
        if text and (node not in self.labels or rank < self.labels[node][0]):
            self.labels[node] = rank, text
        self.rank = None
