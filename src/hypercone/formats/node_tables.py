"""Tables with a row per node: its id, perhaps its name, and its parent, which a root does not have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress

from hypercone.errors import option, plural, short, some
from hypercone.formats.columns import Columns
from hypercone.formats.headers import parent_label_column, plain
from hypercone.formats.parsed import ParsedEdges, first_labels, omission_notes
from hypercone.formats.tables import Table
from hypercone.hierarchy.glossary import Entries

# What people and databases write for "no parent", besides an empty cell.
NO_PARENT = {"0", "-1", "-", "null", "none", "na", "n/a", "#n/a", "nan", "nil", "\\n"}
SEPARATORS = ("|", ";", ",")
# Darwin Core: the id of the taxon of which the name in this row is a synonym.
ACCEPTED = "acceptednameusageid"


def edges_by_id(table: Table, columns: Columns, separator: str | None = None) -> ParsedEdges:
    """An edge from the parent of each row to the row's own node, which is named by its id.

    >>> table = Table("a.csv", 2, "id parent_id 1 0 2 1 3 1".split(), [1, 2, 3, 4])
    >>> edges_by_id(table, Columns(parent=1, child=0, start=1, by_id=True)).children
    ['2', '3']
    """
    rows = _Rows(table, columns)
    records, parents = rows.parents(separator)
    none = rows.root_marks(parents)
    is_edge = [parent not in none for parent in parents]
    roots = [record for record, has_parent in zip(records, is_edge, strict=True) if not has_parent]
    records, parents = list(compress(records, is_edge)), list(compress(parents, is_edge))
    parents, shape = rows.named_parents(records, parents, separator, has_roots=bool(roots))
    children = [rows.ids[record] for record in records]
    if not roots:
        # Without any other sign, the root is its own parent, as in the NCBI taxonomy.
        is_edge = [parent != child for parent, child in zip(parents, children, strict=True)]
        records = list(compress(records, is_edge))
        parents, children = (list(compress(names, is_edge)) for names in (parents, children))
    lines = table.row_lines(columns.start)
    return ParsedEdges(
        table.label,
        parents,
        children,
        None if lines is None else [lines[record] for record in records],
        rows.labels(),
        (*_notes_on_roots(none), *rows.notes(parents, children)),
        rows.entries,
        shape,
    )


class _Rows:
    """The nodes of a table and what is known of them; synonyms of other nodes are set apart."""

    def __init__(self, table: Table, columns: Columns) -> None:
        self.table, self.columns = table, columns
        self.ids = self._column(columns.child)
        if "" in self.ids:
            raise table.empty_cell(columns.start + self.ids.index(""), columns.child, "id")
        self.texts = None if columns.label is None else table.texts(columns.label, columns.start)
        self.known = dict.fromkeys(self.ids)
        self.entries: Entries | None = None
        self._is_synonym = self._find_synonyms()
        if self.texts is not None and len(self.known) < len(self.ids):
            self._refuse_two_names(self.texts)

    def parents(self, separator: str | None) -> tuple[list[int], list[str]]:
        """The parents that the cells name, and the record of each."""
        cells = self._column(self.columns.parent)
        records, parents = split_cells(cells, separator) if separator else ([*range(len(cells))], cells)
        if self._is_synonym is None:
            return records, parents
        is_own = [not self._is_synonym[record] for record in records]
        return list(compress(records, is_own)), list(compress(parents, is_own))

    def root_marks(self, parents: Iterable[str]) -> set[str]:
        """The texts that stand for no parent, because no node has them as its id."""
        return {text for text in {*parents} if not text or (text.casefold() in NO_PARENT and text not in self.known)}

    def named_parents(
        self, records: Sequence[int], parents: list[str], separator: str | None, *, has_roots: bool
    ) -> tuple[list[str], str]:
        """The parents by id, and the shape of the table; they may be given by name, or in another column."""
        shape, used = self.columns.in_words(self.table), {*parents}
        if not used - self.known.keys():
            return parents, shape
        if separator is None:
            refuse_several_parents(self.table, self.columns, parents, records)
        if used & self.known.keys():
            return parents, shape
        others = [self.columns.label, *range(self.table.width)]
        for index in dict.fromkeys(at for at in others if at not in (None, self.columns.child, self.columns.parent)):
            names = self._column(index) if index is not None and self._has_header() else []
            if used <= {*names}:
                title = self.table.first[index].strip() if index is not None else ""
                return self._by_name(records, parents, names, title), f"{shape}, which is a {title}"
        if has_roots and used:
            raise self.table.cell_error(
                self.columns.start + records[0],
                self.columns.parent,
                f"the parent {short(parents[0])!r} is not an id of the column {short(self._title())!r}, and no other "
                f"parent is; name the right columns with {option('id')} and {option('parent')}",
            )
        return parents, shape

    def _by_name(self, records: Sequence[int], parents: list[str], names: list[str], title: str) -> list[str]:
        id_of = dict(zip(reversed(names), reversed(self.ids), strict=True))
        last_id_of = dict(zip(names, self.ids, strict=True))
        for record, parent in zip(records, parents, strict=True):
            if id_of[parent] != last_id_of[parent]:
                raise self.table.cell_error(
                    self.columns.start + record,
                    self.columns.parent,
                    f"the parent {short(parent)!r} is the {title} of {short(id_of[parent])!r} and of "
                    f"{short(last_id_of[parent])!r}; give the parents by id",
                )
        return [id_of[parent] for parent in parents]

    def labels(self) -> dict[str, str]:
        """The name of each node that has one, in its own row or else in that of a child; the first counts."""
        labels = {} if self.texts is None else first_labels(self.ids, self.texts)
        index = parent_label_column(self.table.first, self.columns.parent) if self._has_header() else None
        if index is None:
            return labels
        parents = self._column(self.columns.parent)
        return first_labels(parents, self.table.texts(index, self.columns.start)) | labels

    def notes(self, parents: list[str], children: list[str]) -> tuple[str, ...]:
        """What the reader should know of parents without a row, nodes without an edge, and synonyms."""
        above = dict.fromkeys(parents)
        unlisted = [name for name in above if name not in self.known]
        connected = above.keys() | {*children}
        own = (
            self.known
            if self._is_synonym is None
            else dict.fromkeys(compress(self.ids, map(_is_not, self._is_synonym)))
        )
        isolated = [name for name in own if name not in connected]
        notes = omission_notes("node", "without an edge", isolated)
        if unlisted:
            whose = "its" if len(unlisted) == 1 else "their"
            notes += (f"{plural(len(unlisted), 'parent')} without a row of {whose} own, kept: {some(unlisted)}",)
        if self._is_synonym is not None and any(self._is_synonym):
            notes += (f"{plural(sum(self._is_synonym), 'synonym')} read as other names of the accepted taxa",)
        return notes

    def _column(self, index: int) -> list[str]:
        return [*map(str.strip, self.table.column(index, self.columns.start))]

    def _has_header(self) -> bool:
        return self.columns.start > 0 or self.table.has_titles

    def _title(self) -> str:
        return self.table.first[self.columns.child].strip()

    def _find_synonyms(self) -> list[bool] | None:
        titles = [plain(cell) for cell in self.table.first]
        if not self._has_header() or titles.count(ACCEPTED) != 1:
            return None
        accepted = self._column(titles.index(ACCEPTED))
        is_synonym = [bool(other) and other != own for own, other in zip(self.ids, accepted, strict=True)]
        if self.texts is not None and any(is_synonym):
            self.entries = Entries()
            for other, text in compress(zip(accepted, self.texts, strict=True), is_synonym):
                if text:
                    self.entries.synonyms.setdefault(other, []).append(text)
        return is_synonym

    def _refuse_two_names(self, texts: list[str]) -> None:
        first: dict[str, int] = {}
        for record, (name, text) in enumerate(zip(self.ids, texts, strict=True)):
            before = first.setdefault(name, record)
            if text and texts[before] and text != texts[before]:
                raise self.table.cell_error(
                    self.columns.start + record,
                    self.columns.child,
                    f"the id {short(name)!r} is called {short(text, 40)!r} here and {short(texts[before], 40)!r} in "
                    f"{self.table.row_name(self.columns.start + before)}; give each node its own id",
                )


def _is_not(value: bool) -> bool:
    return not value


def _notes_on_roots(none: set[str]) -> tuple[str, ...]:
    marks = sorted(none - {""})
    return (f"a parent written as {' or '.join(marks)} taken for none",) if marks else ()


def split_cells(cells: Sequence[str], separator: str) -> tuple[list[int], list[str]]:
    """The texts in each cell, and the position of its cell for each; an empty cell is one empty text.

    >>> split_cells(["a| b", "", "c|"], "|")
    ([0, 0, 1, 2], ['a', 'b', '', 'c'])
    """
    pairs = [
        (at, piece)
        for at, cell in enumerate(cells)
        for piece in [text for text in map(str.strip, cell.split(separator)) if text] or [""]
    ]
    return [at for at, _ in pairs], [piece for _, piece in pairs]


def refuse_several_parents(
    table: Table, columns: Columns, parents: Sequence[str], records: Sequence[int] | None = None
) -> None:
    """InputError for a parent that is no child or id itself, but that looks like several names in one cell.

    ``records`` are those of the parents, if they are not in order.
    """
    distinct = dict.fromkeys(parents)
    separators = [mark for mark in SEPARATORS if any(mark in parent for parent in distinct)]
    if not separators:
        return
    children = {*map(str.strip, table.column(columns.child, columns.start))}
    known = children.union(parents)
    for parent in distinct:
        for separator in separators if parent not in children else ():
            pieces = [piece.strip() for piece in parent.split(separator)]
            if len(pieces) > 1 and all(piece in known for piece in pieces):
                at = parents.index(parent)
                raise table.cell_error(
                    columns.start + (at if records is None else records[at]),
                    columns.parent,
                    f"the parent {short(parent)!r} looks like {len(pieces)} parents; say "
                    f"{option('parent_separator', separator)}, or {option('parent_separator', '')} if it is one",
                )
