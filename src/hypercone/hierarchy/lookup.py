"""Finding a node by any of its names, the same way in Python, in the shell and over HTTP.

The order is name, label, and then what else it is called: the names it was condensed from, its synonyms and other ids,
and the long and short forms of addresses (``http://purl.obolibrary.org/obo/GO_0008150`` is ``GO:0008150``). If nothing
is found the same is tried in Unicode normal form, and then without regard to case. The first step that finds nodes
decides; if it finds several, the name is ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple, NoReturn

from hypercone._arrays import Adjacency
from hypercone.errors import InputError, ObsoleteNameError, UnknownNameError, one_line, short, unknown_name, visible
from hypercone.hierarchy.glossary import Glossary, Obsolete
from hypercone.hierarchy.names import Labels, NodeNames, TextIndex

# The most candidates that an error lists, and the most steps of a path that it shows.
SHOWN, LONGEST_PATH = 5, 6
OBO = "http://purl.obolibrary.org/obo/"
ADDRESS = re.compile(r"https?://purl\.obolibrary\.org/obo/([A-Za-z][A-Za-z0-9_]*)_([A-Za-z0-9]+)")
WITH_LINE = re.compile(r"(?:obo:)?([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z][A-Za-z0-9]*)*)_([A-Za-z0-9]+)")
WITH_COLON = re.compile(r"([A-Za-z][A-Za-z0-9_]*):([A-Za-z0-9]+)")
PathOf = Callable[[int], str]


class Found(NamedTuple):
    """The rows that a text may mean, what it is to them, and the obsolete id that it is if it means none."""

    rows: list[int]
    role: str = ""
    obsolete: str | None = None


NOTHING = Found([])


def find_row(
    text: object,
    names: NodeNames,
    labels: Labels | None = None,
    glossary: Glossary | None = None,
    path_of: PathOf | None = None,
) -> int:
    """The row of a node by any of its names; an unknown or ambiguous one is an error with the candidates.

    ``path_of`` gives the path from a root to a row, which distinguishes candidates.

    >>> terms = Glossary.of_rows(2, synonyms={0: ["Cor"]})
    >>> find_row("cor", NodeNames(["A:1", "A:2"]), Labels(["heart", "lung"]), terms)
    0
    """
    if isinstance(text, list | tuple):
        raise InputError(f"{short(repr(text))} is a list of names; ask about one at a time")
    if not isinstance(text, str):
        raise no_such_node(text, names)
    row = names.row_of.get(text)
    if row is not None:
        return row
    found = find_rows(text, names, labels, glossary)
    if len(found.rows) == 1:
        return found.rows[0]
    if found.rows:
        raise _ambiguous(text, found, names, path_of)
    if found.obsolete is not None and glossary is not None:
        _refuse_obsolete(found.obsolete, glossary, names, labels)
    raise no_such_node(text, list(_all_texts(names, labels, glossary)))


def find_rows(text: str, names: NodeNames, labels: Labels | None = None, glossary: Glossary | None = None) -> Found:
    """All rows that a text may mean, by the first step that finds any.

    >>> find_rows("HEART", NodeNames(["A:1", "A:2"]), Labels(["heart", "Heart"]))
    Found(rows=[0, 1], role='label', obsolete=None)
    """
    known = [("name", names.by_text), *([("label", labels.by_text)] if labels is not None else [])]
    others = [names.parts, *([glossary.by_text] if glossary is not None else [])]
    every = [*(index for _, index in known), *others]
    spellings = list(other_spellings(text, glossary.prefixes if glossary is not None else {}))
    for form in (TextIndex.exact, TextIndex.normal, TextIndex.in_any_case):
        for role, index in known:
            if rows := form(index, text):
                return Found(rows, role)
        found = [row for index in others for row in form(index, text)]
        found = found or [row for spelling in spellings for index in every for row in form(index, spelling)]
        if found:
            return Found(sorted(set(found)), "another name")
        if glossary is not None and (name := _obsolete_id([text, *spellings], form, *glossary.obsolete_ids)):
            return Found([], obsolete=name)
    return NOTHING


def _obsolete_id(
    spellings: Sequence[str], form: Callable[[TextIndex, str], list[int]], ids: Sequence[str], by_text: TextIndex
) -> str | None:
    return next((ids[place] for spelling in spellings for place in form(by_text, spelling)), None)


def other_spellings(text: str, prefixes: Mapping[str, str]) -> Iterator[str]:
    """The long and short forms of an address, by the rules of OBO and by the prefixes, and a text without underscores.

    >>> list(other_spellings("http://purl.obolibrary.org/obo/GO_0008150", {}))
    ['GO:0008150']
    >>> list(other_spellings("GO_0008150", {})), list(other_spellings("http://a/#dog", {"zoo": "http://a/#"}))
    (['GO:0008150', 'GO 0008150'], ['zoo:dog'])
    >>> list(other_spellings("dog", {"zoo": "http://a/#"})), list(other_spellings("zoo:dog", {"zoo": "http://a/#"}))[-1]
    (['zoo:dog'], 'http://a/#dog')
    """
    if text.startswith("<") and text.endswith(">"):
        text = text[1:-1]
        yield text
    obo = ADDRESS.fullmatch(text) or WITH_LINE.fullmatch(text)
    if obo:
        yield f"{obo[1]}:{obo[2]}"
    curie = WITH_COLON.fullmatch(text)
    if curie:
        local = f"{curie[1]}_{curie[2]}"
        yield local
        yield OBO + local
    elif ":" not in text:
        local = text
    else:
        local = ""
    for prefix in prefixes if local else ():
        yield f"{prefix}:{local}"
    for prefix, namespace in prefixes.items():
        if "://" in text and text.startswith(namespace):
            yield f"{prefix}:{text[len(namespace) :]}" if prefix else text[len(namespace) :]
        elif prefix and text.startswith(f"{prefix}:"):
            yield namespace + text[len(prefix) + 1 :]
    if "_" in text and "://" not in text:
        yield text.replace("_", " ")


def no_such_node(name: object, names: Sequence[str]) -> UnknownNameError:
    """The error for an unknown node, with up to three suggestions.

    >>> str(no_such_node("dog", ["cat.n.01", "dog.n.01"]))
    "there is no node 'dog'; did you mean dog.n.01?"
    """
    name = str(name)
    longer = sorted(
        {known for known in names if name and known.startswith(name)}, key=lambda known: (len(known), known)
    )
    if longer:
        return UnknownNameError(
            f"there is no node {short(name)!r}; did you mean {' or '.join(map(visible, longer[:3]))}?"
        )
    return unknown_name("node", short(name), dict.fromkeys(map(visible, _similar_names(name, names))))


def path_text(row: int, parents: Adjacency | Sequence[Sequence[int]], display_name: Callable[[int], str]) -> str:
    """The way from a root down to a row, by the first parent of each; the middle of a long one is left out.

    >>> path_text(2, [[], [0], [1]], ["animal", "dog", "poodle"].__getitem__)
    'animal > dog > poodle'
    """
    path = [row]
    while len(above := parents[path[-1]]):
        path.append(int(above[0]))
    shown = [visible(display_name(step)) for step in reversed(path)]
    return " > ".join(shown if len(shown) <= LONGEST_PATH else [*shown[:2], "…", *shown[-3:]])


def _all_texts(names: NodeNames, labels: Labels | None, glossary: Glossary | None) -> Iterable[str]:
    others = (text for _, text in glossary.names()) if glossary is not None else ()
    return chain(names, filter(None, labels.texts) if labels else (), others)


def _similar_names(name: str, names: Sequence[str], most: int = 3000) -> list[str]:
    # Comparing with a million names takes minutes, so only names of similar length and same first letter are.
    if len(names) <= most:
        return list(names)
    near = (known for known in names if abs(len(known) - len(name)) <= 3)
    alike = (known for known in near if known[:1].casefold() == name[:1].casefold())
    return list(islice(alike, most))


def _ambiguous(text: str, found: Found, names: NodeNames, path_of: PathOf | None) -> InputError:
    listed = []
    for row in found.rows[:SHOWN]:
        name, path = visible(names[row], 120), path_of(row) if path_of else ""
        listed.append(name if path in ("", names[row]) else f"{name} ({path})")
    more = len(found.rows) - SHOWN
    shown = ", ".join(listed) + (f" and {more:,} more" if more > 0 else "")
    role = found.role if found.role.startswith("an") else f"the {found.role}"
    return InputError(
        f"{one_line(short(text))!r} is {role} of {len(found.rows):,} nodes: {shown}; give one of these names"
    )


def _refuse_obsolete(name: str, glossary: Glossary, names: NodeNames, labels: Labels | None) -> NoReturn:
    old: Obsolete = glossary.obsolete[name]
    label = f" ({visible(old.label)})" if old.label else ""
    raise ObsoleteNameError(f"{visible(name)}{label} is obsolete{_replacement(old, glossary, names, labels)}")


def _replacement(old: Obsolete, glossary: Glossary, names: NodeNames, labels: Labels | None) -> str:
    others = old.replaced_by or old.consider
    if not others:
        return ", and nothing replaces it; ask for another node"
    rows = [row for other in others for row in find_rows(other, names, None, glossary).rows[:1]]
    titles = [f"{visible(names[row])}{_label_in_brackets(labels, row)}" for row in rows]
    shown = " and ".join(titles or [visible(other) for other in others])
    beginning = f", replaced by {shown}" if old.replaced_by else f"; what is meant may be {shown}"
    if not rows:
        return f"{beginning}, which this model does not have; ask for another node"
    return f"{beginning}; ask for {visible(names[rows[0]]) if len(rows) == 1 else 'one of these'}"


def _label_in_brackets(labels: Labels | None, row: int) -> str:
    return f" ({visible(labels[row])})" if labels and labels[row] else ""
