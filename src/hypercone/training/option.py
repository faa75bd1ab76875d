"""How a setting is described and checked: its kind, default, range and reason."""

from __future__ import annotations

import dataclasses
import math
import numbers
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypercone.errors import ConfigError, option

BOUNDS: dict[str, Callable[[float, float], bool]] = {
    "at_least": operator.lt,
    "at_most": operator.gt,
    "above": operator.le,
}
# NumPy numbers are accepted and converted to plain ones.
KINDS: dict[type, tuple[type, str]] = {
    int: (numbers.Integral, "a whole number"),
    float: (numbers.Real, "a finite number"),
    str: (str, "text"),
}


@dataclass(frozen=True)
class Option:
    """The description of a setting for help, checks and documentation; without a default, it depends on the method."""

    name: str
    kind: type
    default: int | float | str | None
    reason: str
    at_least: float | None = None
    at_most: float | None = None
    above: float | None = None
    choices: tuple[str, ...] = ()
    # Words that may stand instead of a number.
    words: tuple[str, ...] = ()

    def check(self, value: Any, called: str | None = None) -> Any:
        """The value as a plain Python value; ConfigError if it has the wrong type or is outside its range.

        The message begins with ``called``, by default the option as the caller writes it.
        """
        if isinstance(value, str) and value in self.words:
            return value
        wanted = self._broken_rule(value)
        if wanted is not None:
            wanted = " or ".join([wanted, *self.words])
            raise ConfigError(f"{called or option(self.name)} is {format_value(value)}, but must be {wanted}")
        return self.kind(value)

    def _broken_rule(self, value: Any) -> str | None:
        """The rule that the value breaks; None if it is valid."""
        accepted, kind = KINDS[self.kind]
        is_right = isinstance(value, accepted) and not isinstance(value, bool)
        if not is_right or (self.kind is float and not _is_finite(value)):
            return kind
        if self.choices and value not in self.choices:
            return f"one of {', '.join(self.choices)}"
        for rule, is_broken in BOUNDS.items():
            bound = getattr(self, rule)
            if bound is not None and is_broken(value, bound):
                return f"{rule.replace('_', ' ')} {bound}"
        return None


def format_value(value: Any, most: int = 60) -> str:
    """A value for a message, cut to at most ``most`` characters.

    >>> format_value("two"), format_value(0.5), format_value(10**5000), len(format_value("x" * 1000))
    ("'two'", '0.5', 'a number of very many digits', 60)
    """
    try:
        # repr of a NumPy number includes its type.
        text = str(value) if isinstance(value, numbers.Number) else repr(value)
    except ValueError:
        return "a number of very many digits"
    return text if len(text) <= most else text[: most - 1] + "…"


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number too large for a float
        return False


def setting(default: int | float | str | None, reason: str, **rules: Any) -> Any:
    """A dataclass field without a default, with the description of its option as metadata."""
    return dataclasses.field(metadata={"default": default, "reason": reason, **rules})
