"""Bodies of requests that never come, while others ask."""

from __future__ import annotations

import http.client
import json
import resource
import socket
import threading
import time
from collections import Counter
from contextlib import ExitStack
from typing import Any

from tools.served import Served, served

TOKEN = "s3cret"
QUESTION = json.dumps({"pairs": [["r.0", "r"]]}).encode()
HEAD = (
    "POST /v1/is-a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    f"Content-Length: {len(QUESTION)}\r\n{{authorization}}\r\n"
)


class Asker(threading.Thread):
    """Asks a question on a new connection every 50 ms, and notes how long each answer took."""

    def __init__(self, where: Served, headers: dict[str, str]) -> None:
        super().__init__(daemon=True)
        self.where, self.headers = where, headers
        self.seconds: list[float] = []
        self.statuses: Counter[str] = Counter()
        self.ended = threading.Event()

    def run(self) -> None:
        """Ask until the end."""
        headers = {"Content-Type": "application/json", **self.headers}
        while not self.ended.wait(0.05):
            began = time.perf_counter()
            connection = http.client.HTTPConnection(*self.where.address, timeout=60)
            try:
                connection.request("POST", "/v1/is-a", QUESTION, headers)
                answer = connection.getresponse()
                answer.read()
                self.statuses[str(answer.status)] += 1
            except (OSError, http.client.HTTPException) as error:
                self.statuses[type(error).__name__] += 1
            finally:
                connection.close()
            self.seconds.append(time.perf_counter() - began)


def half_sent_bodies(
    folder: str, connections: int, *, token: bool, knows_token: bool = False, path: str | None = None
) -> dict[str, Any]:
    """What others get while so many connections have sent half of a body, until the last of these has timed out."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    authorization = {"Authorization": f"Bearer {TOKEN}"} if token else {}
    line = f"Authorization: Bearer {TOKEN if knows_token else 'guess'}\r\n" if token else ""
    half = HEAD.format(authorization=line).encode() + QUESTION[: len(QUESTION) // 2]
    with served(folder, path=path, token=TOKEN if token else None) as where, ExitStack() as stack:
        asker = Asker(where, authorization)
        asker.start()
        time.sleep(1.0)
        began = time.perf_counter()
        for _ in range(connections):
            stack.enter_context(socket.create_connection(where.address, timeout=60)).sendall(half)
        opened = time.perf_counter() - began
        # A service waits ten seconds for a body.
        time.sleep(14.0)
        asker.ended.set()
        asker.join(60)
    return {
        "connections": connections,
        "token": "none" if not token else "known" if knows_token else "not known",
        "opened_in_seconds": round(opened, 2),
        "asked": len(asker.seconds),
        "answered": asker.statuses["200"],
        "other_answers": {status: count for status, count in asker.statuses.items() if status != "200"},
        "longest_seconds": round(max(asker.seconds), 3),
    }
