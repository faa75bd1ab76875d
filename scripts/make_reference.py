"""Write docs/reference from the docstrings, the settings and the options themselves, so that it cannot disagree.

::

    python scripts/make_reference.py            (writes the pages)
    python scripts/make_reference.py --check    (writes nothing; exit code 1 if a page is out of date)

Nothing here depends on the version of Python: signatures and options are laid out here and in ``signatures``, not
by ``inspect`` or ``argparse``, whose layouts change.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import hypercone
from hypercone import embedding, errors, evaluation, formats, geometry, hierarchy, queries
from hypercone.cli.main import COMMANDS, command_parser
from hypercone.cli.options import option_name
from hypercone.construction import CONSTRUCTIONS
from hypercone.methods import METHODS
from hypercone.training.config import OPTIONS, FitConfig, Option, TrainingConfig
from markup import fenced, first_line, prose, table
from signatures import documented, functions, package

FOLDER = Path(__file__).parent.parent / "docs" / "reference"
NOTICE = "<!-- Written by scripts/make_reference.py from the source; edit the docstrings, then run it again. -->"
# Values that the public functions take or return, in the order in which one meets them.
COMPANIONS = (
    hierarchy.Adjacency,
    hierarchy.Summary,
    evaluation.LinkPrediction,
    evaluation.Reconstruction,
    queries.Answer,
    embedding.Explanation,
    embedding.Step,
)
COMPANION_FUNCTIONS = (formats.read_pairs, queries.answer, embedding.save)


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
    yield table(
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
    yield "\n".join(f"- [`{name}`]({_place(name)})" for name in listed)
    for name in listed:
        if _place(name).startswith("#") and name != "evaluation":
            yield from documented(getattr(hypercone, name), 2, name=name)
    yield "## evaluation"
    yield from prose(evaluation.__doc__)
    for name in evaluation.__all__:
        if inspect.isfunction(getattr(evaluation, name)):
            yield from documented(getattr(evaluation, name), 3, prefix="evaluation.")
    yield "## Values that these take or return"
    for kind in COMPANIONS:
        yield from documented(kind, 3)
    for function in COMPANION_FUNCTIONS:
        yield from documented(function, 3, prefix=f"{package(function)}.")


def _place(name: str) -> str:
    """Where the reference has a name: here, or on a page of its own."""
    thing = getattr(hypercone, name)
    if name == "geometry":
        return "geometry.md"
    is_error = inspect.isclass(thing) and issubclass(thing, Exception)
    return "errors.md" if is_error or name == "errors" else f"#{name.lower()}"


def _geometry() -> Iterator[str]:
    yield "# Geometry: `hypercone.geometry`"
    yield from prose(geometry.__doc__)
    for name in geometry.__all__:
        module = getattr(geometry, name)
        yield f"## {name}"
        yield from prose(module.__doc__)
        for function in functions(module):
            yield from documented(function, 3, prefix=f"{name}.")


def _methods() -> Iterator[str]:
    yield "# The methods"
    yield table(
        ("method", "summary", "loss", "space"),
        [
            (f"`{name}`", method.summary, method.loss, "hyperbolic" if method.is_hyperbolic else "flat")
            for name, method in METHODS.items()
        ],
    )
    for name, method in METHODS.items():
        yield f"## {name}"
        yield from prose(type(method).__doc__)
    yield "## The constructions"
    yield "These learn nothing. Their points are those of hyperbolic cones, and their threshold is 0."
    yield table(("method", "summary"), [(f"`{name}`", summary) for name, summary in CONSTRUCTIONS.items()])
    yield "## Defaults that differ"
    yield "A setting that is not given takes the value of its method. All others are the same for every method."
    yield table(
        ("setting", *(f"`{name}`" for name in METHODS)),
        [(f"`{name}`", *(_shown(_default(method, name)) for method in METHODS)) for name in OPTIONS if _differs(name)],
    )
    yield _open_epochs()


def _settings() -> Iterator[str]:
    yield "# The settings of a fit"
    yield (
        "Each is an argument of `hypercone.fit`, a line of the TOML file that"
        " `--config` reads, and an option of `hypercone fit`."
    )
    yield table(
        ("setting", "option", "kind and range", "default", "reason"),
        [
            (
                f"`{name}`",
                f"`{option_name(name)}`",
                _range(option),
                "[by method](methods.md#defaults-that-differ)"
                if _differs(name)
                else _shown(_default("hyperbolic-cones", name)),
                option.reason,
            )
            for name, option in OPTIONS.items()
        ],
    )
    yield _open_epochs()


def _commands() -> Iterator[str]:
    yield "# The commands"
    yield table(("command", "what it does"), [(f"[`{name}`](#{name})", text) for name, text in COMMANDS.items()])
    yield (
        "`hypercone --version` prints the version, and `hypercone COMMAND --help` what follows here. Answers go to"
        " standard output; progress and errors go to standard error."
    )
    for name, text in COMMANDS.items():
        parser = command_parser(name)
        yield f"## {name}"
        yield text[0].upper() + text[1:] + "."
        yield table(("argument", "meaning"), [_option(action) for action in parser._actions[1:] if _is_listed(action)])
        if any(action.dest.startswith("setting_") for action in parser._actions):
            yield "And one option for each of [the settings](settings.md)."
        yield fenced(parser.epilog or "", "text")


def _errors() -> Iterator[str]:
    yield "# Errors and exit codes"
    yield from prose(errors.__doc__)
    yield from prose(importlib.import_module("hypercone.cli.main").__doc__)
    kinds = [
        kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, errors.HyperconeError)
    ]
    yield table(
        ("error", "exit code", "meaning"),
        [(f"`{kind.__name__}`", str(kind.exit_code), first_line(kind)) for kind in kinds],
    )
    yield "[What goes wrong, and what you see](what-goes-wrong.md) has the sentences themselves, case by case."


# Settings.


def _default(method: str, name: str) -> Any:
    if name == "method":
        return OPTIONS[name].default
    value = getattr(FitConfig(method=method), name)
    if value is None and name in METHODS[method].defaults:
        return METHODS[method].defaults[name]
    return value


def _differs(name: str) -> bool:
    return len({_default(method, name) for method in METHODS}) > 1


def _open_epochs() -> str:
    return (
        f"{' and '.join(f'`{name}`' for name in TrainingConfig.FROM_THE_DATA)} are left open until the data is known: a"
        " small hierarchy is visited more often than a large one. The model's card says what was used."
    )


def _range(option: Option) -> str:
    if option.choices:
        return " · ".join(f"`{choice}`" for choice in option.choices)
    words = {"at_least": "at least", "above": "above", "at_most": "at most"}
    limits = [f"{words[rule]} {limit}" for rule in words if (limit := getattr(option, rule)) is not None]
    return ", ".join(["whole number" if option.kind is int else "number", *limits])


def _shown(value: Any) -> str:
    return "open" if value is None else f"`{value}`"


# Options.


def _is_listed(action: argparse.Action) -> bool:
    return not action.dest.startswith("setting_") and action.help != argparse.SUPPRESS


def _option(action: argparse.Action) -> tuple[str, str]:
    names = ", ".join(f"`{name}`" for name in action.option_strings)
    value = action.metavar or (None if action.choices is None else "|".join(action.choices))
    if value is None and action.option_strings and action.nargs != 0:
        value = action.dest.upper()
    return f"{names} `{value}`".strip() if value else names or f"`{action.dest}`", action.help or ""


if __name__ == "__main__":
    sys.exit(main())
