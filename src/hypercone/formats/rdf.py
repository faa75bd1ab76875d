"""The hierarchy in the statements of an RDF graph, independent of the syntax.

Edges are rdfs:subClassOf, skos:broader and skos:narrower between named nodes. Other properties make edges if requested:
the subject is the child, directly or through an owl:Restriction with owl:someValuesFrom. Deprecated nodes, owl:Thing,
self-loops and owl:equivalentClass make no edges. A parent that the file only mentions is included, because vocabularies
build on each other. Definitions, synonyms and other ids are those of SKOS and of the OBO ontologies.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import repeat
from urllib.parse import urljoin

import numpy as np

from hypercone._arrays import Rows
from hypercone.errors import InputError, option, plural, short, some
from hypercone.formats.parsed import EdgeRows, ParsedEdges, numbered_by_appearance
from hypercone.hierarchy.glossary import Entries, Obsolete
from hypercone.hierarchy.relation_names import IS_A, normalized_relation, relation_key

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDF_TYPE = RDF + "type"
OBO_START = "http://purl.obolibrary.org/obo/"
OBO = re.compile(r"http://purl\.obolibrary\.org/obo/([A-Za-z][A-Za-z0-9_]*)_([A-Za-z0-9]+)")
# A small file can use its base a hundred thousand times, and each use would be a copy in memory.
LONGEST_BASE = 1_000
ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def names_of(iris: Iterable[str], prefixes: dict[str, str]) -> dict[str, str]:
    """A unique short name for each address; addresses whose short names collide are used in full.

    >>> names_of(["http://purl.obolibrary.org/obo/HP_1", "http://a/#b", "http://c/d"], {"a": "http://a/#"})
    {'http://purl.obolibrary.org/obo/HP_1': 'HP:1', 'http://a/#b': 'a:b', 'http://c/d': 'http://c/d'}
    """
    return _names_and_prefixes(iris, prefixes)[0]


def _names_and_prefixes(iris: Iterable[str], prefixes: dict[str, str]) -> tuple[dict[str, str], set[str]]:
    """The short names of addresses, and the prefixes in them."""
    namespaces = _namespaces(prefixes)
    beginnings = {namespace: f"{prefix}:" if prefix else "" for namespace, prefix in namespaces.items()}
    shorts, used = {}, set()
    # As ``short_name``, but there may be millions of addresses.
    for iri in iris:
        start = max(iri.rfind("#"), iri.rfind("/")) + 1 or iri.rfind(":") + 1
        namespace = iri[:start]
        if namespace in beginnings and start < len(iri) and namespace != OBO_START:
            shorts[iri] = beginnings[namespace] + iri[start:]
            used.add(namespace)
        else:
            shorts[iri] = short_name(iri, namespaces)
            if namespace == OBO_START and shorts[iri] is not iri and not OBO.fullmatch(iri):
                used.add(namespace)
    names = [name for iri, name in shorts.items() if name is not iri]
    if len(set(names)) == len(names) and shorts.keys().isdisjoint(names):
        return shorts, {namespaces[namespace] for namespace in used}
    uses = Counter(shorts.values())
    found = {iri: name if uses[name] == 1 and name not in shorts else iri for iri, name in shorts.items()}
    prefixes_of = (_prefix_of(iri, namespaces) for iri, name in found.items() if name != iri)
    return found, {prefix for prefix in prefixes_of if prefix is not None}


def _namespaces(prefixes: dict[str, str]) -> dict[str, str]:
    return {namespace: prefix for prefix, namespace in sorted(prefixes.items(), reverse=True) if namespace}


def short_name(iri: str, namespaces: dict[str, str]) -> str:
    """``HP:0001627`` for an OBO term, ``prefix:local`` if the namespace has a prefix, else the whole address.

    >>> short_name("http://example.org/zoo#Dog", {"http://example.org/zoo#": "zoo"})
    'zoo:Dog'
    """
    if iri.startswith(OBO_START) and (obo := OBO.fullmatch(iri)):
        return f"{obo[1]}:{obo[2]}"
    start = _start_of_local_name(iri)
    prefix = namespaces.get(iri[:start])
    if prefix is None or start == len(iri):
        return iri
    return f"{prefix}:{iri[start:]}" if prefix else iri[start:]


def problem_with_base(base: str) -> str | None:
    """A message if a base or namespace is too long, else None.

    >>> problem_with_base("http://example.org/zoo#"), problem_with_base("x" * 1_001)
    (None, 'a base or namespace has 1,001 characters, the most is 1,000; write shorter addresses')
    """
    if len(base) <= LONGEST_BASE:
        return None
    return f"a base or namespace has {len(base):,} characters, the most is {LONGEST_BASE:,}; write shorter addresses"


def local_name(iri: str) -> str:
    """The part after the last ``#`` or ``/``, or else after the last ``:``.

    >>> local_name("http://www.w3.org/2004/02/skos/core#broader")
    'broader'
    """
    return iri[_start_of_local_name(iri) :]


def _start_of_local_name(iri: str) -> int:
    end = max(iri.rfind("#"), iri.rfind("/"))
    return (end if end >= 0 else iri.rfind(":")) + 1


def resolve_iri(base: str, iri: str) -> str:
    """The absolute address of one that may be relative to the base.

    >>> resolve_iri("http://example.org/zoo", "#Dog")
    'http://example.org/zoo#Dog'
    """
    if ABSOLUTE.match(iri):
        return iri
    if iri.startswith("#") or not iri:
        return base.partition("#")[0] + iri
    try:
        # urljoin drops an empty fragment, which a namespace such as <zoo#> ends in.
        return urljoin(base, iri).rstrip("#") + ("#" if iri.endswith("#") else "")
    except ValueError:
        return iri


RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
OBO_IN_OWL = "http://www.geneontology.org/formats/oboInOwl#"
IAO = "http://purl.obolibrary.org/obo/IAO_"
SHORTHAND = OBO_IN_OWL + "shorthand"
DEFINITIONS = (SKOS + "definition", IAO + "0000115")
SYNONYMS = (
    *(OBO_IN_OWL + name for name in ("hasExactSynonym", "hasRelatedSynonym", "hasBroadSynonym", "hasNarrowSynonym")),
    *(SKOS + name for name in ("altLabel", "hiddenLabel")),
    IAO + "0000118",
)
OTHER_IDS = (OBO_IN_OWL + "hasAlternativeId", SKOS + "notation")
REPLACED_BY = (IAO + "0100001", "http://purl.org/dc/terms/isReplacedBy")
CONSIDER = (OBO_IN_OWL + "consider",)
CLASSES = {OWL + "Class", RDFS + "Class", SKOS + "Concept"}
TOP = {OWL + "Thing", RDFS + "Resource"}
NARROWER = {"narrower", "skos_narrower"}

Link = Callable[[str, str, int], object]
Text = Callable[[str, str, str], object]


class Statements:
    """Collects the relevant statements from a parser and ignores all others.

    A parser looks up ``links[predicate]`` for a statement about two nodes and ``texts.get(predicate)`` for one about
    a node and a text, and calls the handler, if there is one. Blank nodes begin with ``_:``. A position is a line,
    or any number that increases with the line.
    """

    def __init__(self, relations: Sequence[str] = (IS_A,)) -> None:
        """``relations`` are the names of the properties that make edges.

        ``is_a`` stands for rdfs:subClassOf, skos:broader and skos:narrower, and for any property of that name.
        """
        if isinstance(relations, str) or not relations:
            raise InputError(
                f"{option('relations')} must be a list of names, such as is_a and part_of; name at least one"
            )
        wanted = {relation_key(relation): relation for relation in relations}
        self.relations = {IS_A if name in NARROWER else name: relation for name, relation in wanted.items()}
        # Those of the file, as far as they are read.
        self.prefixes: dict[str, str] = {}
        self.edges = EdgeRows()
        self.direct: set[str] = set()
        self.anonymous: list[tuple[str, str, int]] = []
        self.classes: set[str] = set()
        self.labels: dict[str, tuple[int, str]] = {}
        self.shorthands: dict[str, str] = {}
        self.deprecated: set[str] = set()
        self.property_of: dict[str, str] = {}
        self.filler_of: dict[str, str] = {}
        self.equivalences: set[frozenset[str]] = set()
        self.definitions: dict[str, tuple[int, str]] = {}
        self.synonyms: dict[str, list[str]] = {}
        self.other_ids: dict[str, list[str]] = {}
        self.replaced_by: dict[str, list[str]] = {}
        self.consider: dict[str, list[str]] = {}
        self.links = _LinkHandlers(self)
        self.texts: dict[str, Text] = {
            RDFS + "label": self._add_label,
            SKOS + "prefLabel": self._add_label,
            SHORTHAND: lambda node, text, _: self.shorthands.__setitem__(node, text),
            OWL + "deprecated": self._add_deprecation,
            **dict.fromkeys(DEFINITIONS, self._add_definition),
            **{predicate: partial(_append, lists) for predicate, lists in self._lists()},
        }

    def _lists(self) -> Iterator[tuple[str, dict[str, list[str]]]]:
        """The predicates whose objects are collected, and where."""
        for predicates, lists in (
            (SYNONYMS, self.synonyms),
            (OTHER_IDS, self.other_ids),
            (REPLACED_BY, self.replaced_by),
            (CONSIDER, self.consider),
        ):
            for predicate in predicates:
                yield predicate, lists

    def add_is_a(self, child: str, parent: str, position: int) -> None:
        """Add a statement "child is a parent"."""
        if child.startswith("_:") or parent.startswith("_:"):
            self.anonymous.append((child, parent, position))
        elif IS_A in self.relations:
            self.edges.add(parent, child, position)

    def add_narrower(self, parent: str, child: str, position: int) -> None:
        """The same with the parent as subject."""
        self.add_is_a(child, parent, position)

    def add_related(self, child: str, parent: str, position: int) -> None:
        """Add an edge of one of the requested relations."""
        if not child.startswith("_:") and not parent.startswith("_:"):
            self.edges.add(parent, child, position)

    def add_objects(self, predicate: str, subject: str, nodes: Sequence[str], positions: Sequence[int]) -> None:
        """Add statements with the same subject and predicate, for which there is a handler."""
        link = self.links[predicate]
        assert link is not None
        makes_edges = link == self.add_related or (link == self.add_is_a and IS_A in self.relations)
        if makes_edges and not any(map(str.startswith, (subject, *nodes), repeat("_:"))):
            self.edges.add_parents(subject, nodes, positions)
            return
        for node, position in zip(nodes, positions, strict=True):
            link(subject, node, position)

    def add_type(self, node: str, kind: str, _place: int) -> None:
        """Record a node of a class type."""
        if kind in CLASSES and not node.startswith("_:"):
            self.classes.add(node)

    def add_equivalence(self, one: str, other: str, _place: int) -> None:
        """Record that two classes are equivalent."""
        if one != other and not one.startswith("_:") and not other.startswith("_:"):
            self.equivalences.add(frozenset((one, other)))

    def _add_label(self, node: str, text: str, language: str) -> None:
        if node.startswith("_:") or not text.strip():
            return
        rank = _rank(language)
        before = self.labels.get(node)
        if before is None or rank < before[0]:
            self.labels[node] = rank, text
        # Of several labels, one is the label, and the others find the node as well.
        if before is not None and before[1] != text:
            self.synonyms.setdefault(node, []).append(before[1] if rank < before[0] else text)

    def _add_definition(self, node: str, text: str, language: str) -> None:
        rank = _rank(language)
        if text.strip() and (node not in self.definitions or rank < self.definitions[node][0]):
            self.definitions[node] = rank, text

    def _add_deprecation(self, node: str, text: str, _language: str) -> None:
        if text.strip().lower() in ("true", "1"):
            self.deprecated.add(node)


def _rank(language: str) -> int:
    """The order of preference of languages, English first."""
    language = language.lower()
    return 0 if language == "en" else 1 if not language or language.startswith("en-") else 2


def _append(lists: dict[str, list[str]], node: str, text: str, _: object) -> None:
    if not node.startswith("_:") and text.strip() and not text.startswith("_:"):
        lists.setdefault(node, []).append(text)


class _LinkHandlers(dict[str, Link | None]):
    """The handler of statements about two nodes, by predicate; requested relations are found by local name."""

    def __init__(self, statements: Statements) -> None:
        super().__init__(
            {
                RDFS + "subClassOf": statements.add_is_a,
                SKOS + "broader": statements.add_is_a,
                SKOS + "narrower": statements.add_narrower,
                RDF_TYPE: statements.add_type,
                OWL + "equivalentClass": statements.add_equivalence,
                OWL + "onProperty": lambda node, found, _: statements.property_of.__setitem__(node, found),
                OWL + "someValuesFrom": lambda node, found, _: statements.filler_of.__setitem__(node, found),
                **dict.fromkeys(REPLACED_BY, partial(_append, statements.replaced_by)),
                **dict.fromkeys(CONSIDER, partial(_append, statements.consider)),
            }
        )
        self._statements = statements

    def __missing__(self, predicate: str) -> Link | None:
        is_requested = not _written_names(predicate, self._statements).isdisjoint(self._statements.relations)
        if is_requested:
            self._statements.direct.add(predicate)
        self[predicate] = self._statements.add_related if is_requested else None
        return self[predicate]


def edges_from_statements(
    label: str,
    statements: Statements,
    prefixes: dict[str, str],
    lines_of: Callable[[Sequence[int]], Sequence[int]] = lambda positions: positions,
) -> ParsedEdges:
    """The edges in the statements, with short names, lines, labels, and notes on what was left out."""
    skipped: Counter[str] = Counter()
    for parent, child, position in _restrictions(statements, skipped):
        statements.edges.add(parent, child, position)
    _check_relations(label, statements, skipped)
    edges, positions = statements.edges.distinct()
    iris = statements.edges.names()
    is_unwanted = np.fromiter(map((TOP | statements.deprecated).__contains__, iris), bool, len(iris))
    is_usable = (edges[:, 0] != edges[:, 1]) & ~is_unwanted[edges].any(axis=1)
    if not is_usable.any():
        raise InputError(f"{label}: holds no edges by {some(list(statements.relations.values()))}; {_hint(skipped)}")
    order = np.flatnonzero(is_usable)
    order = order[np.argsort(positions[order], kind="stable")]
    nodes, rows = numbered_by_appearance(iris, edges[order])
    name_of, used = _names_and_prefixes(nodes, prefixes)
    names = list(name_of.values())
    return ParsedEdges(
        label,
        [names[row] for row in rows[:, 0].tolist()],
        [names[row] for row in rows[:, 1].tolist()],
        lines_of(positions[order].tolist()),
        {name_of[node]: statements.labels[node][1] for node in nodes if node in statements.labels},
        tuple(_notes(statements, edges, name_of, skipped)),
        _entries(statements, name_of, prefixes, used),
        (names, rows),
    )


def _entries(
    statements: Statements, names: dict[str, str], prefixes: dict[str, str], used_prefixes: set[str]
) -> Entries:
    """What the statements say about the nodes by name, and the deprecated nodes with what replaces them."""
    namespaces = _namespaces(prefixes)
    found = Entries()
    if statements.definitions or statements.synonyms or statements.other_ids:
        _add_entries(found, statements, names)
    used = set(names.values()) if statements.deprecated else set()
    for node in statements.deprecated:
        name = short_name(node, namespaces)
        others = [
            tuple(names.get(other) or short_name(other, namespaces) for other in lists.get(node, ()))
            for lists in (statements.replaced_by, statements.consider)
        ]
        if not node.startswith("_:"):
            label = statements.labels.get(node, (0, ""))[1]
            found.obsolete[node if name in used else name] = Obsolete(label, *others)
    found.prefixes = {prefix: prefixes[prefix] for prefix in prefixes if prefix in used_prefixes}
    return found


def _add_entries(found: Entries, statements: Statements, names: dict[str, str]) -> None:
    for node, name in names.items():
        if node in statements.definitions:
            found.definitions[name] = statements.definitions[node][1]
        for lists, into in ((statements.synonyms, found.synonyms), (statements.other_ids, found.other_ids)):
            if node in lists:
                into[name] = lists[node]


def _prefix_of(iri: str, namespaces: dict[str, str]) -> str | None:
    if iri.startswith(OBO_START) and OBO.fullmatch(iri):
        return None
    return namespaces.get(iri[: _start_of_local_name(iri)])


def _restrictions(statements: Statements, skipped: Counter[str]) -> Iterator[tuple[str, str, int]]:
    """The edges of restrictions, as in "each finger is part of some hand"."""
    for child, blank, position in statements.anonymous:
        relation, parent = statements.property_of.get(blank), statements.filler_of.get(blank)
        if relation is None or parent is None or any(node.startswith("_:") for node in (child, relation, parent)):
            skipped[""] += 1
        elif not _names_of_property(relation, statements).isdisjoint(statements.relations):
            yield parent, child, position
        else:
            skipped[_title(relation, statements)] += 1


def _names_of_property(relation: str, statements: Statements) -> set[str]:
    """The names of a property: local name, with and without prefix, label, shorthand."""
    names = (statements.labels.get(relation, (0, ""))[1], statements.shorthands.get(relation, ""))
    return _written_names(relation, statements) | {normalized_relation(name) for name in names if name}


def _written_names(relation: str, statements: Statements) -> set[str]:
    """The local name of a property, with and without prefix; unlike a label, these are known at its first use."""
    local = local_name(relation)
    namespace = relation[: len(relation) - len(local)]
    prefixes = [prefix for prefix, known in statements.prefixes.items() if known == namespace]
    return {normalized_relation(local), *(normalized_relation(f"{prefix}:{local}") for prefix in prefixes)}


def _title(relation: str, statements: Statements) -> str:
    label = statements.shorthands.get(relation) or statements.labels.get(relation, (0, ""))[1]
    return label.replace(" ", "_") or local_name(relation)


def _check_relations(label: str, statements: Statements, skipped: Counter[str]) -> None:
    found = {IS_A}
    for relation in {*statements.direct, *statements.property_of.values()}:
        found |= _names_of_property(relation, statements)
    for name, given in statements.relations.items():
        if name not in found:
            titled = [node for node, (_, text) in statements.labels.items() if normalized_relation(text) == name]
            hint = f"if it is {short(titled[0])}, name that" if titled else _hint(skipped)
            raise InputError(f"{label}: has no relation {given!r}; {hint}")


def _hint(skipped: Counter[str]) -> str:
    available = [relation for relation, _ in skipped.most_common(6) if relation]
    if available:
        return f"it has {some(available)}, which {option('relations')} could name"
    return "is_a stands for rdfs:subClassOf, skos:broader and skos:narrower; name the properties that make the edges"


def _notes(statements: Statements, edges: Rows, names: dict[str, str], skipped: Counter[str]) -> Iterator[str]:
    deprecated = {node for node in statements.deprecated if node in statements.classes or node in statements.edges.rows}
    if deprecated:
        yield f"{plural(len(deprecated), 'deprecated node')} skipped"
    loops = int((edges[:, 0] == edges[:, 1]).sum())
    if loops:
        yield f"{plural(loops, 'edge')} from a node to itself skipped"
    if statements.equivalences:
        yield f"{plural(len(statements.equivalences), 'equivalence')} of two named classes not used"
    others = [f"{relation} {count:,}" for relation, count in skipped.most_common() if relation]
    if others:
        yield f"{plural(sum(skipped.values()) - skipped[''], 'other relation')} skipped ({some(others)})"
    if skipped[""]:
        yield f"{plural(skipped[''], 'statement')} about unnamed classes skipped"
    isolated = len(statements.classes - names.keys() - deprecated - TOP)
    if isolated:
        yield f"{isolated:,} class{'' if isolated == 1 else 'es'} without an edge left out"
    if not statements.classes:
        return
    undescribed = [
        name for node, name in names.items() if node not in statements.classes and node not in statements.labels
    ]
    if undescribed:
        examples = short(some(undescribed), 200)
        yield f"{plural(len(undescribed), 'node')} named but not described here, kept ({examples})"
