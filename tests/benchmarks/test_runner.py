"""Every benchmark runs, resumes and makes the committed tables, and every command that a page prints exists."""

from __future__ import annotations

import argparse
import json
import os
import re
import runpy
import shlex
import shutil
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from benchmarks.speed import kernels
from benchmarks.support import best_cpu_seconds, pin_to_one_core
from tools.results import ResultFile, markdown_table

from benchmarks import runner
from hypercone.cli.main import command_parser
from hypercone.errors import HyperconeError
from hypercone.methods import METHODS

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
# Where the result file has another name than the benchmark.
NAMED = {"service_load": "service"}
# What these print is not recorded; that of growth will be.
UNRECORDED = {"closure"}
# These start a service or a browser.
SLOW = {"explorer", "facts", "service_load"}
NEEDED = {
    "against_gensim": find_spec("gensim"),
    "explorer": shutil.which("chromium"),
    "service_load": shutil.which("wrk"),
}


def marked(name: str) -> object:
    marks = [pytest.mark.slow] if name in SLOW else []
    if not NEEDED.get(name, True):
        marks.append(pytest.mark.skip(reason="needs gensim, wrk or chromium"))
    return pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", [marked(name) for name in runner.names()])
def test_a_smoke_run_measures_and_a_second_one_skips_what_is_done(name, tmp_path, capsys):
    output = tmp_path / f"{name}.json"
    assert runner.main([name, "--smoke", "-o", str(output)]) == 0
    printed = capsys.readouterr()
    content = json.loads(output.read_text(encoding="utf-8"))
    assert content["results"]
    assert {"processor", "cores", "python", "numpy", "numba", "hypercone", "date"} <= content["machine"].keys()
    assert all(content["machine"].values())
    assert output.with_suffix(".md").read_text(encoding="utf-8") in printed.out
    assert "| " in printed.out
    assert runner.main([name, "--smoke", "-o", str(output)]) == 0
    again = capsys.readouterr()
    assert again.out == printed.out
    assert re.fullmatch(r"(\d+) of \1 parts are in the file already\n", again.err)


@pytest.mark.parametrize("name", [name for name in runner.names() if name not in UNRECORDED])
def test_the_committed_tables_are_made_from_the_committed_json(name):
    path = RESULTS / f"{NAMED.get(name, name)}.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    benchmark = runner.find_benchmark(name)
    for suffix, table in benchmark.tables(content["results"]).items():
        assert path.with_name(f"{path.stem}{suffix}.md").read_text(encoding="utf-8") == table
    if hasattr(benchmark, "summarize"):
        assert content["summary"] == benchmark.summarize(content["results"])


def test_the_list_has_one_line_per_benchmark_and_a_wrong_name_or_option_is_refused(capsys):
    assert runner.main([]) == 0
    listed = capsys.readouterr().out
    assert [name for name in runner.names() if f"\n  {name} " not in listed] == []
    assert runner.main(["kernel"]) == 2
    assert "no benchmark 'kernel'; choose from" in capsys.readouterr().err
    assert runner.main(["readers"]) == 2
    assert "the folder of the files is missing" in capsys.readouterr().err
    for given, message in (
        (["--jobs", "0"], "--jobs is 0, but must be at least 1"),
        (["--tables"], "--tables needs -o FILE"),
        (["--dims", "5,x"], "invalid int value: '5,x'"),
        (["--methods", "cones"], "invalid choice: 'cones'"),
    ):
        with pytest.raises(SystemExit, match="2"):
            runner.main(["kernels", *given])
        assert message in capsys.readouterr().err


def test_parts_run_in_processes_of_their_own(tmp_path, capsys):
    given = ["closure", "--smoke", "--datasets", "tree-3-4", "tree-3-3", "--jobs", "2", "-o", str(tmp_path / "c.json")]
    assert runner.main(given) == 0
    found = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))["results"]
    # 3 nodes with 1 ancestor, 9 with 2, 27 with 3, 81 with 4.
    assert {(row["dataset"], row["closure_edges"], row["basic_edges"]) for row in found} == {
        ("tree-3-4", 426, 120),
        ("tree-3-3", 102, 39),
    }


def test_a_row_replaces_the_one_with_its_key_and_rows_of_another_machine_say_so(tmp_path):
    path = tmp_path / "figures.json"
    first = ResultFile(path, key=("dim",))
    first.add([{"dim": 5, "repeats": 1, "seconds": 3.0}, {"dim": 10, "repeats": 1, "seconds": 4.0}])
    assert first.has({"dim": 5, "repeats": 1})
    assert not first.has({"dim": 5, "repeats": 2})
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(content | {"machine": {"processor": "another"}, "note": "stays"}), encoding="utf-8")
    second = ResultFile(path, key=("dim",))
    second.add([{"dim": 5, "repeats": 2, "seconds": 2.0}])
    second.write({"_short": markdown_table(("d",), [(5,)], right=("d",))})
    read = json.loads(path.read_text(encoding="utf-8"))
    assert read["results"] == [
        {"dim": 10, "repeats": 1, "seconds": 4.0, "machine": {"processor": "another"}},
        {"dim": 5, "repeats": 2, "seconds": 2.0},
    ]
    assert (read["note"], read["machine"]) == ("stays", second.machine)
    assert (tmp_path / "figures_short.md").read_text(encoding="utf-8") == "| d |\n|---:|\n| 5 |\n"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["figures.json", "figures_short.md"]
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SystemExit, match="is not a result file"):
        ResultFile(tmp_path / "other.json", key=())


def test_kernels_count_positives_and_negatives_and_have_a_rate_for_every_method():
    options = runner.parser_of("kernels", smoke=True).parse_args(["--smoke"])
    paper, default = kernels.run({"method": "hyperbolic-cones", "dim": 2, "repeats": 1}, options)
    for row, negatives, optimizer in ((paper, 10, "sgd"), (default, 20, "adagrad")):
        assert (row["negatives"], row["optimizer"]) == (negatives, optimizer)
        assert row["pairs_per_second"] * row["cpu_seconds_per_epoch"] == pytest.approx(273 * (1 + negatives))
        assert 0 <= row["violated_share"] <= 1
        assert 0 <= row["active_share"] <= 1
    assert set(kernels.PAPER_RATES) == set(METHODS)


def test_the_least_of_several_times_counts(monkeypatch):
    clock = iter([0.0, 3.0, 10.0, 11.0, 20.0, 25.0])
    monkeypatch.setattr(time, "process_time", lambda: next(clock))
    assert best_cpu_seconds(lambda: None, 3) == 1.0


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system cannot pin a process")
def test_pinning_leaves_one_of_the_cores_we_may_use():
    before = os.sched_getaffinity(0)
    try:
        pin_to_one_core()
        assert len(os.sched_getaffinity(0)) == 1
        assert os.sched_getaffinity(0) <= before
    finally:
        os.sched_setaffinity(0, before)


# Commands that fail are meant to be on the page of what goes wrong.
PAGES = [page for page in (ROOT / "docs").rglob("*.md") if page.name != "what-goes-wrong.md"] + [ROOT / "README.md"]
PROGRAM = re.compile(r"(?:python -m (?:benchmarks|tools)\b|python scripts/|hypercone reproduce ).*")
FILE = re.compile(r"\b(?:benchmarks|scripts|tools)/[\w/-]+\.\w+")
FENCE = re.compile(r"^```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)


def commands_in(text: str) -> Iterator[str]:
    """Commands in lines of consoles and in inline code, which may be wrapped; remarks and redirections are cut off."""
    lines = [line for block in FENCE.findall(text) for line in block.replace("\\\n", " ").splitlines()]
    spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", FENCE.sub("", text))]
    for code in [*lines, *spans]:
        if found := PROGRAM.search(re.split(r"\s{2,}\(| [|>&#] ", code)[0]):
            yield found[0].strip()


class ParsedError(Exception):
    """The options were accepted."""


def check_command(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the program parse its options, and stop it then."""
    words = shlex.split(command)
    if words[0] == "hypercone":
        command_parser(words[1]).parse_args(words[2:])
        return
    is_module = words[1] == "-m"
    source = ROOT.joinpath(*words[2].split(".")) if is_module else ROOT / words[1]
    source = source / "__main__.py" if source.is_dir() else source.with_suffix(".py")
    assert source.exists(), f"{source} does not exist"
    # Without a name the benchmarks are listed, and a program without a parser would do its work.
    if words[2:] == ["benchmarks"] or not ("parse_args" in source.read_text("utf-8") or is_module):
        return
    parse = argparse.ArgumentParser.parse_args

    def parse_and_stop(parser: argparse.ArgumentParser, arguments: object = None, namespace: object = None) -> None:
        # A page may name a program alone, without the arguments that it requires.
        if len(words) > (4 if "benchmarks" in words[:3] else 3 if is_module else 2):
            parse(parser, arguments, namespace)
        raise ParsedError

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse_and_stop)
    monkeypatch.setattr(sys, "argv", words[2:] if is_module else words[1:])
    with pytest.raises(ParsedError):
        runpy.run_path(str(source), run_name="__main__")


@pytest.mark.parametrize(
    "command", sorted({one for page in PAGES for one in commands_in(page.read_text("utf-8"))}), ids=str
)
def test_a_command_that_a_page_prints_exists_with_these_options(command, monkeypatch):
    check_command(command, monkeypatch)


def test_a_command_that_does_not_exist_is_found(monkeypatch):
    assert list(commands_in("`python -m benchmarks\nclosure -o x`:")) == ["python -m benchmarks closure -o x"]
    assert list(commands_in("```console\n$ python scripts/a.py x > y\n```\n")) == ["python scripts/a.py x"]
    with pytest.raises(SystemExit, match="2"):
        check_command("python -m benchmarks kernels --dim 5", monkeypatch)
    with pytest.raises(AssertionError, match="does not exist"):
        check_command("python scripts/make_nothing.py", monkeypatch)
    monkeypatch.undo()
    with pytest.raises(HyperconeError, match="--sides"):
        check_command("hypercone reproduce table1 --sides 3", monkeypatch)


def test_every_file_of_benchmarks_scripts_and_tools_that_a_page_names_exists():
    named = {(page.name, name) for page in PAGES for name in FILE.findall(page.read_text(encoding="utf-8"))}
    assert sorted(f"{page}: {name}" for page, name in named if not (ROOT / name).exists()) == []
