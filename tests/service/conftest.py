"""Real servers in other processes on free ports, ended after the tests.

``server`` is one for all tests, of 1,093 nodes n0 … n1092 (n0 the root) with labels, some of them shared by two nodes.
``start_server`` starts others: ``start_server("--deadline", "1", models=[folder], program=["-c", code])``. One option
is for every kind of slowness: headers, a body and an answer each have ``--deadline`` seconds. ``make_service`` and
``asked`` do without a process and a network, where these do not matter.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

import hypercone
from hypercone.embedding import Embedding
from hypercone.service import Options, Service

PROGRAM = ("-c", "import sys; from hypercone.cli.main import main; sys.exit(main())")
NODES, CHILDREN = 1093, 3


@dataclass
class Server:
    """A running server and what it was started with."""

    process: subprocess.Popen[str]
    url: str
    folder: Path
    embedding: Embedding
    log: Path

    @property
    def names(self) -> list[str]:
        return list(self.embedding.names)

    @property
    def address(self) -> tuple[str, int]:
        host, port = self.url.removeprefix("http://").rsplit(":", 1)
        return host, int(port)

    def open(self) -> socket.socket:
        """A new connection."""
        return socket.create_connection(self.address, timeout=20)

    def wait_until_it_ends(self) -> None:
        """Wait until the server has noticed a signal and accepts no more connections, usually a tenth of a second."""
        # Connections are then refused, or ignored, in which case the system would try again only a second later.
        with contextlib.suppress(ConnectionError, TimeoutError):
            while True:
                socket.create_connection(self.address, timeout=0.05).close()
                time.sleep(0.01)

    def ask(
        self, path: str, body: object = None, *, method: str | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], Any]:
        """Status, headers and JSON (or text) of one answer."""
        sent = None if body is None else json.dumps(body).encode()
        given = {"Content-Type": "application/json"} if sent is not None else {}
        request = urllib.request.Request(self.url + path, sent, given | (headers or {}), method=method)
        try:
            answer = urllib.request.urlopen(request, timeout=30)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            raw, got = answer.read(), {name.lower(): value for name, value in answer.headers.items()}
        is_json = raw and got.get("content-type") == "application/json"
        return answer.status, got, json.loads(raw) if is_json else raw.decode()


def _start(folders: list[Path], log: Path, program: list[str], arguments: tuple[str, ...]) -> Server:
    command = [sys.executable, *program, "serve", *map(str, folders), "--port", "0", *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "HYPERCONE_TOKEN"}
    with log.open("w") as stream:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stream, text=True, env=environment)
    # A server that never prints its address must not block the tests.
    watch = threading.Timer(60, process.kill)
    watch.start()
    line = process.stdout.readline()
    watch.cancel()
    assert " on http://" in line, (line, log.read_text())
    server = Server(process, line.rsplit(" ", 1)[1].strip(), folders[0], hypercone.load(folders[0]), log)
    for _ in range(2400):
        if server.ask("/readyz")[0] == 200:
            return server
        time.sleep(0.05)
    raise AssertionError(f"the server is not ready after two minutes: {log.read_text()}")


def in_a_loop(work: Coroutine[Any, Any, Any]) -> Any:
    """Run the coroutine in a new event loop in another thread, since a browser's loop may run in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


@pytest.fixture(scope="session")
def run() -> Callable[[Coroutine[Any, Any, Any]], Any]:
    return in_a_loop


@pytest.fixture(scope="session")
def service_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of a tree whose nodes also have labels."""
    edges = [((node - 1) // CHILDREN, node) for node in range(1, NODES)]
    labels = ["twin" if node in (7, 8) else f"node number {node}" for node in range(NODES)]
    hierarchy = hypercone.Hierarchy([f"n{node}" for node in range(NODES)], edges, labels=labels)
    embedding = hypercone.fit(hierarchy, dim=2)
    return embedding.save(tmp_path_factory.mktemp("service") / "nodes")


@pytest.fixture(scope="session")
def start_server(service_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    """Start a server with these options; it is ended after the last test."""
    started: list[Server] = []

    def start(*arguments: str, models: list[Path] | None = None, program: list[str] | None = None) -> Server:
        log = tmp_path_factory.mktemp("logs") / "stderr"
        started.append(_start(models or [service_model], log, list(program or PROGRAM), arguments))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.process.terminate()
    for server in started:
        server.process.wait(20)
        server.process.stdout.close()


@pytest.fixture(scope="session")
def server(start_server: Callable[..., Server]) -> Server:
    return start_server()


@pytest.fixture(scope="session")
def hasty(start_server: Callable[..., Server]) -> Server:
    """A server that waits one second for the headers, and one for the rest."""
    return start_server("--deadline", "1")


@pytest.fixture(scope="session")
def small() -> Embedding:
    """Five nodes, one of them with a strange name."""
    edges = [("animal", "dog"), ("animal", "cat"), ("dog", "poodle"), ("cat", 'Löwe & "söhne"')]
    return hypercone.fit(hypercone.Hierarchy.from_pairs(edges), dim=2)


@pytest.fixture(scope="session")
def make_service(small: Embedding) -> Callable[..., Service]:
    """A service in this process, ready to be asked: ``make_service(token="s3cret")``."""

    def make(models: dict[str, Embedding] | None = None, *, ready: bool = True, **options: Any) -> Service:
        service = Service(models or {"pets": small}, Options(**options))
        if ready:
            service.get_ready()
        return service

    return make


@pytest.fixture(scope="session")
def asked() -> Callable[..., httpx.Response]:
    """The answer of a service in this process: ``asked(service, "GET", "/healthz")``."""

    def ask(service: Service, method: str, path: str, **given: Any) -> httpx.Response:
        async def once() -> httpx.Response:
            transport = httpx.ASGITransport(service, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                return await client.request(method, path, **given)

        return in_a_loop(once())

    return ask
