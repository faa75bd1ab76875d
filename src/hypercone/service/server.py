"""The server process: uvicorn on a socket, one line when it listens, and a shutdown that loses no answer."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import errno
import gc
import ipaddress
import os
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from hypercone import _jit
from hypercone.embedding import Embedding, load
from hypercone.errors import InputError, option, option_language
from hypercone.service.app import Service
from hypercone.service.protocol import ServiceProtocol
from hypercone.service.security import Options
from hypercone.service.workers import log_errors_in_one_line

# Seconds in which an idle connection may still send a request after the shutdown has begun, and seconds that the last
# answer may take beyond its deadline.
LAST_REQUEST_SECONDS, GRACE_SECONDS = 0.5, 3.0
STEP = 0.02
TURNS_UNTIL_CONNECTED = 3
INTERRUPTED = 130


class ServiceConfig(uvicorn.Config):
    """uvicorn's settings, and the service."""

    def __init__(self, service: Service) -> None:
        super().__init__(
            service,
            loop="asyncio",
            http=ServiceProtocol,
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            backlog=BACKLOG,
        )
        self.service = service
        self.most_connections = most_connections()


class ServiceServer(uvicorn.Server):
    """uvicorn with a shutdown that answers all accepted requests."""

    config: ServiceConfig

    def __init__(self, service: Service, listener: socket.socket) -> None:
        super().__init__(ServiceConfig(service))
        self._service, self._listener = service, listener
        service.unread = self._unread
        self._error: BaseException | None = None
        log_errors_in_one_line()

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until a signal arrives; errors sent over HTTP do not mention command-line options."""
        with option_language("python"):
            super().run(sockets or [self._listener])
        if self._error is not None:
            raise self._error

    def _unread(self) -> int:
        return sum(connection.transport.get_write_buffer_size() for connection in self.server_state.connections)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, print the address, and warm up in a thread."""
        await super().startup(sockets)
        names = ", ".join(model.name for model in self._service.models)
        print(f"hypercone: serving {names} on {address_of(self._listener)}", flush=True)
        threading.Thread(target=self._get_ready, name="hypercone-ready", daemon=True).start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept the pending connections, answer all requests, and close."""
        self._service.start_draining()
        connections = self.server_state.connections
        for connection in list(connections):
            connection.shutdown()
        await self._stop_listening(sockets or [])
        await self._wait_until_closed(LAST_REQUEST_SECONDS)
        while connections and (patience := self._seconds_left()) > 0:
            for connection in list(connections):
                connection.close_if_idle()  # type: ignore[union-attr]
            await self._wait_until_closed(min(patience, 10 * STEP))
        self._service.workers.end()
        for connection in list(connections):
            connection.transport.abort()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals without raising them again afterwards, as uvicorn does: a requested shutdown is a success."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Start the shutdown; a second Ctrl-C exits at once."""
        if self.should_exit and sig == signal.SIGINT:
            os._exit(INTERRUPTED)
        self.should_exit = True

    def _get_ready(self) -> None:
        try:
            self._service.get_ready()
            # Models and compiled code are permanent; excluding them from garbage collection avoids pauses during
            # requests.
            gc.collect()
            gc.freeze()
        except BaseException as mistake:
            self._error, self.should_exit = mistake, True

    async def _stop_listening(self, sockets: list[socket.socket]) -> None:
        """Close the sockets, but answer the connections that the system has already accepted.

        Closing a socket resets them, so a duplicate handle holds it open until its queue is empty. On Linux new
        connections are ignored in the meantime; elsewhere one can still be lost between the last check and the close.
        """
        loop = asyncio.get_running_loop()
        if [ignore_new_connections(sock) for sock in sockets].count(True):
            # Connections that are being established will be in the queue by then.
            await asyncio.sleep(STEP)
        handles = [sock.dup() for sock in sockets]
        for sock in sockets:
            loop.remove_reader(sock)
        # A socket that asyncio has accepted becomes a connection a turn of the loop later, and would be lost before.
        for _ in range(TURNS_UNTIL_CONNECTED):
            await asyncio.sleep(0)
        for server in self.servers:
            server.close()
        for handle in handles:
            waiting = []
            with contextlib.suppress(OSError):
                while True:
                    waiting.append(handle.accept()[0])
            handle.close()
            for connection in waiting:
                connection.setblocking(False)
                await loop.connect_accepted_socket(self._protocol, connection)

    def _protocol(self) -> ServiceProtocol:
        return ServiceProtocol(self.config, self.server_state, self.lifespan.state)

    def _seconds_left(self) -> float:
        """The seconds until the remaining connections are aborted."""
        if self._ended_at is None:
            self._ended_at = time.monotonic() + self._service.options.deadline + GRACE_SECONDS
        return self._ended_at - time.monotonic()

    _ended_at: float | None = None

    async def _wait_until_closed(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while self.server_state.connections and time.monotonic() < end:
            await asyncio.sleep(STEP)


BACKLOG = 2048
MOST_CONNECTIONS, OTHER_FILES = 4096, 128


def listening_socket(host: str, port: int, *, needs_token: bool = False) -> socket.socket:
    """A socket that listens on the host's first address; InputError if it cannot, or must not without a token.

    >>> with listening_socket("127.0.0.1", 0) as listener:
    ...     address_of(listener)[:17]
    'http://127.0.0.1:'
    """
    family, address = _resolve(host, port)
    if needs_token and not ipaddress.ip_address(address[0].partition("%")[0]).is_loopback:
        raise InputError(
            f"{host} can be reached from other machines, and so needs a token; give {option('token')} (hypercone serve"
            " also takes it from HYPERCONE_TOKEN)"
        )
    # asyncio sets TCP_NODELAY only if the protocol is given; otherwise each answer would be delayed by 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if hasattr(socket, "SO_REUSEPORT"):
            # On Unix this lets a server restart at once; on Windows it would let two servers share one port.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise InputError(
                f"{option('port')} {port} of {host} is in use; choose another, or {option('port', 0)} for any"
            ) from None
        raise InputError(
            f"cannot listen on {option('port')} {port} of {host} ({error.strerror}); choose another"
        ) from None
    return listener


# A packet filter (BPF) for Linux: load byte 13 of the TCP header, and drop the packet if it has the SYN bit, with which
# a client opens a connection.
_SO_ATTACH_FILTER = 26
_DROP_SYN = b"".join(
    struct.pack("HBBI", *step) for step in ((0x30, 0, 0, 13), (0x45, 0, 1, 2), (0x06, 0, 0, 0), (0x06, 0, 0, 0xFFFF))
)


def ignore_new_connections(listener: socket.socket) -> bool:
    """Ignore new connections, but complete those that are being established; False if the system does not support it.

    A new connection is neither accepted nor refused: the client's system tries again after a second.

    >>> with listening_socket("127.0.0.1", 0) as listener:
    ...     ignore_new_connections(listener) == (sys.platform == "linux")
    True
    """
    if sys.platform != "linux":
        return False
    steps = ctypes.create_string_buffer(_DROP_SYN)
    try:
        listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HP", 4, ctypes.addressof(steps)))
    except OSError:
        return False
    return True


def address_of(listener: socket.socket) -> str:
    """The URL that the socket listens on."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def raise_file_limit() -> None:
    """Allow this process as many open files as it may have for the most connections, if the system lets it."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = MOST_CONNECTIONS + OTHER_FILES
        if soft != resource.RLIM_INFINITY and soft < wanted:
            most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def most_connections() -> int:
    """The maximal number of open connections that leaves enough file descriptors for the process.

    >>> 0 < most_connections() <= MOST_CONNECTIONS
    True
    """
    try:
        import resource
    except ImportError:
        return MOST_CONNECTIONS
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if allowed == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return max(1, min(MOST_CONNECTIONS, allowed - OTHER_FILES))


def _resolve(host: str, port: int) -> tuple[int, tuple[str, int]]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise InputError(f"{host!r} is not an address of this machine ({error})") from None
        # A name like localhost may have IPv4 and IPv6 addresses; all clients try IPv4.
    family, _, _, _, address = min(found, key=lambda entry: entry[0] != socket.AF_INET)
    return family, address  # type: ignore[return-value]


Served = Embedding | str | Path


def serve(models: Served | Mapping[str, Served], options: Options | None = None, **settings: Any) -> None:
    """Answer questions about a model, or about several by name, over HTTP until the process gets a signal to end.

    A model is an Embedding or the folder of one. The settings are the fields of ``hypercone.service.Options``: host,
    port, token, deadline and others.

    >>> import hypercone
    >>> pets = hypercone.fit([("animal", "dog"), ("animal", "cat")], dim=2)
    >>> hypercone.serve({"pets": pets}, port=65536)
    Traceback (most recent call last):
    hypercone.errors.InputError: port is 65536, but must be from 0 (any free one) to 65535
    """
    given = models if isinstance(models, Mapping) else {_name(models): models}
    embeddings = {name: one if isinstance(one, Embedding) else load(one) for name, one in given.items()}
    options = replace(options or Options(), **settings)
    raise_file_limit()
    # A small model would else be asked in plain Python for a while, and then be compiled in the middle of a request.
    tier = _jit.COMPILED if _jit.TIER == _jit.AUTO else _jit.TIER
    with (
        _jit.use_tier(tier),
        listening_socket(options.host, options.port, needs_token=options.token is None) as listener,
    ):
        ServiceServer(Service(embeddings, options), listener).run()


def _name(model: Served) -> str:
    return "model" if isinstance(model, Embedding) else Path(model).resolve().name
