"""Reading: compression, standard input, which format a file is in, which column is the parent, which options apply."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.errors import raises_exactly
from tests.support.formats import COMPRESS, read_text
from tests.support.hierarchies import acyclic, valid_names

from hypercone.errors import InputError
from hypercone.formats import read, source
from hypercone.formats.registry import EXTENSIONS, NAMES, READERS, format_of
from hypercone.formats.source import Content, limit_of, unpack
from hypercone.hierarchy import Hierarchy

EDGES = b"parent\tchild\nanimal\tdog\ndog\tpuppy\n"


SENTENCES = ["dog is an animal", "puppy is a dog"]


def sentences(data, **options):
    return read(io.BytesIO(data), **options).in_words()


@pytest.mark.parametrize("packing", COMPRESS)
@pytest.mark.parametrize("extension", [".tsv", ".txt", ".csv", ".edges"])
def test_every_extension_is_read_with_every_compression(tmp_path, extension, packing):
    data = EDGES.replace(b"\t", b",") if extension == ".csv" else EDGES
    path = tmp_path / f"edges{extension}{packing}"
    path.write_bytes(COMPRESS[packing](data))
    assert read(path).in_words() == read(str(path)).in_words() == SENTENCES


@pytest.mark.parametrize("packing", COMPRESS)
def test_compression_is_recognized_by_the_first_bytes_and_members_are_concatenated(packing):
    compress = COMPRESS[packing]
    assert sentences(compress(EDGES)) == sentences(compress(EDGES[:20]) + compress(EDGES[20:])) == SENTENCES


@pytest.mark.parametrize(
    "data", [EDGES, EDGES.replace(b"\t", b","), gzip.compress(EDGES)], ids=["tabs", "commas", "packed"]
)
def test_standard_input_is_read(data):
    code = "from hypercone import read; print(read('-').in_words())"
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)
    assert done.stdout.decode().strip() == str(SENTENCES)


@pytest.mark.parametrize(
    "data",
    [
        b"Child\tWEIGHT\tParent\ndog\t1\tanimal\npuppy\t2\tdog\n",
        b" child , parent \ndog,animal\npuppy,dog\n",
        b'"note","parent","child"\n"x, ""y""\nz","animal","dog"\n,dog,puppy\n',
        b"\xef\xbb\xbfparent\tchild\r\nanimal\tdog\r\ndog\tpuppy\r\n\r\n\r\n",
        b"parent\tchild\nanimal\tdog\ndog\tpuppy",
    ],
)
def test_columns_named_parent_and_child_are_found_in_any_order(data):
    assert sentences(data) == SENTENCES


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (b"animal\tdog\ndog\tpuppy\n", {"direction": "parent-child"}),
        (b"dog\tanimal\npuppy\tdog\n", {"direction": "child-parent"}),
        (EDGES, {"direction": "parent-child"}),
        (b"Broader,id,label\nanimal,dog,Dog\ndog,puppy,Puppy\n", {"parent": "broader", "child": "id"}),
        (b"Broader,id,label\nanimal,dog,Dog\ndog,puppy,Puppy\n", {"parent": "1", "child": "id"}),
        (b"x\tdog\tanimal\nx\tpuppy\tdog\n", {"parent": "3", "child": "2"}),
        (b"x\tdog\tanimal\nx\tpuppy\tdog\n", {"parent": 3, "child": 2}),
        # A column whose name is a number is meant by its name.
        (b"2\t1\ndog\tanimal\npuppy\tdog\n", {"parent": "1", "child": "2"}),
    ],
)
def test_the_caller_may_give_the_direction_or_the_names_or_numbers_of_the_columns(data, options):
    assert sentences(data, **options) == SENTENCES


@pytest.mark.parametrize("name", ["#top", " a b ", '"a', "a\u2028\u0085\x0b\x0c\x1c"])
def test_in_tab_separated_text_only_tabs_and_line_feeds_are_special(name):
    assert read_text(f"parent\tchild\n{name}\tb\n").names == (name, "b")


def test_the_format_given_wins_over_the_extension(tmp_path):
    path = tmp_path / "edges.tsv"
    path.write_bytes(EDGES.replace(b"\t", b","))
    assert read(path, format="csv").in_words() == SENTENCES


def test_repeated_lines_are_counted():
    assert read(io.BytesIO(EDGES + b"dog\tpuppy\n")).duplicates == 1


@pytest.mark.parametrize(
    ("data", "format_"),
    [
        (b"parent\tchild\na\tb > c\n", "tsv"),
        (b"animal > dog\n", "paths"),
        (b"\xef\xbb\xbfAnimals\r\nAnimals > Dogs\r\n", "paths"),
        (b"# Products\nFood\nFood > Cheese\n", "paths"),
        (b"animal\n\tdog\n", "indented"),
        (b"animal\r\n  dog\r\n", "indented"),
        (b"animal\n\n", "tsv"),
        (b"", "tsv"),
    ],
)
def test_the_format_of_plain_text_is_inferred_from_its_first_lines(data, format_):
    assert format_of(Content("a.txt", ".txt", data)) == format_


def test_no_two_formats_claim_the_same_extension():
    claimed = [ending for format_ in READERS.values() for ending in format_.extensions]
    assert len(set(claimed)) == len(claimed)
    assert not {".tsv", ".tab", ".txt", ".csv"} & set(claimed)
    assert all(EXTENSIONS[ending] in NAMES for ending in claimed)


def test_without_a_known_extension_the_separator_decides():
    assert format_of(Content("edges", "", b"parent\tchild\n")) == "tsv"
    assert format_of(Content("edges.dat", ".dat", b"parent,child\n")) == "csv"


@pytest.mark.parametrize("relations", ["", [], ["is_a", " "]])
def test_relations_that_name_none_are_refused(relations):
    with pytest.raises(
        InputError, match=r'^relations is .*, which names none; give some, such as relations=\["is_a", "part_of"\]$'
    ):
        read(io.BytesIO(b"a"), format="obo", relations=relations)


def test_the_command_line_refuses_and_reads_in_the_same_way(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.obo").write_text(
        "[Term]\nid: A\nname: dog\nis_a: B\nrelationship: part_of C\n[Term]\nid: B\n[Term]\nid: C"
    )
    assert run("info", "a.obo", "--direction", "parent-child").err == (
        "hypercone: a.obo: --direction does not apply to the format obo; leave it out\n"
    )
    done = run("info", "a.obo", "--relations", "is_a,part_of")
    assert done.err == "Read 3 nodes and 2 edges, for example:\n  dog is a B\n  dog is a C\n"
    assert run("info", "a.obo", "--format", "xls").code == 2
    assert run("info", "a.obo", "--on-cycle", "ignore").code == 2


def test_a_long_label_is_shortened_on_the_screen(run, tmp_path):
    path = tmp_path / "a.obo"
    path.write_text(f"[Term]\nid: A\nname: {'y' * 100_000}\nis_a: B\n[Term]\nid: B\n")
    done = run("info", path)
    assert done.code == 0
    assert len(done.err) < 400


def test_the_page_on_formats_has_a_row_for_each_with_its_extensions():
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "read-your-data.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    for name in NAMES:
        row = next(line for line in rows if f"`{name}`" in line.split("|")[1])
        assert all(f"`{ending}`" in row for ending in (READERS[name].extensions if name in READERS else ()))


def test_an_unknown_format_is_refused_with_all_of_them():
    choices = ", ".join(NAMES)
    unclear = "the stream: the format cannot be inferred from its name or first line; say which it is with format: "
    with raises_exactly(unclear + choices):
        read(io.BytesIO(b"[Term]\nid: A\n"))
    with raises_exactly(f"format is 'xls', but must be one of {choices}"):
        read(io.BytesIO(b"a"), format="xls")


@pytest.mark.parametrize(
    ("options", "format_", "option"),
    [
        ({"relations": ["part_of"]}, "tsv", "relations"),
        ({"relations": ["part_of"]}, "newick", "relations"),
        ({"direction": "parent-child"}, "obo", "direction"),
        ({"parent": "a", "child": "b"}, "paths", "parent"),
        ({"child": "b"}, "graphml", "child"),
    ],
)
def test_an_option_that_does_not_apply_is_refused(options, format_, option):
    with raises_exactly(f"the stream: {option} does not apply to the format {format_}; leave it out"):
        read(io.BytesIO(b"a"), format=format_, **options)


@given(st.lists(st.tuples(valid_names, valid_names), min_size=1).map(acyclic), st.sampled_from(["\n", "\r\n"]))
def test_what_is_written_is_read_back(pairs, end):
    pairs = pairs or [("a", "b")]
    data = "".join(f"{parent}\t{child}{end}" for parent, child in [("parent", "child"), *pairs])
    assert read_text(data, format="tsv") == Hierarchy.from_pairs(pairs)


compressions = pytest.mark.parametrize("packing", [".gz", ".xz", ".zst"])


@settings(max_examples=50)
@given(parts=st.lists(st.binary(max_size=3000), min_size=1, max_size=4), piece=st.sampled_from([1, 7, 1024]))
@compressions
def test_data_is_decompressed_in_pieces_of_any_size(packing, parts, piece):
    packed = b"".join(map(COMPRESS[packing], parts))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("UNPACKED_PIECE", "SMALLEST_PIECE", "LARGEST_PIECE", "ZSTD_PIECE"):
            patch.setattr(source, name, piece)
        assert unpack("x", packing, packed) == b"".join(parts)


def test_zeros_after_a_gzip_file_are_padding():
    assert unpack("x", ".gz", COMPRESS[".gz"](b"dog") + bytes(1000)) == b"dog"


@compressions
def test_a_decompression_bomb_stops_at_the_limit(packing, monkeypatch):
    monkeypatch.setattr(source, "ALWAYS_ALLOWED", 2**20)
    packed = COMPRESS[packing](bytes(40 * 2**20))
    limit = limit_of(len(packed))
    assert limit < 40 * 2**20
    with raises_exactly(
        f"bomb: unpacks to more than {limit // 2**20:,} MiB from {len(packed):,} bytes, too much for a hierarchy; "
        "unpack it yourself if you trust it"
    ):
        unpack("bomb", packing, packed)


def test_the_limit_grows_with_the_file_and_ends_at_four_gibibytes():
    assert [limit_of(size) for size in (0, 2**20, 2**40)] == [64 * 2**20, 300 * 2**20, 4 * 2**30]


DAMAGES = {
    "cut after a tenth": lambda data: data[: len(data) // 10],
    "cut in the middle": lambda data: data[: len(data) // 2],
    "cut near the end": lambda data: data[:-20],
    "changed": lambda data: data[: len(data) // 2] + bytes(40) + data[len(data) // 2 + 40 :],
    "not compressed": lambda _: b"parent\tchild\na\tb\n",
}


@compressions
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_compression_is_refused(tmp_path, packing, damage):
    path = tmp_path / f"edges.tsv{packing}"
    lines = b"".join(b"%d\t%d\n" % (i, i * i + 1) for i in range(2000))
    path.write_bytes(DAMAGES[damage](COMPRESS[packing](b"parent\tchild\n" + lines)))
    with pytest.raises(InputError, match=r"compression is damaged \(.+\); fetch the file again$") as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: the {packing} compression is damaged (")
