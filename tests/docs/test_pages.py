"""Every example in the pages does what the page says.

A page is run from top to bottom in an empty folder: ``python`` blocks share one namespace, ``console`` blocks are
typed into a shell, and where a page shows an output, that output is what came. ``...`` in an output stands for
anything. A comment above a block changes this: ``<!-- file: name -->`` writes the block to a file,
``<!-- exit: 2 -->`` expects that exit code, and ``<!-- not run: reason -->`` leaves the block out.
"""

import contextlib
import doctest
import io
import os
import shlex
import subprocess
import sys
from pathlib import Path

from hypercone.cli.main import main

LANGUAGES = {"diff", "python", "console", "text", "toml", "tsv", "csv", "json", "bibtex"}
LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# Blocks that no test runs are a debt: this many are known and have their reasons beside them.
NOT_RUN_AT_MOST = 12


def test_every_example_of_the_page_works(page, blocks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    namespace = {"__name__": "__main__"}
    for block in blocks:
        if block.mark == "file":
            Path(block.value).write_text(block.body, encoding="utf-8")
        elif block.mark == "not run":
            continue
        elif block.language == "python":
            run_python(block, namespace)
        elif block.language == "console":
            run_console(block)


def test_every_block_says_what_it_is(blocks):
    for block in blocks:
        assert block.language in LANGUAGES, f"{block.place}: tag it with one of {sorted(LANGUAGES)}"


def test_what_is_not_run_is_counted_and_has_a_reason(all_blocks):
    left_out = [block for block in all_blocks if block.mark == "not run"]
    assert all(len(block.value.split()) >= 2 for block in left_out)
    assert len(left_out) <= NOT_RUN_AT_MOST, [block.place for block in left_out]


def test_commands_stand_in_blocks_that_are_run(all_blocks):
    for block in all_blocks:
        if block.language == "text" and block.mark is None:
            assert not any(line.startswith(("$ ", "hypercone ")) for line in block.body.splitlines()), block.place


def run_python(block, namespace):
    if ">>>" not in block.body:
        exec(compile("\n" * block.line + block.body, block.place, "exec"), namespace)
        return
    test = doctest.DocTestParser().get_doctest(block.body, {}, block.place, block.place, block.line)
    test.globs = namespace
    report = io.StringIO()
    failed = doctest.DocTestRunner(optionflags=LOOSELY).run(test, out=report.write, clear_globs=False).failed
    assert not failed, report.getvalue()


def run_console(block):
    expected_code = int(block.value) if block.mark == "exit" else 0
    for command, expected in commands_of(block.body):
        code, output = run(command)
        assert code == expected_code, f"{block.place}: $ {command}\nexit code {code}\n{output}"
        if expected and not doctest.OutputChecker().check_output(expected, output, LOOSELY):
            raise AssertionError(f"{block.place}: $ {command}\nexpected:\n{expected}\nfound:\n{output}")


def commands_of(body):
    """(command, output shown below it) for each line that begins with ``$``."""
    commands = []
    for line in body.splitlines(keepends=True):
        if line.startswith("$ "):
            commands.append((line[2:].strip(), ""))
        elif commands:
            command, shown = commands[-1]
            commands[-1] = (command, shown + line)
    return commands


def run(command):
    """(exit code, standard error and output as they come); plain hypercone commands run in this process."""
    words = shlex.split(command)
    if words[0] == "hypercone" and not set("|<>;&") & set(command):
        return run_here(words[1:])
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def run_here(arguments):
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            code = main(arguments)
        except SystemExit as stop:
            code = stop.code or 0
    return code, output.getvalue()
