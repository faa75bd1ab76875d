"""No command uses the network: every attempt would be refused and logged, and the log is empty."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence

import pytest
from tests.support.supply import BASE_COMMANDS, EDGES

import hypercone
from hypercone.cli.main import COMMANDS
from hypercone.data import load_dataset
from hypercone.reproduce.released_split import write_released_split

# Read by every interpreter in this environment, including the workers of a command. The address of a socket between
# processes of one machine is a path; that of a network socket is a tuple.
GUARD = """
import os, sys

ALWAYS = ("socket.getaddrinfo", "socket.gethostby", "socket.getnameinfo", "urllib.", "http.client.", "ftplib.",
          "smtplib.", "imaplib.", "poplib.", "nntplib.", "telnetlib.", "webbrowser.")
ADDRESSED = ("socket.connect", "socket.sendto", "socket.sendmsg")
LISTENING = ("socket.bind", "socket.__new__")

def guard(event, arguments):
    if not event.startswith(("socket.", *ALWAYS)):
        return
    may_listen = bool(os.environ.get("MAY_LISTEN"))
    if may_listen and event == "socket.getaddrinfo" and arguments[0] == "127.0.0.1":
        return  # A numeric address needs no name server.
    to_network = any(isinstance(argument, tuple) for argument in arguments)
    of_network = event == "socket.__new__" and arguments[1] in (2, 10)
    listens = event in LISTENING and (to_network or of_network) and not may_listen
    if event.startswith(ALWAYS) or (event in ADDRESSED and to_network) or listens:
        with open(os.environ["ATTEMPTS"], "a") as log:
            log.write(f"{event} {arguments}\\n")
        raise PermissionError(f"{event} reaches for the network")

sys.addaudithook(guard)
"""
RUN_ALL = """
import json, sys
from hypercone.cli.main import main
print("\\n" + json.dumps([main(arguments) for arguments in json.loads(sys.argv[1])]))
"""


@pytest.fixture
def guarded(tmp_path, monkeypatch):
    """Interpreters that start here are guarded; returns a function that reads the logged attempts."""
    (tmp_path / "guard").mkdir()
    (tmp_path / "guard" / "sitecustomize.py").write_text(GUARD)
    (tmp_path / "edges.tsv").write_text(EDGES)
    path = os.pathsep.join(filter(None, [str(tmp_path / "guard"), os.environ.get("PYTHONPATH")]))
    monkeypatch.setenv("PYTHONPATH", path)
    log = tmp_path / "attempts"
    monkeypatch.setenv("ATTEMPTS", str(log))
    monkeypatch.chdir(tmp_path)
    return lambda: log.read_text().splitlines() if log.exists() else []


MORE_COMMANDS = """
fit edges.tsv -o learned --quiet --method order --dim 2 --epochs 2 --run checkpoints
export model points.parquet
plot model -o picture.svg
reproduce table1 --split tree.tsv --methods order --dims 2 --seeds 1 --jobs 1 -o out
demo --source tree-2-3 -o demo
"""


def test_no_command_uses_the_network(guarded, tmp_path):
    tree = load_dataset("tree-3-4")
    write_released_split([tree.split(50)], tree, tmp_path / "tree.tsv")
    every = [*BASE_COMMANDS, *map(str.split, MORE_COMMANDS.strip().splitlines())]
    assert {arguments[0] for arguments in every} == set(COMMANDS) - {"serve"}
    done = _python(RUN_ALL, json.dumps(every), inside=_without_network())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [0] * len(every), done.stderr
    assert "poodle is a: animal, dog" in done.stdout
    assert guarded() == []


def _without_network() -> list[str]:
    """A prefix that runs a command where there is no network at all, if users of this machine may do that."""
    alone = ["unshare", "--map-root-user", "--net"]
    if not shutil.which("unshare") or subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        return []
    # The control: not even this machine itself can be reached.
    connect = "import socket; socket.create_connection(('127.0.0.1', 9), 1)"
    found = subprocess.run([*alone, sys.executable, "-I", "-c", connect], capture_output=True, text=True, check=False)
    assert "Network is unreachable" in found.stderr
    return alone


@pytest.mark.parametrize(
    ("attempt", "event"),
    [
        ("import socket; socket.create_connection(('192.0.2.1', 9), 1)", "socket.getaddrinfo"),
        ("import socket; socket.socket().connect(('192.0.2.1', 9))", "socket.__new__"),
        ("import urllib.request; urllib.request.urlopen('http://192.0.2.1/', timeout=1)", "urllib.Request"),
        ("import http.client; http.client.HTTPConnection('192.0.2.1', timeout=1).connect()", "http.client.connect"),
        ("import subprocess, sys; subprocess.run([sys.executable, '-c', 'import socket; socket.socket()'])", "socket."),
    ],
)
def test_an_attempt_is_refused_and_logged(guarded, attempt, event):
    done = _python(attempt)
    assert "reaches for the network" in done.stderr
    assert guarded()[0].startswith(event)


def test_the_service_listens_and_connects_to_nothing(guarded, monkeypatch):
    hypercone.fit(hypercone.read("edges.tsv")).save("model")
    monkeypatch.setenv("MAY_LISTEN", "1")
    program = "import sys; from hypercone.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "serve", "model", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            said = next(line for line in server.stdout if "http://" in line)
            url = said[said.index("http://") :].split()[0].rstrip(".,;/")
            while _status(url + "/readyz") == 503:
                time.sleep(0.05)
            assert [_status(url + path) for path in ("/", "/openapi.json", "/v1/models")] == [200] * 3
        finally:
            server.send_signal(signal.SIGTERM)
    assert guarded() == []
    # The control: a process that may listen may still not connect.
    assert "reaches for the network" in _python("import socket; socket.socket().connect(('192.0.2.1', 9))").stderr
    assert guarded()[0].startswith("socket.connect")


def _status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def _python(code: str, *arguments: str, inside: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    command = [*inside, sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
