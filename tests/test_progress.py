"""What is told of a long step: one line that rewrites itself on a terminal, or a table; plain lines anywhere else."""

from __future__ import annotations

import io
from dataclasses import replace

import hypercone
from hypercone.progress import EpochReporter, LiveTable, Progress, ProgressLine

EVENT = Progress(
    stage="training",
    done=3,
    total=10,
    unit="epoch",
    loss=0.25,
    violated=7,
    active_negatives=1234,
    pairs_per_second=2.5e6,
    seconds=1.0,
    seconds_left=61.6,
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _event(done: int) -> Progress:
    return replace(EVENT, done=done)


def test_an_event_is_one_line_for_people():
    assert EVENT.line() == "training epoch 3/10  loss 0.2500  active 1,234  2.5 M pairs/s  62 s left"
    validated = replace(EVENT, validation_f1=0.95432, seconds_left=None)
    assert validated.line() == "training epoch 3/10  loss 0.2500  active 1,234  2.5 M pairs/s  validation F1 95.43"


def test_a_construction_tells_of_its_iterations_in_the_same_way():
    event = Progress("free caps", 20, 600, "iteration", 1.52)
    assert event.line() == "free caps 20/600  1.5 s"
    assert replace(event, all_pairs_f1=0.8).line() == "free caps 20/600  all-pairs F1 80.00  1.5 s"


def test_an_event_of_epochs_has_the_attributes_it_had_when_it_was_a_report():
    assert hypercone.Progress is Progress
    assert (EVENT.epoch, EVENT.epochs, EVENT.is_last, EVENT.points) == (3, 10, False, None)
    assert _event(10).is_last


def test_the_time_left_is_told_from_the_second_epoch_on_and_leaves_out_the_first(monkeypatch):
    clock = iter([100.0, 105.0, 106.0, 107.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    events: list[Progress] = []
    tell = EpochReporter(events.append, "training", 2, 9)
    for epoch in (3, 4, 5):
        tell(epoch, loss=0.5)
    assert [event.seconds for event in events] == [5.0, 6.0, 7.0]
    assert [event.seconds_left for event in events] == [None, 5.0, 4.0]


def test_a_pipe_gets_the_first_and_the_last_event_and_one_now_and_then():
    stream = io.StringIO()
    show = ProgressLine(stream, interval=1e9)
    for epoch in range(1, 11):
        show(_event(epoch))
    assert [line.split("  ")[0] for line in stream.getvalue().splitlines()] == [
        "training epoch 1/10",
        "training epoch 10/10",
    ]
    stream = io.StringIO()
    show = ProgressLine(stream, interval=0.0)
    for epoch in range(1, 11):
        show(_event(epoch))
    assert stream.getvalue().count("\n") == 10


def test_a_terminal_gets_every_event_on_the_same_line(monkeypatch):
    stream = Terminal()
    monkeypatch.setenv("COLUMNS", "200")
    show = ProgressLine(stream)
    show(_event(9))
    assert stream.getvalue() == f"\r\x1b[2K{_event(9).line()}"
    show(_event(10))
    assert stream.getvalue().endswith(f"\r\x1b[2K{_event(10).line()}\n")


def test_a_terminal_line_is_cut_at_the_edge_for_a_wrapped_one_could_not_be_rewritten(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    ProgressLine(stream)(_event(9))
    assert stream.getvalue() == f"\r\x1b[2K{_event(9).line()[:39]}"


def test_a_fit_that_ends_early_leaves_the_next_message_a_line_of_its_own():
    stream = Terminal()
    with ProgressLine(stream) as show:
        show(_event(9))
    assert stream.getvalue().endswith("\n")
    with ProgressLine(stream) as show:
        show(_event(10))
    assert stream.getvalue().count("\n") == 2


def test_progress_goes_to_stderr_unless_told_otherwise(capsys):
    ProgressLine()(EVENT)
    assert capsys.readouterr() == ("", EVENT.line() + "\n")


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
