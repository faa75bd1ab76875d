"""Options that are lists with commas."""

from __future__ import annotations

from typing import TypeVar

from hypercone.errors import InputError

Number = TypeVar("Number", int, float)


def whole_numbers(option: str, text: str, at_least: int) -> list[int]:
    """The numbers.

    >>> whole_numbers("--dims", "5,10", 1)
    [5, 10]
    """
    numbers = _numbers(option, text, "whole numbers with commas, such as 5,10", int)
    if min(numbers) < at_least:
        raise InputError(f"{option} is {text!r}, but none may be below {at_least}")
    return numbers


def percentages(option: str, text: str) -> list[float]:
    """Percentages, whole ones as whole numbers.

    >>> percentages("--percent", "0,12.5")
    [0, 12.5]
    """
    numbers = _numbers(option, text, "percentages with commas, such as 0,10", float)
    if not all(0 <= number <= 90 for number in numbers):
        raise InputError(f"{option} is {text!r}, but each must be from 0 to 90; a tenth is held out")
    return [int(number) if number == int(number) else number for number in numbers]


def _numbers(option: str, text: str, form: str, kind: type[Number]) -> list[Number]:
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"{option} is {text!r}, but must be {form}") from None
