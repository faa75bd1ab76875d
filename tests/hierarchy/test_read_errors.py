"""Files that are refused: each with one sentence that says where, what, and what to do."""

import gzip
import io
import lzma
import subprocess
import sys

import pytest
import zstandard

from hypercone.errors import HierarchyError, InputError
from hypercone.formats import read
from hypercone.formats.registry import NAMES

BIG = b"parent\tchild\n" + b"".join(b"%d\t%d\n" % (i, i * i + 1) for i in range(2000))
SAY_WHICH = (
    'add a header line with the columns parent and child, or say direction="parent-child" or "child-parent", '
    "or name the columns with parent and child"
)
REFUSED = [
    (
        b"parent\tchild\na\tb\na\tb\tc\n",
        {},
        "edges.tsv:3: expected 2 columns as in line 1, found 3; fix or remove this line",
    ),
    (
        b"parent\tchild\na\n",
        {},
        "edges.tsv:2: expected 2 columns as in line 1, found 1; fix or remove this line",
    ),
    (
        b"parent\tchild\na\tb\n\nb\tc\n",
        {},
        "edges.tsv:3: expected 2 columns as in line 1, an empty line; fix or remove this line",
    ),
    (
        b"parent\tchild\na\tb\n\tc\n",
        {},
        "edges.tsv:3: the parent is empty; give it a name or remove the line",
    ),
    (b"parent\tchild\na\t\n", {}, "edges.tsv:2: the child is empty; give it a name or remove the line"),
    (b"parent\tchild\na\tb\nc\tc\n", {}, "edges.tsv:3: 'c' is given as its own parent; remove this edge"),
    (
        b"parent\tchild\na\tb\nx\ty\nb\ta\n",
        {},
        "edges.tsv:4: the edges form a cycle, parent → child: a → b → a; remove one of these edges, "
        'or read it with on_cycle="condense" or "drop"',
    ),
    (b"parent\tchild\na\tb\xff\n", {}, "edges.tsv:2: byte 0xff is not UTF-8; save the file as UTF-8"),
    (b"parent\tchild\na\tb\nc\0\td\n", {}, "edges.tsv:3: contains a NUL byte; save the file as UTF-8 text"),
    (
        b"parent\tchild\na\tb\rc\td\n",
        {},
        "edges.tsv:2: expected 2 columns as in line 1, found 3; fix or remove this line",
    ),
    (
        b"parent\tchild\na\tb\rc\n",
        {},
        "edges.tsv:2: contains a carriage return inside the line; end lines with a line feed",
    ),
    (b"", {}, "edges.tsv: is empty; it should hold one edge per line, a parent and a child"),
    (b"\xef\xbb\xbf\r\n\n", {}, "edges.tsv: is empty; it should hold one edge per line, a parent and a child"),
    (b"\nparent\tchild\na\tb\n", {}, "edges.tsv:1: the first line is empty; remove it"),
    (b"parent\tchild\n", {}, "edges.tsv: has a header but no edges; add one per line, a parent and a child"),
    (b"a\tb\n", {}, f"edges.tsv:1: which column is the parent? The first line is a, b; {SAY_WHICH}"),
    (
        b"parent\tparent\tchild\n",
        {},
        f"edges.tsv:1: which column is the parent? The first line is parent, parent, child; {SAY_WHICH}",
    ),
    (
        b"a\tb\tc\n",
        {"direction": "parent-child"},
        "edges.tsv:1: direction needs 2 columns, found 3: a, b, c; name the columns with parent and child instead",
    ),
    (
        b"child\tparent\na\tb\n",
        {"direction": "parent-child"},
        "edges.tsv:1: the header says child-parent, but direction is parent-child; change one of them",
    ),
    (b"a\tb\n", {"direction": "up"}, "direction is 'up', but must be parent-child or child-parent"),
    (
        b"id\tbroader\na\tb\n",
        {"parent": "braoder", "child": "id"},
        "edges.tsv:1: there is no column 'braoder' among id, broader; did you mean broader?",
    ),
    (
        b"id\tbroader\na\tb\n",
        {"parent": "3", "child": "id"},
        "edges.tsv:1: there is no column '3' among id, broader; name one of these, or give its number",
    ),
    (
        b"id\tID\tx\na\tb\tc\n",
        {"parent": "Id", "child": "x"},
        "edges.tsv:1: there are 2 columns named 'Id'; rename all but one",
    ),
    (
        b"id\tup\na\tb\n",
        {"parent": "id", "child": "1"},
        "parent and child are both the column 'id'; name two columns",
    ),
    (
        b"a\tb\n",
        {"parent": "a"},
        "one column is named; name both, with parent and child",
    ),
    (
        b"a\tb\n",
        {"parent": "1", "child": "2", "direction": "parent-child"},
        "both the columns (parent and child) and direction are given; give one of them",
    ),
    (b"a\tb\n", {"format": "xls"}, f"format is 'xls', but must be one of {', '.join(NAMES)}"),
    (
        b"parent,child\na,b\n",
        {},
        "edges.tsv:1: expected columns separated by tabs, found one column: 'parent,child'; "
        'check the separator, or say format="tsv" or "csv"',
    ),
    (
        b'"parent child"\n"a b"\n',
        {"format": "csv"},
        "edges.tsv:1: expected columns separated by commas, found one column: '\"parent child\"'; "
        'check the separator, or say format="tsv" or "csv"',
    ),
    (
        b'parent,child\n"a,b\n',
        {"format": "csv"},
        "edges.tsv:2: the quotes are broken (unexpected end of data); fix this line",
    ),
    (
        b'note,parent,child\n"x\ny",a,b\n"",c\n',
        {"format": "csv"},
        "edges.tsv:4: expected 3 columns as in line 1, found 2; fix or remove this line",
    ),
    (
        b'note,parent,child\n"x\ny",a,b\n"",c,c\n',
        {"format": "csv"},
        "edges.tsv:4: 'c' is given as its own parent; remove this edge",
    ),
    (
        b'parent,child\n"a\tz",b\n',
        {"format": "csv"},
        "edges.tsv:2: the name 'a\\tz' contains a tab, which an edge file cannot hold; replace it",
    ),
]


@pytest.mark.parametrize(("data", "options", "sentence"), REFUSED, ids=[case[2][:60] for case in REFUSED])
def test_a_malformed_file_is_refused_in_one_sentence(tmp_path, monkeypatch, data, options, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.tsv").write_bytes(data)
    with pytest.raises(InputError) as caught:
        read("edges.tsv", **options)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("data", [b"parent\tchild\na\ta\n", b"parent\tchild\na\tb\nb\ta\n"])
def test_what_is_wrong_with_the_edges_is_a_hierarchy_error(data):
    with pytest.raises(HierarchyError):
        read(io.BytesIO(data))


def test_a_missing_file_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"^nowhere\.tsv: there is no such file; check the path$"):
        read("nowhere.tsv")


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match=r": is a folder; give the edge file inside it$"):
        read(tmp_path)


def test_a_path_with_a_nul_is_refused():
    with pytest.raises(InputError, match="cannot be read"):
        read("a\0b.tsv")


@pytest.mark.parametrize(
    ("packing", "packed"),
    [(".gz", gzip.compress(BIG, mtime=0)), (".xz", lzma.compress(BIG)), (".zst", zstandard.compress(BIG))],
)
@pytest.mark.parametrize("damage", ["cut", "flipped", "plain"])
def test_a_damaged_packing_is_refused(tmp_path, packing, packed, damage):
    middle = len(packed) // 2
    flipped = packed[:middle] + bytes(255 - byte for byte in packed[middle : middle + 40]) + packed[middle + 40 :]
    data = {"cut": packed[:-20], "flipped": flipped, "plain": b"parent\tchild\na\tb\n"}[damage]
    path = tmp_path / f"edges.tsv{packing}"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: the {packing} compression is damaged (")
    assert str(caught.value).endswith("); fetch the file again")


def test_text_streams_are_refused():
    with pytest.raises(InputError, match=r"^the stream gives text, not bytes; open it in binary mode \('rb'\)$"):
        read(io.StringIO("parent\tchild\n"))


def test_standard_input_without_a_separator_is_refused_by_name():
    code = "from hypercone import read; read('-')"
    done = subprocess.run([sys.executable, "-c", code], input=b"parent child\n", capture_output=True, check=False)
    assert (
        done.stderr.decode()
        .splitlines()[-1]
        .endswith(
            "standard input: the format cannot be inferred from its name or first line; say which it is with format: "
            + ", ".join(NAMES)
        )
    )
