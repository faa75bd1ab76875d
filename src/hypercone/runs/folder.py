"""The folder of a run: its lock, its manifest, and how checkpoints are written and found again.

::

    lock                           held while a run is at work; the system frees it when the run dies
    run.json                       what is run: settings, data, version (sealed)
    manifest.json                  the checkpoints, newest first, with their checksums and small state (sealed)
    checkpoint-STAGE-EPOCH.safetensors   the arrays; two are kept

A checkpoint is written beside its place, flushed to the disk, renamed, and only then named by the manifest, which is
replaced in the same way: whenever a run is killed, the manifest names checkpoints that are whole.
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
# Larger than the validations of a million epochs need.
LARGEST = 64 << 20


@dataclass(frozen=True)
class Entry:
    """One checkpoint: its file with size and checksum, and the facts that go with its arrays."""

    file: str
    bytes: int
    sha256: str
    stage: str
    epoch: int
    facts: dict[str, Any]


def manifest_text(entries: list[Entry]) -> str:
    """The manifest as it is written."""
    return with_checksum(_headed({"checkpoints": [asdict(entry) for entry in entries]}))


def read_manifest(path: Path) -> list[Entry]:
    """The entries of a manifest; ModelFileError if it cannot be trusted."""
    listed = read_with_header(path).get("checkpoints")
    try:
        entries = [Entry(**values) for values in listed] if isinstance(listed, list) else None
    except TypeError:
        entries = None
    if entries is None or not all(_is_sound(entry) for entry in entries):
        raise ModelFileError(f"{path}: does not list checkpoints; the file is damaged")
    return entries


def run_text(identity: dict[str, Any]) -> str:
    """The description of a run as it is written."""
    return with_checksum(_headed({"identity": identity}))


def read_with_header(path: Path) -> dict[str, Any]:
    """The values of a run's sealed file, if it is one and of a version that this program knows."""
    values = read_checksummed(path, LARGEST)
    if values.get("format") != FORMAT:
        raise ModelFileError(f"{path}: is not a run's; give the folder of a run")
    version = values.get("format_version")
    if not isinstance(version, int) or version > FORMAT_VERSION:
        raise ModelFileError(f"{path}: is of a newer format than this program reads; upgrade hypercone")
    return values


def _headed(values: dict[str, Any]) -> dict[str, Any]:
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
    """The open folder of a run that holds its lock."""

    def __init__(self, lock: Lock, entries: list[Entry], latest: Checkpoint | None) -> None:
        self.lock, self.path = lock, lock.path.parent
        self.entries = entries
        self.latest = latest

    def keep(self, checkpoint: Checkpoint) -> None:
        """Write a checkpoint, name it in the manifest, and remove what is older than the two newest."""
        if not self.lock.is_in_place():
            raise InputError(f"{self.path}: was removed or replaced while the run was at work; begin it again")
        entry = self.write_checkpoint(checkpoint)
        before = self.entries
        self.entries = [entry, *(other for other in before if other.file != entry.file)][:KEPT]
        try:
            self.write_manifest()
        except BaseException:
            # What the manifest does not name is not kept.
            self.entries = before
            raise
        with translating_os_errors(self.path):
            self.remove_unnamed()

    def write_checkpoint(self, checkpoint: Checkpoint) -> Entry:
        """The arrays, on the disk under their own name."""
        content = to_bytes(checkpoint)
        with new_file(self.path / checkpoint.file_name) as temporary:
            temporary.write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        return Entry(checkpoint.file_name, len(content), digest, checkpoint.stage, checkpoint.epoch, checkpoint.facts)

    def write_manifest(self) -> None:
        """The list of what is kept, on the disk."""
        with new_file(self.path / MANIFEST) as temporary:
            temporary.write_text(manifest_text(self.entries), encoding="utf-8")

    def remove_unnamed(self) -> None:
        """Remove the checkpoints that the manifest does not name, and temporaries of the dead, and nothing else."""
        named = {entry.file for entry in self.entries}
        for path in self.path.iterdir():
            if FILE_NAME.fullmatch(path.name) and path.name not in named:
                path.unlink(missing_ok=True)
        remove_leftovers(self.path)


@contextlib.contextmanager
def open_run(run: Checkpointing, identity: Identity) -> Iterator[RunFolder]:
    """The folder of a run, locked during the block: a new one, or with ``run.resume`` the one that is there."""
    folder = run.path
    with contextlib.ExitStack() as stack:
        with translating_os_errors(Path(run.folder)):
            if folder.exists() and not folder.is_dir():
                raise InputError(f"{run.folder}: is a file; give a folder for the run")
            folder.mkdir(parents=True, exist_ok=True)
            _refuse_others(run)
            lock = stack.enter_context(hold_lock(folder))
            found = RunFolder(lock, *(_found(run, identity) if (folder / RUN).exists() else _begun(run, identity)))
            # Of a run that was killed; nobody else writes here while this one holds the lock.
            found.remove_unnamed()
        yield found


Found = tuple[list[Entry], Checkpoint | None]


def _refuse_others(run: Checkpointing) -> None:
    """InputError if the folder holds anything and is not a run's."""
    names = {path.name for path in run.path.iterdir() if not path.name.startswith(f".{RUN}.")}
    if names - {LOCK} and RUN not in names:
        raise InputError(f"{run.folder}: is a folder with other things in it; give a new one for the run")


def _begun(run: Checkpointing, identity: Identity) -> Found:
    if run.resume:
        run.say(f"{run.folder} holds no run yet; starting from the beginning")
    with new_file(run.path / RUN) as temporary:
        temporary.write_text(run_text(identity), encoding="utf-8")
    return [], None


def _found(run: Checkpointing, identity: Identity) -> Found:
    was = read_with_header(run.path / RUN).get("identity")
    if not isinstance(was, dict):
        raise ModelFileError(f"{run.path / RUN}: does not say what is run; the file is damaged")
    entries = _listed(run.path)
    if not run.resume:
        reached = f"{entries[0].stage}, epoch {entries[0].epoch}" if entries else "without a checkpoint yet"
        raise InputError(
            f"{run.folder}: holds a run already ({reached}); go on with it by {option('resume', True)}, or give a new"
            " folder"
        )
    if changed := differences(was, identity):
        raise InputError(
            f"{run.folder}: was begun otherwise: {'; '.join(changed)}; give the same again, or a new folder"
        )
    return _whole(run, entries)


def _listed(folder: Path) -> list[Entry]:
    if (folder / MANIFEST).exists():
        return read_manifest(folder / MANIFEST)
    # Killed before its first manifest a run leaves one checkpoint at most; with more, the manifest was lost.
    if sum(FILE_NAME.fullmatch(path.name) is not None for path in folder.iterdir()) > 1:
        raise ModelFileError(f"{folder / MANIFEST}: is missing, but there are checkpoints; restore it, or begin anew")
    return []


def _whole(run: Checkpointing, entries: list[Entry]) -> Found:
    """The newest checkpoint that is whole, at the head of those that are kept: a damaged one must not oust a whole."""
    if not entries:
        run.say(f"{run.folder} holds no checkpoint yet; starting from the beginning")
        return [], None
    for i, entry in enumerate(entries):
        try:
            return entries[i:], _read(run.path, entry)
        except ModelFileError as error:
            if isinstance(error.__cause__, OSError):
                # What cannot be read now may be whole.
                raise
            run.say(f"{error}{'; trying the one before' if entry is not entries[-1] else ''}")
    raise ModelFileError(f"{run.folder}: no checkpoint is whole; begin anew in another folder")


def _read(folder: Path, entry: Entry) -> Checkpoint:
    path = folder / entry.file
    content = read_regular(path, entry.bytes)
    if hashlib.sha256(content).hexdigest() != entry.sha256:
        raise ModelFileError(f"{path}: does not match its checksum; the file was damaged or replaced")
    return Checkpoint(entry.stage, entry.epoch, arrays_from(path, content), entry.facts)


LOCK = "lock"


class Lock:
    """A lock that is held."""

    def __init__(self, path: Path, file: IO[str]) -> None:
        self.path, self.file = path, file

    def is_in_place(self) -> bool:
        """Whether the file at its path is still the one that is locked, and not gone with its folder or replaced."""
        try:
            return os.path.samestat(os.fstat(self.file.fileno()), os.stat(self.path))
        except OSError:
            return False


@contextlib.contextmanager
def hold_lock(folder: Path) -> Iterator[Lock]:
    """Hold the folder's lock during the block; InputError if another run holds it.

    The file stays behind: to remove it could free a lock that somebody else has just taken.
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
        file.seek(1 << 20)  # Beyond the text, which others may read.
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


# The stages of a fit, in their order: a checkpoint of one makes those before it needless.
NESTED, FREE, PRETRAINING, TRAINING = STAGES = ("nested", "free", "pretraining", "training")


class Checkpoints:
    """For a fit that is not kept anywhere: there is nothing to go on from, and nothing is written."""

    def of(self, stage: str, epochs: int) -> Checkpoint | None:
        """Where the stage of so many epochs was, if an earlier run got that far and no further."""
        return None

    def offer(self, epoch: int, epochs: int, state: Callable[[], Checkpoint], *, unit: str = "epoch") -> None:
        """Say that so many epochs of all are done; the state is asked for only if it is to be written."""

    def kept(self) -> str:
        """What is safe, in words to end a sentence of bad news with."""
        return ""


class FolderCheckpoints(Checkpoints):
    """For a fit with a run's folder."""

    def __init__(self, run: Checkpointing, folder: RunFolder) -> None:
        self.run, self.folder = run, folder
        self.cadence = Cadence(run)

    def of(self, stage: str, epochs: int) -> Checkpoint | None:
        """The run's newest checkpoint, if it is of this stage."""
        latest = self.folder.latest
        if latest is None:
            return None
        if latest.stage not in STAGES:
            raise ModelFileError(f"{self.run.folder}: there is no stage {latest.stage!r}; the manifest is damaged")
        if latest.stage != stage:
            return None
        if latest.epoch > epochs:
            raise ModelFileError(f"{self.run.path / latest.file_name}: is beyond the {epochs} epochs of this run")
        return latest

    def offer(self, epoch: int, epochs: int, state: Callable[[], Checkpoint], *, unit: str = "epoch") -> None:
        """Write it if it is due, if it is the last, or if the run is to stop, which it then does."""
        stops = self.run.should_stop is not None and self.run.should_stop()
        if self.cadence.is_due() or stops or epoch == epochs:
            self._keep(state())
        if stops:
            raise Interrupted(f"interrupted after {unit} {epoch} of {epochs}{self.kept()}")

    def _keep(self, checkpoint: Checkpoint) -> None:
        started = time.perf_counter()
        try:
            self.folder.keep(checkpoint)
        except HyperconeError as error:
            raise type(error)(f"{error}{self.kept()}") from error
        self.cadence.wrote(started)

    def kept(self) -> str:
        """Which checkpoint is safe, and where."""
        if not self.folder.lock.is_in_place():
            return ""
        if not self.folder.entries:
            return f"; {self.run.folder} holds no checkpoint yet"
        newest = self.folder.entries[0]
        return f"; the checkpoint of {newest.stage} epoch {newest.epoch} is safe in {self.run.folder}"


@dataclass(frozen=True)
class FitContext:
    """What every long step of a fit is given: whom it tells how far it is, and what keeps it safe."""

    progress: OnProgress | None = None
    checkpoints: Checkpoints = field(default_factory=Checkpoints)


# Of a step that nobody watches and that is kept nowhere.
DEFAULT_CONTEXT = FitContext()
