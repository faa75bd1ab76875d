"""A table that is drawn again in its place on a terminal, and told line by line when piped."""

from __future__ import annotations

from typing import TextIO


class LiveTable:
    """Shows the latest state of a table while it fills."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.is_live = stream.isatty()
        self._height = 0

    def show(self, table: str, news: str) -> None:
        """The table in the place of the one before; or only the news, where a line cannot be taken back."""
        if not self.is_live:
            self.stream.write(news + "\n")
        else:
            up = f"\x1b[{self._height}F\x1b[J" if self._height else ""
            self.stream.write(f"{up}{table}\n{news}\n")
            self._height = table.count("\n") + 2
        self.stream.flush()
