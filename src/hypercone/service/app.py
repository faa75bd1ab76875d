"""The service as an ASGI application: routes, and in front of them what every request has to pass."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any

from hypercone._system import needed
from hypercone.embedding import Embedding
from hypercone.errors import short
from hypercone.service.endpoints import Fixed, Questions
from hypercone.service.headers import API_HEADERS
from hypercone.service.hosts import Hosts
from hypercone.service.log import note, one_line
from hypercone.service.metrics import KIND, Metrics
from hypercone.service.models import Models
from hypercone.service.operations import OPERATIONS
from hypercone.service.options import Options
from hypercone.service.origins import Origins
from hypercone.service.pages import Explorers, Page
from hypercone.service.refusals import RETRY_SOON, Refusal, busy, malformed
from hypercone.service.replies import JSON, Receive, Scope, Send, reply_empty, reply_refusal
from hypercone.service.token import Token
from hypercone.service.workers import Workers

EXTRA = ("the service needs", "'hypercone[serve]'")
# Asked by those who watch over the process, which hold no token.
OPEN = frozenset({"/healthz", "/readyz"})
OTHER, EXPLORE = "other", "/explore/{name}"
LARGE_ANSWER, MOST_UNREAD = 256 * 1024, 256 * 1024**2
LOADING, READY, ENDING = "loading", "ready", "draining"


class Service:
    """An ASGI application that answers for some embeddings, by name, once ``get_ready`` has been called.

    >>> import numpy as np
    >>> from hypercone.methods import Settings
    >>> pets = Embedding(["animal", "dog"], np.array([[0.5, 0.0], [0.9, 0.0]]), "hyperbolic-cones", Settings(), 0.0)
    >>> service = Service({"pets": pets})
    >>> service.state
    'loading'
    """

    def __init__(self, embeddings: Mapping[str, Embedding], options: Options | None = None) -> None:
        self.options = options or Options()
        self.models = Models(embeddings)
        self.metrics = Metrics()
        self.workers = Workers(self.options.concurrency)
        self.state = LOADING
        # Bytes of answers that clients have not read yet; whoever owns the connections knows.
        self.unread: Callable[[], int] = int
        self._hosts = Hosts((*self.options.allow_hosts, self.options.host))
        self._token = Token(self.options.token)
        self._origins = Origins(self.options.cors)
        self._router, self._paths = self._routes()

    def get_ready(self) -> None:
        """Compile and build what the first questions would have to wait for, then let questions in."""
        for model in self.models:
            model.warm_up()
        if self.state == LOADING:
            self.state = READY

    def begin_to_end(self) -> None:
        """Say to those who watch that no more questions should be sent here."""
        self.state = ENDING

    @property
    def is_ending(self) -> bool:
        """Whether each answer is the last on its connection."""
        return self.state == ENDING

    def must_be_ready(self) -> None:
        """Refuse what cannot be answered yet; what still arrives while the service ends is answered."""
        if self.state == LOADING:
            raise busy("the models are being made ready; try again")

    def must_have_room(self, body: bytes) -> None:
        """Refuse a large answer while too many of them wait in memory for clients that read slowly."""
        if len(body) >= LARGE_ANSWER and self.unread() + len(body) > MOST_UNREAD:
            raise busy(f"{MOST_UNREAD >> 20} MB of answers wait to be read by others; try again")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, and count it."""
        if scope["type"] != "http":
            raise ValueError(f"the service speaks HTTP, and no {scope['type']}")
        started, status, origin = time.perf_counter(), 500, None
        self.metrics.in_flight += 1

        async def sending(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if self._origins:
                    message["headers"] = [*message["headers"], *self._origins.headers(origin)]
            await send(message)

        try:
            host, authorization, origin = _three_headers(scope)
            refusal = self._hosts.refusal(host)
            if refusal is None and origin is not None and self._origins and _is_preflight(scope):
                await reply_empty(sending, self._origins.preflight(origin))
                return
            if refusal is None and scope["path"] not in OPEN:
                refusal = self._token.refusal(authorization, is_page=_is_page(scope["path"]))
            if refusal is not None:
                raise refusal
            await self._router(scope, receive, sending)
        except Refusal as refused:
            await reply_refusal(scope, sending, refused)
        except Exception as error:
            await reply_refusal(scope, sending, _noted(error, scope))
        finally:
            self.metrics.in_flight -= 1
            self.metrics.count(self.route(scope["path"]), status, time.perf_counter() - started)

    def route(self, path: str) -> str:
        """The route of a path as metrics name it: one of few, whatever is asked for."""
        if path in self._paths:
            return path
        return EXPLORE if path.startswith("/explore/") else OTHER

    def _routes(self) -> tuple[Any, set[str]]:
        routing = needed("starlette.routing", *EXTRA)
        explorers = Page(self, Explorers())
        paths: dict[str, Any] = {
            "/healthz": Fixed(self, lambda scope: (200, b'{"status":"ok"}', JSON)),
            **{
                path: Questions(self, list(operations))
                for path, operations in groupby(OPERATIONS, key=lambda operation: operation.path)
            },
            "/readyz": Fixed(self, lambda scope: self._readiness()),
            "/v1/models": Fixed(self, lambda scope: (200, self._about, JSON), when_ready=True),
            "/metrics": Fixed(self, lambda scope: (200, self._measured(), KIND)),
            "/openapi.json": Fixed(self, lambda scope: (200, self._document, JSON)),
            "/": explorers,
        }
        routes = [routing.Route(path, endpoint) for path, endpoint in paths.items()]
        routes.append(routing.Route(EXPLORE, explorers))
        return routing.Router(routes, redirect_slashes=False, default=_no_such_path), set(paths)

    def _readiness(self) -> tuple[Any, ...]:
        if self.state == READY:
            return 200, b'{"status":"ready"}', JSON
        return 503, b'{"status":"%s"}' % self.state.encode(), JSON, (*API_HEADERS, *RETRY_SOON)

    @property
    def _about(self) -> bytes:
        import orjson

        return orjson.dumps({"models": [model.about() for model in self.models]})

    @property
    def _document(self) -> bytes:
        import orjson

        from hypercone import __version__
        from hypercone.service.openapi import openapi

        return orjson.dumps(openapi(self.models, __version__, token=bool(self._token)))

    def _measured(self) -> bytes:
        return self.metrics.text({model.name: len(model.embedding) for model in self.models})


async def _no_such_path(scope: Scope, receive: Receive, send: Send) -> None:
    raise Refusal(404, "not_found", "there is no such path; /openapi.json lists them")


def _three_headers(scope: Scope) -> tuple[bytes | None, bytes | None, bytes | None]:
    host = authorization = origin = None
    for name, value in scope["headers"]:
        if name == b"host":
            if host is not None:
                raise malformed("the request has two Host headers; send one")
            host = value
        elif name == b"authorization":
            authorization = value
        elif name == b"origin":
            origin = value
    return host, authorization, origin


def _is_page(path: str) -> bool:
    return path == "/" or path.startswith("/explore/")


def _is_preflight(scope: Scope) -> bool:
    return scope["method"] == "OPTIONS" and any(
        name == b"access-control-request-method" for name, _ in scope["headers"]
    )


def _noted(error: Exception, scope: Scope) -> Refusal:
    """A mistake of ours: the reader of the log gets the place, the client only a number to ask about."""
    number = secrets.token_hex(4)
    note(f"error {number}: {one_line(error)} in {scope['method']} {short(scope['path'])!r}")
    return Refusal(500, "internal", f"a mistake of the service; its log has more under {number}")
