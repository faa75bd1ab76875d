"""Parquet and Arrow tables: named columns, errors with their row, damaged files."""

import io
import subprocess
import sys

import pyarrow
import pytest
from pyarrow import feather, ipc, parquet
from tests.support.errors import raises_exactly
from tests.support.formats import DOWN, read_text
from tests.support.hierarchies import edges_of

from hypercone.errors import InputError


def write_stream(table, file):
    with ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)


WRITERS = {"parquet": parquet.write_table, "feather": feather.write_feather, "stream": write_stream}
each_kind = pytest.mark.parametrize("kind", WRITERS)


def format_of(kind):
    return "parquet" if kind == "parquet" else "arrow"


def written(kind, columns):
    file = io.BytesIO()
    WRITERS[kind](pyarrow.table(columns), file)
    return file.getvalue()


def read(kind, columns, **options):
    return read_text(written(kind, columns), format=format_of(kind), **options)


@each_kind
def test_columns_have_their_names_or_the_names_numbers_or_direction_given(kind):
    assert edges_of(read(kind, {"n": [1], "Child": ["dog"], "parent": ["animal"]})) == [("animal", "dog")]
    for options in ({"parent": "upper", "child": "lower"}, {"parent": 2, "child": 1}, {"direction": "child-parent"}):
        assert edges_of(read(kind, {"lower": ["dog"], "upper": ["animal"]}, **options)) == [("animal", "dog")]


@each_kind
def test_text_of_every_kind_and_whole_numbers_are_names(kind):
    for column in (
        pyarrow.array(["1", "2", "1"]).dictionary_encode(),
        pyarrow.array(["1", "2", "1"], pyarrow.large_string()),
        pyarrow.array([1, 2, 1], pyarrow.uint8()),
        pyarrow.array([1.0, 2.0, 1.0]),
    ):
        found = read(kind, {"parent": column, "child": pyarrow.array([2, 3, 4])})
        assert edges_of(found) == [("1", "2"), ("2", "3"), ("1", "4")]


@each_kind
@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"parent": ["a", None], "child": ["b", "c"]}, {}, "the column 'parent', row 2: is empty; give it a name or…"),
        ({"parent": ["a", "b"], "child": ["b", ""]}, {}, "the column 'child', row 2: is empty; give it a name or…"),
        ({"parent": [1.5], "child": [2]}, {}, "the column 'parent', row 1: 1.5 is not a name; names are text or…"),
        ({"parent": [float("nan")], "child": [2]}, {}, "the column 'parent', row 1: is empty…"),
        ({"parent": [["a"]], "child": [2]}, {}, "the column 'parent' holds list<…"),
        ({"parent": [True], "child": [2]}, {}, "the column 'parent', row 1: True is not a name…"),
        ({"a": ["x"], "b": ["y"]}, {}, "which column is the parent? The columns are a, b; name them parent and child…"),
        ({"a": ["x"]}, DOWN, "direction needs 2 columns, found 1: a…"),
        ({"up": ["x"], "b": ["y"]}, {"parent": "upp", "child": "b"}, "there is no column 'upp' among up, b…"),
    ],
)
def test_what_is_not_an_edge_is_refused_with_its_row(kind, columns, options, message):
    with raises_exactly(f"the stream: {message}"):
        read(kind, columns, **options)


@each_kind
def test_a_file_cut_off_anywhere_is_refused(kind):
    data = written(kind, {"parent": ["a"] * 50, "child": [str(i) for i in range(50)]})
    for end in range(1, len(data) - 8, 41):
        with pytest.raises(
            InputError, match=r"^the stream: cannot be read as an? \w+ table \(.+\); fetch the file again"
        ):
            read_text(data[:end], format=format_of(kind))


@pytest.mark.parametrize("module", ["parquet", "arrow"])
def test_without_pyarrow_the_error_says_how_to_install_it(module):
    code = (
        "import io, sys; sys.modules['pyarrow'] = None\nimport hypercone\n"
        f"try: hypercone.read(io.BytesIO(b'PAR1'), format='{module}')\n"
        "except hypercone.HyperconeError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "tables need pyarrow, which is not installed; pip install 'hypercone[tables]'\n"
