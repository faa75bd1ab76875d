"""Tables and sources that are refused: one sentence with file, line, value and remedy."""

import io
import subprocess
import sys

import pytest
from tests.support.errors import raises_exactly

from hypercone.errors import HierarchyError, InputError
from hypercone.formats import read
from hypercone.formats.registry import NAMES

HEADER = b"parent\tchild\n"
WHICH = (
    'add a header line with the columns parent and child, or say direction="parent-child" or "child-parent", '
    "or name the columns with parent and child"
)
EMPTY = ": is empty; it should hold one edge per line, a parent and a child"
CHECK = 'check the separator, or say format="tsv" or "csv"'
# What follows the header, and what follows "edges.tsv:" in the message.
BAD_LINES = [
    (b"a\tb\na\tb\tc\n", "3: expected 2 columns as in line 1, found 3; fix or remove this line"),
    (b"a\n", "2: expected 2 columns as in line 1, found 1; fix or remove this line"),
    (b"a\tb\n\nb\tc\n", "3: expected 2 columns as in line 1, an empty line; fix or remove this line"),
    (b"a\tb\n\tc\n", "3: the parent is empty; give it a name or remove the line"),
    (b"a\t\n", "2: the child is empty; give it a name or remove the line"),
    (b"a\tb\nc\tc\n", "3: 'c' is given as its own parent; remove this edge"),
    (
        b"a\tb\nx\ty\nb\ta\n",
        "4: the edges form a cycle, parent → child: a → b → a; remove one of these edges, "
        'or read it with on_cycle="condense" or "drop"',
    ),
    (b"a\tb\xff\n", "2: byte 0xff is not UTF-8; save the file as UTF-8"),
    (b"a\tb\nc\0\td\n", "3: contains a NUL byte; save the file as UTF-8 text"),
    (b"a\tb\rc\td\n", "2: expected 2 columns as in line 1, found 3; fix or remove this line"),
    (b"a\tb\rc\n", "2: contains a carriage return inside the line; end lines with a line feed"),
    (b"", " has a header but no edges; add one per line, a parent and a child"),
]
# The whole file, the options, and what follows "edges.tsv" in the message.
BAD_FILES = [
    (b"", {}, EMPTY),
    (b"\xef\xbb\xbf\r\n\n", {}, EMPTY),
    (b"\nparent\tchild\na\tb\n", {}, ":1: the first line is empty; remove it"),
    (b"a\tb\n", {}, f":1: which column is the parent? The first line is a, b; {WHICH}"),
    (
        b"parent\tparent\tchild\n",
        {},
        f":1: which column is the parent? The first line is parent, parent, child; {WHICH}",
    ),
    (
        b"a\tb\tc\n",
        {"direction": "parent-child"},
        ":1: direction needs 2 columns, found 3: a, b, c; name the columns with parent and child instead",
    ),
    (
        b"child\tparent\na\tb\n",
        {"direction": "parent-child"},
        ":1: the header says child-parent, but direction is parent-child; change one of them",
    ),
    (
        b"id\tbroader\na\tb\n",
        {"parent": "braoder", "child": "id"},
        ":1: there is no column 'braoder' among id, broader; did you mean broader?",
    ),
    (
        b"id\tbroader\na\tb\n",
        {"parent": "3", "child": "id"},
        ":1: there is no column '3' among id, broader; name one of these, or give its number",
    ),
    (b"id\tID\tx\na\tb\tc\n", {"parent": "Id", "child": "x"}, ":1: there are 2 columns named 'Id'; rename all but one"),
    (b"parent,child\na,b\n", {}, f":1: expected columns separated by tabs, found one column: 'parent,child'; {CHECK}"),
    (
        b'"parent child"\n"a b"\n',
        {"format": "csv"},
        f":1: expected columns separated by commas, found one column: '\"parent child\"'; {CHECK}",
    ),
    (b'parent,child\n"a,b\n', {"format": "csv"}, ":2: the quotes are broken (unexpected end of data); fix this line"),
    (
        b'note,parent,child\n"x\ny",a,b\n"",c\n',
        {"format": "csv"},
        ":4: expected 3 columns as in line 1, found 2; fix or remove this line",
    ),
    (
        b'note,parent,child\n"x\ny",a,b\n"",c,c\n',
        {"format": "csv"},
        ":4: 'c' is given as its own parent; remove this edge",
    ),
    (
        b'parent,child\n"a\tz",b\n',
        {"format": "csv"},
        ":2: the name 'a\\tz' contains a tab, which an edge file cannot hold; replace it",
    ),
]
REFUSED = [(HEADER + lines, {}, f":{problem}") for lines, problem in BAD_LINES] + BAD_FILES
BAD_OPTIONS = [
    ({"direction": "up"}, "direction is 'up', but must be parent-child or child-parent"),
    ({"parent": "a", "child": "1"}, "parent and child are both the column 'a'; name two columns"),
    ({"parent": "a"}, "one column is named; name both, with parent and child"),
    (
        {"parent": "1", "child": "2", "direction": "parent-child"},
        "both the columns (parent and child) and direction are given; give one of them",
    ),
]


@pytest.mark.parametrize(("data", "options", "problem"), REFUSED, ids=[case[2][:60] for case in REFUSED])
def test_a_malformed_table_is_refused_in_one_sentence(tmp_path, monkeypatch, data, options, problem):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.tsv").write_bytes(data)
    with raises_exactly(f"edges.tsv{problem}"):
        read("edges.tsv", **options)


@pytest.mark.parametrize(("options", "sentence"), BAD_OPTIONS)
def test_contradictory_options_are_refused(options, sentence):
    with raises_exactly(sentence):
        read(io.BytesIO(b"a\tb\n"), **options)


@pytest.mark.parametrize("lines", [b"a\ta\n", b"a\tb\nb\ta\n"])
def test_an_error_about_the_edges_is_a_hierarchy_error(lines):
    with pytest.raises(HierarchyError):
        read(io.BytesIO(HEADER + lines))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nowhere.tsv", r"^nowhere\.tsv: there is no such file; check the path$"),
        (".", r"^\.: is a folder; give the edge file inside it$"),
        ("a\0b.tsv", "cannot be read"),
        (io.StringIO("parent\tchild\n"), r"^the stream gives text, not bytes; open it in binary mode \('rb'\)$"),
    ],
)
def test_a_source_that_cannot_be_read_is_refused(tmp_path, monkeypatch, source, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=message):
        read(source)


def test_standard_input_of_unknown_format_is_refused_by_name():
    code = "from hypercone import read; read('-')"
    done = subprocess.run([sys.executable, "-c", code], input=b"parent child\n", capture_output=True, check=False)
    expected = (
        "standard input: the format cannot be inferred from its name or first line; say which it is with format: "
    )
    assert done.stderr.decode().splitlines()[-1].endswith(f"{expected}{', '.join(NAMES)}")
