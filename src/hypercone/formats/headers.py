"""What the header of a table says: which columns hold parents, children or ids, names, levels, relations or paths.

Nothing here looks at the cells below the header. A header that can be understood in two ways says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import NamedTuple

from hypercone.hierarchy.relation_names import IS_A, is_relation_key, relation_key

PUNCTUATION = str.maketrans("", "", " _-.:#/()?*")
# Of each kind the better known first; in the form of ``plain``.
ID_WORDS = (
    *("taxonid", "id", "code", "identifier", "key", "notation", "curie", "iri", "uri", "uid", "uuid", "ids", "tsn"),
    *("classid", "conceptid", "termid", "nodeid", "categoryid", "itemid", "item", "node", "concept"),
)
LABEL_WORDS = (
    *("preflabel", "preferredlabel", "label", "labels", "name", "names", "title", "scientificname", "fullname"),
    *("canonicalname", "completename", "term", "text", "description", "category", "class", "taxon"),
)
PARENT_WORDS = {
    *("broaderid", "broaderterm", "broaderconcept", "broadercode", "superclass", "superclasses", "hypernym"),
    *("idparent", "codeparent", "directparent", "immediateparent", "hasparent"),
}
# What may follow "parent" in the title of a column, besides the title of another column.
PARENT_ENDINGS = {
    *("", "s", "id", "ids", "code", "codes", "key", "keys", "uid", "uuid", "uri", "iri", "curie", "notation", "number"),
    *("identifier", "node", "nodeid", "term", "termid", "concept", "conceptid", "class", "classid", "category"),
    *("categoryid", "categorycode", "taxon", "taxonid", "nameusage", "nameusageid", "tsn", "item", "itemid", "group"),
    *("groupid", "name", "names", "label", "labels", "title", "scientificname"),
}
ID_ENDINGS = ("id", "ids", "code", "key", "tsn", "uri", "iri")
TEXT_ENDINGS = ("name", "names", "label", "labels", "title", "description", "scientificname")
PATH_WORDS = {"path", "fullpath", "categorypath", "category", "fullname", "breadcrumb", "breadcrumbs", "taxonomy"}

# Ends of an edge that do not say which is the parent, and the middle of a triple.
EDGE_ENDS = {("source", "target"), ("from", "to"), ("subject", "object"), ("head", "tail"), ("start", "end")}
TRIPLE_STARTS, TRIPLE_ENDS = {"subject", "source", "item", "head", "from"}, {"object", "target", "value", "tail", "to"}

# The ranks of biology from the widest to the narrowest; a division is a phylum of plants.
RANKS = (
    *("realm", "domain", "superkingdom", "kingdom", "subkingdom", "infrakingdom", "superphylum", "phylum", "division"),
    *("subphylum", "infraphylum", "superclass", "class", "subclass", "infraclass", "superorder", "order", "suborder"),
    *("infraorder", "superfamily", "family", "subfamily", "tribe", "subtribe", "genus", "subgenus", "section"),
    *("species", "subspecies", "variety", "form"),
)
FEWEST_RANKS = 3
LEVEL = re.compile(r"(level|lvl|lev|l|tier|category|cat|subcategory|hierarchy|depth|step|stufe|ebene|niveau|nivel)"
                   r"([0-9]{1,2})(name|label|title|description|code|id)?")  # fmt: skip


def plain(cell: str) -> str:
    """A cell of a header without case, spaces and punctuation.

    >>> plain("Parent_ID"), plain("parentNameUsageID"), plain("Level 1")
    ('parentid', 'parentnameusageid', 'level1')
    """
    return cell.strip().casefold().translate(PUNCTUATION)


class NodeColumns(NamedTuple):
    """The columns of a parent and of a child, or of the id of a node, which may have a label.

    ``by_id``: one row per node rather than per edge, so that a node without a parent is a root.
    """

    parent: int
    child: int
    label: int | None = None
    by_id: bool = True


def node_columns(header: Sequence[str]) -> NodeColumns | None:
    """The columns of parents and children that a header names; None if it does not, or not clearly.

    >>> node_columns(["id", "name", "parent_id"])
    NodeColumns(parent=2, child=0, label=1, by_id=True)
    >>> node_columns(["child", "parent"]), node_columns(["source", "target"])
    (NodeColumns(parent=1, child=0, label=None, by_id=False), None)
    """
    words = [cell.strip().casefold() for cell in header]
    if words.count("parent") == 1 and words.count("child") == 1:
        return NodeColumns(words.index("parent"), words.index("child"), by_id=False)
    plains = [plain(cell) for cell in header]
    parent = parent_column(header)
    if parent is None:
        return None
    ending = plains[parent].removeprefix("parent")
    if plains[parent].startswith("parent") and plains.count(f"child{ending}") == 1:
        return NodeColumns(parent, plains.index(f"child{ending}"), by_id=False)
    child = id_column(header, parent)
    return None if child is None else NodeColumns(parent, child, label_column(header, child, parent))


def parent_column(header: Sequence[str]) -> int | None:
    """The column of parents; None if there is none, or more than one that may be meant.

    >>> parent_column(["code", "parent code", "parent name"]), parent_column(["id", "parent", "parents"])
    (1, None)
    """
    plains = [plain(cell) for cell in header]
    known = {*plains}
    found = [at for at, cell in enumerate(header) if _names_parents(cell, known)]
    ids = [at for at in found if plains[at].startswith("parent") and plains[at].removeprefix("parent") in known]
    texts = [at for at in found if plains[at].endswith(TEXT_ENDINGS)]
    for chosen in (ids, [at for at in found if plains[at].endswith(ID_ENDINGS)], [*{*found} - {*texts}], found):
        if len(chosen) == 1:
            return chosen[0]
    return None


def _names_parents(cell: str, others: Container[str] = ()) -> bool:
    """Whether a column holds parents; ``others`` are the plain titles of all columns, which may follow "parent"."""
    word = plain(cell)
    if word.startswith("parent"):
        ending = word.removeprefix("parent")
        return ending in PARENT_ENDINGS or ending in others
    return word in PARENT_WORDS or (relation_key(cell) == IS_A and not is_relation_key(cell))


def id_column(header: Sequence[str], parent: int, *, or_other: bool = True) -> int | None:
    """The column that identifies the node of a row, which the column of parents refers to.

    With ``or_other``, of two columns it is the one that is not that of the parents, whatever its name.

    >>> id_column(["tsn", "complete_name", "parent_tsn"], 2), id_column(["genus", "parent"], 1), id_column(["a"], 0)
    (0, 0, None)
    """
    plains = [plain(cell) for cell in header]
    known = {*plains}
    others = [at for at in range(len(header)) if at != parent and not _names_parents(header[at], known)]
    ending = plains[parent].removeprefix("parent")
    for word in (*([ending] if ending != plains[parent] else []), *ID_WORDS):
        if word and word in plains and plains.index(word) in others:
            return plains.index(word)
    ids = [at for at in others if plains[at].endswith(ID_ENDINGS)]
    if len(ids) == 1:
        return ids[0]
    for word in () if ids else LABEL_WORDS:
        if word in plains and plains.index(word) in others:
            return plains.index(word)
    return others[0] if or_other and len(others) == 1 and len(header) == 2 else None


def label_column(header: Sequence[str], child: int, parent: int) -> int | None:
    """The column of what people call the node of a row; None if there is none besides its id.

    >>> label_column(["id", "name", "parent"], 0, 2), label_column(["name", "parent"], 0, 1)
    (1, None)
    """
    plains = [plain(cell) for cell in header]
    for word in (f"{plains[child]}label", f"{plains[child]}name", *LABEL_WORDS):
        if word in plains and plains.index(word) not in (child, parent):
            return plains.index(word)
    return None


def parent_label_column(header: Sequence[str], parent: int) -> int | None:
    """The column of what people call the parent of a row; None if there is none.

    >>> parent_label_column(["item", "subclassOf", "subclassOfLabel"], 1), parent_label_column(["id", "parent_id"], 1)
    (2, None)
    """
    plains = [plain(cell) for cell in header]
    words = [stem + ending for stem in (plains[parent], "parent") for ending in ("label", "name")]
    return next((plains.index(word) for word in words if word in plains and plains.index(word) != parent), None)


def level_columns(header: Sequence[str]) -> list[int]:
    """The columns of levels from the top down, by number or by rank; empty if the header names none, or is unclear.

    >>> level_columns(["id", "Level 2", "Level 1"]), level_columns(["genus", "species", "family", "n"])
    ([2, 1], [2, 0, 1])
    >>> level_columns(["Level 1 code", "Level 1 name", "Level 2 code", "Level 2 name"])
    []
    """
    plains = [plain(cell) for cell in header]
    by_family: dict[tuple[str, str], dict[int, int]] = {}
    for at, word in enumerate(plains):
        if found := LEVEL.fullmatch(word):
            by_family.setdefault((found[1], found[3] or ""), {}).setdefault(int(found[2]), at)
    families = [levels for levels in by_family.values() if len(levels) > 1]
    if len(families) == 1:
        numbers = sorted(families[0])
        is_complete = numbers[0] <= 1 and numbers == [*range(numbers[0], numbers[0] + len(numbers))]
        return [families[0][number] for number in numbers] if is_complete else []
    ranks = [plains.index(rank) for rank in RANKS if plains.count(rank) == 1]
    return ranks if len(ranks) >= FEWEST_RANKS and not families else []


def has_ranks(header: Sequence[str], levels: Sequence[int]) -> bool:
    """Whether levels are ranks of biology, of which a row may lack any.

    >>> has_ranks(["family", "genus"], [0, 1]), has_ranks(["Level 1", "Level 2"], [0, 1])
    (True, False)
    """
    return all(plain(header[at]) in RANKS for at in levels)


def triple_columns(header: Sequence[str]) -> tuple[int, int, int] | None:
    """The columns of subject, relation and object; None if the header does not name them.

    >>> triple_columns(["subject", "predicate", "object"]), triple_columns(["parent", "relation", "child"])
    ((0, 1, 2), None)
    """
    plains = [plain(cell) for cell in header]
    middle = [at for at, cell in enumerate(header) if is_relation_key(cell) or plains[at] in ("property", "edge")]
    starts = [at for at, word in enumerate(plains) if word in TRIPLE_STARTS]
    ends = [at for at, word in enumerate(plains) if word in TRIPLE_ENDS]
    return (starts[0], middle[0], ends[0]) if len(starts) == len(middle) == len(ends) == 1 else None


def path_column(header: Sequence[str]) -> int | None:
    """The column of paths; None if there is none, or more than one.

    >>> path_column(["category_id", "category"]), path_column(["id", "name"])
    (1, None)
    """
    found = [at for at, cell in enumerate(header) if plain(cell) in PATH_WORDS]
    return found[0] if len(found) == 1 else None


def names_edge_ends(header: Sequence[str]) -> bool:
    """Whether two cells are a header without direction, such as source and target.

    >>> names_edge_ends(["Source", "Target"]), names_edge_ends(["dog", "animal"])
    (True, False)
    """
    return len(header) > 1 and (plain(header[0]), plain(header[1])) in EDGE_ENDS
