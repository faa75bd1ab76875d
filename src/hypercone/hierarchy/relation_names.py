"""Relations of an ontology by name, id or address: ``part_of``, "part of", ``BFO:0000050`` and its address are one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypercone.errors import InputError, option, short

IS_A = "is_a"
# The default of everything that takes relations.
DEFAULT_RELATIONS = (IS_A,)
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
