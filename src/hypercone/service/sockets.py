"""The socket that the service listens on."""

from __future__ import annotations

import errno
import ipaddress
import socket

from hypercone.errors import InputError

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
            f"{host} can be reached from other machines, and so needs a token; give --token-file or HYPERCONE_TOKEN"
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
            raise InputError(f"port {port} of {host} is in use; choose another with --port, or 0 for any") from None
        raise InputError(f"cannot listen on port {port} of {host} ({error.strerror}); choose another") from None
    return listener


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
