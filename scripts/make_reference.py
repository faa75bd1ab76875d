"""Write docs/reference from the docstrings, the settings and the options themselves, so that it cannot disagree.

::

    python scripts/make_reference.py            (writes the pages)
    python scripts/make_reference.py --check    (writes nothing; exit code 1 if a page is out of date)

Nothing here depends on the version of Python: signatures and options are laid out by this file, not by ``inspect`` or
``argparse``, whose layouts change.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import hypercone
from hypercone import embedding, errors, evaluation, geometry, hierarchy, queries
from hypercone.cli.main import COMMANDS
from hypercone.cli.settings import option_name
from hypercone.construction.table import CONSTRUCTIONS
from hypercone.methods import METHODS, Settings
from hypercone.training.config import AUTOMATIC
from hypercone.training.fields import kind_of

FOLDER = Path(__file__).parent.parent / "docs" / "reference"
NOTICE = "<!-- Written by scripts/make_reference.py from the source; edit the docstrings, then run it again. -->"
# Values that the public functions take or return, in the order in which one meets them.
COMPANIONS = (
    hierarchy.Adjacency,
    hierarchy.Statistics,
    hierarchy.LabelledPairs,
    Settings,
    evaluation.LinkPrediction,
    evaluation.Reconstruction,
    queries.Answer,
    embedding.Explanation,
    embedding.Step,
)
STARS = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}
COMPANION_FUNCTIONS = (hierarchy.read_pairs, queries.answer, embedding.save)


def main() -> int:
    """Write or check the pages."""
    stale = [name for name, text in pages().items() if _current(FOLDER / name) != text]
    if "--check" in sys.argv[1:]:
        print(f"out of date: {', '.join(stale)}" if stale else "docs/reference is up to date")
        return int(bool(stale))
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in stale:
        (FOLDER / name).write_text(pages()[name], encoding="utf-8")
    print(f"written: {', '.join(stale) or 'nothing, all is up to date'}")
    return 0


def pages() -> dict[str, str]:
    """The text of every page of the reference by file name."""
    return {
        "index.md": _page(_index()),
        "api.md": _page(_api()),
        "geometry.md": _page(_geometry()),
        "methods.md": _page(_methods()),
        "settings.md": _page(_settings()),
        "commands.md": _page(_commands()),
        "errors.md": _page(_errors()),
    }


def _current(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def _page(parts: Iterable[str]) -> str:
    return "\n\n".join([NOTICE, *(part.strip("\n") for part in parts if part.strip())]) + "\n"


# The pages.


def _index() -> Iterator[str]:
    yield "# Reference"
    yield "Every page here is made from the source by `scripts/make_reference.py`, and a test compares the two."
    yield _table(
        ("page", "what it lists"),
        [
            ("[api.md](api.md)", "everything that `import hypercone` offers"),
            ("[settings.md](settings.md)", "each setting of a fit: default, range, reason"),
            ("[methods.md](methods.md)", "the methods, their defaults where these differ, and the constructions"),
            ("[commands.md](commands.md)", "the commands and their options"),
            ("[errors.md](errors.md)", "the errors and their exit codes"),
            (
                "[what-goes-wrong.md](what-goes-wrong.md)",
                "what the user sees of every bad input and fault of the tests",
            ),
            ("[geometry.md](geometry.md)", "the closed forms as plain NumPy functions"),
        ],
    )


def _api() -> Iterator[str]:
    yield "# The Python interface"
    yield "All of these are attributes of `hypercone`, and are imported when first used."
    listed = [name for name in hypercone.__all__ if not name.startswith("__")]
    yield "\n".join(f"- [`{name}`](#{name.lower()})" for name in listed)
    for name in listed:
        yield from _documented(getattr(hypercone, name), 2)
    yield "## Values that these take or return"
    for kind in COMPANIONS:
        yield from _documented(kind, 3)
    for function in COMPANION_FUNCTIONS:
        yield from _documented(function, 3, prefix=f"{_package(function)}.")


def _geometry() -> Iterator[str]:
    yield "# Geometry: `hypercone.geometry`"
    yield from _prose(geometry.__doc__)
    for name in geometry.__all__:
        module = getattr(geometry, name)
        yield f"## {name}"
        yield from _prose(module.__doc__)
        for function in _functions(module):
            yield from _documented(function, 3, prefix=f"{name}.")


def _methods() -> Iterator[str]:
    yield "# The methods"
    yield _table(
        ("method", "summary", "loss", "space"),
        [
            (f"`{name}`", method.summary, method.loss, "hyperbolic" if method.is_hyperbolic else "flat")
            for name, method in METHODS.items()
        ],
    )
    for name, method in METHODS.items():
        yield f"## {name}"
        yield from _prose(type(method).__doc__)
    yield "## The constructions"
    yield "These learn nothing. Their points are those of hyperbolic cones, and their threshold is 0."
    yield _table(("method", "summary"), [(f"`{name}`", summary) for name, summary in CONSTRUCTIONS.items()])
    yield "## Defaults that differ"
    yield "A setting that is not given takes the value of its method. All others are the same for every method."
    yield _table(
        ("setting", *(f"`{name}`" for name in METHODS)),
        [
            (f"`{field.name}`", *(_shown(_default(method, field.name)) for method in METHODS))
            for field in dataclasses.fields(hypercone.FitConfig)
            if _differs(field.name)
        ],
    )
    yield _open_epochs()


def _settings() -> Iterator[str]:
    yield "# The settings of a fit"
    yield (
        "The fields of `hypercone.FitConfig`. Each is an argument of `hypercone.fit`, a line of the TOML file that"
        " `--config` reads, and an option of `hypercone fit`."
    )
    yield _table(
        ("setting", "option", "kind and range", "default", "reason"),
        [
            (
                f"`{field.name}`",
                f"`{option_name(field.name)}`",
                _range(field),
                "[by method](methods.md#defaults-that-differ)"
                if _differs(field.name)
                else _shown(_default("hyperbolic-cones", field.name)),
                field.metadata["reason"],
            )
            for field in dataclasses.fields(hypercone.FitConfig)
        ],
    )
    yield _open_epochs()


def _commands() -> Iterator[str]:
    yield "# The commands"
    yield _table(("command", "what it does"), [(f"[`{name}`](#{name})", text) for name, text in COMMANDS.items()])
    yield (
        "`hypercone --version` prints the version, and `hypercone COMMAND --help` what follows here. Answers go to"
        " standard output; progress and errors go to standard error."
    )
    for name, text in COMMANDS.items():
        command = importlib.import_module(f"hypercone.cli.{name}_command")
        parser = argparse.ArgumentParser(add_help=False)
        command.add_arguments(parser)
        yield f"## {name}"
        yield text[0].upper() + text[1:] + "."
        yield _table(("argument", "meaning"), [_option(action) for action in parser._actions if _is_listed(action)])
        if any(action.dest.startswith("setting_") for action in parser._actions):
            yield "And one option for each of [the settings](settings.md)."
        yield _fenced(command.EXAMPLE, "text")


def _errors() -> Iterator[str]:
    yield "# Errors and exit codes"
    yield from _prose(errors.__doc__)
    yield from _prose(importlib.import_module("hypercone.cli.main").__doc__)
    kinds = [
        kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, errors.HyperconeError)
    ]
    yield _table(
        ("error", "exit code", "meaning"),
        [(f"`{kind.__name__}`", str(kind.exit_code), _first_line(kind)) for kind in kinds],
    )
    yield "[What goes wrong, and what you see](what-goes-wrong.md) has the sentences themselves, case by case."


# One thing at a time.


def _documented(thing: Any, level: int, prefix: str = "") -> Iterator[str]:
    yield f"{'#' * level} {thing.__name__}"
    if inspect.isclass(thing):
        yield from _prose(thing.__doc__)
        if dataclasses.is_dataclass(thing) and thing is not hypercone.FitConfig:
            yield _fields(thing)
        for member in _members(thing):
            yield _signature(member, f"{thing.__name__}.")
            yield from _prose(member.__doc__)
    else:
        yield _signature(thing, prefix)
        yield from _prose(thing.__doc__)


def _members(kind: type) -> Iterator[Any]:
    """The public functions and properties of a class that say what they do, in the order of the source."""
    if issubclass(kind, Exception):
        return
    for name, value in vars(kind).items():
        member = getattr(value, "fget", None) or getattr(value, "func", None) or getattr(value, "__func__", value)
        if isinstance(member, FunctionType) and member.__doc__ and not name.startswith("_"):
            yield value if isinstance(value, property) or hasattr(value, "func") else member
        elif name == "__getitem__" and isinstance(member, FunctionType) and member.__doc__:
            yield member


def _functions(module: ModuleType) -> list[FunctionType]:
    found = [value for name, value in vars(module).items() if isinstance(value, FunctionType) and name[0] != "_"]
    return [function for function in found if function.__module__ == module.__name__]


def _signature(member: Any, prefix: str) -> str:
    function = getattr(member, "fget", None) or getattr(member, "func", None)
    if function is not None:
        return _fenced(
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
    return _fenced(line, "python")


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


def _package(function: Any) -> str:
    return ".".join(function.__module__.split(".")[:2])


# Settings.


def _default(method: str, name: str) -> Any:
    if name == "method":
        return hypercone.FitConfig().method
    value = getattr(hypercone.FitConfig(method=method), name)
    if value is None and name in METHODS[method].defaults:
        return METHODS[method].defaults[name]
    return value


def _differs(name: str) -> bool:
    return len({_default(method, name) for method in METHODS}) > 1


def _open_epochs() -> str:
    return (
        f"{' and '.join(f'`{name}`' for name in AUTOMATIC)} are left open until the data is known: a small hierarchy is"
        " visited more often than a large one. The model's card says what was used."
    )


def _range(field: dataclasses.Field[Any]) -> str:
    rules = field.metadata
    if rules["choices"]:
        return " · ".join(f"`{choice}`" for choice in rules["choices"])
    words = {"at_least": "at least", "above": "above", "at_most": "at most"}
    limits = [f"{words[rule]} {rules[rule]}" for rule in words if rules[rule] is not None]
    return ", ".join([{"int": "whole number", "float": "number", "str": "text"}[kind_of(field).__name__], *limits])


def _shown(value: Any) -> str:
    return "open" if value is None else f"`{value}`"


# Options.


def _is_listed(action: argparse.Action) -> bool:
    return not action.dest.startswith("setting_")


def _option(action: argparse.Action) -> tuple[str, str]:
    names = ", ".join(f"`{name}`" for name in action.option_strings)
    value = action.metavar or (None if action.choices is None else "|".join(action.choices))
    if value is None and action.option_strings and action.nargs != 0:
        value = action.dest.upper()
    return f"{names} `{value}`".strip() if value else names or f"`{action.dest}`", action.help or ""


# Markdown.


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("%%", "%") for cell in line) + " |" for line in lines
    )


def _fenced(text: str, language: str) -> str:
    body = text.strip("\n")
    return f"```{language}\n{body}\n```"


def _first_line(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").splitlines()[0]


def _prose(docstring: str | None) -> Iterator[str]:
    """A docstring as Markdown: examples and drawings in fences, the rest as it is."""
    is_drawing = False
    for block in re.split(r"\n\s*\n", inspect.cleandoc(docstring or "")):
        if block.startswith(">>>"):
            yield _fenced(block, "pycon")
        elif is_drawing or block.startswith("==="):
            yield _fenced(inspect.cleandoc(block) if is_drawing else block, "text")
        elif block.strip() == "::":
            is_drawing = True
            continue
        elif block.rstrip().endswith("::"):
            yield _inline(block.rstrip()[:-1])
            is_drawing = True
            continue
        else:
            yield _inline(block)
        is_drawing = False


def _inline(text: str) -> str:
    return text.replace("``", "`").replace("::", ":")


if __name__ == "__main__":
    sys.exit(main())
