"""Connections that drip, flood, idle, break off or ask for too much: each is bounded, and the others are served."""

from __future__ import annotations

import json
import resource
import select
import socket
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import pytest

HEAD = b"POST /v1/is-a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def hasty(start_server: Callable[..., Any]) -> Any:
    """A server that waits one second for a head, and one for the rest."""
    return start_server("--deadline", "1")


def _answer(connection: socket.socket) -> tuple[int, bytes]:
    answer = HTTPResponse(connection)
    answer.begin()
    assert answer.status < 400 or answer.will_close, "who is refused in the middle is told that this was all"
    return answer.status, answer.read()


def _ask(server: Any, path: str = "/healthz", body: object = None) -> tuple[int, dict[str, str], Any]:
    connection = HTTPConnection(server.host, server.port, timeout=30)
    sent = None if body is None else json.dumps(body)
    connection.request("GET" if sent is None else "POST", path, sent, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    found = answer.status, {k.lower(): v for k, v in answer.getheaders()}, json.loads(answer.read())
    connection.close()
    return found


def _still_well(server: Any) -> None:
    assert server.process.poll() is None
    assert _ask(server)[0] == 200
    assert server.log.read_text() == ""


def _drip(connection: socket.socket, piece: bytes, seconds: float) -> float:
    """Send the same piece ten times a second until something comes back; the seconds that took."""
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        try:
            connection.send(piece)
        except ConnectionError:
            break
        if select.select([connection], [], [], 0.1)[0]:
            break
    return time.monotonic() - began


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (b"GET /healthz HTTP/1.1\r\n", b"X-Slow: a\r\n"),
        (b"G", b""),
        (HEAD + b"Content-Length: 1000\r\n\r\n", b" "),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b""),
    ],
    ids=["head", "one byte", "body", "chunks", "no body"],
)
def test_a_request_that_drips_is_ended_with_408(hasty: Any, head: bytes, piece: bytes) -> None:
    with hasty.open() as connection:
        connection.sendall(head)
        took = _drip(connection, piece, 5)
        assert 0.5 < took < 3
        status, body = _answer(connection)
        assert (status, set(json.loads(body))) == (408, {"error"})
        assert connection.recv(1) == b"", "the connection is closed afterwards"
    _still_well(hasty)


@pytest.mark.parametrize("piece", [b"", b"\r\n"], ids=["nothing", "blank lines"])
def test_a_connection_that_begins_no_request_is_closed(hasty: Any, piece: bytes) -> None:
    with hasty.open() as connection:
        assert 0.5 < _drip(connection, piece, 5) < 3
        assert connection.recv(1) == b""


def test_a_second_request_that_drips_on_a_kept_connection_is_ended_too(hasty: Any) -> None:
    with hasty.open() as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert _answer(connection)[0] == 200
        connection.sendall(b"GET /healthz HTTP/1.1\r\n")
        assert _drip(connection, b"X-Slow: a\r\n", 5) < 3
        assert _answer(connection)[0] == 408


def test_the_clock_of_a_head_does_not_run_while_a_kept_connection_is_silent(hasty: Any) -> None:
    with hasty.open() as connection:
        for pause in (1.5, 0):
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert _answer(connection)[0] == 200
            time.sleep(pause)


def test_a_reader_that_never_reads_does_not_hold_up_the_others(server: Any) -> None:
    with ExitStack() as stack:
        for _ in range(20):
            connection = stack.enter_context(server.open())
            connection.sendall(b"GET /v1/descendants?name=n0 HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200)
        _still_well(server)


def test_an_oversized_body_is_refused_before_it_is_sent(server: Any) -> None:
    with server.open() as connection:
        connection.sendall(HEAD + b"Content-Length: 8388609\r\n\r\n")
        status, body = _answer(connection)
        assert (status, set(json.loads(body))) == (413, {"error"})
    _still_well(server)


def test_a_client_that_expects_to_continue_is_not_asked_for_an_oversized_body(server: Any) -> None:
    with server.open() as connection:
        connection.sendall(HEAD + b"Expect: 100-continue\r\nContent-Length: 8388609\r\n\r\n")
        assert connection.recv(12) == b"HTTP/1.1 413"


@pytest.mark.parametrize("frame", ["chunks", "length"])
def test_the_server_stops_reading_a_body_at_8_MB(server: Any, frame: str) -> None:
    chunked = frame == "chunks"
    piece = b" " * MEGABYTE
    with server.open() as connection:
        connection.sendall(
            HEAD + (b"Transfer-Encoding: chunked" if chunked else b"Content-Length: 999999999") + b"\r\n\r\n"
        )
        sent = 0
        for _ in range(64):
            try:
                connection.sendall(b"100000\r\n" + piece + b"\r\n" if chunked else piece)
            except ConnectionError:
                break
            sent += 1
            if select.select([connection], [], [], 0)[0]:
                break
        # What lies in the kernel's buffers on both sides was sent but not read by the server.
        assert sent < 24
        assert _answer(connection)[0] == 413
    _still_well(server)


def test_a_body_of_exactly_8_MB_is_read(server: Any) -> None:
    body = b'{"pairs":[["n3","n0"]]}'
    padded = body + b" " * (8 * MEGABYTE - len(body))
    with server.open() as connection:
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(padded) + padded)
        assert _answer(connection)[0] == 200


def _everything(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(65536), b""))


def test_pipelined_requests_are_answered_in_their_order(server: Any) -> None:
    request = b"GET /v1/ancestors?name=n%d HTTP/1.1\r\nHost: localhost\r\n%s\r\n"
    with server.open() as connection:
        connection.sendall(
            b"".join(request % (node, b"Connection: close\r\n" if node == 49 else b"") for node in range(50))
        )
        answers = _everything(connection).split(b"HTTP/1.1 200 OK")[1:]
    assert [json.loads(answer.split(b"\r\n\r\n")[1])["name"] for answer in answers] == [
        f"n{node}" for node in range(50)
    ]


def test_what_is_pipelined_behind_connection_close_is_not_answered(server: Any) -> None:
    with server.open() as connection:
        last = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        connection.sendall(last + b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert _everything(connection).count(b"HTTP/1.1 200") == 1


def test_a_client_that_has_closed_its_half_still_gets_its_answer(server: Any) -> None:
    body = json.dumps({"pairs": [["n3", "n0"]] * 10_000}).encode()
    with server.open() as connection:
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        connection.shutdown(socket.SHUT_WR)
        status, answer = _answer(connection)
        assert (status, len(json.loads(answer)["is_a"])) == (200, 10_000)


@pytest.mark.parametrize("cut", [1, 40, len(HEAD), len(HEAD) + 30])
@pytest.mark.parametrize("how", ["close", "half", "reset"])
def test_a_request_broken_off_leaves_nothing_behind(server: Any, cut: int, how: str) -> None:
    request = HEAD + b"Content-Length: 100\r\n\r\n" + b'{"pairs":[["n3",' + b" " * 84
    for _ in range(20):
        with server.open() as connection:
            connection.sendall(request[:cut])
            if how == "half":
                connection.shutdown(socket.SHUT_WR)
                connection.recv(65536)
            elif how == "reset":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    _still_well(server)


def test_a_client_that_resets_as_soon_as_it_is_refused_is_no_error_of_ours(server: Any) -> None:
    # The reset has to come between two steps of the answer, which is chance, so there are many.
    def knock() -> None:
        for _ in range(60):
            with server.open() as connection, suppress(ConnectionError):
                connection.sendall(HEAD + b"Content-Length: 8388609\r\n\r\n" + b" " * 200_000)
                connection.recv(12)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    threads = [threading.Thread(target=knock) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    _still_well(server)


def test_a_thousand_silent_connections_hold_nobody_up_and_are_closed(hasty: Any) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    with ExitStack() as stack:
        silent = [stack.enter_context(hasty.open()) for _ in range(1_000)]
        began = time.monotonic()
        assert {_ask(hasty, "/v1/is-a?child=n3&parent=n0")[0] for _ in range(50)} == {200}
        assert time.monotonic() - began < 5
        for connection in silent:
            while connection.recv(4096):
                pass
    _still_well(hasty)


@pytest.fixture(scope="module")
def large(start_server: Callable[..., Any], tree_folder: Callable[[str], Any]) -> Any:
    """A server of 11,111 nodes with one place and a short deadline."""
    return start_server("--concurrency", "1", "--deadline", "0.5", models=[tree_folder("tree-10-4")])


def _heavy(server: Any, found: list[Any]) -> None:
    found.append(_ask(server, "/v1/descendants", {"names": ["r"] * 10_000, "limit": 10}))


def test_past_the_deadline_comes_504(large: Any) -> None:
    found: list[Any] = []
    began = time.monotonic()
    _heavy(large, found)
    assert found[0][0] == 504
    assert time.monotonic() - began < 2
    _still_well(large)


def test_over_the_concurrency_comes_503_with_retry_after_and_healthz_answers(large: Any) -> None:
    found: list[Any] = []
    threads = [threading.Thread(target=_heavy, args=(large, found)) for _ in range(8)]
    for thread in threads:
        thread.start()
    assert _ask(large)[0] == 200
    for thread in threads:
        thread.join()
    assert {status for status, _, _ in found} <= {503, 504}
    turned_away = [headers for status, headers, _ in found if status == 503]
    assert turned_away
    assert all(int(headers["retry-after"]) >= 1 for headers in turned_away)
    assert _ask(large, "/v1/models")[0] == 200, "the place is free again"


def test_an_answer_of_a_hundred_million_names_is_never_built(large: Any) -> None:
    status, _, answer = _ask(large, "/v1/descendants", {"names": ["r"] * 10_000})
    assert status in {413, 504}
    assert set(answer) == {"error"}
    state = Path(f"/proc/{large.process.pid}/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in state if line.startswith("VmHWM"))
    assert peak < 1_000_000, "kilobytes"
    _still_well(large)
