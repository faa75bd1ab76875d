"""The results file: rows of finished trials with the machine they ran on, written whole after every trial."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypercone._files import new_file
from hypercone._system import describe_machine
from hypercone.errors import InputError
from hypercone.reproduce.trial import Trial

Row = dict[str, Any]


@dataclass
class Results:
    """What a file holds: ``cells``, a row a trial, and ``runs``, how long each call of the command took."""

    path: Path
    cells: list[Row] = field(default_factory=list)
    runs: list[Row] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> Results:
        """The file's content, or nothing yet if there is no such file."""
        if not path.exists():
            return cls(path)
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            return cls(path, list(content["cells"]), list(content["runs"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path}: is not a file of results ({error!r}); move it away to start anew") from None

    def find(self, trial: Trial) -> Row | None:
        """The row of this very trial, if it has been run with the settings it has now."""
        return next((row for row in self.cells if trial.identifies(row)), None)

    def add(self, rows: list[Row]) -> None:
        """Keep rows, in the place of older ones of the same name whose settings have changed since."""
        names = {_name(row) for row in rows}
        versions = describe_machine()
        kept = [row for row in self.cells if _name(row) not in names]
        self.cells = sorted([*kept, *({**row, "versions": versions} for row in rows)], key=_name)
        self.write()

    def name_all(self, trials: Iterable[Trial]) -> None:
        """Give a trial that was run under another name a row under its own, so that no cell of a table is empty."""
        for trial in trials:
            row = self.find(trial)
            if row and _name(named := {**row, "recipe": trial.recipe, "same_as": row["recipe"]}) not in self._names():
                self.cells = sorted([*self.cells, named], key=_name)

    def _names(self) -> set[tuple[Any, ...]]:
        return set(map(_name, self.cells))

    def add_run(self, seconds: float, trials: int, jobs: int) -> None:
        """Note how long a call took, from start to end."""
        self.runs.append({"seconds": round(seconds, 1), "trials": trials, "jobs": jobs, **describe_machine()})
        self.write()

    def write(self) -> None:
        """Put the whole file in place."""
        content = {"runs": self.runs, "cells": self.cells}
        with new_file(self.path) as draft:
            draft.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _name(row: Row) -> tuple[Any, ...]:
    return (row["source"], row["method"], row["dim"], row["percent"], row["recipe"], row["seed"])
