"""Reading: compression, standard input, which format a file is in, which column is the parent."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.errors import raises_exactly
from tests.support.formats import COMPRESS, DOWN, read_text
from tests.support.hierarchies import acyclic, valid_names

from hypercone.errors import InputError
from hypercone.formats import read, source
from hypercone.formats.registry import EXTENSIONS, NAMES, READERS, format_of
from hypercone.formats.source import Content, limit_of, unpack
from hypercone.hierarchy import Hierarchy

EDGES = b"parent\tchild\nanimal\tdog\ndog\tpuppy\n"
SENTENCES = ["dog is an animal", "puppy is a dog"]


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
    for data in (compress(EDGES), compress(EDGES[:20]) + compress(EDGES[20:])):
        assert read_text(data).in_words() == SENTENCES


@pytest.mark.parametrize("data", [EDGES, EDGES.replace(b"\t", b","), gzip.compress(EDGES)], ids=["tab", "comma", "gz"])
def test_standard_input_is_read(data, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert read("-").in_words() == SENTENCES


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (b"Child\tWEIGHT\tParent\ndog\t1\tanimal\npuppy\t2\tdog\n", {}),
        (b" child , parent \ndog,animal\npuppy,dog\n", {}),
        (b'"note","parent","child"\n"x, ""y""\nz","animal","dog"\n,dog,puppy\n', {}),
        (b"\xef\xbb\xbfparent\tchild\r\nanimal\tdog\r\ndog\tpuppy\r\n\r\n\r\n", {}),
        (b"parent\tchild\nanimal\tdog\ndog\tpuppy", {}),
        (b"animal\tdog\ndog\tpuppy\n", DOWN),
        (b"dog\tanimal\npuppy\tdog\n", {"direction": "child-parent"}),
        (EDGES, DOWN),
        (b"Broader,id,label\nanimal,dog,Dog\ndog,puppy,Puppy\n", {"parent": "broader", "child": "id"}),
        (b"Broader,id,label\nanimal,dog,Dog\ndog,puppy,Puppy\n", {"parent": "1", "child": "id"}),
        (b"x\tdog\tanimal\nx\tpuppy\tdog\n", {"parent": "3", "child": "2"}),
        (b"x\tdog\tanimal\nx\tpuppy\tdog\n", {"parent": 3, "child": 2}),
        # A column whose name is a number is meant by its name.
        (b"2\t1\ndog\tanimal\npuppy\tdog\n", {"parent": "1", "child": "2"}),
    ],
)
def test_columns_are_named_parent_and_child_or_given_by_direction_name_or_number(data, options):
    assert read_text(data, **options).in_words() == SENTENCES


@pytest.mark.parametrize("name", ["#top", " a b ", '"a', "a\u2028\u0085\x0b\x0c\x1c"])
def test_in_tab_separated_text_only_tabs_and_line_feeds_are_special(name):
    assert read_text(f"parent\tchild\n{name}\tb\n").names == (name, "b")


@pytest.mark.parametrize(
    ("ending", "data", "kind"),
    [
        (".txt", b"parent\tchild\na\tb > c\n", "tsv"),
        (".txt", b"animal > dog\n", "paths"),
        (".txt", b"\xef\xbb\xbfAnimals\r\nAnimals > Dogs\r\n", "paths"),
        (".txt", b"# Products\nFood\nFood > Cheese\n", "paths"),
        (".txt", b"animal\n\tdog\n", "indented"),
        (".txt", b"animal\r\n  dog\r\n", "indented"),
        (".txt", b"Animals\nAnimals/Dogs\nAnimals/Cats\n", "paths"),
        (".txt", b"A :: B\nA :: C\n", "paths"),
        (".txt", b"and/or\n", "tsv"),
        (".txt", b"animal\ndog\ncat/kitten\n", "tsv"),
        (".txt", b"animal\n\n", "tsv"),
        (".txt", b"", "tsv"),
        ("", b"parent\tchild\n", "tsv"),
        (".dat", b"parent,child\n", "csv"),
        ("", b"parent;child\n", "csv"),
    ],
)
def test_the_format_of_plain_text_is_inferred_from_its_first_lines(ending, data, kind):
    assert format_of(Content(f"edges{ending}", ending, data)) == kind


def test_the_format_given_wins_over_the_extension(tmp_path):
    path = tmp_path / "edges.tsv"
    path.write_bytes(EDGES.replace(b"\t", b","))
    assert read(path, format="csv").in_words() == SENTENCES


def test_no_two_formats_claim_the_same_extension():
    claimed = [ending for format_ in READERS.values() for ending in format_.extensions]
    assert len(set(claimed)) == len(claimed)
    assert not {".tsv", ".tab", ".txt", ".csv"} & set(claimed)
    assert all(EXTENSIONS[ending] in NAMES for ending in claimed)


def test_without_a_known_extension_the_separator_decides():
    assert format_of(Content("edges", "", b"parent\tchild\n")) == "tsv"
    assert format_of(Content("edges.dat", ".dat", b"parent,child\n")) == "csv"


def test_the_command_line_refuses_and_reads_in_the_same_way(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "[Term]\nid: A\nname: dog\nis_a: B\nrelationship: part_of C\n[Term]\nid: B\n[Term]\nid: C"
    Path("a.obo").write_text(text)
    assert run("info", "a.obo", "--direction", "parent-child").err == (
        "hypercone: a.obo: --direction does not apply to the format obo; leave it out\n"
    )
    done = run("info", "a.obo", "--relations", "is_a,part_of")
    assert done.err == "Read as obo: 2 roots, 3 nodes, 2 edges, for example:\n  dog is a B\n  dog is a C\n"
    assert run("info", "a.obo", "--on-cycle", "ignore").code == 2
    Path("long.obo").write_text(text.replace("dog", "y" * 100_000))
    done = run("info", "long.obo")
    assert (done.code, len(done.err) < 400) == (0, True)


def test_the_page_on_formats_has_a_row_for_each_with_its_extensions():
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "read-your-data.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    for name in NAMES:
        row = next(line for line in rows if f"`{name}`" in line.split("|")[1])
        assert all(f"`{ending}`" in row for ending in (READERS[name].extensions if name in READERS else ()))


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


def test_the_limit_grows_with_the_file_ends_at_four_gibibytes_and_zeros_after_a_gzip_file_are_padding():
    assert [limit_of(size) for size in (0, 2**20, 2**40)] == [64 * 2**20, 300 * 2**20, 4 * 2**30]
    assert unpack("x", ".gz", COMPRESS[".gz"](b"dog") + bytes(1000)) == b"dog"


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
