"""A server starts, gets ready and stops; a stop loses no accepted request, and a kill does (the control arm)."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from hypercone import _jit, fit
from hypercone.errors import InputError
from hypercone.service.server import ServiceServer, listening_socket, serve

PROJECT = Path(__file__).parents[2]
ASKED = b"GET /v1/is-a?child=n3&parent=n0 HTTP/1.1\r\nHost: localhost\r\n\r\n"
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def test_while_loading_only_the_health_check_succeeds(make_service, asked):
    service = make_service(ready=False)
    assert asked(service, "GET", "/healthz").status_code == 200
    for path, method in [("/readyz", "GET"), ("/v1/models", "GET"), ("/v1/is-a", "POST"), ("/", "GET")]:
        answer = asked(service, method, path)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert asked(service, "GET", "/readyz").json() == {"status": "loading"}
    service.get_ready()
    assert asked(service, "GET", "/readyz").json() == {"status": "ready"}
    assert asked(service, "GET", "/v1/models").status_code == 200


@pytest.mark.parametrize(("fixed", "served"), [("auto", "compiled"), ("plain", "plain"), ("compiled", "compiled")])
def test_a_server_compiles_before_it_is_ready_unless_the_tier_is_fixed(monkeypatch, fixed, served):
    tiers = []
    monkeypatch.setattr(ServiceServer, "run", lambda self: tiers.append(_jit.TIER))
    with _jit.use_tier(fixed):
        serve(fit("tree-2-3", dim=2), port=0)
        assert (tiers, _jit.TIER) == ([served], fixed)


def test_while_draining_readiness_fails_and_questions_are_answered(make_service, asked):
    service = make_service()
    service.start_draining()
    answer = asked(service, "GET", "/readyz")
    assert (answer.status_code, answer.json()) == (503, {"status": "draining"})
    assert asked(service, "GET", "/v1/is-a?child=dog&parent=animal").status_code == 200
    service.get_ready()
    assert service.state == "draining"


def test_head_is_get_without_the_body(server):
    connection = HTTPConnection(*server.address, timeout=10)
    for path in ["/healthz", "/v1/is-a?child=n3&parent=n0", "/v1/is-a?child=n3"]:
        found = []
        for method in ("GET", "HEAD"):
            connection.request(method, path)
            answer = connection.getresponse()
            found.append((answer.status, answer.headers["content-length"], answer.read()))
        assert found[0][:2] == found[1][:2]
        assert found[1][2] == b""
    connection.close()


def _everything(connection):
    return b"".join(iter(lambda: connection.recv(65536), b""))


def test_requests_in_progress_during_a_stop_are_answered_with_all_pipelined_ones(start_server):
    server = start_server()
    body = json.dumps({"names": ["n0"] * 2_000, "count": 20}).encode()
    head = b"POST /v1/nearest HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with server.open() as persistent, server.open() as half, server.open() as many, server.open() as large:
        persistent.sendall(ASKED)
        first = HTTPResponse(persistent)
        first.begin()
        assert json.loads(first.read())["is_a"]
        half.sendall(ASKED[:30])
        large.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body[:100])
        time.sleep(0.1)
        server.process.send_signal(signal.SIGTERM)
        many.sendall(ASKED * 20)
        # Otherwise a fast machine could answer everything before it notices the stop.
        server.wait_until_it_ends()
        persistent.sendall(ASKED)
        half.sendall(ASKED[30:])
        large.sendall(body[100:] + HEALTH * 5)
        for connection in (persistent, half):
            answer = _everything(connection)
            assert answer.startswith(b"HTTP/1.1 200")
            assert b"connection: close" in answer
            assert json.loads(answer.split(b"\r\n\r\n", 1)[1])["is_a"]
        assert _everything(many).count(b"HTTP/1.1 200") == 20
        answers = _everything(large)
        assert answers.count(b"HTTP/1.1 200") == 6
        assert answers.lower().count(b"\r\nconnection: close\r\n") == 1
    assert server.process.wait(15) == 0
    assert server.process.stdout.read() == "", "one line when it listens, and no more"
    assert server.log.read_text() == ""
    with pytest.raises(ConnectionRefusedError):
        server.open().close()


def test_an_idle_client_does_not_delay_a_stop(start_server):
    server = start_server("--deadline", "2")
    with server.open(), server.open() as half:
        half.sendall(ASKED[:30])
        began = time.monotonic()
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(40) == 0
        assert time.monotonic() - began < 30


def test_a_client_that_does_not_read_is_disconnected(hasty):
    def comes_to(count):
        line = f"\nhypercone_requests_in_flight {count}\n"
        return any(line in hasty.ask("/metrics")[2] or time.sleep(0.05) for _ in range(400))

    with hasty.open() as deaf:
        deaf.sendall(b"GET /v1/descendants?name=n0 HTTP/1.1\r\nHost: localhost\r\n\r\n" * 3000)
        assert comes_to(2), "its answers fill all buffers, and the next one waits"
        assert comes_to(1), "it is disconnected"
        assert hasty.ask("/v1/models")[0] == 200


def test_a_second_interrupt_stops_at_once(start_server):
    server = start_server("--deadline", "60")
    with server.open() as half:
        half.sendall(ASKED[:30])
        time.sleep(0.1)
        server.process.send_signal(signal.SIGINT)
        server.wait_until_it_ends()
        assert server.process.poll() is None
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(10) == 130


def test_a_port_in_use_is_refused_in_one_sentence(server):
    port = server.address[1]
    command = [sys.executable, "-m", "hypercone.cli.main", "serve", str(server.folder), "--port", str(port)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"hypercone: --port {port} of 127.0.0.1 is in use; choose another, or --port 0 for any\n"


def test_64_concurrent_clients_get_their_own_answers(server):
    with ThreadPoolExecutor(64) as pool:
        found = [*pool.map(lambda node: server.ask(f"/v1/nearest?name=n{node}&limit=3"), range(64))]
    for node, (status, _, answer) in enumerate(found):
        assert (status, answer["name"]) == (200, f"n{node}")
        near = [(item["name"], item["distance"]) for item in answer["nearest"]]
        assert near == server.embedding.nearest(f"n{node}", 3)


def test_a_host_needs_a_token_or_has_to_be_of_this_machine():
    for host in ("0.0.0.0", "::"):
        with pytest.raises(InputError, match="needs a token"):
            listening_socket(host, 0, needs_token=True)
    for host in ("no such host", "203.0.113.7", "a" * 300):
        with pytest.raises(InputError, match=r"is not an address of this machine|cannot listen on port 0 of"):
            listening_socket(host, 0)


def test_connections_made_before_the_stop_are_answered(start_server):
    server = start_server()
    with ExitStack() as stack:
        connections = [stack.enter_context(server.open()) for _ in range(5)]
        # A stopped process accepts nothing: connections made now wait in the system's queue.
        server.process.send_signal(signal.SIGSTOP)
        connections += [stack.enter_context(server.open()) for _ in range(50)]
        for connection in connections:
            connection.sendall(HEALTH)
        server.process.send_signal(signal.SIGTERM)
        server.process.send_signal(signal.SIGCONT)
        assert [_everything(connection)[:12] for connection in connections] == [b"HTTP/1.1 200"] * 55
    assert server.process.wait(10) == 0


@pytest.mark.parametrize("turns", range(5))
def test_a_connection_is_answered_at_every_stage_of_being_accepted(make_service, run, turns):
    """Accepting a connection takes several turns of the event loop; a stop can begin at each of them."""
    with listening_socket("127.0.0.1", 0) as listener, ExitStack() as stack:

        async def stop_after_some_turns():
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

        connections = []
        run(stop_after_some_turns())
        assert [_everything(connection)[:12] for connection in connections] == [b"HTTP/1.1 200"] * 20


def test_a_stop_under_load_loses_no_request_and_a_kill_does(service_model, tmp_path):
    command = [sys.executable, "-m", "tools.service_stop", str(service_model), "--rounds", "1"]
    subprocess.run([*command, "-o", tmp_path / "stop.json"], cwd=PROJECT, check=False, capture_output=True, timeout=120)
    arms = json.loads((tmp_path / "stop.json").read_text())["arms"]
    drained = arms["drained (SIGTERM)"]
    assert drained["answered"] > 100
    assert drained["of these on an open connection"] > 10
    assert drained["sent"] == drained["answered"] + drained["closed after a longer silence"]
    assert drained["lost"] == drained["clients left hanging"] == 0
    assert drained["longest_stop_seconds"] < 10
    assert drained["ended with another code than 0"] == drained["tracebacks"] == 0
    assert arms["control (SIGKILL)"]["lost"] > 0, "so the count can fail"
