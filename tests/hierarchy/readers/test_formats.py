"""Which format a file is in, and which options mean something in it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from hypercone.errors import InputError
from hypercone.formats import read
from hypercone.formats.registry import EXTENSIONS, NAMES, READERS, format_of
from hypercone.formats.source import Content


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
def test_plain_text_is_judged_by_its_first_lines(data, format_):
    assert format_of(Content("a.txt", ".txt", data)) == format_


def test_no_two_formats_claim_the_same_extension():
    claimed = [ending for format_ in READERS.values() for ending in format_.extensions]
    assert len(set(claimed)) == len(claimed)
    assert not {".tsv", ".tab", ".txt", ".csv"} & set(claimed)
    assert all(EXTENSIONS[ending] in NAMES for ending in claimed)


def test_a_file_whose_name_says_nothing_is_judged_by_its_separator():
    assert format_of(Content("edges", "", b"parent\tchild\n")) == "tsv"
    assert format_of(Content("edges.dat", ".dat", b"parent,child\n")) == "csv"


def test_a_format_that_cannot_be_told_is_refused_with_all_of_them():
    with pytest.raises(InputError) as caught:
        read(io.BytesIO(b"[Term]\nid: A\n"))
    assert str(caught.value) == (
        "the stream: the format cannot be inferred from its name or first line; say which it is with format: "
        + ", ".join(NAMES)
    )


def test_a_format_nobody_knows_is_refused_with_those_there_are():
    with pytest.raises(InputError, match=r"^format is 'xls', but must be one of tsv, csv, obo, "):
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
def test_an_option_that_means_nothing_is_refused(options, format_, option):
    with pytest.raises(
        InputError, match=rf"^the stream: {option} does not apply to the format {format_}; leave it out$"
    ):
        read(io.BytesIO(b"a"), format=format_, **options)


@pytest.mark.parametrize("relations", ["", [], ["is_a", " "]])
def test_relations_that_name_none_are_refused(relations):
    with pytest.raises(
        InputError, match=r'^relations is .*, which names none; give some, such as relations=\["is_a", "part_of"\]$'
    ):
        read(io.BytesIO(b"a"), format="obo", relations=relations)


def test_a_table_is_read_with_the_options_of_read_edges(tmp_path):
    path = tmp_path / "edges.tsv"
    path.write_text("dog\tanimal\n")
    assert read(path, direction="child-parent").in_words() == ["dog is an animal"]
    assert read(path, parent=2, child=1).in_words() == ["dog is an animal"]


def test_the_command_line_refuses_and_reads_in_the_same_way(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.obo").write_text(
        "[Term]\nid: A\nname: dog\nis_a: B\nrelationship: part_of C\n[Term]\nid: B\n[Term]\nid: C"
    )
    assert run("info", "a.obo", "--direction", "parent-child").err == (
        "hypercone: a.obo: --direction does not apply to the format obo; leave it out\n"
    )
    told = run("info", "a.obo", "--relations", "is_a,part_of")
    assert told.err == "Read 3 nodes and 2 edges, for example:\n  dog is a B\n  dog is a C\n"
    assert run("info", "a.obo", "--format", "xls").code == 2
    assert run("info", "a.obo", "--on-cycle", "ignore").code == 2


def test_a_long_label_does_not_flood_the_screen(run, tmp_path):
    path = tmp_path / "a.obo"
    path.write_text(f"[Term]\nid: A\nname: {'y' * 100_000}\nis_a: B\n[Term]\nid: B\n")
    told = run("info", path)
    assert told.code == 0
    assert len(told.err) < 400


def test_the_page_on_formats_has_a_row_for_each_with_its_extensions():
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "read-your-format.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    for name in NAMES:
        row = next(line for line in rows if f"`{name}`" in line.split("|")[1])
        assert all(f"`{ending}`" in row for ending in (READERS[name].extensions if name in READERS else ()))
