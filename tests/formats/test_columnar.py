"""Parquet and Arrow tables: named columns, errors with their row, damaged files."""

import contextlib
import io
import subprocess
import sys

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather, ipc, parquet

from hypercone.errors import InputError
from hypercone.formats import arrow
from hypercone.formats.source import Content


def as_parquet(table):
    file = io.BytesIO()
    parquet.write_table(table, file)
    return file.getvalue()


def as_feather(table):
    file = io.BytesIO()
    feather.write_feather(table, file)
    return file.getvalue()


def as_stream(table):
    file = io.BytesIO()
    with ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
WRITERS = {"parquet": as_parquet, "feather": as_feather, "ipc": as_stream}


each_kind = pytest.mark.parametrize("kind", WRITERS)


def read_bytes(kind, data, **options):
    read = arrow.read_parquet if kind == "parquet" else arrow.read_arrow
    return read(Content(f"zoo.{kind}", f".{kind}", data), **options)


def read(kind, columns, **options):
    return read_bytes(kind, WRITERS[kind](pyarrow.table(columns)), **options)


def edges(parsed):
    return list(zip(parsed.parents, parsed.children, strict=True))


@each_kind
def test_columns_named_parent_and_child_need_no_option(kind):
    assert edges(read(kind, {"n": [1], "Child": ["dog"], "parent": ["animal"]})) == [("animal", "dog")]


@each_kind
def test_columns_may_be_named_or_the_direction_given(kind):
    columns = {"lower": ["dog"], "upper": ["animal"]}
    assert edges(read(kind, columns, parent="upper", child="lower")) == [("animal", "dog")]
    assert edges(read(kind, columns, parent=2, child=1)) == [("animal", "dog")]
    assert edges(read(kind, columns, direction="child-parent")) == [("animal", "dog")]


@each_kind
def test_text_of_every_kind_and_whole_numbers_are_names(kind):
    parents = [
        pyarrow.array(["1", "2", "1"]).dictionary_encode(),
        pyarrow.array(["1", "2", "1"], pyarrow.large_string()),
        pyarrow.array([1, 2, 1], pyarrow.uint8()),
        pyarrow.array([1.0, 2.0, 1.0]),
    ]
    for column in parents:
        parsed = read(kind, {"parent": column, "child": pyarrow.array([2, 3, 4])})
        assert edges(parsed) == [("1", "2"), ("2", "3"), ("1", "4")]


@each_kind
@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"parent": ["a", None], "child": ["b", "c"]}, {}, ": the column 'parent', row 2: is empty; give it a name or"),
        ({"parent": ["a", "b"], "child": ["b", ""]}, {}, ": the column 'child', row 2: is empty; give it a name or"),
        ({"parent": [1.5], "child": [2]}, {}, ": the column 'parent', row 1: 1.5 is not a name; names are text or"),
        ({"parent": [float("nan")], "child": [2]}, {}, ": the column 'parent', row 1: is empty"),
        ({"parent": [["a"]], "child": [2]}, {}, ": the column 'parent' holds list<"),
        ({"parent": [True], "child": [2]}, {}, ": the column 'parent', row 1: True is not a name"),
        (
            {"a": ["x"], "b": ["y"]},
            {},
            ": which column is the parent? The columns are a, b; name them parent and child",
        ),
        ({"a": ["x"]}, {"direction": "parent-child"}, ": direction needs 2 columns, found 1: a"),
        ({"up": ["x"], "b": ["y"]}, {"parent": "upp", "child": "b"}, ": there is no column 'upp' among up, b"),
    ],
)
def test_what_is_not_an_edge_is_refused_with_its_row(kind, columns, options, message):
    with pytest.raises(InputError) as caught:
        read(kind, columns, **options)
    assert f"zoo.{kind}{message}" in str(caught.value)


@each_kind
def test_an_empty_file_and_one_cut_off_are_refused(kind):
    data = WRITERS[kind](pyarrow.table({"parent": ["a"] * 50, "child": [str(i) for i in range(50)]}))
    with pytest.raises(InputError, match=rf"zoo\.{kind}: is empty; it should hold an? (Parquet|Arrow) table"):
        read_bytes(kind, b"")
    for end in range(1, len(data) - 8, 41):
        with pytest.raises(
            InputError, match=rf"zoo\.{kind}: cannot be read as an? \w+ table \(.+\); fetch the file again"
        ):
            read_bytes(kind, data[:end])


@each_kind
@given(position=st.integers(0, 5000), byte=st.integers(0, 255))
def test_a_damaged_byte_is_refused_or_harmless(kind, position, byte):
    data = bytearray(WRITERS[kind](pyarrow.table({"parent": ["a", "b"], "child": ["b", "c"]})))
    data[position % len(data)] = byte
    with contextlib.suppress(InputError):
        assert len(edges(read_bytes(kind, bytes(data)))) <= 2


@each_kind
@given(pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=1))
def test_what_is_written_is_read_back(kind, pairs):
    parents, children = zip(*pairs, strict=True)
    assert edges(read(kind, {"child": children, "parent": parents})) == pairs


@each_kind
def test_without_pyarrow_the_error_says_how_to_install_it(kind):
    module = "parquet" if kind == "parquet" else "arrow"
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        f"from hypercone.formats.arrow import read_{module} as read\n"
        "from hypercone.formats.source import Content\n"
        "from hypercone.errors import HyperconeError\n"
        "try: read(Content('a', '', b'PAR1'))\nexcept HyperconeError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "tables need pyarrow, which is not installed; pip install 'hypercone[tables]'\n"
