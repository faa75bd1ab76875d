"""Stop a service under load again and again, and count the requests that were accepted and never answered.

    hypercone fit wordnet-nouns --method nested-caps --dim 5 -o nouns-5
    python -m tools.service_stop nouns-5 --rounds 20 -o benchmarks/results/service_stop.json

A round starts a service, puts it under the load of twenty clients, sends SIGTERM after some hundred answers, and lets
every client go on until the system refuses its connection. Definitions:

- *sent*: the client's ``connect`` succeeded, or its open connection was not announced as closing, and it went to send;
- *answered*: the whole response arrived, of whatever status (503 counts, and is also counted by itself);
- *refused*: ``connect`` itself failed, so that not a byte of a request was ever sent;
- *lost*: everything else: a reset or an end before, within or instead of a response, and also an open connection that
  the service closed between two requests without having said ``Connection: close`` in its last answer.

None may be lost. Some clients are silent for 0.3 s between requests; the service waits 0.5 s for them. A client that
was silent for longer than that, by its own clock, and then finds its connection closed, is counted apart: every HTTP
server may do so. The control arm does the same with SIGKILL, which drains nothing: it shows that this load loses
requests where a server just ends.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any

from hypercone._system import describe_machine
from hypercone.embedding import load
from hypercone.errors import HyperconeError
from tools.served import Served, served

ANSWERS = 200
# hypercone.service.server waits that long for idle connections.
LAST_CALL_SECONDS = 0.5
SILENT = "closed after a longer silence"
SIGNALS = {"drained (SIGTERM)": signal.SIGTERM, "control (SIGKILL)": signal.SIGKILL}


class Client(threading.Thread):
    """Sends one request after another, on new connections or on an open one, until it is refused."""

    def __init__(self, where: Served, request: bytes, reuses: bool, pause: float = 0.0, gap: float = 0.0) -> None:
        super().__init__(daemon=True)
        self.address, self.request, self.reuses = where.address, request, reuses
        self.pause, self.gap = pause, gap
        self.counts: Counter[str] = Counter()
        self.connection: socket.socket | None = None
        self.heard = self.spoke = 0.0
        self.losses: list[str] = []

    def run(self) -> None:
        """Send requests until a connection is refused."""
        while self.counts["refused"] == 0:
            time.sleep(self.gap)
            try:
                connection = self.connection or self.connect()
            except OSError:
                self.counts["refused"] += 1
                return
            self.counts["sent"] += 1
            try:
                self.connection = self.exchange(connection)
            except (OSError, HTTPException) as error:
                # Measured, because a busy machine can delay any client.
                was_silent = self.spoke - self.heard > LAST_CALL_SECONDS
                self.counts[SILENT if was_silent else "lost"] += 1
                self.losses.append(f"{type(error).__name__} after {self.spoke - self.heard:.3f} s of silence")
                self.connection = None
                connection.close()

    def connect(self) -> socket.socket:
        """A new connection, which the system has accepted for the service."""
        connection = socket.create_connection(self.address, timeout=20)
        self.heard = time.monotonic()
        return connection

    def exchange(self, connection: socket.socket) -> socket.socket | None:
        """Send the request, read the whole response; the connection, if it may be used again."""
        half = len(self.request) // 2
        try:
            connection.sendall(self.request[:half])
        finally:
            self.spoke = time.monotonic()
        # A request that is under way when the signal comes: its head was read, the rest is still to come.
        time.sleep(self.pause)
        connection.sendall(self.request[half:])
        response = HTTPResponse(connection)
        response.begin()
        length = int(response.headers["Content-Length"])
        if len(response.read()) != length:
            raise HTTPException("cut off")
        self.heard = time.monotonic()
        self.counts["answered"] += 1
        self.counts["of these with 503"] += response.status == 503
        self.counts["of these on an open connection"] += self.connection is connection
        if self.reuses and not response.will_close:
            return connection
        connection.close()
        return None


def requests_of(names: list[str]) -> dict[str, bytes]:
    """One-pair questions, batches, and searches that take a while."""

    def post(path: str, body: dict[str, Any]) -> bytes:
        content = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content

    return {
        "one pair": post("/v1/is-a", {"pairs": [names[:2]]}),
        "batch": post("/v1/is-a", {"pairs": [random.sample(names, 2) for _ in range(5_000)]}),
        "nearest": post("/v1/nearest", {"names": names[:200], "limit": 10}),
        "health": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    }


def clients_of(where: Served, requests: dict[str, bytes]) -> list[Client]:
    kinds: list[Callable[[bytes], Client]] = [
        lambda request: Client(where, request, reuses=True),
        lambda request: Client(where, request, reuses=False),
        lambda request: Client(where, request, reuses=True, pause=0.02),
        lambda request: Client(where, request, reuses=False, pause=0.02),
        lambda request: Client(where, request, reuses=True, gap=0.3),
    ]
    return [make(request) for request in requests.values() for make in kinds]


def one_round(folder: str, requests: dict[str, bytes], stop: signal.Signals) -> Counter[str]:
    """The counts of one service, from its start to its end."""
    with served(folder) as where:
        clients = clients_of(where, requests)
        for client in clients:
            client.start()
        while sum(client.counts["answered"] for client in clients) < ANSWERS:
            time.sleep(0.01)
        time.sleep(random.random() / 10)
        began = time.monotonic()
        where.process.send_signal(stop)
        code = where.process.wait(60)
        ended = time.monotonic() - began
        for client in clients:
            client.join(30)
        counts: Counter[str] = Counter(
            dict.fromkeys(("sent", "answered", "of these with 503", "refused", "lost", SILENT), 0)
        )
        for client in clients:
            counts.update(client.counts)
            if stop == signal.SIGTERM and client.losses:
                print(client.losses, file=sys.stderr)
        counts["clients left hanging"] = sum(client.is_alive() for client in clients)
        counts["milliseconds to the end"] = round(1e3 * ended)
        counts["ended with another code than 0"] = int(stop == signal.SIGTERM and code != 0)
        counts["tracebacks"] = int("Traceback" in where.log.read_text())
        return counts


def one_arm(folder: str, rounds: int, stop: signal.Signals) -> dict[str, Any]:
    random.seed(1)
    requests = requests_of(random.sample(list(load(folder).names), 500))
    found = [one_round(folder, requests, stop) for _ in range(rounds)]
    keys = sorted(set().union(*found) - {"milliseconds to the end"})
    slowest = max(counts["milliseconds to the end"] for counts in found)
    total = {key: sum(counts[key] for counts in found) for key in keys}
    return {"rounds": rounds, "longest_stop_seconds": slowest / 1e3} | total


def markdown(arms: dict[str, dict[str, Any]]) -> str:
    """The table for the docs."""
    lines = ["| stop | rounds | sent | answered | refused | lost | longest stop |", "|---|---|---|---|---|---|---|"]
    for name, arm in arms.items():
        lines.append(
            f"| {name} | {arm['rounds']} | {arm['sent']:,} | {arm['answered']:,} | {arm['refused']:,} | "
            f"{arm['lost']:,} | {arm['longest_stop_seconds']:.1f} s |"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a model folder")
    parser.add_argument("--rounds", type=int, default=20, help="services to stop (and a quarter as many to kill)")
    parser.add_argument("-o", "--output", type=Path, help="the JSON file to write")
    options = parser.parse_args()
    counts = {signal.SIGTERM: options.rounds, signal.SIGKILL: max(1, options.rounds // 4)}
    try:
        arms = {name: one_arm(options.model, counts[stop], stop) for name, stop in SIGNALS.items()}
    except HyperconeError as error:
        print(f"service_stop: {error}", file=sys.stderr)
        return 2
    print(json.dumps(arms, indent=1))
    if options.output:
        options.output.write_text(json.dumps({"machine": describe_machine(), "arms": arms}, indent=1) + "\n")
        options.output.with_suffix(".md").write_text(markdown(arms))
    return int(arms["drained (SIGTERM)"]["lost"] > 0)


if __name__ == "__main__":
    sys.exit(main())
