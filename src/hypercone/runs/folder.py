"""The folder of a run: its lock, its manifest, and how checkpoints are written and restored.

::

    lock                           held while the run is working; the system releases it when the process ends
    run.json                       the identity of the run: settings, data, versions (with a checksum)
    manifest.json                  the checkpoints, newest first, with checksums and facts (with a checksum)
    checkpoint-STAGE-EPOCH.safetensors   the arrays; the two newest are kept

A checkpoint is written to a temporary, synced to disk and renamed, and only then listed in the manifest, which is
replaced in the same way: whenever a run is killed, the manifest lists complete checkpoints only.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from hypercone._files import (
    new_file,
    read_checksummed,
    read_regular,
    remove_leftovers,
    translating_os_errors,
    with_checksum,
)
from hypercone.errors import HyperconeError, InputError, Interrupted, ModelFileError, option
from hypercone.progress import OnProgress
from hypercone.runs.checkpoint import (
    FILE_NAME,
    Cadence,
    Checkpoint,
    Checkpointing,
    Identity,
    arrays_from,
    differences,
    file_name,
    to_bytes,
)

FORMAT, FORMAT_VERSION = "hypercone-run", 1
# More than the history of a million epochs needs.
LARGEST = 64 << 20


@dataclass(frozen=True)
class Entry:
    """A checkpoint in the manifest: its file with size and checksum, and the facts that go with its arrays."""

    file: str
    bytes: int
    sha256: str
    stage: str
    epoch: int
    facts: dict[str, Any]


def manifest_text(entries: list[Entry]) -> str:
    """The content of the manifest file."""
    return with_checksum(_with_header({"checkpoints": [asdict(entry) for entry in entries]}))


def read_manifest(path: Path) -> list[Entry]:
    """The entries of a manifest; ModelFileError if it is damaged."""
    listed = read_with_header(path).get("checkpoints")
    try:
        entries = [Entry(**values) for values in listed] if isinstance(listed, list) else None
    except TypeError:
        entries = None
    if entries is None or not all(_is_sound(entry) for entry in entries):
        raise ModelFileError(f"{path}: does not list checkpoints; the file is damaged")
    return entries


def run_text(identity: dict[str, Any]) -> str:
    """The content of the file that describes a run."""
    return with_checksum(_with_header({"identity": identity}))


def read_with_header(path: Path) -> dict[str, Any]:
    """The values of a JSON file of a run; ModelFileError if it is damaged or of an unknown format version."""
    values = read_checksummed(path, LARGEST)
    if values.get("format") != FORMAT:
        raise ModelFileError(f"{path}: is not a run's; give the folder of a run")
    version = values.get("format_version")
    if not isinstance(version, int) or version > FORMAT_VERSION:
        raise ModelFileError(f"{path}: is of a newer format than this program reads; upgrade hypercone")
    return values


def _with_header(values: dict[str, Any]) -> dict[str, Any]:
    return {"format": FORMAT, "format_version": FORMAT_VERSION, **values}


def _is_sound(entry: Entry) -> bool:
    texts = (entry.file, entry.sha256, entry.stage)
    counts = (entry.bytes, entry.epoch)
    return (
        all(isinstance(text, str) for text in texts)
        and all(isinstance(count, int) and count >= 0 for count in counts)
        and isinstance(entry.facts, dict)
        and FILE_NAME.fullmatch(entry.file) is not None
        and entry.file == file_name(entry.stage, entry.epoch)
    )


RUN, MANIFEST = "run.json", "manifest.json"
KEPT = 2


class RunFolder:
    """The folder of a run, while its lock is held."""

    def __init__(self, lock: Lock, entries: list[Entry], latest: Checkpoint | None) -> None:
        self.lock, self.path = lock, lock.path.parent
        self.entries = entries
        self.latest = latest

    def keep(self, checkpoint: Checkpoint) -> None:
        """Write a checkpoint, list it in the manifest, and remove all but the two newest."""
        if not self.lock.is_in_place():
            raise InputError(f"{self.path}: was removed or replaced while the run was working; start it again")
        entry = self.write_checkpoint(checkpoint)
        before = self.entries
        self.entries = [entry, *(other for other in before if other.file != entry.file)][:KEPT]
        try:
            self.write_manifest()
        except BaseException:
            # The new checkpoint does not count, because the manifest does not list it.
            self.entries = before
            raise
        with translating_os_errors(self.path):
            self.remove_unnamed()

    def write_checkpoint(self, checkpoint: Checkpoint) -> Entry:
        """Write the arrays to disk; returns the entry for the manifest."""
        content = to_bytes(checkpoint)
        with new_file(self.path / checkpoint.file_name) as temporary:
            temporary.write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        return Entry(checkpoint.file_name, len(content), digest, checkpoint.stage, checkpoint.epoch, checkpoint.facts)

    def write_manifest(self) -> None:
        """Write the list of checkpoints to disk."""
        with new_file(self.path / MANIFEST) as temporary:
            temporary.write_text(manifest_text(self.entries), encoding="utf-8")

    def remove_unnamed(self) -> None:
        """Remove the checkpoints that the manifest does not list, and leftover temporaries."""
        named = {entry.file for entry in self.entries}
        for path in self.path.iterdir():
            if FILE_NAME.fullmatch(path.name) and path.name not in named:
                path.unlink(missing_ok=True)
        remove_leftovers(self.path)


@contextlib.contextmanager
def open_run(run: Checkpointing, identity: Identity) -> Iterator[RunFolder]:
    """The folder of a run, locked within the block: a new one, or with ``run.resume`` the existing one."""
    folder = run.path
    with contextlib.ExitStack() as stack:
        with translating_os_errors(Path(run.folder)):
            if folder.exists() and not folder.is_dir():
                raise InputError(f"{run.folder}: is a file; give a folder for the run")
            folder.mkdir(parents=True, exist_ok=True)
            _refuse_foreign_folder(run)
            lock = stack.enter_context(hold_lock(folder))
            found = RunFolder(
                lock, *(_find_run(run, identity) if (folder / RUN).exists() else _start_run(run, identity))
            )
            # Leftovers of a killed run; no other run writes here while this one holds the lock.
            found.remove_unnamed()
        yield found


ResumePoint = tuple[list[Entry], Checkpoint | None]


def _refuse_foreign_folder(run: Checkpointing) -> None:
    """Raise InputError if the folder is not empty and not the folder of a run."""
    names = {path.name for path in run.path.iterdir() if not path.name.startswith(f".{RUN}.")}
    if names - {LOCK} and RUN not in names:
        raise InputError(f"{run.folder}: is a folder with other things in it; give a new one for the run")


def _start_run(run: Checkpointing, identity: Identity) -> ResumePoint:
    if run.resume:
        run.say(f"{run.folder} holds no run yet; starting from the beginning")
    with new_file(run.path / RUN) as temporary:
        temporary.write_text(run_text(identity), encoding="utf-8")
    return [], None


def _find_run(run: Checkpointing, identity: Identity) -> ResumePoint:
    was = read_with_header(run.path / RUN).get("identity")
    if not isinstance(was, dict):
        raise ModelFileError(f"{run.path / RUN}: does not say what is run; the file is damaged")
    entries = _read_entries(run.path)
    if not run.resume:
        reached = f"{entries[0].stage}, epoch {entries[0].epoch}" if entries else "without a checkpoint yet"
        raise InputError(
            f"{run.folder}: holds a run already ({reached}); go on with it by {option('resume', True)}, or give a new"
            " folder"
        )
    if changed := differences(was, identity):
        raise InputError(
            f"{run.folder}: was started differently: {'; '.join(changed)}; give the same again, or a new folder"
        )
    return _newest_intact(run, entries)


def _read_entries(folder: Path) -> list[Entry]:
    if (folder / MANIFEST).exists():
        return read_manifest(folder / MANIFEST)
    # A run killed before its first manifest leaves at most one checkpoint; if there are more, the manifest was lost.
    if sum(FILE_NAME.fullmatch(path.name) is not None for path in folder.iterdir()) > 1:
        raise ModelFileError(
            f"{folder / MANIFEST}: is missing, but there are checkpoints; restore it, or start again in a new folder"
        )
    return []


def _newest_intact(run: Checkpointing, entries: list[Entry]) -> ResumePoint:
    """The newest intact checkpoint, and the entries from it on: a damaged one must not displace an intact one."""
    if not entries:
        run.say(f"{run.folder} holds no checkpoint yet; starting from the beginning")
        return [], None
    for i, entry in enumerate(entries):
        try:
            return entries[i:], _read(run.path, entry)
        except ModelFileError as error:
            if isinstance(error.__cause__, OSError):
                # A file that cannot be read at the moment may still be intact.
                raise
            run.say(f"{error}{'; trying the one before' if entry is not entries[-1] else ''}")
    raise ModelFileError(f"{run.folder}: no checkpoint is intact; start again in another folder")


def _read(folder: Path, entry: Entry) -> Checkpoint:
    path = folder / entry.file
    content = read_regular(path, entry.bytes)
    if hashlib.sha256(content).hexdigest() != entry.sha256:
        raise ModelFileError(f"{path}: does not match its checksum; the file was damaged or replaced")
    return Checkpoint(entry.stage, entry.epoch, arrays_from(path, content), entry.facts)


LOCK = "lock"


class Lock:
    """A lock held by this process."""

    def __init__(self, path: Path, file: IO[str]) -> None:
        self.path, self.file = path, file

    def is_in_place(self) -> bool:
        """Whether the file at the path is still the locked one, neither removed nor replaced."""
        try:
            return os.path.samestat(os.fstat(self.file.fileno()), os.stat(self.path))
        except OSError:
            return False


@contextlib.contextmanager
def hold_lock(folder: Path) -> Iterator[Lock]:
    """Hold the folder's lock within the block; InputError if another run holds it.

    The lock file is not removed: another run may have locked it in the meantime.
    """
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(os.open(folder / LOCK, flags, 0o666), "r+", encoding="utf-8", errors="replace") as file:
        holder = file.read(20).strip()
        if holder and not holder.isdecimal():
            raise InputError(f"{folder / LOCK}: is not a run's; give another folder for the run")
        if not _take(file):
            raise InputError(
                f"{folder}: is in use by another run (process {holder or 'unknown'});"
                " wait until it ends, or give another folder"
            )
        file.seek(0)
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield Lock(folder / LOCK, file)


if sys.platform == "win32":
    import msvcrt

    def _take(file: IO[str]) -> bool:
        file.seek(1 << 20)  # Beyond the text, so that other processes can read it.
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _take(file: IO[str]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


# The stages of a fit in order: with a checkpoint of one, the earlier ones need not run again.
NESTED, FREE, AGAIN, JUMPS, PRETRAINING, TRAINING = STAGES = (
    "nested",
    "free",
    "again",
    "jumps",
    "pretraining",
    "training",
)


class Checkpoints:
    """The checkpoints of a fit without a run folder: nothing is restored and nothing is written."""

    def of(self, stage: str, epochs: int) -> Checkpoint | None:
        """The checkpoint to resume this stage from, if the run was interrupted in it."""
        return None

    def resumes_in(self, *stages: str) -> bool:
        """Whether the run was interrupted in one of these stages."""
        return False

    def offer(self, epoch: int, epochs: int, state: Callable[[], Checkpoint], *, unit: str = "epoch") -> None:
        """Offer a checkpoint after an epoch; ``state`` is called only if it is to be written."""

    def safe_checkpoint(self) -> str:
        """Which checkpoint is safe, as the end of an error message."""
        return ""


class FolderCheckpoints(Checkpoints):
    """The checkpoints of a fit with a run folder."""

    def __init__(self, run: Checkpointing, folder: RunFolder) -> None:
        self.run, self.folder = run, folder
        self.cadence = Cadence(run)

    def of(self, stage: str, epochs: int) -> Checkpoint | None:
        """The newest checkpoint of the run, if it is of this stage."""
        latest = self.folder.latest
        if latest is None or not self.resumes_in(stage):
            return None
        if latest.epoch > epochs:
            raise ModelFileError(f"{self.run.path / latest.file_name}: is beyond the {epochs} epochs of this run")
        return latest

    def resumes_in(self, *stages: str) -> bool:
        """Whether the newest checkpoint of the run is of one of these stages."""
        latest = self.folder.latest
        if latest is not None and latest.stage not in STAGES:
            raise ModelFileError(f"{self.run.folder}: there is no stage {latest.stage!r}; the manifest is damaged")
        return latest is not None and latest.stage in stages

    def offer(self, epoch: int, epochs: int, state: Callable[[], Checkpoint], *, unit: str = "epoch") -> None:
        """Write a checkpoint if one is due, after the last epoch, or if the run is to stop, and then stop it."""
        stops = self.run.should_stop is not None and self.run.should_stop()
        if self.cadence.is_due() or stops or epoch == epochs:
            self._keep(state())
        if stops:
            raise Interrupted(f"interrupted after {unit} {epoch} of {epochs}{self.safe_checkpoint()}")

    def _keep(self, checkpoint: Checkpoint) -> None:
        started = time.perf_counter()
        try:
            self.folder.keep(checkpoint)
        except HyperconeError as error:
            raise type(error)(f"{error}{self.safe_checkpoint()}") from error
        self.cadence.wrote(started)

    def safe_checkpoint(self) -> str:
        """Which checkpoint is safe, and in which folder."""
        if not self.folder.lock.is_in_place():
            return ""
        if not self.folder.entries:
            return f"; {self.run.folder} holds no checkpoint yet"
        newest = self.folder.entries[0]
        return f"; the checkpoint of {newest.stage} epoch {newest.epoch} is safe in {self.run.folder}"


@dataclass(frozen=True)
class FitContext:
    """What every long step of a fit gets: a callback for progress, and the checkpoints."""

    progress: OnProgress | None = None
    checkpoints: Checkpoints = field(default_factory=Checkpoints)


# Without progress reports and without checkpoints.
DEFAULT_CONTEXT = FitContext()
