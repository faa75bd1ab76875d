"""Every test that takes ``format`` or ``sample`` runs once per format; and the command line to run on files."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from tests.support.formats import SAMPLES

from hypercone.cli.main import main


class Done(NamedTuple):
    code: int
    out: str
    err: str


def pytest_generate_tests(metafunc):
    if "format" in metafunc.fixturenames:
        metafunc.parametrize("format", SAMPLES)


@pytest.fixture
def sample(format):
    return SAMPLES[format]


@pytest.fixture
def run(capsys):
    """Run a command in this process."""

    def call(*arguments):
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        return Done(code, *capsys.readouterr())

    return call


@pytest.fixture
def refused(run, tmp_path, monkeypatch):
    """The sentence with which a file of these bytes is refused, with exit code 2."""
    monkeypatch.chdir(tmp_path)

    def call(name, data, *options):
        Path(name).write_bytes(data)
        done = run("info", name, *options)
        assert done.code == 2, done
        assert done.out == ""
        assert done.err.startswith(f"hypercone: {name}"), done.err
        assert done.err.count("\n") == 1, done.err
        assert len(done.err) < 400, done.err
        return done.err.removeprefix("hypercone: ").strip()

    return call
