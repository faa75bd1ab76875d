"""Reading a hierarchy from a file: the table of formats, and how the format of a file is determined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypercone._system import paused_garbage_collection
from hypercone.errors import InputError, option
from hypercone.formats.arrow import read_arrow, read_parquet
from hypercone.formats.dumps import read_ncbi, read_wordnet
from hypercone.formats.graphml import read_graphml
from hypercone.formats.obo import read_obo
from hypercone.formats.obographs import read_obographs
from hypercone.formats.parsed import ParsedEdges, build_hierarchy, checked_on_cycle, first_labels
from hypercone.formats.rdfxml import read_rdfxml
from hypercone.formats.source import Content, Source, content_of
from hypercone.formats.tables import FORMATS as TABLES
from hypercone.formats.tables import Columns, Table, columns_of, table_of
from hypercone.formats.trees import read_indented, read_newick, read_paths
from hypercone.formats.turtle import read_ntriples, read_turtle
from hypercone.hierarchy.hierarchy import Hierarchy
from hypercone.hierarchy.relation_names import (
    DEFAULT_RELATIONS,
    checked_relations,
    first_other_relation,
    is_relation_key,
    refused_relation,
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
    merge_names: bool = False,
) -> Hierarchy:
    r"""Read a hierarchy from a file, a binary stream, or standard input (``-``), compressed or not.

    The format is determined by the extension, or by ``format``: tsv, csv, obo, obographs, rdfxml, turtle, ntriples,
    graphml, paths, indented, ncbi, newick, wordnet, parquet or arrow. ``relations`` are the relations of an ontology or
    of GraphML that count as edges, by name, id or address; only is_a if it is not given. A cycle is an error; with
    ``on_cycle="condense"`` the nodes of a cycle become one node, with "drop" the edges that close it are left out. The
    ``notes`` of the result say what was skipped or changed.

    The direction of the edges of a table is never guessed: either its header names the columns ``parent`` and
    ``child``, or the arguments ``parent`` and ``child`` give their names or numbers (from 1), or ``direction`` is
    "parent-child" or "child-parent" for two columns without a header. If columns are given by number, the first line is
    an edge unless it is a header. ``label`` is the column with the label of each child.

    In paths and outlines, a node is named by its id or its path, and ``merge_names`` makes equal words one node.

    >>> import io
    >>> pets = read(io.BytesIO(b"animal > dog > poodle\nanimal > cat\n"), format="paths")
    >>> pets.in_words()
    ['dog is an animal', 'poodle is a dog', 'cat is an animal']
    >>> table = io.BytesIO(b"is a,what,called\nanimal,Q144,dog\n")
    >>> read(table, parent="is a", child="what", label="called").in_words()
    ['dog is an animal']
    """
    on_cycle = checked_on_cycle(on_cycle)
    content = content_of(source)
    name = format_of(content, format)
    wanted = checked_relations(DEFAULT_RELATIONS if relations is None else relations)
    columns: dict[str, Any] = {"parent": parent, "child": child, "label": label, "direction": direction}
    given = {
        "relations": relations,
        "merge_names": merge_names or None,
        **columns,
    }
    check_options(content, name, given)
    with paused_garbage_collection():
        if name not in READERS:
            parsed = _table_edges(content, name, **columns)
        else:
            options = {"relations": wanted, "merge_names": merge_names, **columns}
            parsed = read_content(name, content, **{known: options[known] for known in READERS[name].options})
        # The text is not needed any more, and may be large.
        del content
        return build_hierarchy(parsed, on_cycle, SAME_WORD if merge_names else "")


def read_names(source: Source, *, format: str | None = None, **columns: Any) -> ParsedEdges:
    """The pairs of a table as names; may be empty. The arguments are those of ``read``."""
    return _table_edges(content_of(source), format, may_be_empty=True, **columns)


def _table_edges(content: Content, format: str | None, *, may_be_empty: bool = False, **given: Any) -> ParsedEdges:
    table = table_of(content, format)
    columns = columns_of(table, **given)
    if columns.start == len(table) and not may_be_empty:
        raise InputError(f"{table.label}: has a header but no edges; add one per line, a parent and a child")
    parents, children = (table.column(index, columns.start) for index in (columns.parent, columns.child))
    for column, role in ((parents, "parent"), (children, "child")):
        if "" in column:
            raise table.error(
                columns.start + column.index(""), f"the {role} is empty; give it a name or remove the line"
            )
    _check_relations(table, columns)
    labels = [] if columns.label is None else table.column(columns.label, columns.start)
    return ParsedEdges(table.label, parents, children, table.lines[columns.start :], first_labels(children, labels))


def _check_relations(table: Table, columns: Columns) -> None:
    """InputError with the line of a relation other than is_a, if the header names a column of relations."""
    for index, name in enumerate(table.first if columns.start else ()):
        if is_relation_key(name) and index not in (columns.parent, columns.child, columns.label):
            relations = table.column(index, columns.start)
            other = first_other_relation(relations)
            if other is not None:
                raise table.error(columns.start + other, refused_relation(relations[other], name, "line"))


__all__ = ["READERS", "Format", "ParsedEdges"]

Reader = Callable[..., ParsedEdges]


@dataclass(frozen=True)
class Format:
    """A file format: its reader, what it is, its extensions, and the options its reader takes."""

    reader: Reader
    summary: str
    extensions: tuple[str, ...]
    options: tuple[str, ...] = ()


TABLE_OPTIONS = ("parent", "child", "label", "direction")
# A hint on cycles of nodes that are identified by their text alone.
SAME_WORD = "the same word in two places is one node here; give one of them another name"

READERS = {
    "obo": Format(read_obo, "OBO ontology (Gene Ontology, HPO, …)", (".obo",), ("relations",)),
    "obographs": Format(read_obographs, "OBO Graphs JSON", (".json",), ("relations",)),
    "rdfxml": Format(read_rdfxml, "OWL or RDF in XML", (".owl", ".rdf"), ("relations",)),
    "turtle": Format(read_turtle, "OWL, RDF or SKOS in Turtle", (".ttl",), ("relations",)),
    "ntriples": Format(read_ntriples, "OWL, RDF or SKOS in N-Triples", (".nt",), ("relations",)),
    "graphml": Format(read_graphml, "GraphML", (".graphml",), ("direction", "relations")),
    "paths": Format(read_paths, "one path per line, as in A > B > C", (".paths",), ("merge_names",)),
    "indented": Format(read_indented, "an outline: each level indented further", (".outline",), ("merge_names",)),
    "ncbi": Format(read_ncbi, "NCBI taxonomy, nodes.dmp with names.dmp beside it", (".dmp",)),
    "newick": Format(read_newick, "Newick tree", (".nwk", ".newick", ".tree", ".tre")),
    "wordnet": Format(read_wordnet, "WordNet data.noun", (".noun",)),
    "parquet": Format(read_parquet, "Parquet table", (".parquet",), TABLE_OPTIONS),
    "arrow": Format(
        read_arrow,
        "Arrow or Feather table",
        (".arrow", ".feather", ".ipc"),
        TABLE_OPTIONS,
    ),
}


def read_content(name: str, content: Content, **options: object) -> ParsedEdges:
    """The edges of a file in this format."""
    return READERS[name].reader(content, **options)


EXTENSIONS = TABLES | {ending: name for name, format in READERS.items() for ending in format.extensions}
NAMES = ("tsv", "csv", *READERS)
# How much of a .txt file is examined to decide between outline, paths and table.
SNIFFED_BYTES = 2**16


def format_of(content: Content, format: str | None = None) -> str:
    r"""The name of the format; InputError with all names if it cannot be determined.

    >>> format_of(Content("go.obo.gz", ".obo", b"")), format_of(Content("a.txt", ".txt", b"animal\n  dog\n"))
    ('obo', 'indented')
    """
    if format is not None:
        if format not in NAMES:
            raise InputError(f"{option('format')} is {format!r}, but must be one of {', '.join(NAMES)}")
        return format
    if content.extension == ".txt":
        return _plain_text(content.data)
    if content.extension in EXTENSIONS:
        return EXTENSIONS[content.extension]
    first = content.data[:SNIFFED_BYTES].split(b"\n", 1)[0]
    for mark, name in ((b"\t", "tsv"), (b",", "csv")):
        if mark in first:
            return name
    if not content.data.strip():
        raise InputError(f"{content.label}: is empty; it should hold a hierarchy")
    raise InputError(
        f"{content.label}: the format cannot be inferred from its name or first line; say which it is with "
        f"{option('format')}: {', '.join(NAMES)}"
    )


def check_options(content: Content, name: str, given: Mapping[str, object]) -> None:
    """InputError for an option that does not apply to this format."""
    accepted = READERS[name].options if name in READERS else TABLE_OPTIONS
    for option_name, value in given.items():
        if value is not None and option_name not in accepted:
            raise InputError(
                f"{content.label}: {option(option_name)} does not apply to the format {name}; leave it out"
            )


def _plain_text(data: bytes) -> str:
    lines = data[:SNIFFED_BYTES].removeprefix(b"\xef\xbb\xbf").splitlines()
    if not lines or b"\t" in lines[0].strip():
        return "tsv"
    if any(b" > " in line for line in lines):
        return "paths"
    if any(line[:1] in (b" ", b"\t") and line.strip() for line in lines):
        return "indented"
    return "tsv"
