"""Faults other than kills, and the control arms: ways to break the program in a child process.

A full disk is simulated by wrapping the functions that write. Memory limits are real (RLIMIT_AS), and so are folders
without write permission: root gives up the capability to ignore permissions.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import hashlib
import importlib
import os
import random
import resource
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tools.faults.points import Call, Witness, wrap

# From Linux's <linux/capability.h>.
CAPABILITIES_VERSION, DAC_OVERRIDE, DAC_READ_SEARCH = 0x20080522, 1, 2


def disk_full(witness: Witness, after: int = 0, path: str = "") -> None:
    """Only so many bytes more can be written to files whose path has this in it."""
    left = after

    def write(real: Call, target: Path, content: Any, *arguments: Any, **options: Any) -> Any:
        nonlocal left
        if path not in str(target):
            return real(target, content, *arguments, **options)
        written = content[: max(0, left)]
        left -= len(content)
        result = real(target, written, *arguments, **options)
        if left < 0:
            fail(witness, "disk full", errno.ENOSPC)
        return result

    wrap("pathlib:Path.write_bytes", write)
    wrap("pathlib:Path.write_text", write)


def disk_full_at(witness: Witness, function: str, turn: int = 1) -> None:
    """The call of that function finds no space, as an fsync may find only then."""
    fails_at(witness, function, turn, errno.ENOSPC, "disk full")


def read_only(witness: Witness, turn: int = 1) -> None:
    """The file system was remounted read-only, as Linux does after an error of the disk: nothing can be made."""
    fails_at(witness, "hypercone._files:make_file", turn, errno.EROFS, "read-only")
    fails_at(witness, "hypercone._files:make_folder", turn, errno.EROFS, "read-only")


def fails_at(witness: Witness, function: str, turn: int, code: int, name: str) -> None:
    """From its nth call on, the function fails with that error of the system."""
    calls = 0

    def failing(real: Call, *arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls >= turn:
            fail(witness, name, code)
        return real(*arguments, **options)

    wrap(function, failing)


def fail(witness: Witness, name: str, code: int) -> None:
    witness.fired = name
    witness.report()
    raise OSError(code, os.strerror(code))


def small_files(witness: Witness, most: int) -> None:
    """The system lets no file grow beyond so many bytes (``ulimit -f``)."""
    witness.fired = "small files"
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def little_memory(witness: Witness, turn: int = 1) -> None:
    """After so many manifests, no more memory than the process has, and nothing larger than 4 KB of that is free."""
    calls, hog = 0, []

    def written(real: Call, *arguments: Any) -> Any:
        nonlocal calls
        result = real(*arguments)
        calls += 1
        if calls == turn:
            witness.fired = "out of memory"
            witness.report()
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            most = pages * resource.getpagesize() + (1 << 20)
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
            for size in (1 << 20, 1 << 16, 1 << 12):
                with contextlib.suppress(MemoryError):
                    while True:
                        hog.append(bytes(size))
        return result

    wrap("hypercone.runs.folder:RunFolder.write_manifest", written)


def obey_permissions(witness: Witness) -> None:
    """Root gives up the right to read and write what its permissions forbid; others never had it."""

    class Header(ctypes.Structure):
        _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))

    words = ctypes.c_uint32 * 6
    libc, header, data = ctypes.CDLL(None, use_errno=True), Header(CAPABILITIES_VERSION, 0), words()
    if libc.capget(ctypes.byref(header), data) == 0:
        data[0] &= ~(1 << DAC_OVERRIDE | 1 << DAC_READ_SEARCH)
        libc.capset(ctypes.byref(header), data)
    witness.fired = "permissions"


def clock_jumps(witness: Witness, seed: int = 0) -> None:
    """Every clock jumps by up to a day, forwards or back, every few times that it is read."""
    luck = random.Random(seed)

    def jumping(real: Callable[[], float]) -> Callable[[], float]:
        shift = 0.0

        def read() -> float:
            nonlocal shift
            if luck.random() < 0.3:
                shift += luck.uniform(-86_400, 86_400)
                witness.fired = "clock jumps"
            return real() + shift

        return read

    for name in ("time", "monotonic", "perf_counter"):
        setattr(time, name, jumping(getattr(time, name)))


def pause(witness: Witness, turn: int = 1, seconds: float = 60.0, until_signal: bool = False) -> None:
    """Pause in the nth epoch for a while, as a long epoch would, or until a request to stop arrives."""
    calls = 0

    def epoch(real: Call, *arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == turn:
            witness.fired = "pause"
            witness.report(paused=True)
            request = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
            ends = time.monotonic() + seconds
            while time.monotonic() < ends and not (until_signal and request and request()):
                time.sleep(0.005)
        return real(*arguments)

    wrap("hypercone.training.loop:Trainer.run", epoch)


def impatient(witness: Witness, seconds: float) -> None:
    """After a request to stop, an epoch gets only so many seconds, so that a test does not wait for eight."""
    importlib.import_module("hypercone.cli.stopping").__dict__["PATIENCE"] = seconds


# The control arms: the program without one of its protections.


def unprotected_folders(witness: Witness) -> None:
    """A model is written straight into its folder."""

    @contextlib.contextmanager
    def new_folder(target: Path) -> Iterator[Path]:
        target.mkdir(parents=True, exist_ok=True)
        yield target

    _put("hypercone.embedding.folder:new_folder", new_folder)


def unprotected_files(witness: Witness) -> None:
    """Checkpoints and manifests are written straight into their files."""

    @contextlib.contextmanager
    def new_file(target: Path) -> Iterator[Path]:
        yield target

    _put("hypercone.runs.folder:new_file", new_file)


def manifest_first(witness: Witness) -> None:
    """The manifest names a checkpoint that is not written yet."""

    def keep(real: Call, folder: Any, checkpoint: Any) -> None:

        from hypercone.runs.checkpoint import to_bytes
        from hypercone.runs.folder import KEPT, Entry

        content = to_bytes(checkpoint)
        digest = hashlib.sha256(content).hexdigest()
        name, stage, epoch = checkpoint.file_name, checkpoint.stage, checkpoint.epoch
        entry = Entry(name, len(content), digest, stage, epoch, checkpoint.facts)
        folder.entries = [entry, *(other for other in folder.entries if other.file != name)][:KEPT]
        folder.write_manifest()
        folder.remove_unnamed()
        folder.write_checkpoint(checkpoint)

    wrap("hypercone.runs.folder:RunFolder.keep", keep)


def forget_memory(witness: Witness) -> None:
    """Resume without the optimizer's memory."""

    def restore(real: Call, state: Any, *arguments: Any) -> None:
        real(state, *arguments)
        state.trainer.memory[:] = 0

    wrap("hypercone.training.loop:TrainingState.restore", restore)


def forget_best(witness: Witness) -> None:
    """Resume without the best validated points."""
    wrap("hypercone.training.loop:EarlyStopping.restore", lambda real, best, *arguments: None)


def forget_history(witness: Witness) -> None:
    """Resume without the history of the training so far."""
    wrap("hypercone.training.monitor:History.restore", lambda real, history, *arguments: None)


def another_seed(witness: Witness) -> None:
    """Draw other negative pairs in the remaining epochs."""

    def restore(real: Call, state: Any, *arguments: Any) -> None:
        real(state, *arguments)
        state.trainer.seed += 1

    wrap("hypercone.training.loop:TrainingState.restore", restore)


def one_epoch_less(witness: Witness) -> None:
    """Take the checkpoint for one of the epoch after."""

    def restore(real: Call, state: Any, *arguments: Any) -> None:
        real(state, *arguments)
        state.done += 1

    wrap("hypercone.training.loop:TrainingState.restore", restore)


def without_exchange(witness: Witness) -> None:
    """The system cannot exchange two folders, so that a new one takes two renames."""
    _put("hypercone._files:_exchange", lambda one, other: False)


def kill(witness: Witness, point: str, turn: int = 1, delay: float = 0.0) -> None:
    """Die at a named point."""
    witness.kill_at(point, turn, delay)


def count(witness: Witness) -> None:
    """Nothing happens; the points are counted."""
    witness.count_points()


def _put(function: str, new: Call) -> None:
    wrap(function, lambda real, *arguments, **options: new(*arguments, **options))


KINDS: dict[str, Callable[..., None]] = {
    function.__name__: function
    for function in (
        another_seed,
        clock_jumps,
        count,
        disk_full,
        disk_full_at,
        forget_best,
        forget_history,
        forget_memory,
        impatient,
        kill,
        little_memory,
        manifest_first,
        obey_permissions,
        one_epoch_less,
        pause,
        read_only,
        small_files,
        unprotected_files,
        unprotected_folders,
        without_exchange,
    )
}
