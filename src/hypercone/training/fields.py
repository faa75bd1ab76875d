"""Configuration fields that carry their range, choices and reason, so that help, checks and docs say the same."""

from __future__ import annotations

import dataclasses
import math
import numbers
import operator
from collections.abc import Callable
from typing import Any

from hypercone.errors import ConfigError

BOUNDS: dict[str, Callable[[float, float], bool]] = {
    "at_least": operator.lt,
    "at_most": operator.gt,
    "above": operator.le,
}
# NumPy's numbers are welcome; the configuration keeps plain ones.
KINDS: dict[type, tuple[Any, str]] = {
    int: (numbers.Integral, "a whole number"),
    float: (numbers.Real, "a finite number"),
    str: (str, "text"),
}


def setting(
    default: Any,
    reason: str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    above: float | None = None,
    choices: tuple[str, ...] | None = None,
) -> Any:
    """A dataclass field with its reason and its range. A default of None means that the method chooses."""
    rules = {"reason": reason, "at_least": at_least, "at_most": at_most, "above": above, "choices": choices}
    return dataclasses.field(default=default, metadata=rules)


def check(field: dataclasses.Field[Any], value: Any) -> None:
    """Refuse a value of the wrong type or outside its range, in one sentence."""
    rules = field.metadata
    _check_type(field, value)
    if rules.get("choices") and value not in rules["choices"]:
        raise ConfigError(f"{field.name} is {shown(value)}, but must be one of {', '.join(rules['choices'])}")
    for rule, is_broken in BOUNDS.items():
        bound = rules.get(rule)
        if bound is not None and is_broken(value, bound):
            raise ConfigError(f"{field.name} is {shown(value)}, but must be {rule.replace('_', ' ')} {bound}")


def kind_of(field: dataclasses.Field[Any]) -> type:
    """int, float or str, from the annotation."""
    annotation = str(field.type).removesuffix(" | None")
    return {"int": int, "float": float, "str": str}[annotation]


def _check_type(field: dataclasses.Field[Any], value: Any) -> None:
    kind = kind_of(field)
    accepted, called = KINDS[kind]
    if isinstance(value, bool) or not isinstance(value, accepted):
        raise ConfigError(f"{field.name} is {shown(value)}, but must be {called}")
    if kind is float and not _is_finite(value):
        raise ConfigError(f"{field.name} is {shown(value)}, but must be {called}")


def shown(value: Any, most: int = 60) -> str:
    """A value as a message shows it, however long it is.

    >>> shown("two"), shown(0.5), shown(10**5000), len(shown("x" * 1000))
    ("'two'", '0.5', 'a number of very many digits', 60)
    """
    try:
        # The numbers of NumPy say more about themselves in repr than a message needs.
        text = str(value) if isinstance(value, numbers.Number) else repr(value)
    except ValueError:
        return "a number of very many digits"
    return text if len(text) <= most else text[: most - 1] + "…"


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number too large for a float
        return False
