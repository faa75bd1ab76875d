"""Progress of long operations: events for callers, and a bar after two seconds where a person sees it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import pytest

import hypercone
from hypercone import progress
from hypercone.progress import (
    LiveTable,
    Progress,
    ProgressBar,
    Reporter,
    Step,
    is_shown,
    is_watched,
    say,
    showing,
    track_progress,
)

FIGURES = {"loss": 0.25, "violated": 7, "active_negatives": 1234, "pairs_per_second": 2.5e6}
EVENT = Progress("training", 3, 10, "epoch", seconds=1.0, seconds_left=61.6, **FIGURES)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _event(done: int) -> Progress:
    return replace(EVENT, done=done)


def test_an_event_is_shown_in_one_line_and_has_the_attributes_of_the_former_epoch_report():
    assert EVENT.line() == "training epoch 3/10  loss 0.2500  active 1,234  2.5 M pairs/s  62 s left"
    validated = replace(EVENT, validation_f1=0.95432, seconds_left=None)
    assert validated.line() == "training epoch 3/10  loss 0.2500  active 1,234  2.5 M pairs/s  validation F1 95.43"
    assert hypercone.Progress is Progress
    assert (EVENT.epoch, EVENT.epochs, EVENT.is_last, EVENT.points) == (3, 10, False, None)
    assert _event(10).is_last


@pytest.mark.parametrize("unit", ["epoch", "iteration"])
def test_the_time_left_is_estimated_from_the_second_report_on_without_the_first(monkeypatch, unit):
    clock = iter([100.0, 105.0, 106.0, 107.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    events: list[Progress] = []
    tell = Reporter(events.append, "training", 9, unit)
    for done in (3, 4, 5):
        tell(done, loss=0.5)
    assert [event.seconds for event in events] == [5.0, 6.0, 7.0]
    assert [event.seconds_left for event in events] == [None, 5.0, 4.0]
    assert {event.unit for event in events} == {unit}


# A shell at a prompt in a terminal, that of a notebook, and another one made of it.
Shell, ZMQInteractiveShell = type("Shell", (), {}), type("ZMQInteractiveShell", (), {})
ColabShell = type("ColabShell", (ZMQInteractiveShell,), {})


@pytest.mark.parametrize(
    ("shell", "is_notebook"), [(None, False), (Shell(), False), (ZMQInteractiveShell(), True), (ColabShell(), True)]
)
def test_a_notebook_is_recognized_by_its_shell(monkeypatch, shell, is_notebook):
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert is_watched(io.StringIO()) is is_notebook
    assert is_watched(Terminal())


def test_without_a_terminal_or_a_notebook_nothing_is_watched(monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    closed = io.StringIO()
    closed.close()
    assert [is_watched(stream) for stream in (io.StringIO(), None, closed)] == [False] * 3
    assert "IPython" not in sys.modules


def test_bars_are_shown_where_they_are_visible_unless_chosen_otherwise_and_not_by_threads_of_a_service(monkeypatch):
    assert not is_shown()
    with showing(True):
        assert is_shown()
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert is_shown()
    with showing(False):
        assert not is_shown()
        with showing(None):
            assert not is_shown()
    assert is_shown()
    with ThreadPoolExecutor(1) as threads:
        assert not threads.submit(is_shown).result()


def test_a_line_is_written_where_bars_are_shown_and_from_any_thread(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with ThreadPoolExecutor(1) as threads:
        say("main")
        threads.submit(say, "thread").result()
        with showing(False):
            say("hidden")
            threads.submit(say, "hidden").result()
        assert terminal.getvalue() == "main\nthread\n"
        monkeypatch.setattr(sys, "stderr", io.StringIO())
        with showing(True):
            threads.submit(say, "wanted").result()
        say("not seen")
    assert sys.stderr.getvalue() == "wanted\n"


@pytest.mark.parametrize("shown", [None, True])
def test_a_line_for_a_closed_or_missing_stream_is_dropped(monkeypatch, shown):
    closed = Terminal()
    closed.close()
    for stream in (closed, None):
        monkeypatch.setattr(sys, "stderr", stream)
        with showing(shown):
            say("nobody reads this")


@pytest.fixture
def screen_in_place(monkeypatch):
    """Replaces stderr with a terminal when the test calls it, after pytest has set its own; bars appear quickly."""
    monkeypatch.setattr(progress, "SHOWN_AFTER", 0.05)
    monkeypatch.setattr(progress, "REDRAWN_EVERY", 0.02)

    def put():
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        return terminal

    return put


def _wait_for(screen, text):
    end = time.monotonic() + 20
    while text not in screen.getvalue():
        assert time.monotonic() < end, screen.getvalue()
        time.sleep(0.01)


def _left_on(screen):
    """What is left on the line at the end: each carriage return starts it again."""
    line = ""
    for part in screen.getvalue().split("\r"):
        line = part + line[len(part) :]
    return line.rstrip()


def test_a_step_has_a_bar_with_its_name_and_the_time_left_and_removes_it(screen_in_place):
    screen = screen_in_place()
    with Step("closure", 100) as step:
        _wait_for(screen, "<?]")
        step.advance(50)
        _wait_for(screen, "closure:  50%")
        step.advance(40)
        _wait_for(screen, "closure:  90%")
        step.advance(12)
        _wait_for(screen, "closure: 100%")
    assert "[00:00<00:00]" in screen.getvalue()
    assert "\n" not in screen.getvalue()
    assert _left_on(screen) == ""


def test_a_line_is_written_above_the_bar_which_is_drawn_again(screen_in_place):
    screen = screen_in_place()
    with Step("counting", 10):
        _wait_for(screen, "counting: ")
        before = len(screen.getvalue())
        say("compiled")
        _wait_for(screen, "compiled\n")
        written = screen.getvalue()[before:]
        # The bar is cleared by blanks, and the line begins where the bar did.
        above, _, line = written.partition("compiled\n")[0].rpartition("\r")
        assert (above.split("\r")[-1].strip(), line) == ("", "")
        end = time.monotonic() + 20
        while "counting: " not in screen.getvalue().partition("compiled\n")[2]:
            assert time.monotonic() < end
            time.sleep(0.01)


def test_a_step_can_read_its_count_from_a_function_or_from_compiled_code(screen_in_place):
    screen, stream = screen_in_place(), io.BytesIO(bytes(1000))
    with Step("reading", 1000, stream.tell):
        stream.read(250)
        _wait_for(screen, "reading:  25%")
    with Step("closure", 8) as step:
        step.tally()[0] += 6
        _wait_for(screen, "closure:  75%")


QUICK = """
with p.showing(True), p.Step('quick', 1) as step: step.advance()
with p.showing(True), p.ProgressBar() as show: show(p.Progress('s', 1, 2, 'epoch', 0.1))
"""
SILENT = """
p.SHOWN_AFTER = 0.01
with p.Step('silent', 1) as step: time.sleep(0.2); assert threading.active_count() == 1
"""


@pytest.mark.parametrize("code", [QUICK, SILENT], ids=["quick", "silent"])
def test_a_quick_or_silent_step_shows_nothing_and_has_no_thread_and_imports_nothing(code):
    script = f"import sys, threading, time, hypercone.progress as p\n{code}"
    script += "assert not {'tqdm', 'numpy'} & set(sys.modules), 'imported'"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_exception_in_a_step_leaves_a_clean_line(screen_in_place, error):
    screen = screen_in_place()

    def work():
        with Step("reading", 10) as step:
            step.advance(5)
            _wait_for(screen, "reading:  50%")
            raise error

    with pytest.raises(error):
        work()
    assert _left_on(screen) == ""
    with Step("again", 2) as step:
        step.advance()
        _wait_for(screen, "again:  50%")


def test_a_step_within_a_step_has_no_bar(screen_in_place):
    screen = screen_in_place()
    with Step("outer", 4) as outer:
        outer.advance()
        with Step("inner", 2) as inner:
            inner.advance()
            _wait_for(screen, "outer:  25%")
        outer.advance()
        _wait_for(screen, "outer:  50%")
    assert "inner" not in screen.getvalue()


def test_progress_over_items_is_tracked(screen_in_place):
    screen = screen_in_place()
    seen = []
    for item in track_progress("abcd", "letters", 4):
        seen.append(item)
        if item == "c":
            _wait_for(screen, "letters:  50%")
    assert seen == list("abcd")
    assert _left_on(screen) == ""


def test_a_terminal_that_is_gone_does_not_stop_the_work(monkeypatch, screen_in_place):
    screen = screen_in_place()

    def gone(text):
        raise OSError("the terminal is gone")

    monkeypatch.setattr(screen, "write", gone)
    with Step("closure", 10) as step:
        time.sleep(0.2)
        step.advance()
    assert step.done == 1


def test_the_events_of_a_fit_have_one_bar_per_stage_with_the_latest_figures_until_the_last_event(screen_in_place):
    screen = screen_in_place()
    with ProgressBar() as show:
        show(replace(EVENT, stage="pre-training (poincare)", seconds_left=None))
        _wait_for(screen, "pre-training (poincare):  30%")
        show(_event(4))
        show(replace(EVENT, done=5, loss=0.125))
        _wait_for(screen, "training:  50%")
        assert "5/10" in screen.getvalue()
        assert "loss 0.1250, active 1,234" in screen.getvalue()
        show(_event(9))
        _wait_for(screen, "training:  90%")
        show(_event(10))
        assert _left_on(screen) == ""
        assert Step._shown is None
    assert _left_on(screen) == ""


def test_a_line_that_is_too_long_is_truncated(screen_in_place, monkeypatch):
    screen = screen_in_place()
    monkeypatch.setenv("COLUMNS", "60")
    with ProgressBar() as show:
        show(replace(EVENT, stage="a stage with a very long name " * 5))
        _wait_for(screen, "a stage")
    assert max(map(len, screen.getvalue().split("\r"))) <= 200


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_kernels_count_while_they_work(monkeypatch):
    """Compiled code releases the GIL, so its counter can be read while it runs."""
    shown, count = [], 6_000
    chain = hypercone.Hierarchy(map(str, range(count)), [[row, row + 1] for row in range(count - 1)])
    real = Step.tally

    def watched(step):
        number = real(step)
        ended = threading.Event()

        def look():
            while not ended.wait(0.001):
                shown.append(int(number[0]))

        threading.Thread(target=look, daemon=True).start()
        monkeypatch.setattr(Step, "__exit__", lambda *_: ended.set())
        return number

    monkeypatch.setattr(Step, "tally", watched)
    chain.ancestor_lists()
    assert len(set(shown)) > 5
    assert shown == sorted(shown)
    assert max(shown) <= 3 * count


def test_a_table_is_redrawn_in_place_on_a_terminal_and_in_a_pipe_each_update_is_a_line():
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        table = LiveTable(stream)
        for cells, news in (("| a |\n| 1 |", "first"), ("| a |\n| 2 |\n| 3 |", "second"), ("| a |\n| 4 |", "third")):
            table.show(cells, news)
    # Move up to the first line of what is there, and erase it.
    drawn = [
        "| a |\n| 1 |\nfirst\n",
        "\x1b[3F\x1b[J| a |\n| 2 |\n| 3 |\nsecond\n",
        "\x1b[4F\x1b[J| a |\n| 4 |\nthird\n",
    ]
    assert terminal.getvalue() == "".join(drawn)
    assert pipe.getvalue() == "first\nsecond\nthird\n"
