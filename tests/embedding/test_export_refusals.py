"""No export ever holds NaN, infinity or a name that breaks its file: it is refused, and an old file stays."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from hypercone.embedding import Embedding
from hypercone.embedding.export import WRITERS
from hypercone.errors import InputError, ResourceError
from hypercone.explorer import write_page
from hypercone.hierarchy.names import Labels
from hypercone.methods import Settings

REFUSED = {
    "NaN": ({"points": [[np.nan, 0.0]]}, "not written, for the point of 'x' is not finite"),
    "infinity": ({"points": [[0.5, np.inf]]}, "not written, for the point of 'x' is not finite"),
    "a tab": ({"names": ["a\tb"]}, "not written, for the name .* contains a tab"),
    "a line break": ({"names": ["a\nb"]}, "not written, for the name .* contains a line break"),
    "a carriage return": ({"names": ["a\rb"]}, "not written, for the name .* contains a carriage return"),
    "a NUL": ({"names": ["a\0"]}, "not written, for the name .* contains a NUL character"),
    "half a character": ({"names": ["\udfff"]}, "not written, for the name .* contains half a character"),
    "no name": ({"names": [""]}, "not written, for a node has an empty name"),
    "a number for a name": ({"names": [7]}, "not written, for 7 is no name"),
    "points in a row": ({"points": [0.5]}, r"not written, for its points are an array of shape \(1,\) for 1 name"),
    "no coordinates": ({"points": [[]]}, r"not written, for its points are an array of shape \(1, 0\)"),
    "labels of others": ({"labels": Labels(["a", "b"])}, "not written, for there are 2 labels for 1 node"),
}


def _spoilt(embedding: Embedding, changes: dict[str, Any]) -> Embedding:
    """The embedding with what it would have refused when it was made."""
    for name, value in changes.items():
        object.__setattr__(embedding, name, np.asarray(value) if name == "points" else value)
    return embedding


@pytest.mark.parametrize("format", WRITERS)
@pytest.mark.parametrize("case", REFUSED)
def test_what_no_reader_could_use_is_not_written_in_any_format(make_embedding, tmp_path, case, format):
    changes, words = REFUSED[case]
    (tmp_path / "points").write_text("old")
    wrong = _spoilt(make_embedding(names=["x"], points=[[0.5, 0.0]]), changes)
    with pytest.raises(InputError, match=words) as error:
        wrong.export(tmp_path / "points", format)
    assert "\n" not in str(error.value)
    assert (tmp_path / "points").read_text() == "old"
    assert os.listdir(tmp_path) == ["points"]


@pytest.mark.parametrize("coordinates", ["klein", "lorentz", "cap"])
@pytest.mark.parametrize("point", [[1.0, 0.0], [0.0, 0.0], [1e200, 1e200]])
def test_a_point_outside_the_domain_has_no_other_coordinates(make_embedding, tmp_path, coordinates, point):
    wrong = make_embedding(names=["x"], points=[point])
    with pytest.raises(InputError, match="not written, for the point of 'x' is outside the domain of hyperbolic-cones"):
        wrong.export(tmp_path / "points.tsv", coordinates=coordinates)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"threshold": np.nan}, "threshold is nan"),
        ({"threshold": -np.inf}, "threshold is -inf"),
        ({"settings": Settings(K=np.nan)}, "K is nan"),
        ({"settings": Settings(alpha=np.inf)}, "alpha is inf"),
    ],
)
def test_a_parquet_file_keeps_no_constant_that_is_not_finite(make_embedding, tmp_path, changes, words):
    with pytest.raises(InputError, match=f"{words}, which no parquet file should hold"):
        _spoilt(make_embedding(), changes).export(tmp_path / "points.parquet")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"settings": Settings(K=np.nan)}, "K is nan, which is no finite number"),
        ({"settings": Settings(alpha=np.inf)}, "alpha is inf, which is no finite number"),
        ({"points": np.full((12, 2), np.nan)}, "are not finite numbers"),
        ({"threshold": np.nan}, "are not finite numbers"),
    ],
)
def test_no_page_holds_a_number_that_is_not_finite(make_embedding, tmp_path, changes, words):
    with pytest.raises(InputError, match=f"{words}, so nothing can be drawn"):
        write_page(_spoilt(make_embedding(), changes), tmp_path / "page.html")
    assert os.listdir(tmp_path) == []


def test_one_endless_name_does_not_make_an_npz_of_all_the_memory(make_embedding, tmp_path, monkeypatch):
    from hypercone.embedding import export

    monkeypatch.setattr(export, "available_bytes", lambda: 1 << 20)
    names = ["x" * 30_000, *(f"n{i}" for i in range(11))]
    with pytest.raises(ResourceError, match="as wide as the longest, here of 30,000 letters, and 12 such names"):
        make_embedding(names=names).export(tmp_path / "points.npz")
    assert os.listdir(tmp_path) == []
    assert make_embedding(names=names).export(tmp_path / "points.tsv").exists()


@pytest.mark.parametrize("format", WRITERS)
def test_a_path_with_a_nul_is_refused_in_a_sentence(strange, tmp_path, format):
    with pytest.raises(InputError, match="there is a NUL character in it"):
        strange.export(tmp_path / "a\0b", format)
