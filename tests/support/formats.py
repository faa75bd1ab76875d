"""One small hierarchy in every format, and how each format can be broken; compression; the files of a tiny WordNet.

A new format adds a row to SAMPLES. The hierarchy is always that of ANIMALS, with a letter beyond ASCII, so that a wrong
encoding is noticed.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pyarrow
import zstandard
from pyarrow import feather, parquet

from hypercone._arrays import Rows
from hypercone.formats import read
from hypercone.formats.parsed import ParsedEdges
from hypercone.formats.registry import READERS
from hypercone.formats.source import Content
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.split import Split

Edges = list[tuple[str, str]]
Labels = dict[str, str]

ANIMALS = [("animal", "dog"), ("animal", "Löwe"), ("dog", "poodle")]
LABELS = {"animal": "Tier", "dog": "a dog", "Löwe": "König", "poodle": "poodle, toy"}
DOWN = {"direction": "parent-child"}

COMPRESS = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstandard.compress}


def read_text(text: str | bytes, **options: object) -> Hierarchy:
    """The hierarchy in a stream with this text."""
    return read(io.BytesIO(text if isinstance(text, bytes) else text.encode()), **options)


def parse(kind: str, data: str | bytes, **options: object) -> ParsedEdges:
    """What the reader of a format finds in a file named zoo.file."""
    content = Content("zoo.file", "", data if isinstance(data, bytes) else data.encode())
    return READERS[kind].reader(content, **options)


def pairs_of(parsed: ParsedEdges) -> Edges:
    return list(zip(parsed.parents, parsed.children, strict=True))


@dataclass(frozen=True)
class Sample:
    """The name of a file, how to write edges (and labels, if the format has them), and how to break the format.

    ``cut`` is the number of bytes to remove from the end so that the format notices. ``is_tree``: nodes have at most
    one parent. ``name_of`` makes the name that is read from a node's name and number. ``sibling_files`` are written
    beside the file. ``options`` are required.
    """

    file: str
    write: Callable[[Edges, Labels], str | bytes]
    has_labels: bool = False
    cut: int | None = 1
    may_be_cyclic: bool = True
    encodings: tuple[str, ...] = ("latin-1", "utf-16", "utf-16-le")
    is_tree: bool = False
    name_of: Callable[[str, int], str] = lambda name, number: name
    sibling_files: Callable[[Edges, Labels], dict[str, str]] = field(default=lambda edges, labels: {})
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def flags(self) -> list[str]:
        """The required options as arguments of the command line."""
        flags = [(f"--{name.replace('_', '-')}", value) for name, value in self.options.items()]
        return [word for flag, value in flags for word in ([flag] if value is True else [flag, value])]

    def content(self, edges: Edges = ANIMALS, labels: Labels = LABELS) -> bytes:
        """The content of a file with these edges."""
        text = self.write(edges, labels)
        return text if isinstance(text, bytes) else text.encode()


def arrays_of(split: Split) -> list[Rows]:
    parts = split.validation, split.test
    return [split.train, *(pairs for part in parts for pairs in (part.positives, part.negatives))]


def nodes_of(edges: Edges) -> list[str]:
    return list(dict.fromkeys(name for edge in edges for name in edge))


def parents_of(edges: Edges) -> dict[str, list[str]]:
    above: dict[str, list[str]] = {name: [] for name in nodes_of(edges)}
    for parent, child in edges:
        above[child].append(parent)
    return above


def children_of(edges: Edges) -> dict[str, list[str]]:
    return parents_of([(child, parent) for parent, child in edges])


def as_table(mark: str) -> Callable[[Edges, Labels], str]:
    return lambda edges, _: "".join(f"{parent}{mark}{child}\n" for parent, child in [("parent", "child"), *edges])


def as_obo(edges: Edges, labels: Labels) -> str:
    stanzas = ["format-version: 1.4\n"]
    for name, above in parents_of(edges).items():
        lines = [f"id: {name}", f"name: {labels.get(name, '')}", 'def: "[Term] is_a: nothing" []']
        stanzas.append("\n".join(["[Term]", *lines, *(f"is_a: {parent} ! above" for parent in above)]) + "\n")
    return "\n".join(stanzas)


def as_obographs(edges: Edges, labels: Labels) -> str:
    nodes = [{"id": name, "lbl": labels.get(name, ""), "type": "CLASS"} for name in nodes_of(edges)]
    statements = [{"sub": child, "pred": "is_a", "obj": parent} for parent, child in edges]
    return json.dumps({"graphs": [{"id": "x", "nodes": nodes, "edges": statements}]}, ensure_ascii=False)


def as_outline(edges: Edges, _: Labels) -> str:
    below, lines = children_of(edges), []

    def add(name: str, depth: int) -> None:
        lines.append("  " * depth + name)
        for child in below[name] if depth < 20 else []:
            add(child, depth + 1)

    for name, above in parents_of(edges).items():
        if not above or name == edges[0][0]:
            add(name, 0)
    return "\n".join(lines) + "\n"


def as_newick(edges: Edges, _: Labels) -> str:
    below = children_of(edges)

    def written(name: str) -> str:
        inside = ",".join(map(written, below[name]))
        return (f"({inside})" if inside else "") + "'" + name.replace("'", "''") + "':1.5"

    return "\n".join(written(name) + ";" for name, above in parents_of(edges).items() if not above) + "\n"


def numbers_of(edges: Edges) -> dict[str, int]:
    return {name: number for number, name in enumerate(nodes_of(edges), 1)}


def as_nodes_dmp(edges: Edges, _: Labels) -> str:
    number = numbers_of(edges)
    lines = [f"{number[parent]}\t|\t{number[parent]}\t|\tno rank\t|\n" for parent, _ in edges[:1]]
    return "".join(lines + [f"{number[child]}\t|\t{number[parent]}\t|\tlöwe\t|\n" for parent, child in edges])


def as_names_dmp(edges: Edges, labels: Labels) -> dict[str, str]:
    lines = [
        f"{number}\t|\t{labels.get(name, '')}\t|\t\t|\tscientific name\t|\n{number}\t|\tother\t|\t\t|\tsynonym\t|\n"
        for name, number in numbers_of(edges).items()
    ]
    return {"names.dmp": "".join(lines)}


def as_data_noun(edges: Edges, _: Labels) -> str:
    number = numbers_of(edges)
    lines = ["  1 The license is indented.\n"]
    for name, above in parents_of(edges).items():
        pointers = " ".join(f"@ {number[parent]:08d} n 0000" for parent in above)
        lines.append(f"{number[name]:08d} 03 n 02 {name} 0 wörd 0 {len(above):03d} {pointers} | a gloss | of it\n")
    return "".join(lines)


def as_index_noun(edges: Edges, _: Labels) -> dict[str, str]:
    lines = [f"{name.lower()} n 1 1 @ 1 0 {number:08d}\n" for name, number in numbers_of(edges).items()]
    return {"index.noun": "  1 The license is indented.\n" + "".join(lines)}


def as_turtle(edges: Edges, labels: Labels) -> str:
    lines = ["@prefix : <http://a/#> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"]
    for name, above in parents_of(edges).items():
        parents = "".join(f"rdfs:subClassOf :{parent} ; " for parent in above)
        lines.append(f':{name} a rdfs:Class ; {parents}rdfs:label "{labels.get(name, "")}" .\n')
    return "".join(lines)


def as_ntriples(edges: Edges, labels: Labels) -> str:
    rdfs = "http://www.w3.org/2000/01/rdf-schema#"
    lines = [f"<http://a/#{child}> <{rdfs}subClassOf> <http://a/#{parent}> .\n" for parent, child in edges]
    return "".join(lines + [f'<http://a/#{n}> <{rdfs}label> "{labels.get(n, "")}" .\n' for n in nodes_of(edges)])


def as_rdfxml(edges: Edges, labels: Labels) -> str:
    w3 = "http://www.w3.org/"
    lines = [f'<r:RDF xmlns:r="{w3}1999/02/22-rdf-syntax-ns#" xmlns="http://a/#" xmlns:s="{w3}2000/01/rdf-schema#">\n']
    for name, above in parents_of(edges).items():
        parents = "".join(f'<s:subClassOf r:resource="http://a/#{parent}"/>' for parent in above)
        label = labels.get(name, "")
        lines.append(f'<s:Class r:about="http://a/#{name}">{parents}<s:label>{label}</s:label></s:Class>\n')
    return "".join(lines) + "</r:RDF>\n"


def as_graphml(edges: Edges, labels: Labels) -> str:
    nodes = [f'<node id="{name}"><data key="k">{labels.get(name, "")}</data></node>\n' for name in nodes_of(edges)]
    arrows = [f'<edge source="{parent}" target="{child}"/>\n' for parent, child in edges]
    opening = '<graphml><key id="k" for="node" attr.name="label"/><graph edgedefault="directed">\n'
    return opening + "".join(nodes + arrows) + "</graph></graphml>\n"


def as_dot(edges: Edges, labels: Labels) -> str:
    nodes = [f'  "{name}" [label="{labels.get(name, "")}"];\n' for name in nodes_of(edges)]
    return "digraph zoo {\n" + "".join(nodes + [f'  "{above}" -> "{below}";\n' for above, below in edges]) + "}\n"


def as_mermaid(edges: Edges, labels: Labels) -> str:
    nodes = [f'  {name}["{labels.get(name, "")}"]\n' for name in nodes_of(edges)]
    return "graph TD\n" + "".join(nodes + [f"  {above} --> {below}\n" for above, below in edges])


def as_columns(write: Callable[[pyarrow.Table, io.BytesIO], object]) -> Callable[[Edges, Labels], bytes]:
    def written(edges: Edges, _: Labels) -> bytes:
        file = io.BytesIO()
        parents, children = zip(*edges, strict=True)
        write(pyarrow.table({"parent": parents, "child": children}), file)
        return file.getvalue()

    return written


def as_json(edges: Edges, _: Labels) -> str:
    below = children_of(edges)

    def node(name: str, depth: int) -> dict[str, Any]:
        children = [node(child, depth + 1) for child in below[name]] if depth < 20 else []
        return {"name": name, "size": 3, "children": children} if children else {"name": name, "size": 3}

    tops = [name for name, above in parents_of(edges).items() if not above or name == edges[0][0]]
    return json.dumps([node(name, 0) for name in tops], ensure_ascii=False)


def as_yaml(edges: Edges, _: Labels) -> str:
    """An outline in which every name is quoted, as a dict in dicts."""
    lines = as_outline(edges, {}).rstrip("\n").split("\n")
    return "".join(
        f"{line[: -len(line.lstrip())]}- {json.dumps(line.strip(), ensure_ascii=False)}:\n" for line in lines
    )


def zip_parts(parts: dict[str, str]) -> bytes:
    """An archive with these files, the same bytes every time."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name), text.encode(), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


OFFICE = "http://schemas.openxmlformats.org/"
RELATIONS = OFFICE + "officeDocument/2006/relationships"


def relations_part(*targets: tuple[str, str]) -> str:
    items = [f'<Relationship Id="r{at}" Type="{RELATIONS}/{k}" Target="{t}"/>' for at, (k, t) in enumerate(targets)]
    return f'<Relationships xmlns="{OFFICE}package/2006/relationships">{"".join(items)}</Relationships>'


def xlsx_of(sheets: dict[str, str], strings: str = "") -> bytes:
    """A workbook of Excel: the rows of each sheet as XML, and the texts that cells refer to by number."""
    main = f'xmlns="{OFFICE}spreadsheetml/2006/main" xmlns:r="{RELATIONS}"'
    names = [f'<sheet name="{escape(name)}" sheetId="{at + 1}" r:id="r{at}"/>' for at, name in enumerate(sheets)]
    targets = [("worksheet", f"worksheets/sheet{at}.xml") for at in range(len(sheets))]
    parts = {
        "_rels/.rels": relations_part(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f"<workbook {main}><sheets>{''.join(names)}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": relations_part(*targets, ("sharedStrings", "/xl/sharedStrings.xml")),
        "xl/sharedStrings.xml": f"<sst {main}>{strings}</sst>",
    }
    for (_, target), rows in zip(targets, sheets.values(), strict=True):
        parts[f"xl/{target}"] = f"<worksheet {main}><sheetData>{rows}</sheetData></worksheet>"
    return zip_parts(parts)


def ods_of(sheets: dict[str, str]) -> bytes:
    """A workbook of OpenDocument: the rows of each sheet as XML."""
    spaces = " ".join(f'xmlns:{k}="urn:oasis:names:tc:opendocument:xmlns:{k}:1.0"' for k in ("office", "table", "text"))
    tables = "".join(f'<table:table table:name="{escape(name)}">{rows}</table:table>' for name, rows in sheets.items())
    body = f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>"
    return zip_parts({"content.xml": f"<office:document-content {spaces}>{body}</office:document-content>"})


def xlsx_rows(rows: Iterable[Iterable[str]]) -> str:
    cells = ["".join(f'<c t="inlineStr"><is><t>{escape(text)}</t></is></c>' for text in row) for row in rows]
    return "".join(f"<row>{row}</row>" for row in cells)


def ods_rows(rows: Iterable[Iterable[str]]) -> str:
    def cell(text: str) -> str:
        return f'<table:table-cell office:value-type="string"><text:p>{escape(text)}</text:p></table:table-cell>'

    return "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)


def as_workbook(
    make: Callable[[dict[str, str]], bytes], rows_of: Callable[..., str]
) -> Callable[[Edges, Labels], bytes]:
    return lambda edges, _: make({"Edges": rows_of([("parent", "child"), *edges])})


SAMPLES = {
    "tsv": Sample("animals.tsv", as_table("\t"), cut=7),
    "csv": Sample("animals.csv", as_table(","), cut=7),
    "obo": Sample("animals.obo", as_obo, has_labels=True, cut=14),
    "obographs": Sample("animals.json", as_obographs, has_labels=True, cut=5),
    # One node a word: in a path or an outline, a node with two parents would be two.
    "paths": Sample(
        "animals.paths",
        lambda edges, _: "".join(f"{above} > {below}\n" for above, below in edges),
        cut=7,
        options={"merge_names": True},
    ),
    # Every beginning of an outline is an outline.
    "indented": Sample("animals.outline", as_outline, cut=None, options={"merge_names": True}),
    # OBO Graphs have the same extension.
    "json": Sample("animals.json", as_json, cut=5, options={"merge_names": True, "format": "json"}),
    "yaml": Sample("animals.yaml", as_yaml, cut=3, options={"merge_names": True}),
    "ncbi": Sample(
        "nodes.dmp",
        as_nodes_dmp,
        has_labels=True,
        cut=5,
        is_tree=True,
        name_of=lambda name, number: str(number),
        sibling_files=as_names_dmp,
    ),
    "newick": Sample("animals.nwk", as_newick, cut=2, may_be_cyclic=False, is_tree=True),
    "wordnet": Sample(
        "data.noun",
        as_data_noun,
        cut=40,
        name_of=lambda name, number: f"{name.lower()}.n.01",
        sibling_files=as_index_noun,
    ),
    # XML says itself which encoding it is in.
    "rdfxml": Sample("animals.owl", as_rdfxml, has_labels=True, cut=5, encodings=()),
    "turtle": Sample("animals.ttl", as_turtle, has_labels=True, cut=3),
    "ntriples": Sample(
        "animals.nt", as_ntriples, has_labels=True, cut=3, name_of=lambda name, number: f"http://a/#{name}"
    ),
    "graphml": Sample("animals.graphml", as_graphml, has_labels=True, cut=5, encodings=(), options=DOWN),
    "dot": Sample("animals.dot", as_dot, has_labels=True, cut=3, options=DOWN),
    "mermaid": Sample("animals.mmd", as_mermaid, has_labels=True, cut=7, options=DOWN),
    "parquet": Sample("animals.parquet", as_columns(parquet.write_table), cut=3, encodings=()),
    "xlsx": Sample("animals.xlsx", as_workbook(xlsx_of, xlsx_rows), cut=3, encodings=()),
    "ods": Sample("animals.ods", as_workbook(ods_of, ods_rows), cut=3, encodings=()),
    "arrow": Sample("animals.arrow", as_columns(feather.write_feather), cut=3, encodings=()),
}

RDF_OPENING = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xml:base="http://zoo/" xmlns:zoo="http://zoo/#"'
    ' xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="http://www.w3.org/2002/07/owl#">'
)
NCBI_NODES = "1\t|\t1\t|\tno rank\t|\t\t|\n9606\t|\t9605\t|\tspecies\t|\tHS\t|\n9605\t|\t1\t|\tgenus\t|\t\t|\n"
WORDNET_DATA = """\
  1 This is the license,
  2
  3 indented.
00000100 03 n 01 Thing 0 002 ~ 00000300 n 0000 + 00000200 v 0101 | all there is | or was
00000200 03 n 02 bank 0 shore 0 001 @ 00000100 n 0000 | land
00000300 03 n 01 bank 1 002 @ 00000100 n 0000 @i 00000400 n 0000 | money
00000400 03 n 0a tower 0 a 0 b 0 c 0 d 0 e 0 f 0 g 0 h 0 i 0 001 @ 00000100 n 0000 | ten words
"""
WORDNET_INDEX = """\
  1 This is the license, indented.
bank n 2 1 @ 2 1 00000300 00000200
thing n 1 2 ~ + 1 0 00000100
tower n 1 1 @ 1 0 00000400
"""


def write_wordnet(folder: Path, end: str = "\n") -> Path:
    """Write data.noun and index.noun of a WordNet with four synsets into a folder."""
    (folder / "data.noun").write_text(WORDNET_DATA.replace("\n", end))
    (folder / "index.noun").write_text(WORDNET_INDEX.replace("\n", end))
    return folder
