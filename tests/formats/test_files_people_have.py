"""The files people have: each shape is read right, and a damaged cousin of it is refused with the remedy."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from tests.support.formats import ods_of, ods_rows, xlsx_of, xlsx_rows


class Shape(NamedTuple):
    """A small file of its kind, how it is understood, what was damaged in its cousin, and the cousin."""

    file: str
    good: str | bytes
    line: str
    damage: str
    damaged: str | bytes
    options: tuple[str, ...] = ()


NODES = "id,name,parent_id\n1,animal,\n2,dog,1\n3,cat,1\n"
LEVELS = "Level 1,Level 2,Level 3\nfood,cheese,brie\nfood,bread\n"
RANKS = "kingdom,family,genus,species\nAnimalia,Canidae,Canis,lupus\nAnimalia,,Felis,catus\n"
GOOGLE = "# Google_Product_Taxonomy_Version: 2021-09-21\n" + "".join(
    f"{number} - {path}\n"
    for number, path in enumerate(
        ["Animals", *(f"Animals > Pets {i}" for i in range(12)), "Animals > Pets 1 > Bird Food"], 3237
    )
)
SHOPIFY = "".join(
    f"gid://shopify/TaxonomyCategory/ap{number or ''} : {path}\n"
    for number, path in enumerate(["Animals", *(f"Animals > Pets {i}" for i in range(12))])
)
FLARE = '{"name": "flare", "children": [{"name": "data", "children": [{"name": "csv"}]}, {"name": "vis"}]}'
DOT = 'digraph {\n  animal -> dog;\n  dog [label="a dog"];\n}\n'
MERMAID = "graph TD\n  animal --> dog[a dog]\n"
UP, DOWN = ("--direction", "child-parent"), ("--direction", "parent-child")


def sheet(rows: str) -> list[list[str]]:
    return [line.split(",") for line in rows.splitlines()]


SHAPES = {
    "Google's product taxonomy": Shape(
        "google.txt",
        GOOGLE,
        "Read as paths, A > B > C with ids: 1 root, 14 nodes, 13 edges",
        "an id is missing",
        GOOGLE.replace("3240 - ", ""),
    ),
    "Shopify's product taxonomy": Shape(
        "shopify.txt",
        SHOPIFY,
        "Read as paths, A > B > C with ids: 1 root, 13 nodes, 12 edges",
        "an id is there twice",
        SHOPIFY.replace("/ap3 ", "/ap2 "),
    ),
    "paths with slashes": Shape(
        "paths.txt",
        "food\nfood/cheese\nfood/cheese/brie\n",
        "Read as paths, A/B/C: 1 root, 3 nodes, 2 edges",
        "a name is missing",
        "food\nfood/cheese\nfood//brie\n",
    ),
    "CSV with semicolons and quotes": Shape(
        "nodes.csv",
        'id;name;parent_id\n1;"animals; all";\n2;dog;1\n',
        "Read as id / name / parent_id: 1 root, 2 nodes, 1 edge",
        "the quotes around a separator are missing",
        "id;name;parent_id\n1;animals; all;\n2;dog;1\n",
    ),
    "CSV with bars and a byte-order mark": Shape(
        "nodes.csv",
        "\ufeffid|name|parent_id\r\n1|animal|\r\n2|dog|1\r\n",
        "Read as id / name / parent_id: 1 root, 2 nodes, 1 edge",
        "it is in the UTF-16 of “Unicode text”",
        "id\tname\tparent_id\n1\tanimal\t\n2\tdog\t1\n".encode("utf-16"),
    ),
    "id, name and parent's id": Shape(
        "nodes.csv",
        NODES,
        "Read as id / name / parent_id: 1 root, 3 nodes, 2 edges",
        "two nodes have one id",
        NODES.replace("3,cat", "2,cat"),
    ),
    "Darwin Core": Shape(
        "taxon.txt",
        "taxonID\tscientificName\tparentNameUsageID\n1\tAnimalia\t\n2\tCanis\t1\n",
        "Read as taxonID / scientificName / parentNameUsageID: 1 root, 2 nodes, 1 edge",
        "the parents are ids of another checklist",
        "taxonID\tscientificName\tparentNameUsageID\n1\tAnimalia\t\n2\tCanis\tgbif:1\n",
    ),
    "code and parent": Shape(
        "codes.csv",
        "code,parent\nA,\nA1,A\n",
        "Read as code / parent: 1 root, 2 nodes, 1 edge",
        "the title of the parents is missing",
        "code,\nA,\nA1,A\n",
    ),
    "parents by name": Shape(
        "names.csv",
        "id,name,parent\n1,animal,\n2,dog,animal\n",
        "Read as id / name / parent, which is a name: 1 root, 2 nodes, 1 edge",
        "the name is that of two nodes",
        "id,name,parent\n1,animal,\n2,animal,\n3,dog,animal\n",
    ),
    "several parents in a cell": Shape(
        "several.csv",
        "id,name,parents\n1,animal,\n2,pet,\n3,dog,1|2\n",
        "Read as id / name / parents: 2 roots, 3 nodes, 2 edges",
        "without --parent-separator",
        "",
        ("--parent-separator", "|"),
    ),
    "columns of other names": Shape(
        "own.csv",
        "nummer,bezeichnung,über\n1,Tier,\n2,Hund,1\n",
        "Read as nummer / bezeichnung / über: 1 root, 2 nodes, 1 edge",
        "without --id-column and --parent-column",
        "",
        ("--id-column", "nummer", "--parent-column", "über", "--label-column", "bezeichnung"),
    ),
    "levels": Shape(
        "levels.csv",
        LEVELS,
        "Read as Level 1 / Level 2 / Level 3: 1 root, 4 nodes, 3 edges",
        "merged cells were saved as empty ones",
        LEVELS.replace("food,bread", ",bread"),
    ),
    "ranks": Shape(
        "species.csv",
        RANKS,
        "Read as kingdom / family / genus / species: 1 root, 6 nodes, 5 edges",
        "a row has a cell too many",
        RANKS.replace("lupus", "lupus,gray"),
    ),
    "Excel": Shape(
        "nodes.xlsx",
        xlsx_of({"Animals": xlsx_rows(sheet(NODES))}),
        "Read as id / name / parent_id: 1 root, 3 nodes, 2 edges",
        "the first sheet is a note",
        xlsx_of({"Read me": xlsx_rows([("made", "by me"), ("in", "2026")]), "Animals": xlsx_rows(sheet(NODES))}),
    ),
    "LibreOffice": Shape(
        "nodes.ods",
        ods_of({"Animals": ods_rows(sheet(NODES))}),
        "Read as id / name / parent_id: 1 root, 3 nodes, 2 edges",
        "a formula gives an error",
        ods_of({"Animals": ods_rows(sheet(NODES.replace("3,cat,1", "3,cat,#REF!")))}),
    ),
    "nested JSON": Shape(
        "flare.json",
        FLARE,
        "Read as nodes with children: 1 root, 4 nodes, 3 edges",
        "a node has no name",
        FLARE.replace('{"name": "csv"}', '{"size": 3, "color": "red"}'),
    ),
    "records in JSON": Shape(
        "nodes.json",
        '[{"id": 1, "name": "animal"}, {"id": 2, "name": "dog", "parents": [1]}]',
        "Read as id / name / parents: 1 root, 2 nodes, 1 edge",
        "cut off",
        '[{"id": 1, "name": "animal"}, {"id": 2, "name": "dog", "par',
    ),
    "YAML": Shape(
        "food.yaml",
        "food:\n  cheese: [brie, gouda]\n  bread:\n",
        "Read as names nested in names: 1 root, 5 nodes, 4 edges",
        "a name is there twice",
        "food:\n  cheese: [brie, gouda]\n  bread:\n  cheese: [feta]\n",
    ),
    "DOT": Shape(
        "animals.dot",
        DOT,
        "Read as DOT, parent-child: 1 root, 2 nodes, 1 edge",
        "without --direction",
        "",
        DOWN,
    ),
    "Mermaid": Shape(
        "animals.mmd",
        MERMAID,
        "Read as Mermaid, parent-child: 1 root, 2 nodes, 1 edge",
        "a line without an arrowhead",
        MERMAID.replace("-->", "---"),
        DOWN,
    ),
    "triples": Shape(
        "triples.csv",
        "dog,subclass of,animal\npoodle,subclass of,dog\n",
        "Read as triples, child first: 1 root, 3 nodes, 2 edges",
        "another relation is the only one",
        "item,relation,value\ndog,part of,pack\n",
    ),
}
# Recognized, and refused with the command that converts them.
UNREAD = {
    "OWL in functional syntax": ("zoo.ofn", "Prefix(:=<http://zoo#>)\nOntology(<http://zoo>)\n"),
    "OWL in Manchester syntax": ("zoo.owl", "Prefix: : <http://zoo#>\nOntology: <http://zoo>\n"),
    "OWL in XML": ("zoo.owx", '<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>'),
    "RDF in JSON-LD": ("zoo.jsonld", "{}"),
    "a workbook of an old Excel": ("zoo.xls", b"\xd0\xcf\x11\xe0"),
}


def write(name: str, content: str | bytes) -> None:
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize("what", SHAPES)
def test_a_shape_is_read_right_and_its_damaged_cousin_is_refused(what, run, fault_row, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shape = SHAPES[what]
    write(shape.file, shape.good)
    done = run("info", shape.file, *shape.options)
    assert done.code == 0, done.err
    assert done.err.startswith(f"{shape.line}, for example:\n  "), done.err
    assert run("info", shape.file, *shape.options, "--quiet").err == ""
    # A cousin without content is the same file without its options.
    write(shape.file, shape.damaged or shape.good)
    done = run("info", shape.file, *(shape.options if shape.damaged else ()))
    assert (done.code, done.out) == (2, ""), done
    assert done.err.startswith(f"hypercone: {shape.file}"), done.err
    fault_row("bad input", f"{what}: {shape.damage}", done.err, done.code, about="files of hierarchies")


@pytest.mark.parametrize("what", UNREAD)
def test_a_format_that_is_not_read_is_refused_with_its_remedy(what, run, fault_row, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(*UNREAD[what])
    done = run("info", UNREAD[what][0])
    assert (done.code, done.out) == (2, ""), done
    fault_row("bad input", what, done.err, done.code, about="files of hierarchies")
