"""Names that try to be paths, options or markup are names and nothing else, wherever they go."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from hypercone.embedding import load
from hypercone.embedding.export import WRITERS
from hypercone.errors import InputError
from hypercone.explorer import write_page
from hypercone.hierarchy.names import Labels

TRICKS = (
    "../../x",
    "/etc/passwd",
    "a/b",
    "..",
    ".",
    "~root",
    "con",
    "nul.txt",
    r"C:\x",
    r"\\server\share",
    "-rf",
    "--help",
    "$(touch x)",
    "`touch x`",
    "$HOME",
    "%s%n",
    "{0}",
    "</script><script>alert(1)</script>",
    "<!--",
    "$\\frac{",
    '=cmd|"/c calc"!A1',
    "\x1b[31m",
    "\u202egnp.exe",
    "\u2028",
    "next\x85line",
    "\x0c page",
    "x" * 10_000,
)


@pytest.fixture
def tricky(make_embedding):
    count = len(TRICKS)
    edges = np.array([[0, row] for row in range(1, count)], np.int32)
    return make_embedding(count=count, names=TRICKS, labels=Labels(TRICKS[::-1]), edges=edges)


def _files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_no_name_is_ever_taken_for_a_path(tricky, tmp_path, monkeypatch, is_same):
    here = tmp_path / "a" / "b" / "c"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    assert is_same(load(tricky.save("model")), tricky)
    for format in WRITERS:
        tricky.export(f"points.{format}", format)
    for kind in ("disk", "norms", "precision-recall"):
        tricky.plot(kind, f"{kind}.svg")
    write_page(tricky, "page.html")
    parts = ("README.md", "config.json", "edges.safetensors", "labels.txt.gz", "model.safetensors", "nodes.txt.gz")
    expected = {f"model/{part}" for part in parts} | {f"points.{format}" for format in WRITERS} | {"page.html"}
    expected |= {"disk.svg", "norms.svg", "precision-recall.svg", "points.projector.metadata.tsv"}
    assert _files(tmp_path) == {f"a/b/c/{name}" for name in expected}


def test_such_names_come_back_from_every_export(tricky, tmp_path):
    import pyarrow.parquet as parquet

    lines = tricky.export(tmp_path / "p.tsv").read_bytes().decode().split("\n")
    assert [line.split("\t")[0] for line in lines[1:-1]] == list(TRICKS)
    with np.load(tricky.export(tmp_path / "p.npz"), allow_pickle=False) as found:
        assert tuple(found["names"].tolist()) == TRICKS
    assert tuple(parquet.read_table(tricky.export(tmp_path / "p.parquet"))["name"].to_pylist()) == TRICKS
    lines = tricky.export(tmp_path / "p.vec").read_bytes().decode().split("\n")
    assert {len(line.split(" ")) for line in lines[1:-1]} == {3}
    assert [line.split(" ")[0] for line in lines[1:5]] == list(TRICKS[:4])


def test_no_markup_of_a_name_stands_in_the_page_or_the_card(tricky, tmp_path):
    page = write_page(tricky, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "alert(1)" not in page
    assert "alert(1)" not in (tricky.save(tmp_path / "model") / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["", "a\tb", "a\rb", "a\0b", "\0", "\r"])
def test_a_name_that_would_break_an_export_is_refused_when_loading(model, forge, is_refused, told, name):
    text = "".join(f"{each}\n" for each in [name, *(f"n{i}" for i in range(11))]).encode()
    forge(model, {"nodes.txt.gz": gzip.compress(text)}, nodes_bytes=len(text))
    sentence = is_refused(model, "nodes.txt.gz: is not a list of names")
    if name == "a\0b":
        told("hostile file", "a model with a NUL character in a name", sentence, 3, about="model folders")


@pytest.mark.parametrize("write", ["save", "plot", "page"])
def test_a_path_with_a_nul_is_refused_in_a_sentence(tricky, tmp_path, write):
    path = tmp_path / "a\0b.svg"
    with pytest.raises(InputError, match="there is a NUL character in it"):
        {
            "save": tricky.save,
            "plot": lambda path: tricky.plot("norms", path),
            "page": lambda path: write_page(tricky, path),
        }[write](path)
    assert os.listdir(tmp_path) == []
