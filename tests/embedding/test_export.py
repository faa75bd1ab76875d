"""Exports have the same names and numbers to the last digit, in every format and in all coordinates."""

from __future__ import annotations

import gzip
import importlib
import json
import os

import numpy as np
import pandas
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.support.embeddings import all_files, forge, full_embedding, is_refused, is_same, make_embedding

from hypercone.embedding import Embedding, load
from hypercone.embedding.export import KINDS, WRITERS, coordinates_of, export, metadata_file, words_of
from hypercone.errors import HyperconeError, InputError, ResourceError
from hypercone.explorer import write_page
from hypercone.geometry import caps, cones, euclidean_cones, hyperboloid, klein
from hypercone.hierarchy.names import Labels, is_usable
from hypercone.methods import METHODS, Settings

NAMES = st.lists(st.text(min_size=1, max_size=6).filter(is_usable), min_size=1, max_size=5, unique=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("exports")


def _lines(path) -> list[str]:
    text = path.read_bytes().decode("utf-8")
    assert text.endswith("\n")
    assert "\r" not in text
    return text.split("\n")[:-1]


def _full_disk(monkeypatch, at: int = 1) -> None:
    """The disk is full when a file is synced for the n-th time."""
    real, calls = os.fsync, []

    def sync(handle):
        calls.append(handle)
        if len(calls) == at:
            raise OSError(28, "No space left on device")
        real(handle)

    monkeypatch.setattr(os, "fsync", sync)


@given(names=NAMES, data=st.data())
@settings(max_examples=25, deadline=None)
def test_tsv_and_word2vec_parse_back_to_the_same_names_and_floats(folder, names, data):
    points = data.draw(arrays(np.float64, (len(names), 2), elements=st.floats(-1e150, 1e150)))
    embedding = make_embedding("order", names=names, points=points)
    header, *rows = [line.split("\t") for line in _lines(embedding.export(folder / "points.tsv"))]
    assert header == ["name", "x0", "x1"]
    assert [row[0] for row in rows] == names
    assert np.array([[float(cell) for cell in row[1:]] for row in rows]).tobytes() == points.tobytes()
    if len({"".join("_" if letter.isspace() else letter for letter in name) for name in names}) < len(names):
        with pytest.raises(InputError, match="would both be written"):
            embedding.export(folder / "points.vec")
        return
    header, *rows = _lines(embedding.export(folder / "points.vec"))
    assert header == f"{len(names)} 2"
    for row, name, point in zip(rows, names, points, strict=True):
        word, *numbers = row.split(" ")
        assert row.split() == [word, *numbers]
        assert len(word) == len(name)
        assert np.array([float(number) for number in numbers]).tobytes() == point.tobytes()


def test_labels_are_exported_beside_names(tmp_path):
    embedding = make_embedding(count=2, names=["HP:1", "HP:2"], labels=Labels(["Abnormal heart", ""]))
    header, first, second = [line.split("\t") for line in _lines(embedding.export(tmp_path / "p.tsv"))]
    assert header == ["name", "label", "x0", "x1"]
    assert (first[:2], second[:2]) == (["HP:1", "Abnormal heart"], ["HP:2", ""])
    with np.load(embedding.export(tmp_path / "p.npz"), allow_pickle=False) as found:
        assert found["labels"].tolist() == ["Abnormal heart", ""]
    table = pyarrow.parquet.read_table(embedding.export(tmp_path / "p.parquet"))
    assert table.column_names == ["name", "label", "x0", "x1"]
    assert table["label"].to_pylist() == ["Abnormal heart", None]
    embedding.export(tmp_path / "p.tsv", "projector")
    assert _lines(tmp_path / "p.metadata.tsv") == ["name\tlabel", "HP:1\tAbnormal heart", "HP:2\tHP:2"]


NO_FORMAT = ("points.csv", "points", "points.tsv.gz")

# What a file of each format begins with.
FIRST = {"tsv": b"name\tx0\tx1\n", "npz": b"PK", "word2vec": b"12 2\n", "parquet": b"PAR1"}


@pytest.mark.parametrize(
    ("extension", "format"),
    [(".tsv", "tsv"), (".npz", "npz"), (".vec", "word2vec"), (".txt", "word2vec"), (".parquet", "parquet")],
)
def test_the_extension_selects_the_format_unless_one_is_given(strange, tmp_path, extension, format):
    path = tmp_path / f"points{extension.upper()}"
    assert export(strange, path) == path
    assert path.read_bytes().startswith(FIRST[format])
    for other, start in FIRST.items():
        assert strange.export(str(path), other).read_bytes().startswith(start)
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize(
    ("name", "format", "words"),
    [
        *((name, None, f"say which format to write with format: {', '.join(WRITERS)}") for name in NO_FORMAT),
        ("points.tsv", "xlsx", "say which format"),
        ("folder", "tsv", "is a folder; give a file"),
        ("p.tsv", "projector", r"p\.metadata\.tsv: is a folder"),
        ("file/points.tsv", None, "cannot be written"),
        *(("a\0b", format, "there is a NUL character in it") for format in WRITERS),
    ],
)
def test_a_target_that_cannot_be_written_is_refused_and_nothing_is_changed(strange, tmp_path, name, format, words):
    for folder in ("folder", "p.metadata.tsv"):
        (tmp_path / folder).mkdir()
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match=words):
        strange.export(tmp_path / name, format)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder", "p.metadata.tsv"]
    assert all_files(tmp_path) == {"file": b"mine"}


@pytest.mark.parametrize(("format", "at"), [*((format, 1) for format in WRITERS), ("projector", 2)])
def test_an_export_that_fails_leaves_the_old_files_and_nothing_else(strange, tmp_path, monkeypatch, format, at):
    for name in ("points", "points.metadata.tsv"):
        (tmp_path / name).write_text("old")
    _full_disk(monkeypatch, at)
    with pytest.raises(ResourceError, match="disk is full"):
        strange.export(tmp_path / "points", format)
    assert all_files(tmp_path) == {"points": b"old", "points.metadata.tsv": b"old"}


def test_a_very_long_name_does_not_exhaust_memory_in_an_npz(tmp_path, monkeypatch):
    monkeypatch.setattr("hypercone.embedding.export.available_bytes", lambda: 1 << 20)
    names = ["x" * 30_000, *(f"n{i}" for i in range(11))]
    with pytest.raises(ResourceError, match="in the width of the longest, here 30,000 characters, and 12 such names"):
        make_embedding(names=names).export(tmp_path / "points.npz")
    assert os.listdir(tmp_path) == []
    assert make_embedding(names=names).export(tmp_path / "points.tsv").exists()


def test_projector_vectors_have_no_names_and_metadata_has_depths_if_the_edges_are_known(strange, tree, tmp_path):
    path = strange.export(tmp_path / "points.tsv", "projector")
    assert sorted(os.listdir(tmp_path)) == ["points.metadata.tsv", "points.tsv"]
    assert np.loadtxt(path, delimiter="\t").tobytes() == strange.points.tobytes()
    assert _lines(tmp_path / "points.metadata.tsv") == list(strange.names)
    with_edges = make_embedding(count=len(tree), names=tree.names, edges=tree.edges)
    vectors = with_edges.export(tmp_path / "tree.tsv", "projector", coordinates="klein")
    header, *rows = [line.split("\t") for line in _lines(tmp_path / "tree.metadata.tsv")]
    assert header == ["name", "depth"]
    assert len(rows) == len(_lines(vectors)) == len(tree)
    assert [int(depth) for _, depth in rows] == tree.depths.tolist()


def test_parquet_and_projector_have_definitions_and_synonyms_if_the_model_has_them(tmp_path):
    full = full_embedding()
    table = pyarrow.parquet.read_table(full.export(tmp_path / "p.parquet")).to_pydict()
    assert table["definition"] == [None, "A big cat.", None]
    assert table["synonyms"] == [[], ["lion"], ["y"]]
    assert table["other_ids"] == [["A:7"], [], []]
    full.export(tmp_path / "p.tsv", "projector")
    assert _lines(tmp_path / "p.metadata.tsv") == [
        "name\tlabel\tdefinition\tsynonyms\tdepth",
        "animal\tTier\t\t\t0",
        "Löwe\tLöwe\tA big cat.\tlion\t1",
        "x y\tex why\t\ty\t1",
    ]


@pytest.mark.parametrize(
    ("vectors", "metadata"),
    [("p.tsv", "p.metadata.tsv"), ("P.TSV", "P.metadata.tsv"), ("v.2", "v.2.metadata.tsv"), ("p", "p.metadata.tsv")],
)
def test_the_projector_metadata_is_named_after_the_vectors(tmp_path, vectors, metadata):
    assert metadata_file(tmp_path / vectors) == tmp_path / metadata


def test_parquet_metadata_says_how_to_use_the_points(tmp_path):
    embedding = make_embedding(threshold=0.25)
    schema = pyarrow.parquet.read_schema(embedding.export(tmp_path / "p.parquet", coordinates="cap"))
    about = json.loads(schema.metadata[b"hypercone"])
    assert about == {"method": "hyperbolic-cones", "coordinates": "cap", "K": 0.1, "alpha": 0.0, "threshold": 0.25}


def test_a_frame_is_a_copy_and_pandas_and_numpy_read_files_back_to_it(strange, tmp_path):
    frame = strange.to_frame()
    assert (frame.index.name, frame.index.tolist()) == ("name", list(strange.names))
    assert frame.loc["猫"].tolist() == strange["猫"].tolist()
    before = strange.points.copy()
    frame.loc["猫", "x0"] = 7.0
    assert (strange.points == before).all()
    with pytest.raises(InputError, match="no kind of coordinates 'kline'; did you mean klein"):
        strange.to_frame("kline")
    read = pandas.read_parquet(strange.export(tmp_path / "p.parquet", coordinates="lorentz")).set_index("name")
    pandas.testing.assert_frame_equal(read, strange.to_frame("lorentz"), check_exact=True, check_index_type=False)
    with np.load(strange.export(tmp_path / "points.npz"), allow_pickle=False) as found:
        assert sorted(found) == ["names", "points"]
        assert tuple(found["names"].tolist()) == tuple(strange.names)
        assert found["points"].tobytes() == strange.points.tobytes()


@pytest.mark.parametrize(
    ("package", "ask", "remedy"),
    [
        ("pandas", lambda embedding, folder: embedding.to_frame(), "a data frame needs pandas.*pip install pandas"),
        (
            "pyarrow",
            lambda embedding, folder: embedding.export(folder / "p.parquet"),
            r"a parquet file needs pyarrow.*pip install 'hypercone\[tables\]'",
        ),
        ("scipy", lambda embedding, folder: embedding.to_sparse(), "a relation needs scipy.*pip install scipy"),
    ],
)
def test_a_missing_package_is_named_with_its_remedy(strange, tmp_path, monkeypatch, package, ask, remedy):
    real = importlib.import_module

    def without(name, *rest):
        if name.split(".")[0] == package:
            raise ImportError(f"No module named {package!r}")
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", without)
    with pytest.raises(HyperconeError, match=remedy):
        ask(strange, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_white_space_in_a_word_becomes_underscores_unless_two_names_would_become_the_same(strange, tmp_path):
    words = [line.split(" ")[0] for line in _lines(strange.export(tmp_path / "v", "word2vec"))[1:]]
    assert words[:4] == ["animal", 'the_"dog"', "white_pelican", "Löwe"]
    assert words[6] == "_"
    embedding = make_embedding(names=["owl", "a_b", "b", "a\u00a0b"], count=4)
    with pytest.raises(InputError, match=r"^'a_b' and 'a\\xa0b' would both be written a_b .*rename one of them"):
        embedding.export(tmp_path / "points.vec")
    assert os.listdir(tmp_path) == ["v"]


def test_gensim_reads_every_name_and_every_digit(strange, tmp_path):
    gensim = pytest.importorskip("gensim.models", reason="gensim is a large package that only this test needs")
    path = strange.export(tmp_path / "points.vec")
    vectors = gensim.KeyedVectors.load_word2vec_format(str(path), datatype=np.float64)
    assert vectors.index_to_key == words_of(strange.names)
    assert vectors.vectors.tobytes() == strange.points.tobytes()
    assert vectors["猫"].tolist() == strange["猫"].tolist()


TRICKS = (
    *(
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
    ),
    *("$(touch x)", "`touch x`", "$HOME", "%s%n", "{0}", "</script><script>alert(1)</script>", "<!--", "$\\frac{"),
    *('=cmd|"/c calc"!A1', "\x1b[31m", "\u202egnp.exe", "\u2028", "next\x85line", "\x0c page", "x" * 10_000),
)


@pytest.fixture
def tricky():
    count = len(TRICKS)
    edges = np.array([[0, row] for row in range(1, count)], np.int32)
    return make_embedding(count=count, names=TRICKS, labels=Labels(TRICKS[::-1]), edges=edges)


def test_a_name_is_never_a_path_and_its_markup_reaches_neither_page_nor_card(tricky, tmp_path, monkeypatch):
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
    written = all_files(tmp_path)
    assert set(written) == {f"a/b/c/{name}" for name in expected}
    assert b"alert(1)" not in written["a/b/c/page.html"] + written["a/b/c/model/README.md"]


def test_hostile_names_are_exported_unchanged(tricky, tmp_path):
    lines = tricky.export(tmp_path / "p.tsv").read_bytes().decode().split("\n")
    assert [line.split("\t")[0] for line in lines[1:-1]] == list(TRICKS)
    with np.load(tricky.export(tmp_path / "p.npz"), allow_pickle=False) as found:
        assert tuple(found["names"].tolist()) == TRICKS
    table = pyarrow.parquet.read_table(tricky.export(tmp_path / "p.parquet"))
    assert tuple(table["name"].to_pylist()) == TRICKS
    lines = tricky.export(tmp_path / "p.vec").read_bytes().decode().split("\n")
    assert {len(line.split(" ")) for line in lines[1:-1]} == {3}
    assert [line.split(" ")[0] for line in lines[1:5]] == list(TRICKS[:4])


@pytest.mark.parametrize("name", ["", "a\tb", "a\rb", "a\0b", "\0", "\r"])
def test_a_name_that_would_break_an_export_is_refused_on_loading(model, fault_row, name):
    text = "".join(f"{each}\n" for each in [name, *(f"n{i}" for i in range(11))]).encode()
    forge(model, {"nodes.txt.gz": gzip.compress(text)}, nodes_bytes=len(text))
    sentence = is_refused(model, "nodes.txt.gz: is not a list of names")
    if name == "a\0b":
        fault_row("hostile file", "a model with a NUL character in a name", sentence, 3, about="model folders")


@pytest.mark.parametrize(
    "write",
    [lambda model, path: model.save(path), lambda model, path: model.plot("norms", path), write_page],
    ids=["save", "plot", "page"],
)
def test_a_path_with_a_nul_is_refused_in_a_sentence(tricky, tmp_path, write):
    with pytest.raises(InputError, match="there is a NUL character in it"):
        write(tricky, tmp_path / "a\0b.svg")
    assert os.listdir(tmp_path) == []


K = 0.1

OFFERED = {
    "hyperbolic-cones": {"own", "klein", "lorentz", "cap"},
    "poincare": {"own", "klein", "lorentz"},
    "euclidean-cones": {"own", "cap"},
    "order": {"own"},
    "euclidean": {"own"},
}


def _bundle(method: str, count: int, furthest: float) -> Embedding:
    """Points around a few directions, from the inner radius to the boundary, so that many cones contain others."""
    random = np.random.default_rng(5)
    directions = random.normal(size=(4, 3))[random.integers(4, size=count)] + 0.03 * random.normal(size=(count, 3))
    lengths = 1 - np.geomspace(0.85, 1 - furthest, count)
    lengths *= np.linspace(1, 9, count) if method == "euclidean-cones" else 1
    points = directions / np.linalg.norm(directions, axis=1, keepdims=True) * lengths[:, None]
    return make_embedding(method, names=[f"n{i}" for i in range(count)], points=points, settings=Settings(K=K))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_method_has_the_coordinates_that_apply_and_refuses_the_others(method, kind):
    embedding = make_embedding(method, dim=3)
    if kind in OFFERED[method]:
        columns, values = coordinates_of(embedding, kind)
        assert values.shape == (12, len(columns)) == (12, 4 if kind in ("lorentz", "cap") else 3)
        assert np.isfinite(values).all()
        return
    with pytest.raises(
        InputError, match=rf"^{method} (is flat|has no cones), so its points have no {kind} coord"
    ) as error:
        embedding.to_frame(kind)
    available = " or ".join(f'"{each}"' for each in KINDS if each in OFFERED[method])
    assert str(error.value).endswith(f"use coordinates={available}")


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("own", lambda points: points),
        ("klein", klein.to_klein),
        ("lorentz", hyperboloid.to_hyperboloid),
        ("cap", lambda x: np.column_stack([x / np.linalg.norm(x, axis=1, keepdims=True), caps.cap_radius(x, K)])),
    ],
)
def test_coordinates_are_those_of_the_geometry_and_every_digit_is_written(kind, values, tmp_path):
    embedding = _bundle("hyperbolic-cones", 20, 1 - 1e-5)
    columns, found = coordinates_of(embedding, kind)
    assert found.tobytes() == np.asarray(values(embedding.points)).tobytes()
    header, *rows = [line.split("\t") for line in _lines(embedding.export(tmp_path / "p.tsv", coordinates=kind))]
    assert header == ["name", *columns]
    assert np.array([[float(cell) for cell in row[1:]] for row in rows]).tobytes() == found.tobytes()


@pytest.mark.parametrize(
    ("method", "furthest", "signed_energy"),
    [
        ("hyperbolic-cones", 0.999, cones.signed_energy),
        ("euclidean-cones", 1 - 1e-5, euclidean_cones.signed_energy),
    ],
)
def test_caps_decide_the_order(method, furthest, signed_energy):
    """Containment of caps from the exported numbers: angle ≤ R of the parent − R of the child."""
    embedding = _bundle(method, 200, furthest)
    values = coordinates_of(embedding, "cap").values
    directions, radii = values[:, :-1], values[:, -1]
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1, rtol=1e-15)
    chord = np.linalg.norm(directions[:, None] - directions, axis=2)
    inside = 2 * np.arcsin(np.minimum(chord / 2, 1)) <= radii[:, None] - radii
    energy = signed_energy(embedding.points[:, None], embedding.points, K)
    is_clear = np.abs(energy) > 1e-6
    assert 50 < (inside & is_clear).sum() < is_clear.sum() / 2
    assert (inside == (energy <= 0))[is_clear].all()
