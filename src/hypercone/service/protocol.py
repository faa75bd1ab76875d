"""HTTP on one connection, with limits for a server that untrusted clients can reach.

uvicorn has no timeout for incomplete headers and none for clients that do not read, and it closes a connection at once
when a request is refused early, so that a client that is still sending never sees the reason. This module adds these
timeouts and a delayed close.
"""

from __future__ import annotations

import contextlib
import selectors
from asyncio import TimerHandle, Transport
from typing import TYPE_CHECKING, Any

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from hypercone.service.errors import API_HEADERS, BODY_IS_COMING, RETRY_SOON, error_body

if TYPE_CHECKING:
    from hypercone.service.server import ServiceConfig

LARGEST_HEADERS = 64 * 1024
# Seconds a client may continue to send after a refusal, and the minimal bytes per second it must read.
LINGER_SECONDS, SLOWEST_READER = 2.0, 4096
CLOSING = (b"connection", b"close")
VERSIONS, SCHEMES = ("1.0", "1.1"), (b"http", b"https")


class ServiceProtocol(HttpToolsProtocol):
    """uvicorn's protocol with limits on the size and time of headers, and a delayed close after refusals."""

    config: ServiceConfig
    _header_timer: TimerHandle | None = None
    _stall_timer: TimerHandle | None = None
    _linger_timer: TimerHandle | None = None
    _awaits_headers = False
    _has_begun = False
    _may_be_large = False
    _header_bytes = 0
    _is_refused = False

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Refuse a connection above the limit; close one that sends no request in time."""
        super().connection_made(transport)
        if len(self.connections) > self.config.most_connections:
            self._refuse(503, "unavailable", "there are too many connections; try again")
        else:
            self._start_header_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel all timers."""
        for timer in (self._header_timer, self._stall_timer, self._linger_timer):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse data, with cheap checks for the usual case of headers that arrive in one piece."""
        if self._is_refused:
            return
        if not self._awaits_headers and self._is_idle:
            self._awaits_headers, self._header_bytes = True, 0
        self._may_be_large = self._header_bytes > 0 or len(data) > LARGEST_HEADERS
        super().data_received(data)
        if self._awaits_headers:
            self._header_bytes += len(data)
            if self._header_bytes > LARGEST_HEADERS:
                self._refuse_large_headers()
            elif self._header_timer is None:
                self._start_header_timer()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Still answer a client that has sent its whole request; close if the request is incomplete."""
        if self._is_idle or self._is_refused or self.cycle.more_body:
            return False
        self.cycle.keep_alive = False
        return True

    def on_message_begin(self) -> None:
        """Start counting the bytes of the headers."""
        super().on_message_begin()
        self._awaits_headers, self._has_begun, self._header_bytes = True, True, 0

    def on_headers_complete(self) -> None:
        """Stop the timer, and check the size of the headers if they may be too large."""
        self._awaits_headers = self._has_begun = False
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None
        if self._may_be_large and self._size_of_headers() > LARGEST_HEADERS:
            self._refuse_large_headers()
            raise ValueError("stops the parser")
        if self.parser.get_http_version() not in VERSIONS:
            self._refuse(400, "bad_request", "this service speaks HTTP/1.1; send the request in that version")
            raise ValueError("stops the parser")
        if not self.url.startswith(b"/"):
            self._take_host_from_target()
        previous = self.cycle
        super().on_headers_complete()
        if self.config.service.is_draining:
            self._close_after(self.cycle, instead_of=previous)
        if self.scope["method"] not in ("GET", "HEAD"):
            cycle = self.cycle
            cycle.transport = _Lingering(self, cycle)  # type: ignore[assignment]
            self.scope[BODY_IS_COMING] = lambda: cycle.more_body  # type: ignore[literal-required]

    def on_message_complete(self) -> None:
        """If the request was answered before it was complete, reuse or close the connection now."""
        super().on_message_complete()
        if not self.cycle.response_complete:
            return
        self.cycle.more_body = False
        if self._linger_timer is not None:
            self._linger_timer.cancel()
            self._linger_timer = None
        if not self.cycle.keep_alive:
            self.transport.close()

    def on_response_complete(self) -> None:
        """Discard the rest of a body that is still arriving, for a limited time."""
        super().on_response_complete()
        if self.cycle.response_complete and self.cycle.more_body and not self.transport.is_closing():
            self._close_later()

    def send_400_response(self, msg: str) -> None:
        """Refuse data that is not HTTP."""
        self._refuse(400, "bad_request", "this is not a request that can be read")

    def shutdown(self) -> None:
        """Close the connection after the current answer; idle connections are closed a little later."""
        if not self._is_idle:
            self._close_after(self.cycle)

    def close_if_idle(self) -> None:
        """Close a connection without a request."""
        # A request may have arrived in the meantime; closing with unread data would reset the connection.
        if self._is_idle and not self._awaits_headers and not _has_unread_input(self.transport):
            self.transport.close()

    def pause_writing(self) -> None:
        """Limit the time for a client that does not read, since its answer occupies memory."""
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        """Stop the timer when the client reads again."""
        super().resume_writing()
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None

    def close_after_body(self, cycle: RequestResponseCycle) -> None:
        """Close the connection after a client that is still sending had time to read the refusal.

        Closing with unread data would reset the connection, and the answer would be lost.
        """
        if not cycle.more_body or self.transport.is_closing():
            self.transport.close()
            return
        self._send_eof()
        self._close_later()

    @property
    def _is_idle(self) -> bool:
        """Whether the next data starts a new request."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or (cycle.response_complete and not cycle.more_body)

    def _close_after(self, cycle: RequestResponseCycle, instead_of: RequestResponseCycle | None = None) -> None:
        """Close the connection after this answer, with a header that says so; of pipelined requests, after the last."""
        if instead_of is not None:
            instead_of.keep_alive = True
            instead_of.default_headers = self.server_state.default_headers
        cycle.keep_alive = False
        cycle.default_headers = [*self.server_state.default_headers, CLOSING]

    def _watch_reader(self, waiting: int | None = None) -> None:
        """Check the reader periodically, and abort the connection if it has read too little since the last check."""
        seconds, left = self.config.service.options.deadline, self.transport.get_write_buffer_size()
        if waiting is not None and waiting - left < seconds * SLOWEST_READER:
            self.transport.abort()
        else:
            self._stall_timer = self.loop.call_later(seconds, self._watch_reader, left)

    def _close_later(self) -> None:
        if self._linger_timer is None:
            self._linger_timer = self.loop.call_later(LINGER_SECONDS, self.transport.close)

    def _unsupported_upgrade_warning(self) -> None:
        # Answered without the upgrade; what follows on this connection may be another protocol.
        self.cycle.keep_alive = False

    def _take_host_from_target(self) -> None:
        # An absolute target like http://other/path overrides the Host header.
        target = httptools.parse_url(self.url)
        if target.schema is not None and target.schema.lower() not in SCHEMES:
            self._refuse(400, "bad_request", "the target of the request is not an address of HTTP; send the path alone")
            raise ValueError("stops the parser")
        host = target.host
        if host is not None:
            self.headers[:] = [header for header in self.headers if header[0] != b"host"] + [(b"host", host)]

    def _size_of_headers(self) -> int:
        return len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)

    def _refuse_large_headers(self) -> None:
        self._refuse(431, "headers_too_large", f"the request line and headers are over {LARGEST_HEADERS // 1024} kB")

    def _start_header_timer(self) -> None:
        self._header_timer = self.loop.call_later(self.config.service.options.deadline, self._headers_timed_out)

    def _headers_timed_out(self) -> None:
        self._header_timer = None
        if self._has_begun:
            self._refuse(408, "timeout", "the headers did not come in time")
        elif self._is_idle:
            self.transport.close()

    def _refuse(self, status: int, code: str, message: str) -> None:
        """Send a refusal and close; while a request is being answered, only close after its answer."""
        if self._is_refused or self.transport.is_closing():
            return
        self._is_refused = True
        self.config.service.metrics.count("other", status, 0.0)
        if not self._is_idle:
            if not self.cycle.more_body or self.cycle.response_started or self.pipeline:
                self.cycle.keep_alive = False
                return
            # Its body could not be read, so this is the answer to it.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.write(self._response_bytes(status, error_body(code, message)))
        self._send_eof()
        self._close_later()

    def _send_eof(self) -> None:
        # The client may have reset the connection in the meantime.
        with contextlib.suppress(OSError):
            self.transport.write_eof()

    def _response_bytes(self, status: int, body: bytes) -> bytes:
        headers = [
            *self.server_state.default_headers,
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
            *API_HEADERS,
            *(RETRY_SOON if status == 503 else ()),
            CLOSING,
        ]
        return STATUS_LINE[status] + b"".join(b"%s: %s\r\n" % header for header in headers) + b"\r\n" + body


def _has_unread_input(transport: Transport) -> bool:
    if transport.is_closing():
        return False
    # select.select does not support file descriptors above 1,023.
    selector = selectors.DefaultSelector()
    try:
        selector.register(transport.get_extra_info("socket"), selectors.EVENT_READ)
        return bool(selector.select(0))
    finally:
        selector.close()


class _Lingering:
    """A transport whose ``close`` waits for the rest of the request's body."""

    def __init__(self, protocol: ServiceProtocol, cycle: RequestResponseCycle) -> None:
        self._protocol, self._cycle = protocol, cycle
        transport: Any = protocol.transport
        self.write, self.is_closing = transport.write, transport.is_closing

    def close(self) -> None:
        """Close after the body."""
        self._protocol.close_after_body(self._cycle)
