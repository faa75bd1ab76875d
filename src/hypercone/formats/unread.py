"""Formats that are recognized but not read: each is refused with the command that converts it."""

from __future__ import annotations

import re
import shlex

from hypercone.errors import InputError, visible
from hypercone.formats.source import Content

# By robot (robot.obolibrary.org), which goes by the extension of its output.
OWL = {
    ".ofn": "functional syntax",
    ".fss": "functional syntax",
    ".omn": "Manchester syntax",
    ".owx": "an XML of its own, not in RDF",
}
# By rdfpipe, which comes with rdflib, and the name that it has for each.
RDF = {".jsonld": ("JSON-LD", "json-ld"), ".trig": ("TriG", "trig"), ".n3": ("N3", "n3"), ".nq": ("N-Quads", "nquads")}
COMMENTS = rb"(?:\xef\xbb\xbf)?+\s*+(?:#[^\n]*+\n\s*+)*+"
FUNCTIONAL = re.compile(COMMENTS + rb"(?:Prefix|Ontology)\s*+\(")
MANCHESTER = re.compile(COMMENTS + rb"(?:Prefix|Ontology):\s")
# An ontology may have these extensions, or none, in any syntax.
ONTOLOGIES = {"", ".owl", ".rdf", ".ttl", ".obo"}


def refuse_unread(content: Content) -> None:
    """InputError with the command that converts the file, if it is in a format that is not read.

    >>> refuse_unread(Content("zoo.omn", ".omn", b"Ontology: <http://zoo>"))
    Traceback (most recent call last):
    hypercone.errors.InputError: zoo.omn: is OWL in Manchester syntax; convert it: robot convert -i zoo.omn -o zoo.owl
    """
    syntax = OWL.get(content.extension)
    if content.extension in ONTOLOGIES:
        if FUNCTIONAL.match(content.data):
            syntax = "functional syntax"
        elif MANCHESTER.match(content.data):
            syntax = "Manchester syntax"
    if syntax is not None:
        raise unread_owl(content.label, syntax)
    if content.extension in RDF:
        name, format = RDF[content.extension]
        file, stem = _file_and_stem(content.label)
        command = f"rdfpipe -i {format} -o turtle {shlex.quote(file)} > {shlex.quote(f'{stem}.ttl')}"
        raise InputError(f"{content.label}: is RDF in {name}; convert it: pip install rdflib && {command}")
    if content.extension == ".xls":
        raise InputError(f"{content.label}: is a workbook of an old Excel; save it as .xlsx")


def unread_owl(label: str, syntax: str, line: int | None = None) -> InputError:
    """The error for OWL in a syntax that is not read, with the command that converts it."""
    file, stem = _file_and_stem(label)
    output = f"{stem}-rdf.owl" if file.endswith(".owl") else f"{stem}.owl"
    place = label if line is None else f"{label}:{line}"
    return InputError(
        f"{place}: is OWL in {syntax}; convert it: robot convert -i {shlex.quote(file)} -o {shlex.quote(output)}"
    )


def _file_and_stem(label: str) -> tuple[str, str]:
    """The name of a file, and the same without its extension; for a stream, what it may be called."""
    is_file = not label.startswith(("the stream", "standard input"))
    name = visible(label, 200) if is_file else "ontology.owl"
    return name, re.sub(r"\.\w+$", "", re.sub(r"\.(gz|xz|zst)$", "", name))
