"""What is said of a public class or function: its signature, laid out alike by every Python, and its docstring."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

from markup import fenced, prose

STARS = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}


def documented(thing: Any, level: int, prefix: str = "", name: str | None = None) -> Iterator[str]:
    """A heading, which may be another name of it, the signature, the docstring, and of a class all that it offers."""
    name = name or thing.__name__
    yield f"{'#' * level} {name}"
    if inspect.isclass(thing):
        yield from prose(thing.__doc__)
        if dataclasses.is_dataclass(thing):
            yield _fields(thing)
        for member in _members(thing):
            yield _signature(member, f"{name}.")
            yield from prose(member.__doc__)
    else:
        yield _signature(thing, prefix)
        yield from prose(thing.__doc__)


def _members(kind: type) -> Iterator[Any]:
    """The public functions and properties of a class that say what they do, in the order of the source."""
    if issubclass(kind, Exception):
        return
    for name, value in vars(kind).items():
        member = getattr(value, "fget", None) or getattr(value, "func", None) or getattr(value, "__func__", value)
        if getattr(member, "__doc__", None) and member.__doc__.startswith("The old name of"):
            continue
        if isinstance(member, FunctionType) and member.__doc__ and not name.startswith("_"):
            yield value if isinstance(value, property) or hasattr(value, "func") else member
        elif name == "__getitem__" and isinstance(member, FunctionType) and member.__doc__:
            yield member


def functions(module: ModuleType) -> list[FunctionType]:
    """The public functions that a module itself defines."""
    found = [value for name, value in vars(module).items() if isinstance(value, FunctionType) and name[0] != "_"]
    return [function for function in found if function.__module__ == module.__name__]


def _signature(member: Any, prefix: str) -> str:
    function = getattr(member, "fget", None) or getattr(member, "func", None)
    if function is not None:
        return fenced(
            f"{prefix}{function.__name__}: {_annotation(function.__annotations__.get('return', ''))}", "python"
        )
    parameters = [
        parameter
        for parameter in inspect.signature(member).parameters.values()
        if parameter.name not in ("self", "cls")
    ]
    pieces = list(_pieces(parameters))
    returned = _annotation(member.__annotations__.get("return", ""))
    name = f"{prefix}{member.__name__}"
    line = f"{name}({', '.join(pieces)}) -> {returned}"
    if len(line) > 110:
        line = f"{name}(\n" + "".join(f"    {piece},\n" for piece in pieces) + f") -> {returned}"
    return fenced(line, "python")


def _pieces(parameters: list[inspect.Parameter]) -> Iterator[str]:
    starred = False
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            starred = True
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        piece = STARS.get(parameter.kind.name, "") + parameter.name
        if parameter.annotation is not parameter.empty:
            piece += f": {_annotation(parameter.annotation)}"
        yield piece if parameter.default is parameter.empty else f"{piece} = {parameter.default!r}"


def _annotation(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return text.replace("npt.", "").replace("'", "") or "None"


def _fields(kind: Any) -> str:
    return "Fields: " + ", ".join(f"`{field.name}` ({_annotation(field.type)})" for field in dataclasses.fields(kind))


def package(function: Any) -> str:
    """The room of the house that offers a function."""
    return ".".join(function.__module__.split(".")[:2])
