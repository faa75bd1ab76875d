"""Files that are legal and slow, or that unpack to far more than they are: CPU time and peak memory of reading each.

Every format gets shapes that cost the most per byte: many edges in few bytes, one statement for all of them, and as
deep as it goes.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import resource
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
PREFIXES = "@prefix r: <http://www.w3.org/2000/01/rdf-schema#> .\n@prefix : <http://a/> .\n"
SUBCLASS = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
RDF = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:r="http://www.w3.org/2000/01/rdf-schema#">'


def short_name(number: int) -> str:
    """The number in base 36: as many different names as possible in as few letters."""
    text = ""
    while number or not text:
        text, number = DIGITS[number % 36] + text, number // 36
    return text


def filled(size: int, head: str, line: Callable[[str, str, int], str], tail: str = "") -> bytes:
    """The head, then a line for each edge of a binary tree until there are so many bytes, then the tail."""

    def lines() -> Iterator[str]:
        length = len(head) + len(tail)
        for row in count(1):
            added = line(short_name((row - 1) // 2), short_name(row), row)
            length += len(added)
            if length > size:
                return
            yield added

    return "".join([head, *lines(), tail]).encode()


def deep_newick(size: int) -> bytes:
    """A chain without names but for its leaf."""
    depth = (size - 3) // 2
    return b"(" * depth + b"a" + b")" * depth + b";"


def named_newick(size: int) -> bytes:
    """A chain in which every node has a name."""
    names = [short_name(row) for row in range(size // 6)]
    return ("(" * (len(names) - 1) + ")".join(names) + ";").encode()


def nested_turtle(size: int, open_: str, close: str) -> bytes:
    """Brackets in brackets."""
    depth = (size - 200) // len(open_ + close)
    return f"{PREFIXES}:a r:subClassOf :b . :c r:seeAlso {open_ * depth}:d{close * depth} .".encode()


def deep_outline(size: int) -> bytes:
    """Each line one blank further in, so that the blanks are nearly all of the file."""
    depth = int((2 * size) ** 0.5)
    return "".join(f"{' ' * row}{short_name(row)}\n" for row in range(depth)).encode()


def flat_outline(size: int) -> bytes:
    """Two levels."""
    return filled(size, "top\n", lambda _, child, row: f" {child}\n")


def arrow_table(size: int, kind: str) -> bytes:
    """A table of two columns in a columnar format."""
    import pyarrow
    from pyarrow import feather, parquet

    rows = size // 12
    columns = {
        "parent": [short_name((row - 1) // 2) for row in range(1, rows)],
        "child": [short_name(row) for row in range(1, rows)],
    }
    file = io.BytesIO()
    if kind == "parquet":
        parquet.write_table(pyarrow.table(columns), file, compression="none", use_dictionary=False)
    else:
        feather.write_feather(pyarrow.table(columns), file, compression="uncompressed")
    return file.getvalue()


def obographs(size: int) -> bytes:
    """Nodes and edges of one letter where the format allows it."""
    rows = size // 60
    nodes = [{"id": short_name(row)} for row in range(rows)]
    edges = [{"sub": short_name(row), "pred": "is_a", "obj": short_name((row - 1) // 2)} for row in range(1, rows)]
    return json.dumps({"graphs": [{"nodes": nodes, "edges": edges}]}, separators=(",", ":")).encode()


def graphml(size: int) -> bytes:
    """Edges alone, which declare their nodes."""
    head = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed">'
    names = filled(size // 4, "", lambda _, child, row: f'<node id="{child}"/>').decode()
    line = filled(size - size // 4, "", lambda parent, child, row: f'<edge source="{parent}" target="{child}"/>')
    known = f'<node id="{short_name(0)}"/>' + names
    rows = known.count("<node")
    edges = "".join(f"<edge{part}" for part in line.decode().split("<edge")[1:rows])
    return f"{head}{known}{edges}</graph></graphml>".encode()


def wordnet(size: int) -> bytes:
    """A synset per line with one pointer upwards."""

    def line(row: int) -> str:
        above = f"001 @ {8 + 60 * ((row - 1) // 2):08d} n 0000" if row else "000"
        text = f"{8 + 60 * row:08d} 03 n 01 w{short_name(row)} 0 {above} | x"
        return text.ljust(59) + "\n"

    return ("  1 lic\n"[:8] + "".join(map(line, range(size // 60)))).encode()


# The name of a file (its ending is the format), the shape, how to make it of so many bytes, and options to read it.
SHAPES: dict[tuple[str, str], tuple[Callable[[int], bytes], dict[str, Any]]] = {
    ("tsv", "different names"): (lambda size: filled(size, "parent\tchild\n", lambda a, b, row: f"{short_name(2 * row)}\t{short_name(2 * row + 1)}\n"), {}),
    ("tsv", "a tree"): (lambda size: filled(size, "parent\tchild\n", lambda a, b, row: f"{a}\t{b}\n"), {}),
    ("tsv", "names of two letters"): (lambda size: filled(size, "parent\tchild\n", lambda a, b, row: f"{short_name(36 + row % 400)}\t{short_name(500 + row % 700)}\n"), {}),
    ("csv", "quoted"): (lambda size: filled(size, "parent,child\n", lambda a, b, row: f'"{a}","{b}"\n'), {}),
    ("obo", "small terms"): (lambda size: filled(size, "[Term]\nid: 0\n", lambda a, b, row: f"[Term]\nid: {b}\nis_a: {a}\n"), {}),
    ("obo", "one term with many parents"): (lambda size: filled(size, "[Term]\nid: X\n", lambda a, b, row: f"is_a: {b}\n"), {}),
    ("json", "small nodes"): (obographs, {}),
    ("owl", "small classes"): (lambda size: filled(size, RDF, lambda a, b, row: f'<r:Class rdf:about="{b}"><r:subClassOf rdf:resource="{a}"/></r:Class>', "</rdf:RDF>"), {}),
    ("owl", "one class with many parents"): (lambda size: filled(size, f'{RDF}<r:Class rdf:about="X">', lambda a, b, row: f'<r:subClassOf rdf:resource="{b}"/>', "</r:Class></rdf:RDF>"), {}),
    ("ttl", "small statements"): (lambda size: filled(size, PREFIXES, lambda a, b, row: f":{b} r:subClassOf :{a}.\n"), {}),
    ("ttl", "one statement with many parents"): (lambda size: filled(size, f"{PREFIXES}:X r:subClassOf :Y", lambda a, b, row: f",:{b}", "."), {}),
    ("ttl", "one statement on one line per parent"): (lambda size: filled(size, f"{PREFIXES}:X r:subClassOf :Y", lambda a, b, row: f",\n:{b}", "."), {}),
    ("ttl", "nested nodes"): (lambda size: nested_turtle(size, "[:p ", "]"), {}),
    ("ttl", "nested lists"): (lambda size: nested_turtle(size, "(", ")"), {}),
    ("nt", "small statements"): (lambda size: filled(size, "", lambda a, b, row: f"<{b}> {SUBCLASS} <{a}> .\n"), {}),
    ("graphml", "small nodes"): (graphml, {"direction": "parent-child"}),
    ("paths", "short paths"): (lambda size: filled(size, "", lambda a, b, row: f"a > {b}\n"), {}),
    ("paths", "one word per level, merged"): (lambda size: filled(size, "0", lambda a, b, row: f" > {b}"), {"merge_names": True}),
    ("outline", "two levels"): (flat_outline, {}),
    ("outline", "deep, merged"): (deep_outline, {"merge_names": True}),
    ("dmp", "small rows"): (lambda size: filled(size, "1\t|\t1\t|\tno rank\t|\n", lambda a, b, row: f"{row + 1}\t|\t{(row + 1) // 2}\t|\ts\t|\n"), {}),
    ("nwk", "flat"): (lambda size: filled(size, "(X", lambda a, b, row: f",{b}", ")Y;"), {}),
    ("nwk", "deep"): (deep_newick, {}),
    ("nwk", "deep, with names"): (named_newick, {}),
    ("noun", "small synsets"): (wordnet, {}),
    ("parquet", "a tree"): (lambda size: arrow_table(size, "parquet"), {}),
    ("feather", "a tree"): (lambda size: arrow_table(size, "feather"), {}),
}  # fmt: skip

READ = """
import json, resource, sys, time
from hypercone.errors import HyperconeError
from hypercone.formats import read
import hypercone.hierarchy
began = time.process_time()
try:
    found = read(sys.argv[1], **json.loads(sys.argv[2]))
    outcome = f"{len(found):,} nodes"
except (HyperconeError, MemoryError) as error:
    outcome = f"{type(error).__name__}: {error}"
usage = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"outcome": outcome, "cpu_seconds": round(time.process_time() - began, 2), "peak_mb": usage.ru_maxrss // 1000}))
"""


def measure_reading(
    file: Path, options: dict[str, Any], path: str | None = None, seconds: int = 60, gigabytes: float = 6.0
) -> dict[str, Any]:
    """CPU seconds and peak memory of reading a file in another process, which is ended after so many seconds."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_DATA, (int(gigabytes * 2**30),) * 2)

    environment = os.environ | ({} if path is None else {"PYTHONPATH": path})
    command = [sys.executable, "-c", READ, str(file), json.dumps(options)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, preexec_fn=limit)
    if done.returncode != 0:
        return {"outcome": f"ended after {seconds} CPU seconds", "cpu_seconds": seconds, "peak_mb": None}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def slow_files(folder: Path, megabytes: float = 10.0, path: str | None = None) -> Iterator[dict[str, Any]]:
    """A row for each format and shape."""
    for (ending, shape), (make, options) in SHAPES.items():
        file = folder / f"file.{ending}"
        file.write_bytes(make(int(megabytes * 1e6)))
        size = file.stat().st_size / 1e6
        found = measure_reading(file, options, path)
        times = None if found["peak_mb"] is None else round((found["peak_mb"] - 100) / size, 1)
        yield {"format": ending, "shape": shape, "mb": round(size, 1), **found, "times_text_above_100_mb": times}
        file.unlink()


def packed_files(folder: Path, path: str | None = None) -> Iterator[dict[str, Any]]:
    """A row for each file that is small and unpacks to much, or that consists of many empty parts."""
    import zstandard

    table = b"parent\tchild\na\tb\n"
    empty = {".gz": gzip.compress(b""), ".xz": lzma.compress(b""), ".zst": zstandard.compress(b"")}
    end = {".gz": gzip.compress(table), ".xz": lzma.compress(table), ".zst": zstandard.compress(table)}
    for packing, part in empty.items():
        file = folder / f"empty.tsv{packing}"
        file.write_bytes(part * (18_000_000 // len(part)) + end[packing])
        yield {"file": f"18 MB of empty parts, {packing}", **measure_reading(file, {}, path)}
        file.unlink()
    file = folder / "padded.tsv.zst"
    file.write_bytes(padded_zstd(8 * 2**20, 2_400 * 2**20))
    yield {"file": "8 MB with a frame to skip, .zst", **measure_reading(file, {}, path)}


def padded_zstd(size: int, unpacked: int) -> bytes:
    """A table of equal lines in a frame, and a frame that is skipped, which makes the file as large as it should be."""
    import zstandard

    packer, lines = zstandard.ZstdCompressor().compressobj(), b"a\tb\n" * 2**18
    pieces = [packer.compress(b"parent\tchild\n"), *(packer.compress(lines) for _ in range(unpacked // len(lines) - 1))]
    frame = b"".join([*pieces, packer.flush()])
    padding = size - len(frame) - 8
    return frame + struct.pack("<II", 0x184D2A50, padding) + bytes(padding)
