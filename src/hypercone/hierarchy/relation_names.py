"""Relations of an ontology by name, id or address: ``part_of``, "part of", ``BFO:0000050`` and its address are one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypercone.errors import InputError, option, short

IS_A = "is_a"
# The default of everything that takes relations.
DEFAULT_RELATIONS = (IS_A,)
# The attributes of edges, and the columns of tables, that hold the relation of an edge.
RELATION_KEYS = ("relation", "relationship", "predicate")
SAME_AS_IS_A = {"isa", "subclassof", "subclass_of", "rdfs_subclassof", "broader", "skos_broader"}
# So common that it is known by its name even if the file does not define the name.
PART_OF = "bfo_0000050"


def normalized_relation(name: str) -> str:
    """The name of a relation in normal form; that of an address is its last part.

    >>> normalized_relation("Part of"), normalized_relation("RO:0002202"), normalized_relation("http://x.org/y#Part-of")
    ('part_of', 'ro_0002202', 'part_of')
    >>> normalized_relation("BFO:0000050"), normalized_relation("http://purl.obolibrary.org/obo/BFO_0000050")
    ('part_of', 'part_of')
    """
    if "/" in name or "#" in name:
        name = name[max(name.rfind("#"), name.rfind("/")) + 1 :]
    normal = re.sub("[ :-]", "_", name.strip().casefold())
    return "part_of" if normal == PART_OF else normal


def relation_key(name: str) -> str:
    """The same key for every name of a relation; subClassOf and broader are ``is_a``.

    >>> relation_key("rdfs:subClassOf"), relation_key("is a"), relation_key("develops from")
    ('is_a', 'is_a', 'develops_from')
    """
    normal = normalized_relation(name)
    return IS_A if normal in SAME_AS_IS_A else normal


def is_relation_key(name: object) -> bool:
    """Whether a column or attribute of this name holds relations.

    >>> is_relation_key("Relation"), is_relation_key("related")
    (True, False)
    """
    return str(name).strip().casefold() in RELATION_KEYS


def first_other_relation(relations: Sequence[str]) -> int | None:
    """The position of the first relation that is not ``is_a``; None if all are, or if all are empty.

    >>> first_other_relation(["is_a", "subClassOf", "part_of"]), first_other_relation(["", ""])
    (2, None)
    """
    others = {relation for relation in set(relations) if relation_key(relation) != IS_A}
    if not others or set(relations) == {""}:
        return None
    return next(at for at, relation in enumerate(relations) if relation in others)


def refused_relation(relation: str, column: str, row: str) -> str:
    """The sentence on a table with another relation than ``is_a``; ``row`` is what the table calls its rows.

    >>> refused_relation("part_of", "relation", "line")  # doctest: +ELLIPSIS
    "the relation is 'part_of', not is_a; keep only the lines with is_a, or remove the column 'relation' if every ..."
    """
    return (
        f"the relation is {short(relation)!r}, not is_a; keep only the {row}s with is_a, or remove the column "
        f"{short(column)!r} if every {row} is an edge of the hierarchy"
    )


def checked_relations(relations: str | Sequence[str]) -> tuple[str, ...]:
    """The requested relations, each once; a text is split at commas. InputError if there are none.

    >>> checked_relations("is_a, part_of"), checked_relations(["BFO:0000050"])
    (('is_a', 'part_of'), ('BFO:0000050',))
    """
    example = option("relations", ["is_a", "part_of"])
    names = relations.split(",") if isinstance(relations, str) else relations
    if not isinstance(names, Sequence | set) or not all(isinstance(name, str) for name in names):
        raise InputError(f"{option('relations')} is {short(repr(relations))}; give names, such as {example}")
    wanted = tuple(dict.fromkeys(name.strip() for name in names))
    if not wanted or "" in wanted:
        raise InputError(
            f"{option('relations')} is {', '.join(names)!r}, which names none; give some, such as {example}"
        )
    return wanted
