"""Options made from the fields of FitConfig, so that help, checks and documentation cannot disagree."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from hypercone.errors import InputError
from hypercone.training import FitConfig
from hypercone.training.config import kind_of


def add_settings(parser: argparse.ArgumentParser) -> None:
    """One option for each setting, and --config for a file of them."""
    parser.add_argument("--config", metavar="FILE", help="a TOML file of settings; options given here win")
    group = parser.add_argument_group("settings", "a setting not given takes the method's own default")
    for field in dataclasses.fields(FitConfig):
        choices = field.metadata["choices"]
        group.add_argument(
            option_name(field.name),
            dest=f"setting_{field.name}",
            metavar="|".join(choices) if choices else kind_of(field).__name__.upper(),
            help=field.metadata["reason"].replace("%", "%%") + _default(field),
        )


def read_settings(options: argparse.Namespace) -> FitConfig:
    """The configuration that the options and the file describe."""
    given = {
        field.name: _value(field, text)
        for field in dataclasses.fields(FitConfig)
        if (text := getattr(options, f"setting_{field.name}")) is not None
    }
    return FitConfig.from_toml(options.config, **given) if options.config else FitConfig.from_dict(given)


def option_name(field: str) -> str:
    """The option of a setting.

    >>> option_name("burn_in"), option_name("K")
    ('--burn-in', '--K')
    """
    return f"--{field.replace('_', '-')}"


def _value(field: dataclasses.Field[Any], text: str) -> Any:
    try:
        return kind_of(field)(text)
    except ValueError:
        kind = "a whole number" if kind_of(field) is int else "a number"
        raise InputError(f"{option_name(field.name)} is {text!r}, but must be {kind}") from None


def _default(field: dataclasses.Field[Any]) -> str:
    return "" if field.default is None else f" (default {field.default})"
