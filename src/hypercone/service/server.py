"""The process: uvicorn on a socket, one line when it listens, and an end that loses nobody's answer."""

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

from hypercone.embedding import Embedding, load
from hypercone.errors import InputError, option, option_language
from hypercone.service.app import Service
from hypercone.service.protocol import ServiceProtocol
from hypercone.service.security import Options
from hypercone.service.workers import take_over

# How long a connection without a request may still send one after the end has begun, and how much longer than its
# deadline the last answer may take.
LAST_CALL_SECONDS, GRACE_SECONDS = 0.5, 3.0
STEP = 0.02
TURNS_UNTIL_CONNECTED = 3
INTERRUPTED = 130


class ServiceConfig(uvicorn.Config):
    """uvicorn's settings, and the service they are for."""

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
    """uvicorn with an end of its own: whoever was let in is answered."""

    config: ServiceConfig

    def __init__(self, service: Service, listener: socket.socket) -> None:
        super().__init__(ServiceConfig(service))
        self._service, self._listener = service, listener
        service.unread = self._unread
        self._mistake: BaseException | None = None
        take_over()

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until asked to end; whoever reads an error over HTTP does not sit at this shell."""
        with option_language("python"):
            super().run(sockets or [self._listener])
        if self._mistake is not None:
            raise self._mistake

    def _unread(self) -> int:
        return sum(connection.transport.get_write_buffer_size() for connection in self.server_state.connections)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, say so, and get ready meanwhile."""
        await super().startup(sockets)
        names = ", ".join(model.name for model in self._service.models)
        print(f"hypercone: serving {names} on {address_of(self._listener)}", flush=True)
        threading.Thread(target=self._get_ready, name="hypercone-ready", daemon=True).start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take in who has knocked, answer everyone, and go."""
        self._service.begin_to_end()
        connections = self.server_state.connections
        for connection in list(connections):
            connection.shutdown()
        await self._stop_listening(sockets or [])
        await self._until_gone(LAST_CALL_SECONDS)
        while connections and (patience := self._patience()) > 0:
            for connection in list(connections):
                connection.end_if_idle()  # type: ignore[union-attr]
            await self._until_gone(min(patience, 10 * STEP))
        self._service.workers.end()
        for connection in list(connections):
            connection.transport.abort()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """To be asked to end is no failure: unlike uvicorn, we do not pass the signal on to ourselves afterwards."""
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
        """End; whoever presses Ctrl-C twice does not want to wait for answers."""
        if self.should_exit and sig == signal.SIGINT:
            os._exit(INTERRUPTED)
        self.should_exit = True

    def _get_ready(self) -> None:
        try:
            self._service.get_ready()
            # What is there now stays for good: models, compiled code. Looked through for garbage again and again, it
            # would hold up whoever asks at that moment.
            gc.collect()
            gc.freeze()
        except BaseException as mistake:
            self._mistake, self.should_exit = mistake, True

    async def _stop_listening(self, sockets: list[socket.socket]) -> None:
        """Close the sockets, but answer the connections that the system has already accepted for us.

        A socket that is closed resets them. So a second handle keeps it open until its queue is empty. On Linux nobody
        can join that queue meanwhile; elsewhere a connection can still be lost between the last look and the end.
        """
        loop = asyncio.get_running_loop()
        if [ignore_new_connections(sock) for sock in sockets].count(True):
            # Those that are being opened will be by then.
            await asyncio.sleep(STEP)
        handles = [sock.dup() for sock in sockets]
        for sock in sockets:
            loop.remove_reader(sock)
        # What asyncio has accepted becomes a connection of ours one turn of the loop later, and is lost before that.
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

    def _patience(self) -> float:
        """The seconds after which those who are still here are left behind."""
        if self._ended_at is None:
            self._ended_at = time.monotonic() + self._service.options.deadline + GRACE_SECONDS
        return self._ended_at - time.monotonic()

    _ended_at: float | None = None

    async def _until_gone(self, seconds: float) -> None:
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
    family, address = _resolved(host, port)
    if needs_token and not ipaddress.ip_address(address[0].partition("%")[0]).is_loopback:
        raise InputError(
            f"{host} can be reached from other machines, and so needs a token; give {option('token')} (hypercone serve"
            " also takes it from HYPERCONE_TOKEN)"
        )
    # asyncio sends without delay only where the protocol is named; else each answer would wait 40 ms for the client.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if hasattr(socket, "SO_REUSEPORT"):
            # On Unix this lets a server start again at once; elsewhere it would let two share one port.
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


# A filter for packets, in the numbers of Linux: load byte 13 of the TCP header, and drop the packet if it has the bit
# SYN, with which a client opens a connection.
_SO_ATTACH_FILTER = 26
_DROP_SYN = b"".join(
    struct.pack("HBBI", *step) for step in ((0x30, 0, 0, 13), (0x45, 0, 1, 2), (0x06, 0, 0, 0), (0x06, 0, 0, 0xFFFF))
)


def ignore_new_connections(listener: socket.socket) -> bool:
    """Open only the connections that have begun to be opened; False where the system cannot do so.

    Whoever comes now is neither let in nor refused: the client's system asks again after a second.

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
    """Where it listens, as one would type it into a browser."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def most_connections() -> int:
    """How many connections can be open at once such that the process does not run out of files.

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


def _resolved(host: str, port: int) -> tuple[int, tuple[str, int]]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise InputError(f"{host!r} is no address of this machine ({error})") from None
    # A name like localhost may have both kinds; clients try the old one in any case.
    family, _, _, _, address = min(found, key=lambda entry: entry[0] != socket.AF_INET)
    return family, address  # type: ignore[return-value]


Served = Embedding | str | Path


def serve(models: Served | Mapping[str, Served], options: Options | None = None, **settings: Any) -> None:
    """Answer questions about a model, or about several by name, over HTTP until the process is asked to end.

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
    with listening_socket(options.host, options.port, needs_token=options.token is None) as listener:
        ServiceServer(Service(embeddings, options), listener).run()


def _name(model: Served) -> str:
    return "model" if isinstance(model, Embedding) else Path(model).resolve().name
