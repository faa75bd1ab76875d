"""Kernels: two tiers chosen by counted work, never stale, cached across processes, and no NaN is assumed away."""

import errno
import io
import math
import os
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from unittest import mock

import grimp
import numba
import numpy as np
import pytest

import hypercone
from hypercone import _compiler, _jit, _kernel_cache

ROOT = Path(hypercone.__file__).parent


def plain(kernel, *arguments):
    """What the kernel gives as plain Python."""
    with mock.patch.object(_jit, "TIER", _jit.PLAIN):
        return kernel(*arguments)


def compiled(kernel, *arguments):
    """What the kernel gives compiled."""
    with mock.patch.object(_jit, "TIER", _jit.COMPILED):
        return kernel(*arguments)


each_tier = pytest.mark.parametrize("call", [plain, compiled])


def test_kernels_import_nothing_of_hypercone_but_kernels_and_the_jit():
    """The digest covers the kernel sources only. (import-linter has no wildcard for a part of a name.)"""
    graph = grimp.build_graph("hypercone", cache_dir=None)
    kernels = {module for module in graph.modules if module.endswith("_kernels")}
    imported = set().union(*(graph.find_modules_directly_imported_by(kernel) for kernel in kernels))
    assert len(kernels) > 10
    assert "hypercone._math_kernels" in kernels
    assert imported - kernels == {"hypercone._jit"}


@each_tier
def test_no_compiler_flag_is_set_so_nan_and_the_order_of_operations_count(call):
    assert set() == _jit.FLAGS

    @_jit.kernel
    def is_not_finite(x):
        return x - x != x - x

    @_jit.kernel
    def lost(x, y, z):
        return (x + y) - x, x * y - z

    assert [call(is_not_finite, x) for x in (math.nan, math.inf, 1.0)] == [True, True, False]
    # Reordered, the difference would be 1; fused, the product would not be rounded.
    assert call(lost, 1e16, 1.0, 1e16) == (0.0, 0.0)
    assert call(lost, 1 + 2**-30, 1 + 2**-30, 1 + 2**-29)[1] == 0.0
    assert math.copysign(1.0, call(lost, -0.0, -0.0, 0.0)[0]) == 1.0


class TestDispatch:
    @each_tier
    def test_a_generic_function_dispatches_on_the_type_of_its_first_argument(self, call):
        One, Other, Neither = namedtuple("One", "x"), namedtuple("Other", "x"), namedtuple("Neither", "x")
        size = _jit.generic("size")

        @size.register(One)
        def _one(first, factor):
            return first.x * factor

        @size.register(Other)
        def _other(first, factor):
            return -first.x * factor

        @_jit.kernel
        def measure(first):
            return size(first, 10.0)

        assert (call(measure, One(2.0)), call(measure, Other(2.0))) == (20.0, -20.0)
        assert (size.__name__, size(One(2.0), 10.0)) == ("size", 20.0)
        with pytest.raises((KeyError, numba.TypingError)):
            call(measure, Neither(2.0))

    @each_tier
    def test_a_part_is_called_by_kernels_and_from_python(self, call):
        @_jit.kernel_part
        def half(x):
            return 0.5 * x

        @_jit.kernel
        def quarter(x):
            return half(half(x))

        assert (half(3.0), call(quarter, 3.0)) == (1.5, 0.75)

    @each_tier
    def test_a_kernel_can_call_another(self, call):
        @_jit.kernel
        def inner(values):
            return values.sum() / 0.0

        @_jit.kernel
        def outer(values):
            return inner(values) + 1.0

        assert call(outer, np.ones(3)) == math.inf

    @pytest.mark.parametrize("dim", [1, 2, 32, 33, 100])
    def test_the_dimension_can_be_read_from_its_type_and_is_unrolled_for_many_rows_only(self, dim):
        few, many = _jit.dimension_type(dim, _jit.FEW_ROWS), _jit.dimension_type(dim, _jit.FEW_ROWS + 1)
        assert _jit.dimension_type(dim) == many
        assert few == dim
        assert isinstance(many, tuple) == (dim <= _jit.UNROLLED_DIMENSIONS)

        @_jit.kernel
        def read(given):
            return _jit.width(given)

        for given in (few, many):
            assert _jit.width(given) == plain(read, given) == compiled(read, given) == dim


class TestRule:
    """Which tier runs, and when that changes."""

    @pytest.fixture
    def add(self, monkeypatch):
        """A kernel of weight 10 that is called 4 times in a loop, with small limits."""
        for name, value in (("COMPILER", 100), ("LOADING", 50), ("COMPILING", 1000), ("TIER", _jit.AUTO)):
            monkeypatch.setattr(_jit, name, value)

        @_jit.kernel(weight=10, calls=4)
        def add(values, more=()):
            return values.sum()

        return add

    @staticmethod
    def runs(kernel, sizes):
        """Whether each call with an array of that size runs plain."""
        return [kernel.is_plain_for((np.ones(size),)) for size in sizes]

    def test_elements_are_counted_in_arrays_and_in_tuples_of_arrays(self):
        Lists = namedtuple("Lists", "starts rows")
        nested = (np.ones((2, 3)), 5, Lists(np.ones(4), (np.ones(1), 2.0)), (0,) * 9)
        assert _jit.count_elements(nested) == 11

    def test_calls_run_plain_until_their_work_pays_for_the_compiler_if_the_kernel_is_on_disk(self, add, monkeypatch):
        monkeypatch.setattr(_jit, "cached_kernels", lambda flags: frozenset({f"test_jit.{add.__qualname__}"}))
        assert add._name_in_cache == f"test_jit.{add.__qualname__}"
        assert self.runs(add, [2, 3, 1, 1]) == [True, True, False, False]
        monkeypatch.delitem(sys.modules, "hypercone._compiler")
        add.work = 0
        assert self.runs(add, [2, 3, 5, 1]) == [True, True, True, False]

    def test_a_kernel_that_is_not_on_disk_runs_plain_until_compiling_pays(self, add, monkeypatch):
        monkeypatch.setattr(_jit, "cached_kernels", lambda flags: frozenset())
        monkeypatch.setattr(_jit, "LONGEST_LOOP", 2)
        # A call of 26 elements is expected 4 times: more than 1000 with the weight.
        assert self.runs(add, [25, 26]) == [True, False]
        add.work = 0
        # All calls of a loop may take twice as long, those of another kernel as long.
        assert self.runs(add, [25] * 8 + [1]) == [True] * 8 + [False]
        add.work, add.calls = 0, 1
        assert self.runs(add, [25] * 4 + [1]) == [True] * 4 + [False]

    def test_once_it_is_compiled_it_stays_so_and_what_it_returns_is_the_same(self, add, monkeypatch):
        monkeypatch.setattr(_jit, "cached_kernels", lambda flags: frozenset())
        assert add(np.ones(3)) == 3.0
        assert "compiled" not in vars(add)
        assert add(np.ones(200)) == 200.0
        assert "compiled" in vars(add)
        assert self.runs(add, [1]) == [False]

    def test_training_kernels_are_compiled_in_both_tiers_and_everything_inside_a_plain_kernel_is_plain(self, add):
        seen = []

        @_jit.kernel(always_compiled=True)
        def train(values):
            return values.sum()

        @_jit.kernel
        def outer(values):
            seen.append(_jit._thread.is_plain)
            return add(values) + train(values)

        for tier in (_jit.PLAIN, _jit.COMPILED, _jit.AUTO):
            with mock.patch.object(_jit, "TIER", tier):
                assert not train.is_plain_for((np.ones(1),))
        assert plain(outer, np.ones(900)) == 1800.0
        assert "compiled" not in vars(add)
        assert "compiled" not in vars(train)
        assert (seen, _jit._thread.is_plain) == ([True], False)

    def test_a_plain_kernel_divides_by_zero_without_a_warning_and_an_error_ends_the_plain_mode(self):
        @_jit.kernel
        def inverse(values):
            return 1.0 / values

        assert plain(inverse, np.zeros(2)).tolist() == [math.inf, math.inf]
        with pytest.raises(TypeError):
            plain(inverse, None)
        assert not _jit._thread.is_plain


class TestDigest:
    def test_it_changes_with_any_kernel_source(self, tmp_path):
        (tmp_path / "part").mkdir()
        for name in ("_jit.py", "_compiler.py", "part/a_kernels.py", "part/plain.py"):
            (tmp_path / name).write_text("x = 1\n")
        before = _kernel_cache.source_digest(root=tmp_path)
        (tmp_path / "part/plain.py").write_text("x = 2\n")
        assert _kernel_cache.source_digest(root=tmp_path) == before
        seen = {before}
        for name in ("_jit.py", "_compiler.py", "part/a_kernels.py"):
            (tmp_path / name).write_text("x = 2\n")
            seen.add(_kernel_cache.source_digest(root=tmp_path))
        (tmp_path / "part/a_kernels.py").rename(tmp_path / "part/b_kernels.py")
        seen.add(_kernel_cache.source_digest(root=tmp_path))
        assert len(seen) == 5

    @pytest.mark.parametrize("name", ["BOUNDSCHECK", "OPT", "DEBUGINFO_DEFAULT", "CPU_NAME", "CPU_FEATURES"])
    def test_it_changes_with_the_settings_of_the_compiler(self, name, monkeypatch):
        before = _kernel_cache.source_digest()
        monkeypatch.setenv(f"NUMBA_{name}", "another")
        assert _kernel_cache.source_digest() != before

    def test_it_changes_with_the_flags(self):
        flags = [frozenset(), frozenset({"contract"}), frozenset({"reassoc"}), frozenset({"contract", "reassoc"})]
        assert len({_kernel_cache.source_digest(each) for each in flags}) == 4


@_jit.kernel
def on_disk(x):
    return 2 * x


@_jit.kernel
def not_on_disk(x):
    return 3 * x


def forget_folders():
    """Look for the folders again, as in a new process."""
    for remembered in (_kernel_cache.cache_folder, _kernel_cache.readable_folders, _kernel_cache.cached_kernels):
        remembered.cache_clear()


class TestFolder:
    @pytest.fixture(autouse=True)
    def fresh(self, monkeypatch, tmp_path):
        """No cached result, and separate folders."""
        forget_folders()
        monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
        monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
        monkeypatch.setattr(_kernel_cache.tempfile, "gettempdir", lambda: str(tmp_path / "temp"))
        monkeypatch.setattr(_kernel_cache.tempfile, "tempdir", None)
        (tmp_path / "temp").mkdir()
        yield
        forget_folders()

    def block(self, path):
        """A file in place of a folder: not even the superuser can write into it."""
        shutil.rmtree(path, ignore_errors=True)
        path.write_text("")
        forget_folders()

    def test_it_is_named_by_the_digest_and_numbas_own_setting_comes_first(self, monkeypatch, tmp_path):
        folder = tmp_path / "xdg" / "hypercone" / f"kernels-{_kernel_cache.source_digest()}"
        assert _kernel_cache.cache_folder() == folder
        assert _kernel_cache.cache_folder(frozenset({"contract"})) != folder
        forget_folders()
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
        assert _kernel_cache.cache_folder().parent == tmp_path / "numba" / "hypercone"

    @pytest.mark.skipif(sys.platform == "win32", reason="another folder on Windows")
    def test_a_folder_that_cannot_be_written_is_skipped_and_without_any_kernels_are_not_cached(self, tmp_path):
        self.block(tmp_path / "xdg")
        assert _kernel_cache.cache_folder().parent == tmp_path / "home" / ".cache" / "hypercone"
        self.block(tmp_path / "home")
        assert _kernel_cache.cache_folder().is_relative_to(tmp_path / "temp")
        self.block(tmp_path / "temp")
        assert _kernel_cache.cache_folder() is None
        assert _kernel_cache.cached_kernels() == frozenset()

        @_jit.kernel
        def twice(x):
            return 2 * x

        assert compiled(twice, 3) == plain(twice, 3) == 6

    def test_the_kernels_in_it_are_known_by_module_and_name(self, monkeypatch):
        monkeypatch.delitem(vars(on_disk), "compiled", raising=False)
        assert compiled(on_disk, 3) == 6
        monkeypatch.delitem(vars(on_disk), "compiled")
        assert on_disk._name_in_cache in _kernel_cache.cached_kernels()
        assert not_on_disk._name_in_cache not in _kernel_cache.cached_kernels()

    def test_a_user_without_a_home_gets_a_temporary_folder(self, monkeypatch, tmp_path):
        def homeless():
            raise RuntimeError("Could not determine home directory.")

        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.setattr(Path, "home", homeless)
        assert _kernel_cache.cache_folder().is_relative_to(tmp_path / "temp")

    @pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no numeric owner here")
    def test_a_folder_of_another_user_is_not_trusted(self, monkeypatch, tmp_path):
        """Cached kernels are executed without a check, and anyone can create this folder in a shared location."""
        monkeypatch.setattr(os, "getuid", lambda: 12_345)
        assert _kernel_cache.cache_folder() is None

    def test_kernels_in_a_folder_that_cannot_be_written_are_used_if_it_is_the_users_or_the_superusers(
        self, monkeypatch, tmp_path
    ):
        """As in a container whose image has compiled kernels and a read-only disk."""
        image = tmp_path / "xdg" / "hypercone" / f"kernels-{_kernel_cache.source_digest()}"
        image.mkdir(parents=True)
        (image / f"test_jit.on_disk-0{_kernel_cache.ENDING}").touch()
        image.parent.chmod(0o755)
        image.chmod(0o755)

        def read_only(dir):
            if dir.is_relative_to(tmp_path / "xdg"):
                raise OSError(errno.EROFS, "read-only file system")
            return io.BytesIO()

        monkeypatch.setattr(_kernel_cache.tempfile, "TemporaryFile", read_only)
        for owner, mode, is_used in ((os.getuid(), 0o777, True), (0, 0o755, True), (0, 0o775, False)):
            image.chmod(mode)
            monkeypatch.setattr(os, "getuid", lambda owner=owner, mode=mode: owner if mode == 0o777 else 12_345)
            forget_folders()
            assert (image in _kernel_cache.readable_folders()) == is_used
            assert ("test_jit.on_disk" in _kernel_cache.cached_kernels()) == is_used
            assert _kernel_cache.cache_folder() != image


class TestDamagedCache:
    """A kernel on disk is used only if it is as it was written."""

    @pytest.fixture(autouse=True)
    def own_folder(self, monkeypatch, tmp_path):
        forget_folders()
        monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        monkeypatch.setattr(_compiler, "_said", set())
        yield
        forget_folders()

    @staticmethod
    def twice(monkeypatch):
        """What the kernel gives in a process that has not used it, and whether it was compiled for that."""
        monkeypatch.delitem(vars(on_disk), "compiled", raising=False)
        answer = compiled(on_disk, 3)
        return answer, sum(on_disk.compiled.stats.cache_misses.values())

    @staticmethod
    def kernels(folder):
        return sorted(folder.rglob(f"*{_kernel_cache.ENDING}"))

    @pytest.mark.parametrize("how", ["empty", "cut", "garbage", *range(20)])
    def test_a_damaged_kernel_is_dropped_and_compiled_again_with_one_line(self, how, monkeypatch, tmp_path, capsys):
        assert [self.twice(monkeypatch) for _ in range(2)] == [(6, 1), (6, 0)]
        (path,) = self.kernels(tmp_path)
        content = path.read_bytes()
        random = np.random.default_rng(how if isinstance(how, int) else 0)
        flipped = bytearray(content)
        flipped[int(random.integers(len(content)))] ^= 1 << int(random.integers(8))
        damage = {"empty": b"", "cut": content[:-1], "garbage": random.bytes(5000)}
        path.write_bytes(damage.get(how, bytes(flipped)))
        assert capsys.readouterr().err == ""
        assert [self.twice(monkeypatch) for _ in range(2)] == [(6, 1), (6, 0)]
        said = f"the compiled test_jit.on_disk in {path.parent} was damaged, and is compiled again\n"
        assert capsys.readouterr().err == said
        path.write_bytes(b"")
        assert self.twice(monkeypatch) == (6, 1)
        assert capsys.readouterr().err == "", "a second line in one process"

    @pytest.mark.parametrize("content", [b"not what numba writes", "another kernel"])
    def test_a_kernel_of_another_version_or_of_another_function_is_compiled_again(self, content, monkeypatch, tmp_path):
        assert self.twice(monkeypatch) == (6, 1)
        (path,) = self.kernels(tmp_path)
        if content == "another kernel":
            monkeypatch.delitem(vars(not_on_disk), "compiled", raising=False)
            assert compiled(not_on_disk, 3) == 9
            (other,) = {*self.kernels(tmp_path)} - {path}
            content = _kernel_cache.read_kernel(other)
        assert _kernel_cache.write_kernel(path, content)
        assert [self.twice(monkeypatch) for _ in range(2)] == [(6, 1), (6, 0)]

    @pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files")
    def test_a_full_disk_does_no_harm_and_leaves_nothing(self, monkeypatch, tmp_path):
        import resource
        import signal

        before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1][1]))
        try:
            assert [self.twice(monkeypatch) for _ in range(2)] == [(6, 1), (6, 1)]
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before[1])
            signal.signal(signal.SIGXFSZ, before[0])
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == []

    def test_two_processes_that_compile_at_once_leave_the_kernels_of_both(self, tmp_path):
        """numba's own index lost one of them, or gave both signatures the same file."""
        (tmp_path / "twice.py").write_text(TWICE)
        environment = os.environ | {"PYTHONPATH": str(tmp_path)}
        for misses in ("1", "0"):
            commands = [[sys.executable, "-m", "twice", given] for given in ("3", "3.5")]
            running = [subprocess.Popen(each, env=environment, stdout=subprocess.PIPE, text=True) for each in commands]
            answers = [process.communicate(timeout=300)[0].split() for process in running]
            assert answers == [["6", misses], ["7.0", misses]]
        assert len(self.kernels(tmp_path)) == 2

    def test_what_a_killed_process_left_is_removed_when_it_is_old(self, tmp_path):
        path = tmp_path / f"module.function-0{_kernel_cache.ENDING}"
        old, new = (tmp_path / f"{path.name}{name}{_kernel_cache.BEING_WRITTEN}" for name in ("old", "new"))
        for temporary in (old, new):
            temporary.touch()
        os.utime(old, (0, 0))
        assert _kernel_cache.write_kernel(path, b"code")
        assert {entry.name for entry in tmp_path.iterdir()} == {path.name, new.name}


TWICE = """
import ast, sys
from hypercone import _jit

@_jit.kernel
def twice(x):
    return x + x

print(twice.compiled(ast.literal_eval(sys.argv[1])), sum(twice.compiled.stats.cache_misses.values()))
"""


def _run(program, *arguments, fails=False, **changes):
    """What a program prints in another process with these variables; its errors if it has to fail."""
    unset = ("NUMBA_", "HYPERCONE_")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(unset)} | changes
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode != 0) == fails, done.stderr
    return done.stderr if fails else done.stdout


# One compiled energy: the distance between two points that are 1 apart.
ENERGY = """
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


def _energy(copy):
    folders = {"PYTHONPATH": str(copy / "src"), "XDG_CACHE_HOME": str(copy / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    return tuple(map(float, _run(ENERGY, str(copy), HYPERCONE_KERNELS="compiled", **folders).split()))


def _cached(copy):
    files = [path for path in (copy / "cache").rglob("*") if path.is_file()]
    return {path.relative_to(copy).as_posix(): path.stat().st_mtime_ns for path in files}


def test_a_second_process_loads_and_an_edited_kernel_never_runs_stale(tmp_path):
    shutil.copytree(ROOT, tmp_path / "src" / "hypercone", ignore=shutil.ignore_patterns("__pycache__", "data"))
    energy, cold = _energy(tmp_path)
    assert energy == 1.0
    compiled = _cached(tmp_path)
    assert any(name.endswith(_kernel_cache.ENDING) for name in compiled)

    energy, warm = _energy(tmp_path)
    assert energy == 1.0
    assert _cached(tmp_path) == compiled, "the second process compiled again"
    assert warm < cold / 2

    # A function that the cached kernel calls, in another file than the kernel itself.
    part = tmp_path / "src" / "hypercone" / "methods" / "poincare_kernels.py"
    text = part.read_text(encoding="utf-8")
    assert text.count("return uu, vv, dd") == 1
    part.write_text(text.replace("return uu, vv, dd", "return uu, vv, 4.0 * dd"), encoding="utf-8")
    assert _energy(tmp_path)[0] == 2.0

    part.write_text(text, encoding="utf-8")
    assert _energy(tmp_path)[0] == 1.0


SMALL = """
import sys
import hypercone
rows = range(1, 16)
tree = [(str((row - 1) // 2), str(row)) for row in rows]
dag = [(str(above), str(row)) for row in rows[2:] for above in (row // 2, row // 3)]
for name in sys.argv[1:]:
    embedding = hypercone.fit({"tree": tree, "dag": dag}[name])
    for by in ("graph", "geometry"):
        embedding.ancestors("15", by=by), embedding.descendants("1", by=by)
    embedding.is_a("15", "1"), embedding.nearest("15")
print([name for name in ("numba", "llvmlite") if name in sys.modules])
"""


def test_small_work_does_not_load_the_compiler(tmp_path):
    """If kernels are on disk, loading them pays off earlier: for caps that move in many iterations, not for a tree."""
    assert _run(SMALL, "tree", "dag", XDG_CACHE_HOME=str(tmp_path)) == "[]\n"
    assert _run(SMALL, "tree") == "[]\n"


@pytest.mark.parametrize("given", ["'tree-3-8'", "'tree-2-2', 'order', epochs=3"])
def test_large_work_and_learning_load_the_compiler(given):
    program = f"import hypercone, sys; hypercone.fit({given}); print('numba' in sys.modules)"
    assert _run(program) == "True\n"


def test_an_unknown_tier_in_the_environment_is_refused_in_a_sentence_that_names_the_variable():
    program = "import hypercone; print(hypercone.fit('tree-2-2').ancestors('r.1'))"
    last = _run(program, fails=True, HYPERCONE_KERNELS="fast").rstrip().splitlines()[-1]
    assert last.startswith("hypercone.errors.ConfigError: HYPERCONE_KERNELS is 'fast', but must be ")
    assert all(tier in last for tier in (_jit.PLAIN, _jit.COMPILED))


def test_prefetching_changes_nothing_also_at_both_ends_of_an_array():
    @_jit.kernel
    def touch(points):
        for row in range(points.shape[0]):
            _jit.prefetch_row(points, np.uint64(row))
        return points.sum()

    points = np.arange(6.0).reshape(3, 2)
    assert compiled(touch, points) == plain(touch, points) == 15.0
    assert np.array_equal(points, np.arange(6.0).reshape(3, 2))
