"""Streams: progress on terminals and in pipes, readers that leave, keyboards that interrupt, and a fast start."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from hypercone.cli.main import COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_has_an_example(run, command):
    done = run(command, "--help")
    assert (done.code, done.err) == (0, "")
    assert "example" in done.out
    assert f"  hypercone {command} " in done.out


def test_without_a_command_the_overview_lists_them_all(run):
    done = run()
    assert done.code == 0
    assert done == run("--help")
    for command, summary in COMMANDS.items():
        assert f"  {command:10} {summary}\n" in done.out


def test_help_prints_on_a_stream_that_knows_only_ascii(process):
    done = process("fit", "--help", env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert (done.code, done.err) == (0, "")
    assert "how far outside a wrong pair must be" in done.out


def test_quiet_is_quiet(run, taxonomy, tmp_path, quick):
    assert run("fit", taxonomy, "-o", tmp_path / "m", *quick, "--quiet").err == ""


def test_progress_in_a_pipe_is_plain_lines(process, tmp_path, quick):
    done = process("fit", "tree-2-3", "-o", tmp_path / "m", *quick)
    lines = done.err.splitlines()
    assert "\x1b" not in done.err
    assert "\r" not in done.err
    assert lines[0].startswith("pre-training (poincare) epoch 1/50  loss ")
    assert any(line.startswith("pre-training (poincare) epoch 50/50") for line in lines)
    assert lines[-1].startswith("training epoch 30/30  loss ")
    assert len(lines) < 10


def test_json_on_stdout_is_not_disturbed_by_progress(process, tmp_path, quick):
    done = process("fit", "tree-2-3", "-o", tmp_path / "m", *quick, "--json")
    assert done.json["nodes"] == 15
    assert "training epoch" in done.err


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_terminal_gets_one_line_that_rewrites_itself(program, tmp_path, quick):
    import pty

    ours, theirs = pty.openpty()
    given = [*program, "fit", "tree-2-3", "-o", str(tmp_path / "m"), *quick]
    with subprocess.Popen(given, stdout=subprocess.DEVNULL, stderr=theirs) as running:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 65536):
                shown += part
        except OSError:
            pass
        finally:
            os.close(ours)
        assert running.wait() == 0
    text = shown.decode()
    assert text.count("\r\x1b[2Kpre-training (poincare) epoch ") == 50
    assert text.count("\r\x1b[2Ktraining epoch ") == 30
    # One line is left of each stage.
    assert text.count("\n") == 2
    assert text.endswith("s left\r\n")


@pytest.mark.parametrize(
    "arguments",
    [("info", "tree-2-3"), ("info", "tree-2-3", "--json"), ("--help",), ("fit", "--help"), ("--version",), ()],
    ids=" ".join,
)
def test_a_reader_that_has_left_is_no_error(program, arguments):
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


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_ctrl_c_in_the_middle_of_training_ends_at_once_and_saves_nothing(program, tmp_path):
    given = [
        *program,
        "fit",
        "tree-3-4",
        "-o",
        str(tmp_path / "m"),
        "--dim",
        "2",
        "--method",
        "hyperbolic-cones",
        "--init",
        "random",
    ]
    with subprocess.Popen([*given, "--epochs", "100000000"], stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr.readline().startswith("training epoch 1/100000000")
        pressed = time.monotonic()
        running.send_signal(signal.SIGINT)
        rest = running.stderr.read()
        assert running.wait(30) == 130
    assert rest.splitlines()[-1] == "hypercone: interrupted; nothing was saved"
    assert "Traceback" not in rest
    assert time.monotonic() - pressed < 5
    assert os.listdir(tmp_path) == []


def _cpu_seconds(process: int) -> float:
    """What a running process has used, of which waiting for other programs on a busy machine is no part."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_second_process_is_in_its_first_epoch_within_a_second_or_so(process, program, tmp_path, capsys):
    given = ["fit", "tree-3-4", "-o", str(tmp_path / "m"), "--dim", "2", "--method", "order", "--epochs", "5"]
    assert process(*given).code == 0
    times = []
    for _ in range(2):
        with subprocess.Popen([*program, *given], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as running:
            assert b"epoch 1/" in running.stderr.readline()
            times.append(_cpu_seconds(running.pid))
            running.stderr.read()
    with capsys.disabled():
        print(f" [first epoch after {min(times):.2f} s] ", end="")
    # A second or less; a cold compiler takes ten.
    assert min(times) < 3
