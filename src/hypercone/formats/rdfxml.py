"""OWL and RDF in XML, statement by statement, so that an ontology of any size fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hypercone.errors import InputError, option, visible
from hypercone.formats.graphml import XmlEvents
from hypercone.formats.parsed import ParsedEdges
from hypercone.formats.rdf import OWL, RDF, RDF_TYPE, Statements, reading_of, resolved, too_long
from hypercone.formats.source import Content

XML = "http://www.w3.org/XML/1998/namespace"
ABOUT, ID, NODE_ID, RESOURCE, PARSE_TYPE = (RDF + name for name in ("about", "ID", "nodeID", "resource", "parseType"))
SYNTAX = {ABOUT, ID, NODE_ID, RESOURCE, PARSE_TYPE, RDF + "datatype", XML + "lang", XML + "base"}
HARMLESS = {RDF + "datatype", RESOURCE}
DESCRIPTION = RDF + "Description"


def read_rdfxml(content: Content, *, relations: Sequence[str] = ("is_a",)) -> ParsedEdges:
    """The hierarchy of rdfs:subClassOf and skos:broader statements, and of the properties that ``relations`` name.

    >>> rdf = b'''<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    ...     xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns="http://a/#">
    ...   <rdfs:Class rdf:about="http://a/#dog"><rdfs:subClassOf rdf:resource="http://a/#animal"/></rdfs:Class>
    ... </rdf:RDF>'''
    >>> read_rdfxml(Content("a.owl", ".owl", rdf)).children
    ['dog']
    """
    beginning = content.data[:1000].strip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")
    if beginning and not beginning.startswith(b"<"):
        raise InputError(
            f"{content.label}: is not XML; if it is Turtle or OBO, say {option('format', 'turtle', 'obo')}"
        )
    statements = Statements(relations)
    document = _Document(content, statements)
    document.events.run()
    return reading_of(content.label, statements, document.events.prefixes)


class _Place(NamedTuple):
    """Where in the document we are: about to read nodes, the properties of a node, or nothing of interest."""

    expects: str
    subject: str = ""
    predicate: str = ""
    base: str = ""
    language: str = ""


class _Document:
    """Turns the elements, which take turns as nodes and properties, into statements."""

    def __init__(self, content: Content, statements: Statements) -> None:
        self.statements = statements
        self.links, self.texts = statements.links, statements.texts
        self.events = XmlEvents(content, self.start, self.end)
        self.places = [_Place("root")]
        self.written: list[str] = []
        self.inside = self.places[0]
        self.remarks: set[str] = set()
        self.blanks = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        place = self.places[-1]
        # Most elements of an ontology are remarks on a class, so that what is done for these makes the speed.
        if place.expects == "properties" and name in self.remarks and attributes.keys() <= HARMLESS:
            self.places.append(
                self.inside if place.base is self.inside.base else place._replace(expects="nodes", subject="")
            )
            return
        if XML + "base" in attributes or XML + "lang" in attributes:
            place = place._replace(
                base=resolved(place.base, attributes.get(XML + "base", ""))
                if XML + "base" in attributes
                else place.base,
                language=attributes.get(XML + "lang", place.language),
            )
            if problem := too_long(place.base):
                raise self.events.error(problem)
        if place.expects == "properties":
            self._property(place, name, attributes)
        elif place.expects == "nodes":
            self._node(place, name, attributes)
        elif place.expects == "root":
            self._root(place, name)
        else:
            self.places.append(place)

    def end(self, _name: str) -> None:
        place = self.places.pop()
        if place.predicate and place.predicate in self.texts and place.expects == "nodes":
            self.events.hear(None)
            text = "".join(self.written)
            self.written = []
            if self.places[-1].expects == "properties":
                self.texts[place.predicate](place.subject, text, place.language)

    def _root(self, place: _Place, name: str) -> None:
        if name == OWL + "Ontology":
            raise self.events.error("is OWL in its own XML, not in RDF; save it as RDF/XML, Turtle or OBO")
        if name != RDF + "RDF":
            raise self.events.error(
                f"begins with <{visible(name)}>, not with <rdf:RDF>; name the format if it is another"
            )
        self.inside = place._replace(expects="nodes")
        self.places.append(self.inside)

    def _node(self, place: _Place, name: str, attributes: dict[str, str]) -> None:
        node = self._identity(place, attributes)
        if place.predicate:
            self._link(place.subject, place.predicate, node)
        if name != DESCRIPTION:
            self._link(node, RDF_TYPE, name)
        if len(attributes) > 1:
            self._texts(node, attributes, place)
        self.places.append(_Place("properties", node, "", place.base, place.language))

    def _property(self, place: _Place, name: str, attributes: dict[str, str]) -> None:
        kind = attributes.get(PARSE_TYPE)
        if kind is not None:
            self._parsed_otherwise(place, name, kind)
        elif RESOURCE in attributes or NODE_ID in attributes:
            node = resolved(place.base, attributes[RESOURCE]) if RESOURCE in attributes else self._blank(attributes)
            self._link(place.subject, name, node)
            if len(attributes) > 1:
                self._texts(node, attributes, place)
            self.places.append(place._replace(expects="nothing"))
        else:
            if name in self.texts:
                self.written = []
                self.events.hear(self.written.append)
            elif not self.links[name]:
                self.remarks.add(name)
            self.places.append(_Place("nodes", place.subject, name, place.base, place.language))

    def _parsed_otherwise(self, place: _Place, name: str, kind: str) -> None:
        if kind == "Resource":
            node = self._blank({})
            self._link(place.subject, name, node)
            self.places.append(place._replace(subject=node))
        elif kind == "Collection":
            self._link(place.subject, name, self._blank({}))
            self.places.append(place._replace(expects="nodes", predicate=""))
        else:
            self.places.append(place._replace(expects="nothing"))

    def _identity(self, place: _Place, attributes: dict[str, str]) -> str:
        if ABOUT in attributes:
            return resolved(place.base, attributes[ABOUT])
        if ID in attributes:
            return resolved(place.base, "#" + attributes[ID])
        return self._blank(attributes)

    def _blank(self, attributes: dict[str, str]) -> str:
        if NODE_ID in attributes:
            return "_:" + attributes[NODE_ID]
        self.blanks += 1
        # A space keeps it apart from the names that a file may give.
        return f"_: {self.blanks}"

    def _link(self, subject: str, predicate: str, node: str) -> None:
        link = self.links[predicate]
        if link:
            link(subject, node, self.events.line)

    def _texts(self, node: str, attributes: dict[str, str], place: _Place) -> None:
        # In the order of the file: of two labels the first counts, whatever the order of a set is today.
        for name in attributes:
            if name in SYNTAX:
                continue
            if name == RDF_TYPE:
                self._link(node, name, resolved(place.base, attributes[name]))
            elif name in self.texts:
                self.texts[name](node, attributes[name], place.language)
