"""A live table takes the place of the one before on a terminal, and is told line by line anywhere else."""

from __future__ import annotations

import io

from hypercone.cli.live_table import LiveTable


class Terminal(io.StringIO):
    def isatty(self):
        return True


def screen_of(written):
    """What a terminal shows after the text, knowing the two codes that are used: up to a line's start, and erase."""
    lines, row = [""], 0
    for part in written.replace("\x1b[J", "\x1b\0").split("\x1b"):
        text = part
        if part.startswith("["):
            up, _, text = part[1:].partition("F")
            row -= int(up)
        elif part.startswith("\0"):
            lines, text = [*lines[:row], ""], part[1:]
        for place, line in enumerate(text.split("\n")):
            row += bool(place)
            lines += [""] * (row + 1 - len(lines))
            lines[row] += line
    return "\n".join(lines)


def test_on_a_terminal_only_the_latest_table_is_left():
    terminal = Terminal()
    table = LiveTable(terminal)
    table.show("| a |\n| 1 |", "first")
    table.show("| a |\n| 2 |\n| 3 |", "second")
    table.show("| a |\n| 4 |", "third")
    assert screen_of(terminal.getvalue()) == "| a |\n| 4 |\nthird\n"


def test_in_a_pipe_each_piece_of_news_is_a_line():
    pipe = io.StringIO()
    table = LiveTable(pipe)
    table.show("| a |", "first")
    table.show("| b |", "second")
    assert pipe.getvalue() == "first\nsecond\n"
