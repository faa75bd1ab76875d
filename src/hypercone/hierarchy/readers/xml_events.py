"""XML as a stream of events, read from the bytes alone: no other file, no network, no entity that swells."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn
from xml.parsers import expat

from hypercone.errors import InputError, short, visible
from hypercone.hierarchy.files import Content
from hypercone.hierarchy.readers.iris import too_long

# Ontologies abbreviate addresses by entities; what stands for more text than this is there to fill the memory.
LONGEST_ENTITY = 1000
# Attributes with a default value are added to every element of their kind.
LONGEST_DEFAULTS = 1000
REFERENCE = re.compile(r"&([^#;&\s][^;&\s]*);")
BUILT_IN = {"amp", "lt", "gt", "quot", "apos"}

Start = Callable[[str, dict[str, str]], None]


class XmlEvents:
    """A parser that calls ``start(name, attributes)``, ``end(name)`` and, while wanted, ``text(characters)``.

    Names are the address of their namespace followed by the local name, as RDF writes them.
    """

    def __init__(self, content: Content, start: Start, end: Callable[[str], None]) -> None:
        """``start`` and ``end`` are called for every element."""
        self.content = content
        self.prefixes: dict[str, str] = {}
        self._entities: dict[str, int] = {}
        self._defaults = 0
        self._has_outside_part = False
        self._parser: Any = expat.ParserCreate(namespace_separator="")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = start
        self._parser.EndElementHandler = end
        self._parser.StartNamespaceDeclHandler = self._prefix
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.EndDoctypeDeclHandler = self._end_of_doctype
        self._parser.EntityDeclHandler = self._entity
        self._parser.AttlistDeclHandler = self._attribute
        self._parser.SkippedEntityHandler = lambda name, _: self._undeclared(name)

    @property
    def line(self) -> int:
        """The line of the event."""
        return int(self._parser.CurrentLineNumber)

    def hear(self, text: Callable[[str], object] | None) -> None:
        """From now on call ``text`` with the characters between tags, or nobody."""
        self._parser.CharacterDataHandler = text

    def run(self) -> None:
        """Read it all; InputError with the line where the XML is broken."""
        if not self.content.data or self.content.data.isspace():
            raise InputError(f"{self.content.label}: is empty; it should hold XML")
        try:
            self._parser.Parse(self.content.data, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise InputError(
                f"{self.content.label}:{error.lineno}: the XML is broken ({reason}); "
                "fetch the file again, or name its format if it is none"
            ) from None
        except (ValueError, LookupError) as error:
            raise InputError(f"{self.content.label}: cannot be read as text ({error}); save it as UTF-8") from None

    def error(self, problem: str) -> InputError:
        """The error at this event: ``file:line: problem``."""
        return InputError(f"{self.content.label}:{self.line}: {problem}")

    def _prefix(self, prefix: str | None, namespace: str | None) -> None:
        if problem := too_long(namespace or ""):
            raise self.error(problem)
        self.prefixes.setdefault(prefix or "", namespace or "")

    def _doctype(self, _name: str, outside: str | None, _public: str | None, _has_inside: int) -> None:
        self._has_outside_part = outside is not None

    def _end_of_doctype(self) -> None:
        if self._has_outside_part:
            # What is declared in a file that is never opened would vanish from attributes without a word.
            text = self.content.data.decode("utf-8", "replace")
            for found in REFERENCE.finditer(text):
                if found[1] not in BUILT_IN and found[1] not in self._entities:
                    self._undeclared(found[1])

    def _undeclared(self, name: str) -> NoReturn:
        raise self.error(f"the entity &{visible(name)}; is declared in another file, which is not opened; write it out")

    def _entity(
        self, name: str, is_parameter: int, value: str | None, _base: Any, outside: str | None, *_rest: Any
    ) -> None:
        if is_parameter or value is None or outside is not None:
            raise self.error(f"the entity {short(name)!r} asks for another file, which is not opened; write it out")
        inside = sum(self._entities.get(found, 0) for found in REFERENCE.findall(value))
        self._entities[name] = len(value) + inside
        if self._entities[name] > LONGEST_ENTITY:
            raise self.error(
                f"the entity {short(name)!r} stands for more than {LONGEST_ENTITY:,} characters, "
                "as in files made to fill the memory; write it out"
            )

    def _attribute(self, _element: str, name: str, _kind: str, default: str | None, _required: int) -> None:
        self._defaults += len(name) + len(default or "")
        if self._defaults > LONGEST_DEFAULTS:
            raise self.error(
                f"attributes of more than {LONGEST_DEFAULTS:,} characters are declared, which every element would get, "
                "as in files made to take forever; write them out"
            )
