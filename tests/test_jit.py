"""The interface to numba: kernels are never stale, cached across processes, and compiled without assuming away NaN."""

import math
import os
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import grimp
import numba
import numpy as np
import pytest

import hypercone
from hypercone import _compiler, _jit

ROOT = Path(hypercone.__file__).parent


def test_kernels_import_nothing_of_hypercone_but_kernels_and_the_jit():
    """The digest covers the kernel sources only. (import-linter has no wildcard for a part of a name.)"""
    graph = grimp.build_graph("hypercone", cache_dir=None)
    kernels = {module for module in graph.modules if module.endswith("_kernels")}
    imported = set().union(*(graph.find_modules_directly_imported_by(kernel) for kernel in kernels))
    assert len(kernels) > 10
    assert imported - kernels == {"hypercone._jit"}


def test_no_compiler_flag_lets_nan_be_assumed_away():
    for flags in (_jit.FAST, _jit.EXACT):
        assert isinstance(flags, set)
        assert not flags & {"fast", "nnan", "ninf"}
    assert not _jit.EXACT & {"reassoc", "arcp"}

    @_jit.kernel
    def is_not_finite(x):
        return x - x != x - x

    assert [is_not_finite(x) for x in (math.nan, math.inf, 1.0)] == [True, True, False]


class TestDispatch:
    def test_a_generic_function_dispatches_on_the_type_of_its_first_argument_in_compiled_code_only(self):
        One, Other = namedtuple("One", "x"), namedtuple("Other", "x")
        size = _jit.generic("size")

        @size.register(One)
        def _one(first, factor):
            return first.x * factor

        @size.register(Other)
        def _other(first, factor):
            return -first.x * factor

        @_jit.kernel
        def call(first):
            return size(first, 10.0)

        assert (call(One(2.0)), call(Other(2.0))) == (20.0, -20.0)
        with pytest.raises(TypeError, match=r"^reach is called from compiled code only$"):
            _jit.generic("reach")(1)

    @pytest.mark.parametrize("dim", [1, 2, 32, 33, 100])
    def test_the_dimension_can_be_read_from_its_type(self, dim):
        assert _jit.width(_jit.dimension_type(dim)) == dim
        assert isinstance(_jit.dimension_type(dim), tuple) == (dim <= 32)


class TestDigest:
    def test_it_changes_with_any_kernel_source(self, tmp_path):
        (tmp_path / "part").mkdir()
        for name in ("_jit.py", "_compiler.py", "part/a_kernels.py", "part/plain.py"):
            (tmp_path / name).write_text("x = 1\n")
        before = _compiler.source_digest(tmp_path)
        (tmp_path / "part/plain.py").write_text("x = 2\n")
        assert _compiler.source_digest(tmp_path) == before
        seen = {before}
        for name in ("_jit.py", "_compiler.py", "part/a_kernels.py"):
            (tmp_path / name).write_text("x = 2\n")
            seen.add(_compiler.source_digest(tmp_path))
        (tmp_path / "part/a_kernels.py").rename(tmp_path / "part/b_kernels.py")
        seen.add(_compiler.source_digest(tmp_path))
        assert len(seen) == 5

    @pytest.mark.parametrize("name", ["BOUNDSCHECK", "OPT", "DEBUGINFO_DEFAULT", "CPU_NAME"])
    def test_it_changes_with_the_settings_of_the_compiler(self, name, monkeypatch):
        before = _compiler.source_digest()
        monkeypatch.setattr(numba.config, name, "another")
        assert _compiler.source_digest() != before


class TestFolder:
    @pytest.fixture(autouse=True)
    def fresh(self, monkeypatch, tmp_path):
        """No cached result, and separate folders."""
        _compiler.cache_folder.cache_clear()
        monkeypatch.setattr(numba.config, "CACHE_DIR", "")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
        monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
        monkeypatch.setattr(_compiler.tempfile, "gettempdir", lambda: str(tmp_path / "temp"))
        monkeypatch.setattr(_compiler.tempfile, "tempdir", None)
        (tmp_path / "temp").mkdir()
        yield
        _compiler.cache_folder.cache_clear()

    def block(self, path):
        """A file in place of a folder: not even the superuser can write into it."""
        shutil.rmtree(path, ignore_errors=True)
        path.write_text("")
        _compiler.cache_folder.cache_clear()

    def test_it_is_named_by_the_digest_and_numbas_own_setting_comes_first(self, monkeypatch, tmp_path):
        assert _compiler.cache_folder() == tmp_path / "xdg" / "hypercone" / f"kernels-{_compiler.source_digest()}"
        _compiler.cache_folder.cache_clear()
        monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "numba"))
        assert _compiler.cache_folder().parent == tmp_path / "numba" / "hypercone"

    @pytest.mark.skipif(sys.platform == "win32", reason="another folder on Windows")
    def test_a_folder_that_cannot_be_written_is_skipped_and_without_any_kernels_are_not_cached(self, tmp_path):
        self.block(tmp_path / "xdg")
        assert _compiler.cache_folder().parent == tmp_path / "home" / ".cache" / "hypercone"
        self.block(tmp_path / "home")
        assert _compiler.cache_folder().is_relative_to(tmp_path / "temp")
        self.block(tmp_path / "temp")
        assert _compiler.cache_folder() is None

        @_jit.kernel
        def twice(x):
            return 2 * x

        assert twice(3) == 6

    def test_a_user_without_a_home_gets_a_temporary_folder(self, monkeypatch, tmp_path):
        def homeless():
            raise RuntimeError("Could not determine home directory.")

        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.setattr(Path, "home", homeless)
        assert _compiler.cache_folder().is_relative_to(tmp_path / "temp")

    @pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no numeric owner here")
    def test_a_folder_of_another_user_is_not_trusted(self, monkeypatch, tmp_path):
        """Cached kernels are executed without a check, and anyone can create this folder in a shared location."""
        monkeypatch.setattr(os, "getuid", lambda: 12_345)
        assert _compiler.cache_folder() is None

    def test_the_cache_folder_of_other_packages_is_restored(self, monkeypatch):
        monkeypatch.setattr(numba.config, "CACHE_DIR", "theirs")
        with _compiler._numba_cache_in(Path("ours")):
            assert numba.config.CACHE_DIR == "ours"
        assert numba.config.CACHE_DIR == "theirs"


# One compiled energy: the distance between two points that are 1 apart.
PROGRAM = """
import numpy as np, sys, time
import hypercone
from hypercone.methods import METHODS, Settings
from hypercone.methods.scoring import Scorer
import numba
import numpy as np
numba.njit(lambda x: x)(0)  # loads the compiler, which takes the same time in both cases
assert hypercone.__file__.startswith(sys.argv[1]), hypercone.__file__
points = np.array([[1.0, 0.0], [0.0, 0.0]])
before = time.process_time()
energy = Scorer(points, METHODS["euclidean"], Settings()).energies(np.array([[0, 1]], np.int32))[0]
print(energy, time.process_time() - before)
"""


def _run(copy):
    variables = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    variables |= {"PYTHONPATH": str(copy / "src"), "XDG_CACHE_HOME": str(copy / "cache")}
    variables |= {"PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", PROGRAM, str(copy)]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return tuple(map(float, done.stdout.split()))


def _cached(copy):
    files = [path for path in (copy / "cache").rglob("*") if path.is_file()]
    return {path.relative_to(copy).as_posix(): path.stat().st_mtime_ns for path in files}


def test_a_second_process_loads_and_an_edited_kernel_never_runs_stale(tmp_path):
    shutil.copytree(ROOT, tmp_path / "src" / "hypercone", ignore=shutil.ignore_patterns("__pycache__", "data"))
    energy, cold = _run(tmp_path)
    assert energy == 1.0
    compiled = _cached(tmp_path)
    assert any(name.endswith(".nbc") for name in compiled)

    energy, warm = _run(tmp_path)
    assert energy == 1.0
    assert _cached(tmp_path) == compiled, "the second process compiled again"
    assert warm < cold / 2

    # A function that the cached kernel calls, in another file than the kernel itself.
    part = tmp_path / "src" / "hypercone" / "methods" / "poincare_kernels.py"
    text = part.read_text(encoding="utf-8")
    assert text.count("dd += delta * delta") == 1
    part.write_text(text.replace("dd += delta * delta", "dd += 4.0 * delta * delta"), encoding="utf-8")
    assert _run(tmp_path)[0] == 2.0

    part.write_text(text, encoding="utf-8")
    assert _run(tmp_path)[0] == 1.0


def test_prefetching_changes_nothing_also_at_both_ends_of_an_array():
    @_jit.kernel
    def touch(points):
        for row in range(points.shape[0]):
            _jit.prefetch_row(points, np.uint64(row))
        return points.sum()

    points = np.arange(6.0).reshape(3, 2)
    assert touch(points) == 15.0
    assert np.array_equal(points, np.arange(6.0).reshape(3, 2))
