"""Tables for pandas and pyarrow: the same names and the same numbers, read by these programs themselves."""

from __future__ import annotations

import csv
import importlib
import json

import numpy as np
import pandas
import pyarrow.parquet
import pytest

from hypercone.errors import HyperconeError, InputError
from hypercone.hierarchy.names import Labels


def test_pyarrow_reads_the_names_and_the_same_bits(strange, tmp_path):
    table = pyarrow.parquet.read_table(strange.export(tmp_path / "points.parquet"))
    assert table.column_names == ["name", "x0", "x1"]
    assert table["name"].to_pylist() == list(strange.names)
    numbers = np.column_stack([table[column].to_numpy() for column in ("x0", "x1")])
    assert numbers.tobytes() == strange.points.tobytes()


def test_parquet_says_how_to_use_the_points(make_embedding, tmp_path):
    embedding = make_embedding(threshold=0.25)
    schema = pyarrow.parquet.read_schema(embedding.export(tmp_path / "p.parquet", coordinates="cap"))
    about = json.loads(schema.metadata[b"hypercone"])
    assert about == {"method": "hyperbolic-cones", "coordinates": "cap", "K": 0.1, "alpha": 0.0, "threshold": 0.25}


def test_a_node_without_a_label_has_a_null_in_parquet(make_embedding, tmp_path):
    embedding = make_embedding(count=2, names=["HP:1", "HP:2"], labels=Labels(["Abnormal heart", ""]))
    table = pyarrow.parquet.read_table(embedding.export(tmp_path / "p.parquet"))
    assert table.column_names == ["name", "label", "x0", "x1"]
    assert table["label"].to_pylist() == ["Abnormal heart", None]


def test_pandas_reads_parquet_back_to_the_frame(strange, tmp_path):
    frame = pandas.read_parquet(strange.export(tmp_path / "p.parquet", coordinates="lorentz")).set_index("name")
    pandas.testing.assert_frame_equal(frame, strange.to_frame("lorentz"), check_exact=True, check_index_type=False)


def test_pandas_reads_tsv_back_to_the_frame(strange, tmp_path):
    frame = pandas.read_csv(
        strange.export(tmp_path / "p.tsv"),
        sep="\t",
        index_col="name",
        quoting=csv.QUOTE_NONE,
        keep_default_na=False,
        engine="python",  # whose floats are exact in every version of pandas
    )
    pandas.testing.assert_frame_equal(frame, strange.to_frame(), check_exact=True, check_index_type=False)


def test_a_frame_has_a_row_for_each_name_and_is_ones_own(strange):
    frame = strange.to_frame()
    assert frame.index.name == "name"
    assert frame.index.tolist() == list(strange.names)
    assert frame.loc["猫"].tolist() == strange["猫"].tolist()
    before = strange.points.copy()
    frame.loc["猫", "x0"] = 7.0
    assert (strange.points == before).all()


def test_a_frame_takes_other_coordinates(strange):
    assert list(strange.to_frame("cap")) == ["u0", "u1", "R"]
    with pytest.raises(InputError, match="no kind of coordinates 'kline'; did you mean klein"):
        strange.to_frame("kline")


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
def test_a_package_that_is_not_installed_is_asked_for(strange, tmp_path, monkeypatch, package, ask, remedy):
    hide(monkeypatch, package)
    with pytest.raises(HyperconeError, match=remedy):
        ask(strange, tmp_path)
    assert list(tmp_path.iterdir()) == []


def hide(monkeypatch, package):
    real = importlib.import_module

    def without(name, *rest):
        if name.split(".")[0] == package:
            raise ImportError(f"No module named {package!r}")
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", without)
