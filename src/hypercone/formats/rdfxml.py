"""OWL and RDF in XML, read as a stream of statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hypercone.errors import InputError, option, visible
from hypercone.formats.graphml import XmlEvents
from hypercone.formats.parsed import ParsedEdges
from hypercone.formats.rdf import OWL, RDF, RDF_TYPE, Statements, edges_from_statements, problem_with_base, resolve_iri
from hypercone.formats.source import Content
from hypercone.formats.unread import unread_owl

XML = "http://www.w3.org/XML/1998/namespace"
ABOUT, ID, NODE_ID, RESOURCE, PARSE_TYPE = (RDF + name for name in ("about", "ID", "nodeID", "resource", "parseType"))
SYNTAX = {ABOUT, ID, NODE_ID, RESOURCE, PARSE_TYPE, RDF + "datatype", XML + "lang", XML + "base"}
IGNORED_ATTRIBUTES = {RDF + "datatype", RESOURCE}
DESCRIPTION = RDF + "Description"


def read_rdfxml(content: Content, *, relations: Sequence[str] = ("is_a",)) -> ParsedEdges:
    """The edges of rdfs:subClassOf and skos:broader statements, and of the properties in ``relations``.

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
    parser = _RdfXmlParser(content, statements)
    parser.events.run()
    return edges_from_statements(content.label, statements, parser.events.prefixes)


class _Context(NamedTuple):
    """The position in the document: expecting nodes, the properties of a node, or nothing relevant."""

    expects: str
    subject: str = ""
    predicate: str = ""
    base: str = ""
    language: str = ""


class _RdfXmlParser:
    """Turns the elements, alternately nodes and properties, into statements."""

    def __init__(self, content: Content, statements: Statements) -> None:
        self.statements = statements
        self.links, self.texts = statements.links, statements.texts
        self.events = XmlEvents(content, self.start, self.end)
        statements.prefixes = self.events.prefixes
        self.contexts = [_Context("root")]
        self.text_parts: list[str] = []
        self.inside = self.contexts[0]
        self.ignored_properties: set[str] = set()
        self.blanks = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        context = self.contexts[-1]
        # A fast path for annotations that are ignored, which are most elements of an ontology.
        if (
            context.expects == "properties"
            and name in self.ignored_properties
            and attributes.keys() <= IGNORED_ATTRIBUTES
        ):
            self.contexts.append(
                self.inside if context.base is self.inside.base else context._replace(expects="nodes", subject="")
            )
            return
        if XML + "base" in attributes or XML + "lang" in attributes:
            context = context._replace(
                base=resolve_iri(context.base, attributes.get(XML + "base", ""))
                if XML + "base" in attributes
                else context.base,
                language=attributes.get(XML + "lang", context.language),
            )
            if problem := problem_with_base(context.base):
                raise self.events.error(problem)
        if context.expects == "properties":
            self._property(context, name, attributes)
        elif context.expects == "nodes":
            self._node(context, name, attributes)
        elif context.expects == "root":
            self._root(context, name)
        else:
            self.contexts.append(context)

    def end(self, _name: str) -> None:
        context = self.contexts.pop()
        if context.predicate and context.predicate in self.texts and context.expects == "nodes":
            self.events.capture_text(None)
            text = "".join(self.text_parts)
            self.text_parts = []
            if self.contexts[-1].expects == "properties":
                self.texts[context.predicate](context.subject, text, context.language)

    def _root(self, context: _Context, name: str) -> None:
        if name == OWL + "Ontology":
            raise unread_owl(self.events.content.label, "an XML of its own, not in RDF", self.events.line)
        if name != RDF + "RDF":
            raise self.events.error(
                f"begins with <{visible(name)}>, not with <rdf:RDF>; name the format if it is another"
            )
        self.inside = context._replace(expects="nodes")
        self.contexts.append(self.inside)

    def _node(self, context: _Context, name: str, attributes: dict[str, str]) -> None:
        node = self._identity(context, attributes)
        if context.predicate:
            self._link(context.subject, context.predicate, node)
        if name != DESCRIPTION:
            self._link(node, RDF_TYPE, name)
        if len(attributes) > 1:
            self._text_attributes(node, attributes, context)
        self.contexts.append(_Context("properties", node, "", context.base, context.language))

    def _property(self, context: _Context, name: str, attributes: dict[str, str]) -> None:
        kind = attributes.get(PARSE_TYPE)
        if kind is not None:
            self._property_with_parse_type(context, name, kind)
        elif RESOURCE in attributes or NODE_ID in attributes:
            node = (
                resolve_iri(context.base, attributes[RESOURCE]) if RESOURCE in attributes else self._blank(attributes)
            )
            self._link(context.subject, name, node)
            if len(attributes) > 1:
                self._text_attributes(node, attributes, context)
            self.contexts.append(context._replace(expects="nothing"))
        else:
            if name in self.texts:
                self.text_parts = []
                self.events.capture_text(self.text_parts.append)
            elif not self.links[name]:
                self.ignored_properties.add(name)
            self.contexts.append(_Context("nodes", context.subject, name, context.base, context.language))

    def _property_with_parse_type(self, context: _Context, name: str, kind: str) -> None:
        if kind == "Resource":
            node = self._blank({})
            self._link(context.subject, name, node)
            self.contexts.append(context._replace(subject=node))
        elif kind == "Collection":
            self._link(context.subject, name, self._blank({}))
            self.contexts.append(context._replace(expects="nodes", predicate=""))
        else:
            self.contexts.append(context._replace(expects="nothing"))

    def _identity(self, context: _Context, attributes: dict[str, str]) -> str:
        if ABOUT in attributes:
            return resolve_iri(context.base, attributes[ABOUT])
        if ID in attributes:
            return resolve_iri(context.base, "#" + attributes[ID])
        return self._blank(attributes)

    def _blank(self, attributes: dict[str, str]) -> str:
        if NODE_ID in attributes:
            return "_:" + attributes[NODE_ID]
        self.blanks += 1
        # With a space, which names in a file cannot contain.
        return f"_: {self.blanks}"

    def _link(self, subject: str, predicate: str, node: str) -> None:
        link = self.links[predicate]
        if link:
            link(subject, node, self.events.line)

    def _text_attributes(self, node: str, attributes: dict[str, str], context: _Context) -> None:
        # In the order of the file, because the first of two labels counts.
        for name in attributes:
            if name in SYNTAX:
                continue
            if name == RDF_TYPE:
                self._link(node, name, resolve_iri(context.base, attributes[name]))
            elif name in self.texts:
                self.texts[name](node, attributes[name], context.language)
