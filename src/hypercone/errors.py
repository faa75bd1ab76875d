"""Every error that hypercone raises on purpose, its exit code, and the helpers that word messages and warnings.

::

    HyperconeError            1
    ├── InputError            2   something the user gave: a file, a name, an option
    │   ├── HierarchyError        edges that are not a hierarchy (a cycle, a self loop, an empty name)
    │   ├── ConfigError           a setting out of its range
    │   ├── DomainError           a point that is not one of its space, such as one outside the unit ball
    │   └── UnknownNameError      an unknown node, method or dataset
    │       └── ObsoleteNameError     a node that is no longer used
    ├── ModelFileError        3   a model folder that is damaged, malicious, or written by a newer version
    ├── ResourceError         4   memory or disk ran out
    └── Interrupted         130   a run was stopped after it saved a checkpoint (143 by SIGTERM, 129 by SIGHUP)

Each message is one sentence that says what is wrong, with the value, and what to do about it. Options are spelled as
the caller spells them, in Python or in a shell: every message that names an option gets its text from ``option``.
"""

from __future__ import annotations

import contextlib
import difflib
import re
import shlex
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

# Unknown names are cut to this length in messages, so that they cannot flood the screen.
LONGEST_NAME = 200


class HyperconeError(Exception):
    """The base class of all errors that hypercone raises on purpose."""

    exit_code = 1


class InputError(HyperconeError):
    """Something the user gave cannot be used as it is."""

    exit_code = 2


class HierarchyError(InputError):
    """The edges do not form a hierarchy."""


class ConfigError(InputError):
    """A setting is outside its range or contradicts another setting."""


class DomainError(InputError, ValueError):
    """A point is not one of the space that a formula is about: it is outside the unit ball, or not finite."""


class UnknownNameError(InputError, KeyError):
    """A name is unknown; the message suggests the most similar known names."""

    # KeyError would print the message in quotes.
    __str__ = Exception.__str__


class ObsoleteNameError(UnknownNameError):
    """A name is that of a node that is no longer used; the message says what replaces it, if anything does."""


class ModelFileError(HyperconeError):
    """A model folder cannot be read or is not trustworthy."""

    exit_code = 3


class ResourceError(HyperconeError):
    """Memory or disk ran out."""

    exit_code = 4


class Interrupted(HyperconeError):
    """A run was stopped on request; it saved a checkpoint and can be resumed."""

    exit_code = 130


Language = Literal["python", "shell"]
# One value for the whole process, so that all threads use the language of the program.
_language: Language = "python"
# Flags that differ from the parameter's name with dashes.
FLAGS = {
    "parent": "--parent-column",
    "child": "--child-column",
    "label": "--label-column",
    "id": "--id-column",
    "levels": "--level-columns",
    "parents": "--parent",
    "pairs": "--split",
    "token": "--token-file",
    "allow_hosts": "--allow-host",
    "every_epochs": "--checkpoint-epochs",
    "every_seconds": "--checkpoint-seconds",
    "suggest.k": "--count",
}


@contextlib.contextmanager
def option_language(language: Language) -> Iterator[None]:
    """Within the block, messages spell options in this language; afterwards, in the previous one.

    >>> with option_language("shell"):
    ...     option("burn_in", 10)
    '--burn-in 10'
    """
    global _language  # noqa: PLW0603 - a ContextVar would not reach other threads
    before, _language = _language, language
    try:
        yield
    finally:
        _language = before


def option(name: str, *values: object) -> str:
    """An option as the caller would write it, with a value if one is given, or with the values to choose from.

    ``name`` is the name of the Python parameter. Where two parameters share a name but have different flags, the name
    is qualified by its owner: ``checkpoint.epochs`` is ``epochs`` in Python and ``--checkpoint-epochs`` in a shell.

    >>> option("direction"), option("epochs", 5), option("resume", True), option("on_cycle", "condense", "drop")
    ('direction', 'epochs=5', 'resume=True', 'on_cycle="condense" or "drop"')
    >>> with option_language("shell"):
    ...     option("direction"), option("epochs", 5), option("resume", True), option("on_cycle", "condense", "drop")
    ('--direction', '--epochs 5', '--resume', '--on-cycle condense or drop')
    """
    if _language == "shell":
        flag = FLAGS.get(name, "--" + name.replace(".", "-").replace("_", "-"))
        choice = " or ".join(_as_shell(value) for value in values if value is not True)
        return f"{flag} {choice}" if choice else flag
    parameter = name.rpartition(".")[2]
    choice = " or ".join(map(_as_python, values))
    return f"{parameter}={choice}" if choice else parameter


def _as_shell(value: object) -> str:
    return shlex.quote(",".join(map(str, value)) if isinstance(value, list) else str(value))


def _as_python(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_as_python, value))}]"
    # Double quotes, which are more common than those of repr.
    return f'"{value}"' if isinstance(value, str) and repr(value) == f"'{value}'" and '"' not in value else repr(value)


def one_line(text: str) -> str:
    r"""The text with non-printable characters escaped: text from a file must not control the terminal.

    >>> one_line("white pelican"), one_line("two\nlines")
    ('white pelican', 'two\\nlines')
    """
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


# What makes a terminal do something, or shows text in another order: control characters but for the tab and the line
# feed, separators of lines, and marks of direction. Joiners and wide spaces are part of many scripts.
_CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def escape_controls(text: str, form: str = "\\x{:02x}", wide_form: str = "\\u{:04x}") -> str:
    r"""The text with everything escaped that could control a terminal; line feeds and tabs stay.

    >>> escape_controls("red\x1b[31m\n"), escape_controls("Löwe\u202e")
    ('red\\x1b[31m\n', 'Löwe\\u202e')
    """

    def escape(found: re.Match[str]) -> str:
        code = ord(found[0])
        return (form if code < 0x100 else wide_form).format(code)

    return _CONTROLS.sub(escape, text)


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UnknownNameError:
    """The error for an unknown name, with up to three similar known names.

    >>> str(unknown_name("method", "ordre", ["order", "poincare"]))
    "there is no method 'ordre'; did you mean order?"
    """
    name = name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "…"
    hint = did_you_mean(name, known)
    return UnknownNameError(f"there is no {kind} {name!r}{hint and f'; {hint}'}")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint with up to three similar names; an empty string if there are none.

    >>> did_you_mean("veiw", ["view", "cones"]), did_you_mean("zoom", ["view", "cones"])
    ('did you mean view?', '')
    """
    close = difflib.get_close_matches(name, list(known), n=3, cutoff=0.6)
    return f"did you mean {' or '.join(close)}?" if close else ""


def with_article(name: str) -> str:
    """The name with the article "a" or "an", chosen by its first letter.

    >>> with_article("pelican"), with_article("animal.n.01")
    ('a pelican', 'an animal.n.01')
    """
    return f"{'an' if name[:1].lower() in tuple('aeio') else 'a'} {name}"


def plural(count: int, thing: str) -> str:
    """The count and the noun, in the plural unless the count is one.

    >>> plural(1, "edge"), plural(1_500, "edge")
    ('1 edge', '1,500 edges')
    """
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def short(text: str, most: int = 60) -> str:
    """The text cut to at most so many characters, so that a broken file cannot flood the screen.

    >>> short("poodle"), len(short("poodle" * 1_000_000))
    ('poodle', 60)
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def visible(text: str, most: int = 60) -> str:
    r"""Like ``short``, for text shown without quotes: non-printable characters are escaped.

    >>> visible("white pelican"), visible("bell\x07"), visible("two\nlines")
    ('white pelican', 'bell\\x07', 'two\\nlines')
    """
    return one_line(short(text, most))


def some(things: Sequence[str], total: int | None = None) -> str:
    """The first three items, and how many more there are; pass ``total`` if ``things`` is not the full list.

    >>> some(["a", "b", "c", "d", "e"]), some(["a"]), some(["a", "b", "c"], 1_003)
    ('a, b, c and 2 more', 'a', 'a, b, c and 1,000 more')
    """
    more = (len(things) if total is None else total) - 3
    return ", ".join(visible(thing) for thing in things[:3]) + (f" and {more:,} more" if more > 0 else "")


REMOVED_IN = "1.1"
# The names of the constructions in version 0.1, which models and runs of that version contain.
OLD_METHODS = {"construction": "nested-caps", "overlapping": "overlapping-caps"}


def warn_renamed(old: str, new: str) -> None:
    """Issue a DeprecationWarning that names the replacement and points to the first caller outside this package.

    >>> with warnings.catch_warnings(record=True) as seen:
    ...     warnings.simplefilter("always")
    ...     warn_renamed("hypercone.evaluate", "hypercone.evaluation.link_prediction")
    >>> str(seen[0].message)
    'hypercone.evaluate is deprecated and goes in version 1.1; use hypercone.evaluation.link_prediction'
    """
    frame, level = sys._getframe(0), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "hypercone":
        frame, level = frame.f_back, level + 1
    message = f"{old} is deprecated and goes in version {REMOVED_IN}; use {new}"
    warnings.warn(message, DeprecationWarning, stacklevel=level)
