"""From the start to the end: listening, ready, asked to end, gone."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
import time
from http.client import HTTPConnection, HTTPResponse

import pytest

from hypercone.errors import InputError
from hypercone.service.server import listening_socket

ASKED = b"GET /v1/is-a?child=n3&parent=n0 HTTP/1.1\r\nHost: localhost\r\n\r\n"


def test_while_it_gets_ready_it_says_so_and_answers_nothing_else(make_service, asked):
    service = make_service(ready=False)
    assert asked(service, "GET", "/healthz").status_code == 200
    for path, method in [("/readyz", "GET"), ("/v1/models", "GET"), ("/v1/is-a", "POST"), ("/", "GET")]:
        answer = asked(service, method, path)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert asked(service, "GET", "/readyz").json() == {"status": "loading"}
    service.get_ready()
    assert asked(service, "GET", "/readyz").json() == {"status": "ready"}
    assert asked(service, "GET", "/v1/models").status_code == 200


def test_while_it_ends_it_says_so_and_still_answers(make_service, asked):
    service = make_service()
    service.start_draining()
    answer = asked(service, "GET", "/readyz")
    assert (answer.status_code, answer.json()) == (503, {"status": "draining"})
    assert asked(service, "GET", "/v1/is-a?child=dog&parent=animal").status_code == 200
    service.get_ready()
    assert service.state == "draining"


@pytest.mark.parametrize("method", ["DELETE", "PATCH", "PUT", "TRACE"])
def test_other_methods_are_told_which_there_are(make_service, asked, method):
    service = make_service()
    paths = {"/v1/is-a": "GET, HEAD, OPTIONS, POST", "/v1/place": "OPTIONS, POST", "/": "GET, HEAD, OPTIONS"}
    for path, allowed in paths.items():
        answer = asked(service, method, path)
        assert (answer.status_code, answer.headers["allow"]) == (405, allowed)


def test_head_is_get_without_the_body(server):
    connection = HTTPConnection(server.host, server.port, timeout=10)
    for path in ["/healthz", "/v1/is-a?child=n3&parent=n0", "/v1/is-a?child=n3"]:
        found = []
        for method in ("GET", "HEAD"):
            connection.request(method, path)
            answer = connection.getresponse()
            found.append((answer.status, answer.headers["content-length"], answer.read()))
        assert found[0][:2] == found[1][:2]
        assert found[1][2] == b""
    connection.close()


def _answer(connection):
    received = b""
    while part := connection.recv(65536):
        received += part
    return received


def test_a_request_that_is_under_way_when_the_end_comes_is_answered(start_server):
    server = start_server()
    with server.open() as kept, server.open() as half, server.open() as many:
        kept.sendall(ASKED)
        first = HTTPResponse(kept)
        first.begin()
        assert json.loads(first.read())["is_a"]
        half.sendall(ASKED[:30])
        time.sleep(0.1)
        server.process.send_signal(signal.SIGTERM)
        many.sendall(ASKED * 20)
        server.wait_until_it_ends()
        kept.sendall(ASKED)
        half.sendall(ASKED[30:])
        for connection in (kept, half):
            answer = _answer(connection)
            assert answer.startswith(b"HTTP/1.1 200")
            assert b"connection: close" in answer
            assert json.loads(answer.split(b"\r\n\r\n", 1)[1])["is_a"]
        assert _answer(many).count(b"HTTP/1.1 200") == 20
    assert server.process.wait(15) == 0
    assert server.process.stdout.read() == "", "one line when it listens, and no more"
    assert server.log.read_text() == ""
    with pytest.raises(ConnectionRefusedError):
        server.open().close()


def test_who_is_silent_does_not_hold_up_the_end(start_server):
    server = start_server("--deadline", "2")
    with server.open(), server.open() as half:
        half.sendall(ASKED[:30])
        began = time.monotonic()
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(40) == 0
        assert time.monotonic() - began < 30


def test_who_does_not_read_is_given_up(start_server):
    server = start_server("--deadline", "1")

    def in_flight():
        return int(re.search(r"^hypercone_requests_in_flight (\d+)$", server.ask("/metrics")[2], re.MULTILINE)[1])

    def comes_to(count):
        return any(in_flight() == count or time.sleep(0.05) for _ in range(400))

    with server.open() as deaf:
        deaf.sendall(b"GET /v1/descendants?name=n0 HTTP/1.1\r\nHost: localhost\r\n\r\n" * 3000)
        assert comes_to(2), "its answers fill all buffers, and the next one waits"
        assert comes_to(1), "it is given up, for it does not read"
        assert server.ask("/v1/models")[0] == 200


def test_a_second_interrupt_ends_at_once(start_server):
    server = start_server("--deadline", "60")
    with server.open() as half:
        half.sendall(ASKED[:30])
        time.sleep(0.1)
        server.process.send_signal(signal.SIGINT)
        server.wait_until_it_ends()
        assert server.process.poll() is None
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(10) == 130


def test_a_port_that_is_taken_is_told_in_a_sentence(server):
    done = _run(server, "--port", str(server.port))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    said = f"hypercone: --port {server.port} of 127.0.0.1 is in use; choose another, or --port 0 for any\n"
    assert done.stderr == said


def test_sixty_four_callers_at_once_all_get_their_own_answers(server):
    found = {}

    def ask(node):
        found[node] = server.ask(f"/v1/nearest?name=n{node}&limit=3")

    threads = [threading.Thread(target=ask, args=(node,)) for node in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for node, (status, _, answer) in found.items():
        assert status == 200
        assert answer["name"] == f"n{node}"
        near = [(item["name"], item["distance"]) for item in answer["nearest"]]
        assert near == server.embedding.nearest(f"n{node}", 3)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_a_host_that_others_can_reach_needs_a_token(host):
    with pytest.raises(InputError, match="needs a token"):
        listening_socket(host, 0, needs_token=True)


@pytest.mark.parametrize("host", ["no such host", "203.0.113.7", "a" * 300])
def test_what_is_no_address_of_this_machine_is_told(host):
    with pytest.raises(InputError, match=r"is not an address of this machine|cannot listen on port 0 of"):
        listening_socket(host, 0)


def _run(server, *arguments):
    command = [sys.executable, "-m", "hypercone.cli.main", "serve", str(server.folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
