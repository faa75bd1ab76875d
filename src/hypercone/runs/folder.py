"""The folder of a run.

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
from collections.abc import Iterator
from pathlib import Path

from hypercone._files import new_file, read_regular, remove_leftovers, speaking_of
from hypercone.errors import InputError, ModelFileError
from hypercone.runs.checkpoint import FILE_NAME, Checkpoint, arrays_from, to_bytes
from hypercone.runs.identity import Identity, differences
from hypercone.runs.lock import LOCK, Lock, locked
from hypercone.runs.manifest import Entry, manifest_text, read_headed, read_manifest, run_text
from hypercone.runs.run import Run

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
        with speaking_of(self.path):
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
def opened(run: Run, identity: Identity) -> Iterator[RunFolder]:
    """The folder of a run, locked during the block: a new one, or with ``run.resume`` the one that is there."""
    folder = run.path
    with contextlib.ExitStack() as stack:
        with speaking_of(Path(run.folder)):
            if folder.exists() and not folder.is_dir():
                raise InputError(f"{run.folder}: is a file; give a folder for the run")
            folder.mkdir(parents=True, exist_ok=True)
            _refuse_others(run)
            lock = stack.enter_context(locked(folder))
            found = RunFolder(lock, *(_found(run, identity) if (folder / RUN).exists() else _begun(run, identity)))
            # Of a run that was killed; nobody else writes here while this one holds the lock.
            found.remove_unnamed()
        yield found


Found = tuple[list[Entry], Checkpoint | None]


def _refuse_others(run: Run) -> None:
    """InputError if the folder holds anything and is not a run's."""
    names = {path.name for path in run.path.iterdir() if not path.name.startswith(f".{RUN}.")}
    if names - {LOCK} and RUN not in names:
        raise InputError(f"{run.folder}: is a folder with other things in it; give a new one for the run")


def _begun(run: Run, identity: Identity) -> Found:
    if run.resume:
        run.say(f"{run.folder} holds no run yet; starting from the beginning")
    with new_file(run.path / RUN) as temporary:
        temporary.write_text(run_text(identity), encoding="utf-8")
    return [], None


def _found(run: Run, identity: Identity) -> Found:
    was = read_headed(run.path / RUN).get("identity")
    if not isinstance(was, dict):
        raise ModelFileError(f"{run.path / RUN}: does not say what is run; the file is damaged")
    entries = _listed(run.path)
    if not run.resume:
        reached = f"{entries[0].stage}, epoch {entries[0].epoch}" if entries else "without a checkpoint yet"
        raise InputError(f"{run.folder}: holds a run already ({reached}); resume it, or give a new folder")
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


def _whole(run: Run, entries: list[Entry]) -> Found:
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
