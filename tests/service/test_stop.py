"""A stop under load loses no request that was accepted; a kill does, so that the count means something."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from hypercone.service.app import Service
from hypercone.service.server import ServiceServer, listening_socket

COUNTING = Path(__file__).parents[2] / "benchmarks" / "service_stop.py"
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def _everything(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(65536), b""))


def test_whoever_has_knocked_before_the_stop_is_answered(start_server: Callable[..., Any]) -> None:
    server = start_server()
    with ExitStack() as stack:
        connections = [stack.enter_context(server.open()) for _ in range(5)]
        # A process that stands still accepts nobody: who connects now waits in the system's queue.
        server.process.send_signal(signal.SIGSTOP)
        connections += [stack.enter_context(server.open()) for _ in range(50)]
        for connection in connections:
            connection.sendall(HEALTH)
        server.process.send_signal(signal.SIGTERM)
        server.process.send_signal(signal.SIGCONT)
        answers = [_everything(connection) for connection in connections]
    assert [answer[:12] for answer in answers] == [b"HTTP/1.1 200"] * 55
    assert server.process.wait(10) == 0


@pytest.mark.parametrize("turns", range(5))
def test_a_connection_is_answered_however_far_it_has_come_in_the_event_loop(
    make_service: Callable[..., Service], run: Callable[[Coroutine[Any, Any, Any]], Any], turns: int
) -> None:
    """Between the system's queue and a connection of ours lie some turns of the loop; a stop can begin at each."""
    with listening_socket("127.0.0.1", 0) as listener, ExitStack() as stack:

        async def stop_after_some_turns() -> None:
            server = ServiceServer(make_service(), listener)
            server.config.load()
            server.lifespan = server.config.lifespan_class(server.config)
            await server.startup([listener])
            for _ in range(20):
                connections.append(stack.enter_context(socket.create_connection(listener.getsockname(), timeout=10)))
                connections[-1].sendall(HEALTH)
            for _ in range(turns):
                await asyncio.sleep(0)
            await server.shutdown([listener])

        connections: list[socket.socket] = []
        run(stop_after_some_turns())
        assert [_everything(connection)[:12] for connection in connections] == [b"HTTP/1.1 200"] * 20


def test_what_is_in_flight_at_the_stop_is_answered_with_all_that_was_pipelined_behind_it(
    start_server: Callable[..., Any],
) -> None:
    server = start_server()
    body = json.dumps({"names": ["n0"] * 2_000, "count": 20}).encode()
    head = f"POST /v1/nearest HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    with server.open() as connection:
        connection.sendall(head.encode() + b"Content-Type: application/json\r\n\r\n" + body[:100])
        server.process.send_signal(signal.SIGTERM)
        # On a fast machine everything could be answered before the stop is noticed, and nothing would be in flight.
        server.wait_until_it_ends()
        connection.sendall(body[100:] + HEALTH * 5)
        everything = _everything(connection)
    assert everything.count(b"HTTP/1.1 200") == 6
    assert everything.lower().count(b"\r\nconnection: close\r\n") == 1
    assert server.process.wait(10) == 0


@pytest.fixture(scope="module")
def arms(service_model: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    output = tmp_path_factory.mktemp("stop") / "stop.json"
    command = [sys.executable, str(COUNTING), str(service_model), "--rounds", "1", "-o", str(output)]
    subprocess.run(command, check=False, capture_output=True, timeout=120)
    found: dict[str, dict[str, Any]] = json.loads(output.read_text())["arms"]
    return found


def test_a_stop_under_load_answers_every_request_it_accepted(arms: dict[str, dict[str, Any]]) -> None:
    drained = arms["drained (SIGTERM)"]
    assert drained["answered"] > 100
    assert drained["of these on a kept connection"] > 10
    assert drained["sent"] == drained["answered"] + drained["closed after a longer silence"]
    assert drained["lost"] == drained["clients left hanging"] == 0


def test_a_stop_under_load_ends_soon_and_cleanly(arms: dict[str, dict[str, Any]]) -> None:
    drained = arms["drained (SIGTERM)"]
    assert drained["longest_stop_seconds"] < 10
    assert drained["ended with another code than 0"] == drained["tracebacks"] == 0


def test_a_kill_loses_requests_so_the_count_can_fail(arms: dict[str, dict[str, Any]]) -> None:
    assert arms["control (SIGKILL)"]["lost"] > 0
