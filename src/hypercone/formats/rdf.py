"""What the statements of an RDF graph say about a hierarchy, whatever the syntax they are written in.

Edges are rdfs:subClassOf, skos:broader and skos:narrower between nodes with a name. Other properties make edges if they
are asked for: whoever stands in the relation is the child, directly or by an owl:Restriction with owl:someValuesFrom.
Deprecated nodes, owl:Thing, edges from a node to itself and owl:equivalentClass make none. A parent that the file only
mentions is kept, since vocabularies build on each other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from urllib.parse import urljoin

from hypercone.errors import InputError, option, plural, short, some
from hypercone.formats.reading import Reading

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDF_TYPE = RDF + "type"
OBO = re.compile(r"http://purl\.obolibrary\.org/obo/([A-Za-z][A-Za-z0-9_]*)_([A-Za-z0-9]+)")
# A file of a megabyte can mention its base a hundred thousand times, and each time it would be in memory again.
LONGEST_BASE = 1_000
ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def names_of(iris: Iterable[str], prefixes: dict[str, str]) -> dict[str, str]:
    """The short name of each address, no two alike: where two would be, each keeps its whole address.

    >>> names_of(["http://purl.obolibrary.org/obo/HP_1", "http://a/#b", "http://c/d"], {"a": "http://a/#"})
    {'http://purl.obolibrary.org/obo/HP_1': 'HP:1', 'http://a/#b': 'a:b', 'http://c/d': 'http://c/d'}
    """
    namespaces = {namespace: prefix for prefix, namespace in sorted(prefixes.items(), reverse=True) if namespace}
    shorts = {iri: short_name(iri, namespaces) for iri in iris}
    uses = Counter(shorts.values())
    return {iri: name if uses[name] == 1 and name not in shorts else iri for iri, name in shorts.items()}


def short_name(iri: str, namespaces: dict[str, str]) -> str:
    """``HP:0001627`` for a term of an OBO ontology, ``prefix:local`` where the namespace has a prefix, or all of it.

    >>> short_name("http://example.org/zoo#Dog", {"http://example.org/zoo#": "zoo"})
    'zoo:Dog'
    """
    obo = OBO.fullmatch(iri)
    if obo:
        return f"{obo[1]}:{obo[2]}"
    local = local_name(iri)
    prefix = namespaces.get(iri[: len(iri) - len(local)])
    if prefix is None or not local:
        return iri
    return f"{prefix}:{local}" if prefix else local


def too_long(base: str) -> str | None:
    """What is wrong with the address that others are relative to or abbreviated by, if it is too long.

    >>> too_long("http://example.org/zoo#"), too_long("x" * 1_001)
    (None, 'a base or namespace has 1,001 characters, the most is 1,000; write shorter addresses')
    """
    if len(base) <= LONGEST_BASE:
        return None
    return f"a base or namespace has {len(base):,} characters, the most is {LONGEST_BASE:,}; write shorter addresses"


def local_name(iri: str) -> str:
    """What follows the last ``#`` or ``/``, or else the last ``:``.

    >>> local_name("http://www.w3.org/2004/02/skos/core#broader")
    'broader'
    """
    place = max(iri.rfind("#"), iri.rfind("/"))
    return iri[(place if place >= 0 else iri.rfind(":")) + 1 :]


def plain(name: str) -> str:
    """A relation's name such that "part of", "Part-of" and "part_of" are one, or BFO:0000050 and BFO_0000050.

    >>> plain("Part of")
    'part_of'
    """
    return re.sub("[ :-]", "_", name.strip().casefold())


def resolved(base: str, iri: str) -> str:
    """The whole address of one that may be relative to the base.

    >>> resolved("http://example.org/zoo", "#Dog")
    'http://example.org/zoo#Dog'
    """
    if ABSOLUTE.match(iri):
        return iri
    if iri.startswith("#") or not iri:
        return base.partition("#")[0] + iri
    try:
        # An empty fragment is all that a namespace such as <zoo#> ends in, but urljoin would drop it.
        return urljoin(base, iri).rstrip("#") + ("#" if iri.endswith("#") else "")
    except ValueError:
        return iri


RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
SHORTHAND = "http://www.geneontology.org/formats/oboInOwl#shorthand"
CLASSES = {OWL + "Class", RDFS + "Class", SKOS + "Concept"}
TOP = {OWL + "Thing", RDFS + "Resource"}
IS_A = "is_a"
SAME_AS_IS_A = {"subclassof", "broader", "narrower"}

Link = Callable[[str, str, int], object]
Text = Callable[[str, str, str], object]


class Statements:
    """The statements that matter, kept as a parser hands them over; all others leave no trace.

    A parser looks up ``links[predicate]`` for a statement about two nodes and ``texts.get(predicate)`` for one about
    a node and a text, and calls what it finds, if anything. Blank nodes begin with ``_:``. A place is a line, or
    anything that grows with it.
    """

    def __init__(self, relations: Sequence[str] = (IS_A,)) -> None:
        """``relations`` are the names of the properties that make edges.

        ``is_a`` stands for rdfs:subClassOf, skos:broader and skos:narrower, and for any property of that name.
        """
        if isinstance(relations, str) or not relations:
            raise InputError(
                f"{option('relations')} must be a list of names, such as is_a and part_of; name at least one"
            )
        wanted = {plain(relation): relation for relation in relations}
        self.relations = {IS_A if name in SAME_AS_IS_A else name: relation for name, relation in wanted.items()}
        self.edges: dict[tuple[str, str], int] = {}
        self.direct: set[str] = set()
        self.anonymous: list[tuple[str, str, int]] = []
        self.classes: set[str] = set()
        self.labels: dict[str, tuple[int, str]] = {}
        self.shorthands: dict[str, str] = {}
        self.deprecated: set[str] = set()
        self.property_of: dict[str, str] = {}
        self.filler_of: dict[str, str] = {}
        self.equivalences: set[frozenset[str]] = set()
        self.links = _Links(self)
        self.texts: dict[str, Text] = {
            RDFS + "label": self._label,
            SKOS + "prefLabel": self._label,
            SHORTHAND: lambda node, text, _: self.shorthands.__setitem__(node, text),
            OWL + "deprecated": self._deprecated,
        }

    def is_a(self, child: str, parent: str, place: int) -> None:
        """The child is a parent."""
        if child.startswith("_:") or parent.startswith("_:"):
            self.anonymous.append((child, parent, place))
        elif IS_A in self.relations:
            self.edges.setdefault((parent, child), place)

    def narrower(self, parent: str, child: str, place: int) -> None:
        """The same, said by the parent."""
        self.is_a(child, parent, place)

    def related(self, child: str, parent: str, place: int) -> None:
        """The child is below the parent by one of the relations asked for."""
        if not child.startswith("_:") and not parent.startswith("_:"):
            self.edges.setdefault((parent, child), place)

    def typed(self, node: str, kind: str, _place: int) -> None:
        """The node is of this kind."""
        if kind in CLASSES and not node.startswith("_:"):
            self.classes.add(node)

    def equivalent(self, one: str, other: str, _place: int) -> None:
        """Two classes are the same."""
        if one != other and not one.startswith("_:") and not other.startswith("_:"):
            self.equivalences.add(frozenset((one, other)))

    def _label(self, node: str, text: str, language: str) -> None:
        if node.startswith("_:") or not text.strip():
            return
        language = language.lower()
        rank = 0 if language == "en" else 1 if not language or language.startswith("en-") else 2
        if node not in self.labels or rank < self.labels[node][0]:
            self.labels[node] = rank, text

    def _deprecated(self, node: str, text: str, _language: str) -> None:
        if text.strip().lower() in ("true", "1"):
            self.deprecated.add(node)


class _Links(dict[str, Link | None]):
    """What to do with a statement about two nodes, by its predicate; a property is found by its local name too."""

    def __init__(self, statements: Statements) -> None:
        super().__init__(
            {
                RDFS + "subClassOf": statements.is_a,
                SKOS + "broader": statements.is_a,
                SKOS + "narrower": statements.narrower,
                RDF_TYPE: statements.typed,
                OWL + "equivalentClass": statements.equivalent,
                OWL + "onProperty": lambda node, found, _: statements.property_of.__setitem__(node, found),
                OWL + "someValuesFrom": lambda node, found, _: statements.filler_of.__setitem__(node, found),
            }
        )
        self._statements = statements

    def __missing__(self, predicate: str) -> Link | None:
        asked = plain(local_name(predicate)) in self._statements.relations
        if asked:
            self._statements.direct.add(predicate)
        self[predicate] = self._statements.related if asked else None
        return self[predicate]


def reading_of(
    label: str,
    statements: Statements,
    prefixes: dict[str, str],
    lines_of: Callable[[Sequence[int]], Sequence[int]] = lambda places: places,
) -> Reading:
    """The hierarchy in the statements: short names, edges with their lines, labels, and what was left out."""
    skipped: Counter[str] = Counter()
    edges = dict(statements.edges)
    for parent, child, place in _restrictions(statements, skipped):
        edges.setdefault((parent, child), place)
    _check_relations(label, statements, skipped)
    kept = {edge: place for edge, place in edges.items() if _is_usable(edge, statements)}
    if not kept:
        raise InputError(f"{label}: holds no edges by {some(list(statements.relations.values()))}; {_hint(skipped)}")
    order = sorted(kept, key=kept.__getitem__)
    nodes = dict.fromkeys(node for edge in order for node in edge)
    names = names_of(nodes, prefixes)
    return Reading(
        label,
        [names[parent] for parent, _ in order],
        [names[child] for _, child in order],
        lines_of([kept[edge] for edge in order]),
        {names[node]: statements.labels[node][1] for node in nodes if node in statements.labels},
        tuple(_notes(statements, edges, nodes, names, skipped)),
    )


def _is_usable(edge: tuple[str, str], statements: Statements) -> bool:
    parent, child = edge
    gone = statements.deprecated
    return parent != child and parent not in TOP and child not in TOP and parent not in gone and child not in gone


def _restrictions(statements: Statements, skipped: Counter[str]) -> Iterator[tuple[str, str, int]]:
    """The edges "child is something with relation to parent", as in "each finger is part of some hand"."""
    for child, blank, place in statements.anonymous:
        relation, parent = statements.property_of.get(blank), statements.filler_of.get(blank)
        if relation is None or parent is None or any(node.startswith("_:") for node in (child, relation, parent)):
            skipped[""] += 1
        elif not _called(relation, statements).isdisjoint(statements.relations):
            yield parent, child, place
        else:
            skipped[_title(relation, statements)] += 1


def _called(relation: str, statements: Statements) -> set[str]:
    """What a property may be called: its local name, its label, its short name."""
    names = (local_name(relation), statements.labels.get(relation, (0, ""))[1], statements.shorthands.get(relation, ""))
    return {plain(name) for name in names if name}


def _title(relation: str, statements: Statements) -> str:
    label = statements.shorthands.get(relation) or statements.labels.get(relation, (0, ""))[1]
    return label.replace(" ", "_") or local_name(relation)


def _check_relations(label: str, statements: Statements, skipped: Counter[str]) -> None:
    found = {IS_A} | {plain(local_name(predicate)) for predicate in statements.direct}
    for relation in set(statements.property_of.values()):
        found |= _called(relation, statements)
    for name, given in statements.relations.items():
        if name not in found:
            raise InputError(f"{label}: has no relation {given!r}; {_hint(skipped)}")


def _hint(skipped: Counter[str]) -> str:
    offered = [relation for relation, _ in skipped.most_common(6) if relation]
    if offered:
        return f"it has {some(offered)}, which {option('relations')} could name"
    return "is_a stands for rdfs:subClassOf, skos:broader and skos:narrower; name the properties that make the edges"


def _notes(
    statements: Statements,
    edges: dict[tuple[str, str], int],
    nodes: dict[str, None],
    names: dict[str, str],
    skipped: Counter[str],
) -> Iterator[str]:
    gone = {node for node in statements.deprecated if node in statements.classes}
    gone |= {node for edge in edges for node in edge if node in statements.deprecated}
    if gone:
        yield f"{plural(len(gone), 'deprecated node')} skipped"
    loops = sum(parent == child for parent, child in edges)
    if loops:
        yield f"{plural(loops, 'edge')} from a node to itself skipped"
    if statements.equivalences:
        yield f"{plural(len(statements.equivalences), 'equivalence')} of two named classes not used"
    others = [f"{relation} {count:,}" for relation, count in skipped.most_common() if relation]
    if others:
        yield f"{plural(sum(skipped.values()) - skipped[''], 'other relation')} skipped ({some(others)})"
    if skipped[""]:
        yield f"{plural(skipped[''], 'statement')} about unnamed classes skipped"
    lonely = len(statements.classes - nodes.keys() - gone - TOP)
    if lonely:
        yield f"{lonely:,} class{'' if lonely == 1 else 'es'} without an edge left out"
    strange = [names[node] for node in nodes if node not in statements.classes and node not in statements.labels]
    if strange and statements.classes:
        yield f"{plural(len(strange), 'node')} named but not described here, kept ({short(some(strange), 200)})"
