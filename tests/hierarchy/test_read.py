"""Files that are read: every packing, both separators, every way to say which column is the parent."""

import gzip
import io
import lzma
import subprocess
import sys

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone.formats import read
from hypercone.hierarchy import Hierarchy

EDGES = b"parent\tchild\nanimal\tdog\ndog\tpuppy\n"
WORDS = ["dog is an animal", "puppy is a dog"]
PACK = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstandard.compress}
names = st.text(st.characters(exclude_characters="\t\n\r\0", exclude_categories=["Cs"]), min_size=1, max_size=5)


def words(data, **options):
    return read(io.BytesIO(data), **options).in_words()


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize("extension", [".tsv", ".txt", ".csv", ".edges"])
def test_every_packing_of_every_extension_is_read(tmp_path, extension, packing):
    data = EDGES.replace(b"\t", b",") if extension == ".csv" else EDGES
    path = tmp_path / f"edges{extension}{packing}"
    path.write_bytes(PACK[packing](data))
    assert read(path).in_words() == WORDS
    assert read(str(path)).in_words() == WORDS


@pytest.mark.parametrize("packing", PACK)
def test_a_packing_is_recognised_by_its_first_bytes(packing):
    assert words(PACK[packing](EDGES)) == WORDS


@pytest.mark.parametrize("packing", [".gz", ".xz", ".zst"])
def test_packed_files_put_end_to_end_are_one_file(tmp_path, packing):
    path = tmp_path / f"edges.tsv{packing}"
    path.write_bytes(PACK[packing](EDGES[:20]) + PACK[packing](EDGES[20:]))
    assert read(path).in_words() == WORDS


@pytest.mark.parametrize(
    "data", [EDGES, EDGES.replace(b"\t", b","), gzip.compress(EDGES)], ids=["tabs", "commas", "packed"]
)
def test_standard_input_is_read(data):
    code = "from hypercone import read; print(read('-').in_words())"
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)
    assert done.stdout.decode().strip() == str(WORDS)


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
def test_columns_named_parent_and_child_are_found_wherever_they_stand(data):
    assert words(data) == WORDS


def test_a_direction_reads_two_columns_without_header():
    assert words(b"animal\tdog\ndog\tpuppy\n", direction="parent-child") == WORDS
    assert words(b"dog\tanimal\npuppy\tdog\n", direction="child-parent") == WORDS


def test_a_direction_that_agrees_with_the_header_is_fine():
    assert words(EDGES, direction="parent-child") == WORDS


def test_columns_can_be_named_by_the_caller():
    data = b"Broader,id,label\nanimal,dog,Dog\ndog,puppy,Puppy\n"
    assert words(data, parent="broader", child="id") == WORDS
    assert words(data, parent="1", child="id") == WORDS


def test_columns_can_be_numbered_from_one():
    data = b"x\tdog\tanimal\nx\tpuppy\tdog\n"
    assert words(data, parent="3", child="2") == WORDS
    assert words(data, parent=3, child=2) == WORDS


def test_a_column_whose_name_is_a_number_is_meant_by_name():
    assert words(b"2\t1\ndog\tanimal\npuppy\tdog\n", parent="1", child="2") == WORDS


def test_a_hash_is_part_of_a_name_and_spaces_are_kept():
    hierarchy = read(io.BytesIO(b"parent\tchild\n#top\t a b \n"))
    assert hierarchy.names == ("#top", " a b ")


def test_a_tab_separated_file_does_not_interpret_quotes():
    assert words(b'parent\tchild\n"a\tb"\n') == ['b" is a "a']


def test_strange_line_breaks_of_unicode_do_not_break_lines():
    separators = "\u2028\u0085\x0b\x0c\x1c"
    assert read(io.BytesIO(f"parent\tchild\na{separators}\tb\n".encode())).names == (
        f"a{separators}",
        "b",
    )


def test_the_format_given_wins_over_the_extension(tmp_path):
    path = tmp_path / "edges.tsv"
    path.write_bytes(EDGES.replace(b"\t", b","))
    assert read(path, format="csv").in_words() == WORDS


def test_repeated_lines_are_counted():
    assert read(io.BytesIO(EDGES + b"dog\tpuppy\n")).duplicates == 1


@settings(deadline=None)
@given(st.lists(st.tuples(names, names), min_size=1), st.sampled_from(["\n", "\r\n"]))
def test_what_is_written_is_read_back(pairs, end):
    pairs = [(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]] or [("a", "b")]
    data = "".join(f"{parent}\t{child}{end}" for parent, child in [("parent", "child"), *pairs])
    assert read(io.BytesIO(data.encode()), format="tsv") == Hierarchy.from_pairs(pairs)
