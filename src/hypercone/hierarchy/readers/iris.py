"""Addresses as RDF names things by, and the short names that people write for them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from urllib.parse import urljoin

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDF_TYPE = RDF + "type"
OBO = re.compile(r"http://purl\.obolibrary\.org/obo/([A-Za-z][A-Za-z0-9_]*)_([A-Za-z0-9]+)")
# A file of a megabyte can mention its base a hundred thousand times, and each time it would be in memory again.
LONGEST_BASE = 1_000
ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def names_of(iris: Iterable[str], prefixes: dict[str, str]) -> dict[str, str]:
    """The short name of each address, no two alike: where two would be, each keeps its whole address.

    >>> names_of(["http://purl.obolibrary.org/obo/HP_1", "http://a/#b", "http://c/d"], {"a": "http://a/#"})
    {'http://purl.obolibrary.org/obo/HP_1': 'HP:1', 'http://a/#b': 'a:b', 'http://c/d': 'http://c/d'}
    """
    namespaces = {namespace: prefix for prefix, namespace in sorted(prefixes.items(), reverse=True) if namespace}
    shorts = {iri: short_name(iri, namespaces) for iri in iris}
    uses = Counter(shorts.values())
    return {iri: name if uses[name] == 1 and name not in shorts else iri for iri, name in shorts.items()}


def short_name(iri: str, namespaces: dict[str, str]) -> str:
    """``HP:0001627`` for a term of an OBO ontology, ``prefix:local`` where the namespace has a prefix, or all of it.

    >>> short_name("http://example.org/zoo#Dog", {"http://example.org/zoo#": "zoo"})
    'zoo:Dog'
    """
    obo = OBO.fullmatch(iri)
    if obo:
        return f"{obo[1]}:{obo[2]}"
    local = local_name(iri)
    prefix = namespaces.get(iri[: len(iri) - len(local)])
    if prefix is None or not local:
        return iri
    return f"{prefix}:{local}" if prefix else local


def too_long(base: str) -> str | None:
    """What is wrong with the address that others are relative to or abbreviated by, if it is too long.

    >>> too_long("http://example.org/zoo#"), too_long("x" * 1_001)
    (None, 'a base or namespace has 1,001 characters, the most is 1,000; write shorter addresses')
    """
    if len(base) <= LONGEST_BASE:
        return None
    return f"a base or namespace has {len(base):,} characters, the most is {LONGEST_BASE:,}; write shorter addresses"


def local_name(iri: str) -> str:
    """What follows the last ``#`` or ``/``, or else the last ``:``.

    >>> local_name("http://www.w3.org/2004/02/skos/core#broader")
    'broader'
    """
    place = max(iri.rfind("#"), iri.rfind("/"))
    return iri[(place if place >= 0 else iri.rfind(":")) + 1 :]


def plain(name: str) -> str:
    """A relation's name such that "part of", "Part-of" and "part_of" are one, or BFO:0000050 and BFO_0000050.

    >>> plain("Part of")
    'part_of'
    """
    return re.sub("[ :-]", "_", name.strip().casefold())


def resolved(base: str, iri: str) -> str:
    """The whole address of one that may be relative to the base.

    >>> resolved("http://example.org/zoo", "#Dog")
    'http://example.org/zoo#Dog'
    """
    if ABSOLUTE.match(iri):
        return iri
    if iri.startswith("#") or not iri:
        return base.partition("#")[0] + iri
    try:
        # An empty fragment is all that a namespace such as <zoo#> ends in, but urljoin would drop it.
        return urljoin(base, iri).rstrip("#") + ("#" if iri.endswith("#") else "")
    except ValueError:
        return iri
