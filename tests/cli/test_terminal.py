"""Progress on terminals and in pipes, closed pipes, help, and a fast start."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from tests.support.tiers import needs_speed

import hypercone
from hypercone import progress
from hypercone.cli.main import COMMANDS
from hypercone.cli.output import EscapingStream

CONES = ("--method", "hyperbolic-cones")
posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX")


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_has_an_example_and_quiet(run, command):
    done = run(command, "--help")
    assert (done.code, done.err) == (0, "")
    assert "example" in done.out
    assert f"  hypercone {command} " in done.out
    assert "--quiet" in done.out


def test_without_a_command_the_overview_lists_them_all(run):
    done = run()
    assert (done.code, done) == (0, run("--help"))
    for command, summary in COMMANDS.items():
        assert f"  {command:10} {summary}\n" in done.out


def test_help_prints_on_an_ascii_stream(process):
    done = process("fit", "--help", env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert (done.code, done.err) == (0, "")
    assert "how far outside a negative pair must be" in done.out


def _on_a_terminal(command: list[str]) -> tuple[str, str]:
    """What a command that succeeds writes to stderr, which is a terminal of 100 columns, and to stdout."""
    with _terminal() as (ours, theirs), subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs) as running:
        os.close(theirs)
        shown, printed = _rest(ours), running.stdout.read()
        assert running.wait() == 0
    return shown, printed.decode()


@contextlib.contextmanager
def _terminal() -> Iterator[tuple[int, int]]:
    """Our end and theirs of a terminal of 100 columns."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    yield ours, theirs
    os.close(ours)


def _rest(ours: int) -> str:
    """What is written to a terminal until it is closed."""
    shown = b""
    with contextlib.suppress(OSError):
        while part := os.read(ours, 65536):
            shown += part
    return shown.decode(errors="replace")


# Shows bars at once, and not only after two seconds.
IMPATIENT = "import sys; from hypercone import progress; progress.SHOWN_AFTER = 0; progress.REDRAWN_EVERY = 0.01; "
IMPATIENT += "from hypercone.cli.main import main; sys.exit(main(sys.argv[1:]))"
FIT = ("fit", "tree-3-4", *CONES, "--dim", "2", "--init", "random")


@pytest.fixture(scope="module")
def compiled_fit(process, tmp_path_factory) -> None:
    """All that the fit needs is compiled, which is another line on a terminal."""
    environment = os.environ | {"HYPERCONE_KERNELS": "compiled"}
    folder = tmp_path_factory.mktemp("compiled")
    assert process(*FIT, "--epochs", "1", "-o", folder / "m", env=environment).code == 0


@needs_speed
@posix
@pytest.mark.usefixtures("compiled_fit")
def test_a_terminal_shows_a_bar_with_the_time_left_and_clears_it(program, tmp_path):
    command = [*program, *FIT, "--epochs", "12000", "-o", str(tmp_path / "m"), "--json"]
    shown, printed = _on_a_terminal(command)
    assert json.loads(printed)["nodes"] == 121, "progress does not disturb the JSON on standard output"
    bars = [line for line in shown.split("\r") if line.startswith("training: ")]
    assert len(bars) > 3
    assert all(re.search(r"\d+%\|.*\| \d+/12000 \[00:\d\d<[\d:]+, loss ", bar) for bar in bars)
    # No bar in the first two seconds, then a single line, which is cleared at the end.
    assert "[00:00<" not in shown
    assert "[00:01<" not in shown
    assert max(map(len, bars)) <= 100
    assert "\n" not in shown
    assert shown.split("\r")[-1] == ""
    assert shown.split("\r")[-2].strip() == ""


@needs_speed
@posix
@pytest.mark.parametrize(
    ("is_patient", "extra", "is_shown"), [(False, (), True), (False, ("--quiet",), False), (True, (), False)]
)
@pytest.mark.usefixtures("compiled_fit")
def test_a_quick_fit_shows_no_bar_and_quiet_is_quiet_on_a_terminal(program, tmp_path, is_patient, extra, is_shown):
    start = program if is_patient else [sys.executable, "-c", IMPATIENT]
    shown, printed = _on_a_terminal([*start, *FIT, "--epochs", "300", "-o", str(tmp_path / "m"), *extra])
    assert ("training: " in shown) == bool(shown) == is_shown
    assert "121" in printed


def test_a_pipe_gets_no_progress(tmp_path):
    command = [sys.executable, "-c", IMPATIENT, *FIT, "--epochs", "300", "-o", str(tmp_path / "m")]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stderr == b""


@pytest.mark.parametrize(
    "arguments",
    [("info", "tree-2-3"), ("info", "tree-2-3", "--json"), ("--help",), ("fit", "--help"), ("--version",), ()],
    ids=" ".join,
)
def test_a_closed_pipe_is_not_an_error(program, arguments):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*program, *arguments], stdout=writing, stderr=subprocess.PIPE, check=False, timeout=60)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_output_onto_a_full_disk_is_exit_code_4(program):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*program, "info", "tree-2-3"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (4, b"hypercone: the disk is full; free some space\n")


@posix
def test_a_second_process_finds_the_compiled_kernels(process, tmp_path):
    import resource

    given = ["fit", "tree-3-4", "-o", str(tmp_path / "m"), "--dim", "2", *CONES, "--epochs", "5", "--init-epochs", "5"]
    seconds = []
    for _ in range(3):
        assert process(*given).code == 0
        # The CPU time of finished children does not depend on the load of the machine.
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(used.ru_utime + used.ru_stime)
    # Usually a second or less; compiling would take ten.
    assert min(seconds[1] - seconds[0], seconds[2] - seconds[1]) < 3


HOSTILE = {
    "clears the screen": "\x1b[2Jcleared",
    "an answer of the terminal": "\x1b]0;title\x07",
    "one byte of C1": "\x9b31mred",
    "backspaces": "dog\x08\x08\x08cat",
    "a form feed": "over\x0cwritten",
    "another direction": "good\u202elive\u2066",
}
HARMLESS = "Löwe 猫 👩\u200d🚀 می\u200cخواهم\u3000x\u00a0y"
DANGEROUS = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def hostile_model(tmp_path_factory):
    """A model whose names and labels try to control a terminal."""
    names = ["top", *HOSTILE.values(), HARMLESS]
    edges = [(0, row) for row in range(1, len(names))]
    model = hypercone.fit(hypercone.Hierarchy(names, edges, labels=[f"{name}!" for name in names]), dim=2)
    return model.save(tmp_path_factory.mktemp("hostile") / "model")


def _on_one_terminal(command: list[str], code: int = 0) -> str:
    """What a command writes to a terminal that is both its output streams."""
    with _terminal() as (ours, theirs), subprocess.Popen(command, stdout=theirs, stderr=theirs) as running:
        os.close(theirs)
        shown = _rest(ours)
        assert running.wait() == code, shown
    # The terminal itself ends lines so.
    return shown.replace("\r\n", "\n")


@posix
@pytest.mark.parametrize(
    "given",
    [
        ("query", "MODEL", "descendants", "top"),
        ("query", "MODEL", "descendants", "top", "--json"),
        ("query", "MODEL", "search", "e"),
        ("suggest", "MODEL", "--count", "3"),
        ("info", "TABLE", "--direction", "parent-child"),
        ("place", "MODEL", "new\x1b[31m", "--parent", "top", "-o", "OTHER\x1b[31m", "--quiet"),
    ],
    ids=lambda given: " ".join(given[:3]).replace("\x1b", ""),
)
def test_names_and_labels_cannot_control_a_terminal_and_pipes_get_them_as_they_are(
    given, program, hostile_model, tmp_path
):
    table = tmp_path / "table.tsv"
    table.write_text("".join(f"top\t{name}\n" for name in hypercone.load(hostile_model).names[1:]), encoding="utf-8")
    places = {"MODEL": str(hostile_model), "TABLE": str(table)}
    given = [places.get(word, word.replace("OTHER", str(tmp_path / "other"))) for word in given]
    shown = _on_one_terminal([*program, *given])
    assert not DANGEROUS.search(shown), shown
    assert "\r" not in shown
    piped = subprocess.run([*program, *given], capture_output=True, check=True).stdout.decode()
    if "--json" in given:
        assert json.loads(shown) == json.loads(piped)
        assert "\u202e" in piped
    elif "descendants" in given:
        assert r"\x1b[2Jcleared" in shown
        assert HARMLESS in shown
        assert all(name in piped for name in HOSTILE.values())


@posix
def test_an_error_about_a_hostile_name_cannot_control_a_terminal(program, hostile_model):
    shown = _on_one_terminal([*program, "query", str(hostile_model), "ancestors", "\x1b[2J\x9bx"], code=2)
    assert not DANGEROUS.search(shown)
    assert shown.count("\n") == 1


def test_a_line_beside_the_progress_bar_is_escaped_too(monkeypatch):
    stream = io.StringIO()
    stream.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", stream)
    progress.say("compiled \x1b[2J")
    table = progress.LiveTable(EscapingStream(stream))
    table.show("a \x1b[31m", "news \x9b")
    table.show("b", "more")
    assert stream.getvalue() == "compiled \\x1b[2J\na \\x1b[31m\nnews \\x9b\n\x1b[2F\x1b[Jb\nmore\n"
