"""Compiling in advance, the line about a long compilation, and the variable that fixes the tier."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from hypercone._kernel_cache import ENDING
from hypercone.cli import warm

# Every kernel, whether a command imports its module or not.
ALL_KERNELS = """
import importlib, pkgutil, sys, hypercone
from hypercone import _jit
from hypercone.cli.main import main
for module in pkgutil.walk_packages(hypercone.__path__, "hypercone."):
    if module.name.endswith("_kernels"):
        importlib.import_module(module.name)
code = main(["warm", "--dims", "--json"])
print([name for name, kernel in _jit.KERNELS.items() if not kernel.signatures], len(_jit.KERNELS))
sys.exit(code)
"""
COMPILE = """
from hypercone import _compiler, _kernel_cache, progress
from hypercone._jit import use_tier
from hypercone._math_kernels import exp_each
import numpy
_compiler.LONG = {long}
if not {writable}:
    _kernel_cache._cache_bases = lambda: []
with progress.showing({shown}), use_tier("compiled"):
    exp_each(numpy.ones(1))
"""


def _python(code: str, cache, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"XDG_CACHE_HOME": str(cache)} | variables
    environment.pop("NUMBA_CACHE_DIR", None)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)


@pytest.mark.slow
def test_everything_is_compiled_and_found_by_later_processes(process, tmp_path):
    first = _python(ALL_KERNELS, tmp_path)
    answer, rest = first.stdout.splitlines()
    assert first.stderr == ""
    found = json.loads(answer)
    assert rest == f"[] {found['kernels']}"
    assert found["kernels"] > 80
    assert found["compiled"] == found["versions"] > 100
    assert found["folder"].startswith(str(tmp_path))
    before = set(tmp_path.rglob(f"*{ENDING}"))
    again = json.loads(_python(ALL_KERNELS, tmp_path).stdout.splitlines()[0])
    assert again == found | {"compiled": 0, "seconds": again["seconds"]}
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path), "HYPERCONE_KERNELS": "compiled"}
    edges = tmp_path / "edges.tsv"
    edges.write_text("parent\tchild\n" + "".join(f"n{row // 3}\tn{row}\nn{row // 2}\tn{row}\n" for row in range(2, 90)))
    model = tmp_path / "model"
    for command in (
        ("fit", edges, "-o", model),
        ("evaluate", model, "--hard"),
        ("query", model, "nearest", "n1"),
        ("place", model, "new", "--parent", "n3", "-o", tmp_path / "larger"),
        ("fit", edges, "--percent", "50", "-o", tmp_path / "learned"),
    ):
        assert process(*command, env=environment).code == 0
    assert {path.name for path in tmp_path.rglob(f"*{ENDING}")} == {path.name for path in before}


def test_without_a_writable_folder_nothing_is_compiled_in_vain(run, monkeypatch):
    monkeypatch.setattr(warm, "cache_folder", lambda flags: None)
    assert run("warm") == (
        4,
        "",
        "hypercone: no folder is writable, so compiled code could not be kept; set XDG_CACHE_HOME to one that is\n",
    )


def test_the_answer_counts_kernels_and_names_the_folder_and_the_tier_is_left_as_it_was(run, monkeypatch):
    tiers = []
    monkeypatch.setattr(warm, "workloads", lambda dims: [lambda: tiers.append((dims, warm._jit.TIER))])
    answer = run("warm", "--dims", "3", "4", "--json").json
    assert tiers == [([3, 4], "compiled")]
    assert os.environ.get("HYPERCONE_KERNELS", "auto") == warm._jit.TIER
    assert list(answer) == ["kernels", "versions", "compiled", "seconds", "folder"]
    assert answer["kernels"] > 80
    assert "kernels   " in run("warm").out


def test_rows_are_few_again_after_an_error_in_a_workload():
    before = warm._jit.FEW_ROWS
    with pytest.raises(ZeroDivisionError):
        warm._run_with(0, lambda: 1 / warm._jit.FEW_ROWS)
    assert before == warm._jit.FEW_ROWS


@pytest.mark.parametrize(
    ("long", "writable", "shown", "line"),
    [
        ("0.0", True, True, "; it is kept in {cache}"),
        ("0.0", False, True, "; no folder is writable, so the next process compiles it again\n"),
        ("0.0", True, False, None),
        ("60.0", True, True, None),
    ],
)
def test_a_long_compilation_is_one_line_where_progress_is_shown(tmp_path, long, writable, shown, line):
    code = COMPILE.format(long=long, writable=writable, shown=shown)
    said = _python(code, tmp_path).stderr
    if line is None:
        assert said == ""
        return
    assert said.startswith("compiled exp_each in ")
    assert said.count("\n") == 1
    assert line.format(cache=tmp_path) in said
    # What is loaded from the disk is not compiled.
    assert bool(_python(code, tmp_path).stderr) == (not writable)


def test_an_unknown_tier_is_one_sentence_when_a_kernel_is_called(process, tmp_path):
    edges = tmp_path / "edges.tsv"
    edges.write_text("parent\tchild\nanimal\tdog\n")
    environment = os.environ | {"HYPERCONE_KERNELS": "fast"}
    assert process("info", "--help", env=environment).code == 0
    done = process("info", edges, env=environment)
    sentence = "HYPERCONE_KERNELS is 'fast', but must be plain, compiled or auto; set it to one of these, or unset it"
    assert (done.code, done.out, done.err.splitlines()[-1]) == (2, "", f"hypercone: {sentence}")
    assert process("info", edges, env=os.environ | {"HYPERCONE_KERNELS": ""}).code == 0
