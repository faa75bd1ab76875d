"""The samples of every format, one test each, and the program to run on them."""

from __future__ import annotations

import gzip
import importlib.util
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from hypercone.cli.main import main

# Tests are no package, so a module beside them is loaded by its path.
SPEC = importlib.util.spec_from_file_location("hypercone_reader_samples", Path(__file__).with_name("samples.py"))
samples_module = importlib.util.module_from_spec(SPEC)
sys.modules[SPEC.name] = samples_module
SPEC.loader.exec_module(samples_module)
SAMPLES = samples_module.SAMPLES


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


@pytest.fixture(scope="session")
def samples():
    return samples_module


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
    """The sentence with which a file of these bytes is refused, exit code 2."""
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


@pytest.fixture(scope="session")
def bomb():
    """A few kilobytes of gzip that unpack to more than any file of this size may."""
    return gzip.compress(bytes(70 * 2**20), 9)
