"""Reading a hierarchy from a file: the table of formats, and how the format of a file is determined."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hypercone.errors import InputError, option
from hypercone.formats.arrow import read_arrow, read_parquet
from hypercone.formats.dot import read_dot
from hypercone.formats.dumps import read_ncbi, read_wordnet
from hypercone.formats.graphml import read_graphml
from hypercone.formats.mermaid import read_mermaid
from hypercone.formats.nested import CHILDREN, read_json, read_yaml
from hypercone.formats.obo import read_obo
from hypercone.formats.obographs import read_obographs
from hypercone.formats.parsed import ParsedEdges, build_hierarchy, checked_on_cycle
from hypercone.formats.paths import find_mark, read_indented, read_paths
from hypercone.formats.rdfxml import read_rdfxml
from hypercone.formats.shapes import TABLE_OPTIONS, edges_of_table
from hypercone.formats.source import MARK, Content, Source, content_of
from hypercone.formats.spreadsheets import read_ods, read_xlsx
from hypercone.formats.tables import FORMATS as TABLES
from hypercone.formats.tables import format_by_separator, table_of
from hypercone.formats.trees import read_newick
from hypercone.formats.turtle import read_ntriples, read_turtle
from hypercone.formats.unread import refuse_unread
from hypercone.hierarchy.hierarchy import Hierarchy
from hypercone.hierarchy.relation_names import (
    DEFAULT_RELATIONS,
    checked_relations,
)


def read(
    source: Source,
    *,
    format: str | None = None,
    relations: Sequence[str] | None = None,
    on_cycle: str = "error",
    parent: str | int | None = None,
    child: str | int | None = None,
    label: str | int | None = None,
    direction: str | None = None,
    id: str | int | None = None,
    parent_separator: str | None = None,
    levels: str | Sequence[str | int] | None = None,
    fill_down: bool = False,
    sheet: str | int | None = None,
    merge_names: bool = False,
) -> Hierarchy:
    r"""Read a hierarchy from a file, a binary stream, or standard input (``-``), compressed or not.

    The format is determined by the extension, or by ``format``: tsv, csv, obo, obographs, rdfxml, turtle, ntriples,
    graphml, paths, indented, ncbi, newick, wordnet, parquet or arrow. ``relations`` are the relations of an ontology,
    of GraphML or of triples that count as edges, by name, id or address; only is_a if it is not given. A cycle is an
    error; with ``on_cycle="condense"`` the nodes of a cycle become one node, with "drop" the edges that close it are
    left out. The ``notes`` of the result say what was skipped or changed, and ``read_as`` how the file was understood.

    A table has a row per edge, a row per node or a column per level, as its header says. The direction of its edges is
    never guessed: the header names the columns ``parent`` and ``child``, or ``id`` and ``parent_id`` or the like; or
    the arguments ``parent`` and ``child`` or ``id`` give their names or numbers (from 1); or ``direction`` is
    "parent-child" or "child-parent" for two columns without a header. If columns are given by number, the first line is
    an edge unless it is a header. ``label`` is the column with the label of each child. With ``id``, a row without a
    parent is a root. ``parent_separator`` splits a cell with several parents; with "" a cell is always one name.
    ``levels`` are the columns of levels from the top down, and with ``fill_down`` an empty one means the same as in the
    row before.

    In paths, outlines and levels, a node is named by its id or its path, and ``merge_names`` makes equal words one
    node.

    >>> import io
    >>> pets = read(io.BytesIO(b"animal > dog > poodle\nanimal > cat\n"), format="paths")
    >>> pets.in_words()
    ['dog is an animal', 'poodle is a dog', 'cat is an animal']
    >>> table = io.BytesIO(b"is a,what,called\nanimal,Q144,dog\n")
    >>> read(table, parent="is a", child="what", label="called").in_words()
    ['dog is an animal']
    >>> nodes = read(io.BytesIO(b"id;name;parent_id\n1;animal;\n2;dog;1\n"))
    >>> nodes.read_as, nodes.in_words()
    ('id / name / parent_id', ['dog is an animal'])
    """
    on_cycle = checked_on_cycle(on_cycle)
    content = content_of(source)
    name = format_of(content, format)
    wanted = checked_relations(DEFAULT_RELATIONS if relations is None else relations)
    values = {
        "relations": None if relations is None else wanted,
        "parent": parent,
        "child": child,
        "id": id,
        "label": label,
        "direction": direction,
        "parent_separator": parent_separator,
        "levels": levels,
        "fill_down": fill_down,
        "sheet": sheet,
        "merge_names": merge_names,
    }
    given = {option_name: value for option_name, value in values.items() if value is not None and value is not False}
    check_options(content, name, given)
    parsed = read_content(name, content, **given)
    return build_hierarchy(parsed, on_cycle, SAME_WORD if merge_names else "", parsed.shape or name)


def read_names(source: Source, *, format: str | None = None, **columns: Any) -> ParsedEdges:
    """The pairs of a table as names, one pair per row; may be empty. The arguments are those of ``read``."""
    content = content_of(source)
    return edges_of_table(
        table_of(content, format), format or "tsv", may_be_empty=True, **{"parent_separator": "", **columns}
    )


__all__ = ["READERS", "Format", "ParsedEdges"]

Reader = Callable[..., ParsedEdges]


@dataclass(frozen=True)
class Format:
    """A file format: its reader, what it is, its extensions, and the options its reader takes."""

    reader: Reader
    summary: str
    extensions: tuple[str, ...]
    options: tuple[str, ...] = ()


# A hint on cycles of nodes that are identified by their text alone.
SAME_WORD = "the same word in two places is one node here; give one of them another name"

READERS = {
    "obo": Format(read_obo, "OBO ontology (Gene Ontology, HPO, …)", (".obo",), ("relations",)),
    "obographs": Format(read_obographs, "OBO Graphs JSON", (".json",), ("relations",)),
    "json": Format(read_json, "nested JSON: nodes with children, or records with parents", (), TABLE_OPTIONS),
    "yaml": Format(read_yaml, "nested YAML, as an outline or with children", (".yaml", ".yml"), TABLE_OPTIONS),
    "rdfxml": Format(read_rdfxml, "OWL or RDF in XML", (".owl", ".rdf"), ("relations",)),
    "turtle": Format(read_turtle, "OWL, RDF or SKOS in Turtle", (".ttl",), ("relations",)),
    "ntriples": Format(read_ntriples, "OWL, RDF or SKOS in N-Triples", (".nt",), ("relations",)),
    "graphml": Format(read_graphml, "GraphML", (".graphml",), ("direction", "relations")),
    "dot": Format(read_dot, "DOT (Graphviz)", (".dot", ".gv"), ("direction", "relations")),
    "mermaid": Format(read_mermaid, "Mermaid flowchart", (".mmd", ".mermaid"), ("direction", "relations")),
    "paths": Format(read_paths, "one path per line, as in A > B > C", (".paths",), ("merge_names",)),
    "indented": Format(read_indented, "an outline: each level indented further", (".outline",), ("merge_names",)),
    "ncbi": Format(read_ncbi, "NCBI taxonomy, nodes.dmp with names.dmp beside it", (".dmp",)),
    "newick": Format(read_newick, "Newick tree", (".nwk", ".newick", ".tree", ".tre")),
    "wordnet": Format(read_wordnet, "WordNet data.noun", (".noun",)),
    "parquet": Format(read_parquet, "Parquet table", (".parquet",), TABLE_OPTIONS),
    "xlsx": Format(read_xlsx, "Excel workbook", (".xlsx", ".xlsm"), (*TABLE_OPTIONS, "sheet")),
    "ods": Format(read_ods, "LibreOffice workbook", (".ods",), (*TABLE_OPTIONS, "sheet")),
    "arrow": Format(
        read_arrow,
        "Arrow or Feather table",
        (".arrow", ".feather", ".ipc"),
        TABLE_OPTIONS,
    ),
}


def read_content(name: str, content: Content, **options: Any) -> ParsedEdges:
    """The edges of a file in this format."""
    if name in READERS:
        return READERS[name].reader(content, **options)
    return edges_of_table(table_of(content, name, has_levels="levels" in options), name, **options)


EXTENSIONS = TABLES | {ending: name for name, format in READERS.items() for ending in format.extensions}
NAMES = ("tsv", "csv", *READERS)
# How much of a .txt file is examined to decide between outline, paths and table.
SNIFFED_BYTES = 2**16
OBOGRAPHS_KEY = re.compile(rb'"graphs"\s*+:')
CHILDREN_KEY = re.compile(rb'"(?:%s)"\s*+:\s*+[\[{]' % "|".join(CHILDREN).encode())


def format_of(content: Content, format: str | None = None) -> str:
    r"""The name of the format; InputError with all names if it cannot be determined.

    >>> format_of(Content("go.obo.gz", ".obo", b"")), format_of(Content("a.txt", ".txt", b"animal\n  dog\n"))
    ('obo', 'indented')
    """
    if format is not None:
        if format not in NAMES:
            raise InputError(f"{option('format')} is {format!r}, but must be one of {', '.join(NAMES)}")
        return format
    refuse_unread(content)
    if content.extension == ".txt":
        return _plain_text(content.data)
    if content.extension == ".json":
        return _json_format(content.data)
    if content.extension in EXTENSIONS:
        return EXTENSIONS[content.extension]
    first = content.data[:SNIFFED_BYTES].split(b"\n", 1)[0]
    kind = format_by_separator(first.decode("utf-8", "replace"))
    if kind is not None:
        return kind
    if not content.data.strip():
        raise InputError(f"{content.label}: is empty; it should hold a hierarchy")
    raise InputError(
        f"{content.label}: the format cannot be inferred from its name or first line; say which it is with "
        f"{option('format')}: {', '.join(NAMES)}"
    )


def check_options(content: Content, name: str, given: Iterable[str]) -> None:
    """InputError for an option that does not apply to this format."""
    accepted = READERS[name].options if name in READERS else TABLE_OPTIONS
    for option_name in given:
        if option_name not in accepted:
            raise InputError(
                f"{content.label}: {option(option_name)} does not apply to the format {name}; leave it out"
            )


def _json_format(data: bytes) -> str:
    """Whether JSON is a nested tree or a list of records, or else OBO Graphs, by its beginning and its keys."""
    if data.removeprefix(MARK).lstrip()[:1] == b"[":
        return "json"
    is_ontology = OBOGRAPHS_KEY.search(data[:SNIFFED_BYTES])
    return "json" if not is_ontology and CHILDREN_KEY.search(data) else "obographs"


def _plain_text(data: bytes) -> str:
    lines = data[:SNIFFED_BYTES].removeprefix(b"\xef\xbb\xbf").splitlines()
    if not lines or b"\t" in lines[0].strip():
        return "tsv"
    if any(b" > " in line for line in lines):
        return "paths"
    if any(line[:1] in (b" ", b"\t") and line.strip() for line in lines):
        return "indented"
    texts = [line.decode("utf-8", "replace").strip() for line in lines if line.strip() and line[:1] != b"#"]
    mark = find_mark(texts).strip()
    return "paths" if 2 * sum(mark in text for text in texts) >= len(texts) > 1 else "tsv"
