"""Readers, one file a format: each turns the content of a file into a Reading."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from hypercone.hierarchy.files import Content
from hypercone.hierarchy.readers.reading import Reading

__all__ = ["READERS", "Format", "Reading"]

Reader = Callable[..., Reading]


@dataclass(frozen=True)
class Format:
    """A file format: its extensions, what it is, the options its reader understands, and what may cause a cycle."""

    summary: str
    extensions: tuple[str, ...]
    options: tuple[str, ...] = ()
    cycle_hint: str = ""

    def reader(self, name: str) -> Reader:
        """The function ``read(content, **options)`` of the format's file."""
        module = importlib.import_module(f"hypercone.hierarchy.readers.{name.replace('-', '_')}")
        return cast(Reader, module.read)


# Where a word is all that identifies a node.
SAME_WORD = "the same word in two places is one node here; give one of them another name"

READERS = {
    "obo": Format("OBO ontology (Gene Ontology, HPO, …)", (".obo",), ("relations",)),
    "obographs": Format("OBO Graphs JSON", (".json",), ("relations",)),
    "rdfxml": Format("OWL or RDF in XML", (".owl", ".rdf"), ("relations",)),
    "turtle": Format("OWL, RDF or SKOS in Turtle", (".ttl",), ("relations",)),
    "ntriples": Format("OWL, RDF or SKOS in N-Triples", (".nt",), ("relations",)),
    "graphml": Format("GraphML", (".graphml",), ("direction",)),
    "paths": Format("a path a line, as in A > B > C", (".paths",), cycle_hint=SAME_WORD),
    "indented": Format("an outline: each level indented further", (".outline",), cycle_hint=SAME_WORD),
    "ncbi": Format("NCBI taxonomy, nodes.dmp with names.dmp beside it", (".dmp",)),
    "newick": Format("Newick tree", (".nwk", ".newick", ".tree", ".tre")),
    "wordnet": Format("WordNet data.noun", (".noun",)),
    "parquet": Format("Parquet table", (".parquet",), ("direction", "parent_column", "child_column")),
    "arrow": Format(
        "Arrow or Feather table", (".arrow", ".feather", ".ipc"), ("direction", "parent_column", "child_column")
    ),
}


def read_content(name: str, content: Content, **options: object) -> Reading:
    """What a file in this format says."""
    return READERS[name].reader(name)(content, **options)
