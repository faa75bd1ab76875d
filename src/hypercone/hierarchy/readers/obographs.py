"""OBO Graphs JSON; and the plainer JSON of cellxgene-ontology-guide, told apart by their shape.

The latter is an object of terms by id, each with a ``label``, perhaps ``deprecated``, and its ``ancestors`` with their
distances: those at distance 1 are the parents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypercone.errors import InputError, visible
from hypercone.hierarchy.files import Content
from hypercone.hierarchy.readers.iris import local_name, plain, short_name
from hypercone.hierarchy.readers.json_stream import JsonStream
from hypercone.hierarchy.readers.reading import Reading
from hypercone.hierarchy.readers.terms import Terms
from hypercone.hierarchy.text import checked_utf8, is_empty

# So common that it has a name even where the file does not give it one.
PART_OF = "bfo_0000050"
SUBCLASS_OF = ("subclassof", "rdfs_subclassof")


def read(content: Content, relations: Sequence[str] = ("is_a",)) -> Reading:
    """The edges of these relations; names are the ids (``HP:0000118``), labels what they are called.

    >>> read(Content("a.json", ".json", b'{"A:2": {"label": "dog", "ancestors": {"A:1": 1}}, '
    ...     b'"A:1": {"label": "animal", "ancestors": {}}}')).parents
    ['A:1']
    """
    data = checked_utf8(content)
    if not data.strip():
        raise is_empty(content, "an ontology as OBO Graphs JSON")
    stream = JsonStream(content.label, data)
    terms = Terms(content.label, names={"part_of": PART_OF})
    if stream.peek() != "{":
        raise _strange(content)
    for key in stream.members():
        if key == "graphs" and stream.peek() == "[":
            for _ in stream.items():
                _graph(stream, terms)
        else:
            _ancestors(key, stream.value(), terms)
    stream.end()
    if not terms.labels:
        raise _strange(content)
    return terms.reading([_key(relation) for relation in relations])


def _graph(stream: JsonStream, terms: Terms) -> None:
    take = {"nodes": _node, "edges": _edge}
    for key in stream.members():
        if key not in take or stream.peek() != "[":
            stream.skip()
            continue
        for _ in stream.items():
            item = stream.value()
            try:
                take[key](item, terms)
            except (KeyError, TypeError, AttributeError):
                raise stream.error(f"{visible(str(item), 40)} is none of the {key} of OBO Graphs") from None


def _node(node: dict[str, Any], terms: Terms) -> None:
    label = str(node.get("lbl") or "")
    if node.get("type") == "PROPERTY":
        if label:
            terms.names.setdefault(plain(label), _key(node["id"]))
        return
    name = short_name(node["id"], {})
    terms.labels[name] = label or terms.labels.get(name, "")
    if (node.get("meta") or {}).get("deprecated"):
        terms.obsolete.add(name)


def _edge(edge: dict[str, Any], terms: Terms) -> None:
    child, parent = short_name(edge["sub"], {}), short_name(edge["obj"], {})
    terms.add(child, _key(edge["pred"]), parent)


def _key(relation: str) -> str:
    """A relation's address, short name or plain name as one."""
    key = plain(local_name(relation) if "/" in relation else relation)
    return "is_a" if key in SUBCLASS_OF else key


def _ancestors(key: str, term: object, terms: Terms) -> None:
    above = term.get("ancestors") if isinstance(term, dict) else None
    if not isinstance(term, dict) or not isinstance(above, dict):
        return
    terms.labels[key] = str(term.get("label") or "")
    if term.get("deprecated"):
        terms.obsolete.add(key)
    for parent in [name for name, distance in above.items() if distance == 1]:
        terms.add(key, "is_a", parent)


def _strange(content: Content) -> InputError:
    return InputError(
        f"{content.label}: is JSON of another kind; it should hold the graphs of OBO Graphs, or terms by id with "
        "their ancestors"
    )
