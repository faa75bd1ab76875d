"""Two runs never share a folder, and a dead one never keeps the living out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from hypercone.errors import InputError
from hypercone.runs.folder import hold_lock

HOLDER = "import sys, time; from pathlib import Path; from hypercone.runs.folder import hold_lock\n"
HOLDER += "with hold_lock(Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(60)"


def test_a_folder_is_locked_by_one_and_free_again_afterwards(tmp_path):
    for _ in range(2):
        with hold_lock(tmp_path):
            words = rf"in use by another run \(process {os.getpid()}\); wait until it ends, or give another folder"
            with pytest.raises(InputError, match=words), hold_lock(tmp_path):
                pass


def test_a_killed_process_lets_go_of_its_lock(tmp_path):
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    with holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(InputError, match=f"process {holder.pid}"), hold_lock(tmp_path):
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with hold_lock(tmp_path):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"
