"""A warm process that forks one child per trial.

Everything is loaded and compiled in the parent, so a trial costs a few milliseconds more than the command line it runs.
The parent is a process without threads; ``Parent`` is its client and exchanges lines of JSON with it.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.faults.kinds import KINDS
from tools.faults.points import SharedFacts, Witness

Fault = dict[str, Any]
Job = Callable[[Witness, list[str]], int]
# A process that forks must not have other threads.
ROOT = Path(__file__).parents[2]
SINGLE = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")

# From Linux's <sys/prctl.h>.
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Outcome:
    """How a child ended, what it had been doing, and what it said."""

    code: int
    out: str
    err: str
    seconds: float
    # What the shared memory held: the phase, the fault that fired, the counts of the points.
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def was_killed(self) -> bool:
        """Whether it ended by a kill, or by the alarm that ends it as abruptly."""
        return self.code in (-signal.SIGKILL, -signal.SIGALRM)

    @property
    def fired(self) -> str:
        """The fault that happened, or nothing."""
        return str(self.facts.get("fired", ""))

    @property
    def phase(self) -> str:
        """What it was doing."""
        return f"{self.facts.get('stage', '')} {self.facts.get('phase', '')}".strip()


class Parent:
    """The client: starts the warm process, requests children, and receives how they ended."""

    def __init__(self, warm_up: Sequence[Sequence[str]] = ()) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tools.faults.processes", json.dumps(list(warm_up))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | SINGLE | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        )
        self._receive()

    def close(self) -> None:
        """Let the warm process end, with any child that is left."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()

    def run(
        self, *arguments: object, faults: Sequence[Fault] = (), kill_after: float | None = None, job: str = "command"
    ) -> Outcome:
        """Run a command to its end, or kill it so many seconds after it is ready."""
        pid = self.start(*arguments, faults=faults, job=job)
        return self.wait(pid, kill_after)

    def start(self, *arguments: object, faults: Sequence[Fault] = (), job: str = "command") -> int:
        """Begin a command; its process id."""
        request = {"do": "start", "job": job, "arguments": list(map(str, arguments)), "faults": list(faults)}
        return int(self._request(request)["pid"])

    def wait(self, pid: int, kill_after: float | None = None) -> Outcome:
        """The end of a child that was started."""
        return Outcome(**self._request({"do": "wait", "pid": pid, "kill_after": kill_after}))

    def wait_until(self, pid: int, fact: str) -> None:
        """Until the child has noted that something is so."""
        self._request({"do": "until", "pid": pid, "fact": fact})

    def _request(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return self._receive()

    def _receive(self) -> dict[str, Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the parent process of the faults has died")
        answer: dict[str, Any] = json.loads(line)
        return answer


@dataclass
class Child:
    """A forked child: the memory it shares, the folder it writes to, and when it began."""

    shared: SharedFacts
    folder: Path
    began: float


class Server:
    """What runs in the warm process."""

    def __init__(self) -> None:
        self.children: dict[int, Child] = {}

    def start(self, job: str, arguments: list[str], faults: list[Fault]) -> dict[str, Any]:
        """Fork a child for a job."""
        child = Child(SharedFacts(), Path(tempfile.mkdtemp(prefix="fault-")), time.monotonic())
        pid = os.fork()
        if pid == 0:
            run_child(child, JOBS[job], arguments, faults)
        self.children[pid] = child
        return {"pid": pid}

    def until(self, pid: int, fact: str) -> dict[str, Any]:
        """Wait for a fact in the shared memory, or for the end of the child."""
        while not self.children[pid].shared.read().get(fact) and not _has_ended(pid):
            time.sleep(0.0005)
        return {}

    def wait(self, pid: int, kill_after: float | None) -> dict[str, Any]:
        """How a child ended."""
        if kill_after is not None:
            self.until(pid, "ready")
            time.sleep(kill_after)
            if not _has_ended(pid):
                os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        child = self.children.pop(pid)
        seconds = time.monotonic() - child.began
        texts = {name: (child.folder / name).read_text(errors="replace") for name in ("out", "err")}
        for name in texts:
            (child.folder / name).unlink()
        child.folder.rmdir()
        code = os.waitstatus_to_exitcode(status)
        return {"code": code, "seconds": seconds, "facts": child.shared.read(), **texts}

    def end(self) -> None:
        """Kill the children that are left."""
        for pid in self.children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _has_ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def run_child(
    child: Child, job: Callable[[Witness, list[str]], int], arguments: list[str], faults: list[Fault]
) -> None:
    """Run a job in a child process; this never returns."""
    code = 1
    witness = Witness(child.shared)
    try:
        for number, name in enumerate(("in", "out", "err")):
            path = os.devnull if name == "in" else child.folder / name
            os.dup2(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), number)
        # A child must not hold the parent's pipes open, and must not outlive its parent.
        os.closerange(3, 256)
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        # A job in the background ignores Ctrl-C; the child has to behave as in a terminal.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for fault in faults:
            KINDS[fault["kind"]](witness, **{name: value for name, value in fault.items() if name != "kind"})
        # Last, so that a phase is noted before a fault within it.
        witness.watch()
        code = job(witness, arguments)
        sys.stdout.flush()
        witness.report(calls=witness.calls, seconds=witness.seconds)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def run_command(witness: Witness, arguments: list[str]) -> int:
    """The command line as a user gives it."""
    from hypercone.cli.main import main

    return main(arguments)


def save_in_turn(witness: Witness, arguments: list[str]) -> int:
    """Save the models at some places to one place, one after the other, until killed."""
    from hypercone.embedding import load

    *sources, target = arguments
    embeddings = [load(source) for source in sources]
    while True:
        for embedding in embeddings:
            embedding.save(target)
            witness.ready()


def save_once(witness: Witness, arguments: list[str]) -> int:
    """Save the model at one place to another."""
    from hypercone.embedding import load

    load(arguments[0]).save(arguments[1])
    return 0


JOBS = {"command": run_command, "save in turn": save_in_turn, "save once": save_once}


def serve(answers: int) -> None:
    """Answer each line of JSON, until there are no more."""
    server = Server()
    with os.fdopen(answers, "w") as stream:
        stream.write("{}\n")
        stream.flush()
        for line in sys.stdin:
            request = json.loads(line)
            answer = getattr(server, request.pop("do"))(**request)
            stream.write(json.dumps(answer) + "\n")
            stream.flush()
        server.end()


def main() -> int:
    # The output of the warm-up commands must not be read as an answer.
    answers = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    from hypercone.cli.main import main as command

    with tempfile.TemporaryDirectory() as folder:
        for number, arguments in enumerate(json.loads(sys.argv[1])):
            code = command([*arguments, "-o", f"{folder}/{number}"])
            assert code == 0, f"{arguments} ended with {code}"
    serve(answers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
