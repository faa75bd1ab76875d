"""Workbooks of Excel and LibreOffice: every kind of cell, which sheet is read, damaged and hostile files."""

from __future__ import annotations

import tracemalloc

import pytest
from tests.support.errors import raises_exactly
from tests.support.formats import ods_of, ods_rows, read_text, xlsx_of, xlsx_rows, zip_parts
from tests.support.hierarchies import edges_of

from hypercone.errors import InputError

TABLE = [("id", "name", "parent_id"), ("1", "animal", ""), ("2", "dog", "1"), ("3", "cat", "1")]
MAKE = {"xlsx": (xlsx_of, xlsx_rows), "ods": (ods_of, ods_rows)}
each_kind = pytest.mark.parametrize("kind", MAKE)


def read(kind, sheets, **options):
    make, rows_of = MAKE[kind]
    return read_text(make({name: rows_of(rows) for name, rows in sheets.items()}), format=kind, **options)


@each_kind
def test_a_sheet_is_a_table_of_any_shape_and_titles_and_empty_rows_are_skipped(kind):
    found = read(kind, {"Animals": TABLE})
    assert found.in_words() == ["dog is an animal", "cat is an animal"]
    assert (found.read_as, found.notes) == ("id / name / parent_id", ())
    titled = [("All animals, 2026",), (), ("", *TABLE[0]), *(("", *row) for row in TABLE[1:3]), (), ("", *TABLE[3])]
    assert edges_of(read(kind, {"Animals": titled})) == edges_of(found)
    levels = read(kind, {"x": [("Level 1", "Level 2"), ("food", "cheese"), ("", "bread")]}, fill_down=True)
    assert levels.in_words() == ["cheese is a food", "bread is a food"]


@each_kind
def test_the_first_sheet_with_cells_is_read_unless_another_is_named(kind):
    sheets = {"Empty": [], "Animals": TABLE, "Notes & more": [("x", "y"), ("a", "b")]}
    assert read(kind, sheets).notes == ("2 other sheets left out: Empty, Notes & more",)
    assert read(kind, sheets, sheet="Animals").notes == read(kind, sheets, sheet=2).notes == ()
    with raises_exactly("the stream: there is no sheet 'Animal' among Empty, Animals, Notes & more; name one of these"):
        read(kind, sheets, sheet="Animal")
    with pytest.raises(
        InputError, match=r"^the stream:1: which column is the parent\? .*; or read another sheet with sheet: A$"
    ):
        read(kind, {"Read me": [("x", "y"), ("a", "b")], "A": TABLE})
    with raises_exactly("the stream: has no cells; it should hold one edge or one node per row"):
        read(kind, {"Empty": []})
    with raises_exactly("the stream: the sheet 'One' has only one column; it should have two or more"):
        read(kind, {"One": [("a",), ("b",)]})


@each_kind
def test_a_problem_is_reported_with_the_row_of_the_sheet(kind):
    with raises_exactly("the stream:5: the id '2' is called 'cat' here and 'dog' in row 4; give each node its own id"):
        read(kind, {"x": [("A title",), *TABLE[:3], ("2", "cat", "1")]})


def test_cells_of_excel_are_texts_numbers_truth_values_and_results_of_formulas():
    runs = "<r><t>white </t></r><r><t>dog</t></r><rPh><t>not this</t></rPh>"
    strings = f"<si><t>animal</t></si><si>{runs}</si><si><t>a_x0041_</t></si>"
    rows = (
        xlsx_rows([("id", "name", "parent_id")])
        + '<row r="3"><c r="A3"><v>1</v></c><c r="B3" t="s"><v>0</v></c></row>'
        + '<row r="4"><c r="A4"><v>2.0</v></c><c r="B4" t="s"><v>1</v></c><c r="C4"><f>A3</f><v>1</v></c></row>'
        + '<row r="7"><c r="A7" t="b"><v>1</v></c><c r="C7" t="str"><f>A3</f><v>1</v></c></row>'
        + '<row r="8"><c r="A8"><v>2.2000000000000002</v></c><c r="B8" t="s"><v>2</v></c><c r="C8"><v>1E0</v></c></row>'
    )
    found = read_text(xlsx_of({"x": rows}, strings), format="xlsx")
    assert edges_of(found) == [("1", "2"), ("1", "TRUE"), ("1", "2.2")]
    assert found.labels.texts == ("animal", "white dog", "", "aA")
    for cell, words in (
        ("<f>1+1</f>", "the formula in column 3 has no value yet; open the file in a spreadsheet program and save it"),
        ("<f>1/0</f><v>#REF!</v>", "the formula in column 3 gives #REF!; repair it"),
    ):
        kind = ' t="e"' if "<v>" in cell else ""
        broken = rows + f'<row r="9"><c r="A9"><v>4</v></c><c r="C9"{kind}>{cell}</c></row>'
        with raises_exactly(f"the stream:9: {words}"):
            read_text(xlsx_of({"x": broken}, strings), format="xlsx")
    with pytest.raises(InputError, match=r"sheet0\.xml:1: a cell refers to the text '3', which is missing"):
        read_text(xlsx_of({"x": rows.replace("<v>0</v>", "<v>3</v>", 1)}, strings), format="xlsx")


def test_cells_of_open_document_may_be_repeated_and_have_notes_and_spaces():
    cell = "<table:table-cell{}>{}</table:table-cell>"
    note = "<office:annotation><text:p>not this</text:p></office:annotation>"
    rows = (
        ods_rows([("id", "name", "parent_id")])
        + '<table:table-row table:number-rows-repeated="1000000"><table:table-cell/></table:table-row><table:table-row>'
        + cell.format(' office:value-type="float" office:value="1"', "<text:p>1.00 €</text:p>")
        + cell.format("", f"{note}<text:p>all<text:s/>the</text:p><text:p>animals</text:p>")
        + "</table:table-row><table:table-row>"
        + cell.format(' office:value-type="float" office:value="2"', "<text:p>2</text:p>")
        + "<table:covered-table-cell/>"
        + cell.format(' office:value-type="float" office:value="1"', "<text:p>1</text:p>")
        + '<table:table-cell table:number-columns-repeated="16000"/></table:table-row>'
    )
    found = read_text(ods_of({"x": rows}), format="ods")
    assert edges_of(found) == [("1", "2")]
    assert found.labels.texts == ("all the animals", "")
    endless = rows.replace(
        "<table:covered-table-cell/>", cell.format(' table:number-columns-repeated="999999999"', "<text:p>x</text:p>")
    )
    with pytest.raises(
        InputError, match=r"cells are repeated without end, too much for a hierarchy; save the file again$"
    ):
        read_text(ods_of({"x": endless}), format="ods")


def test_two_cells_in_opposite_corners_cost_as_little_as_two_cells():
    # A library that makes a dense array of the sheet ends the process here.
    corners = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    wide = '<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>1</v></c></row>' + "".join(
        f'<row r="{i}"><c><v>1</v></c></row>' for i in range(2, 9_000)
    )
    tracemalloc.start()
    try:
        with raises_exactly("the stream: the sheet 'x' has only one column; it should have two or more"):
            read_text(xlsx_of({"x": corners}), format="xlsx")
        with raises_exactly(
            "the stream: has 8,999 rows of 16,384 columns, too much for a hierarchy; delete the columns…"
        ):
            read_text(xlsx_of({"x": wide}), format="xlsx")
        assert tracemalloc.get_traced_memory()[1] < 30 << 20
    finally:
        tracemalloc.stop()
    for place, words in (("XFE1", "is in the column 'XFE', which Excel does not have"), ("a1", "is in the column 'a'")):
        with pytest.raises(InputError, match=words):
            read_text(xlsx_of({"x": corners.replace("A1", place)}), format="xlsx")
    with pytest.raises(InputError, match="the row 1048577 is beyond the last one of Excel"):
        read_text(xlsx_of({"x": corners.replace('row r="1048576"', 'row r="1048577"')}), format="xlsx")


@each_kind
def test_a_workbook_that_unpacks_without_end_or_is_none_is_refused(kind):
    part = {"xlsx": "_rels/.rels", "ods": "content.xml"}[kind]
    with pytest.raises(
        InputError, match=r"unpacks to more than 64 MiB from [0-9,]+ bytes, too much for a hierarchy; save"
    ):
        read_text(zip_parts({part: " " * (80 << 20)}), format=kind)
    for data, words in (
        (
            b"\xd0\xcf\x11\xe0old",
            "is a workbook of an old Excel (.xls) or has a password; save it as .xlsx without one",
        ),
        (b"parent,child\na,b\n", "cannot be read as a workbook of …"),
        (zip_parts({"a.txt": "x"}), "cannot be read as a workbook of …"),
        (b"", "is empty; it should hold a workbook of …"),
    ):
        with raises_exactly(f"the stream: {words}"):
            read_text(data, format=kind)
