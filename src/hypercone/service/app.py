"""The service as an ASGI application: routes, checks that apply to every request, and the explorer pages."""

from __future__ import annotations

import asyncio
import html
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import UNSET
from starlette.routing import Route, Router

from hypercone import __version__
from hypercone.embedding import Embedding
from hypercone.errors import short
from hypercone.explorer import explorer_page
from hypercone.service.errors import (
    API_HEADERS,
    JSON,
    RETRY_SOON,
    Headers,
    Receive,
    Refusal,
    Scope,
    Send,
    bad_request,
    busy,
    page_headers,
    reply,
    reply_empty,
    reply_refusal,
)
from hypercone.service.handlers import OPERATIONS, Operation
from hypercone.service.metrics import KIND, Metrics
from hypercone.service.models import Model, Models, NoSuchRow, Served
from hypercone.service.openapi import openapi
from hypercone.service.requests import SMALL_BODY, ArrivingBytes, Nothing, from_body, from_query, read_body
from hypercone.service.security import Hosts, Options, Origins, Token
from hypercone.service.workers import Deadline, Workers, describe_error, log_line

# Paths for health checks, which have no token.
WITHOUT_TOKEN = frozenset({"/healthz", "/readyz"})
OTHER, EXPLORE = "other", "/explore/{name}"
LARGE_ANSWER, MOST_UNREAD = 256 * 1024, 256 * 1024**2
LOADING, READY, DRAINING = "loading", "ready", "draining"


class Service:
    """An ASGI application that answers questions about embeddings by name, once ``get_ready`` has been called.

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
        self.arriving = ArrivingBytes()
        self.state = LOADING
        # The bytes of answers that clients have not read yet; set by the server, which owns the connections.
        self.unread: Callable[[], int] = int
        self._hosts = Hosts((*self.options.allow_hosts, self.options.host))
        self._token = Token(self.options.token)
        self._origins = Origins(self.options.cors)
        self._router, self._paths = self._routes()

    def get_ready(self) -> None:
        """Compile the kernels and build the indexes, then accept questions."""
        for model in self.models:
            model.warm_up()
        if self.state == LOADING:
            self.state = READY

    def start_draining(self) -> None:
        """Report to health checks that no more requests should be sent."""
        self.state = DRAINING

    @property
    def is_draining(self) -> bool:
        """Whether the service is shutting down, so that each answer is the last on its connection."""
        return self.state == DRAINING

    def check_ready(self) -> None:
        """Refuse a request while the models are loading; while draining, requests are still answered."""
        if self.state == LOADING:
            raise busy("the models are being made ready; try again")

    def check_unread_limit(self, body: bytes) -> None:
        """Refuse a large answer while too many bytes wait in memory for slow clients."""
        if len(body) >= LARGE_ANSWER and self.unread() + len(body) > MOST_UNREAD:
            raise busy(f"{MOST_UNREAD >> 20} MB of answers wait to be read by others; try again")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, and count it."""
        if scope["type"] != "http":
            raise ValueError(f"the service supports only HTTP, not {scope['type']}")
        started, status, origin = time.perf_counter(), 500, None
        self.metrics.in_flight += 1

        async def send_and_record(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if self._origins:
                    message["headers"] = [*message["headers"], *self._origins.headers(origin)]
            await send(message)

        try:
            host, authorization, origin = _read_headers(scope)
            refusal = self._hosts.refusal(host)
            if refusal is None and origin is not None and self._origins and _is_preflight(scope):
                await reply_empty(send_and_record, self._origins.preflight(origin))
                return
            if refusal is None and scope["path"] not in WITHOUT_TOKEN:
                refusal = self._token.refusal(authorization, is_page=_is_page(scope["path"]))
            if refusal is not None:
                raise refusal
            await self._router(scope, receive, send_and_record)
        except Refusal as refused:
            await reply_refusal(scope, send_and_record, refused)
        except Exception as error:
            await reply_refusal(scope, send_and_record, _internal_error(error, scope))
        finally:
            self.metrics.in_flight -= 1
            self.metrics.count(self.route(scope["path"]), status, time.perf_counter() - started)

    def route(self, path: str) -> str:
        """The route of a path in the metrics, from a small fixed set."""
        if path in self._paths:
            return path
        return EXPLORE if path.startswith("/explore/") else OTHER

    def _routes(self) -> tuple[Any, set[str]]:
        explorers = ExplorerPath(self, ExplorerPages())
        paths: dict[str, Any] = {
            "/healthz": FixedAnswer(self, lambda scope: (200, b'{"status":"ok"}', JSON)),
            **{
                path: QuestionPath(self, list(operations))
                for path, operations in groupby(OPERATIONS, key=lambda operation: operation.path)
            },
            "/readyz": FixedAnswer(self, lambda scope: self._readiness()),
            "/v1/models": FixedAnswer(self, lambda scope: (200, self._models_json, JSON), when_ready=True),
            "/metrics": FixedAnswer(self, lambda scope: (200, self._metrics_text(), KIND)),
            "/openapi.json": FixedAnswer(self, lambda scope: (200, self._openapi_json, JSON)),
            "/": explorers,
        }
        routes = [Route(path, endpoint) for path, endpoint in paths.items()]
        routes.append(Route(EXPLORE, explorers))
        return Router(routes, redirect_slashes=False, default=_no_such_path), set(paths)

    def _readiness(self) -> tuple[Any, ...]:
        if self.state == READY:
            return 200, b'{"status":"ready"}', JSON
        return 503, b'{"status":"%s"}' % self.state.encode(), JSON, (*API_HEADERS, *RETRY_SOON)

    @property
    def _models_json(self) -> bytes:
        return msgspec.json.encode(Served([model.about() for model in self.models]))

    @property
    def _openapi_json(self) -> bytes:
        return msgspec.json.encode(openapi(self.models, __version__, token=bool(self._token)))

    def _metrics_text(self) -> bytes:
        return self.metrics.text({model.name: len(model.embedding) for model in self.models})


async def _no_such_path(scope: Scope, receive: Receive, send: Send) -> None:
    raise Refusal(404, "not_found", "there is no such path; /openapi.json lists them")


# Headers that decide who is answered and how; of two, this service and a proxy before it may believe different ones.
ONCE = (b"host", b"authorization", b"origin", b"content-type")


def _read_headers(scope: Scope) -> tuple[bytes | None, bytes | None, bytes | None]:
    found: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        if name in ONCE:
            if name in found:
                raise bad_request(f"the request has two {name.decode().title()} headers; send one")
            found[name] = value
    return found.get(b"host"), found.get(b"authorization"), found.get(b"origin")


def _is_page(path: str) -> bool:
    return path == "/" or path.startswith("/explore/")


def _is_preflight(scope: Scope) -> bool:
    return scope["method"] == "OPTIONS" and any(
        name == b"access-control-request-method" for name, _ in scope["headers"]
    )


def _internal_error(error: Exception, scope: Scope) -> Refusal:
    """Log an unexpected error with its location; the client only gets a reference number."""
    number = secrets.token_hex(4)
    log_line(f"error {number}: {describe_error(error)} in {scope['method']} {short(scope['path'])!r}")
    return Refusal(500, "internal", f"an internal error of the service; its log has details under {number}")


class Path:
    """The base of all paths: their methods, and the refusal of other methods."""

    def __init__(self, methods: Sequence[str]) -> None:
        known = [*methods, *(["HEAD"] if "GET" in methods else []), "OPTIONS"]
        self.allowed = ", ".join(sorted(known)).encode()

    async def refuse_method(self, scope: Scope, send: Send) -> None:
        """Answer OPTIONS, or any other method, with the methods that are allowed."""
        if scope["method"] != "OPTIONS":
            message = f"this path has only the methods {self.allowed.decode()}"
            raise Refusal(405, "wrong_method", message, ((b"allow", self.allowed),))
        await reply_empty(send, ((b"allow", self.allowed),))


class QuestionPath(Path):
    """One path of the API, with its operations by method."""

    def __init__(self, service: Service, operations: Sequence[Operation]) -> None:
        super().__init__([operation.method for operation in operations])
        self._service = service
        self._operations = {operation.method: operation for operation in operations}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        method = scope["method"]
        operation = self._operations.get("GET" if method == "HEAD" else method)
        if operation is None:
            await self.refuse_method(scope, send)
            return
        self._service.check_ready()
        workers, deadline = self._service.workers, Deadline(self._service.options.deadline)
        if operation.method == "POST":
            # A body that does not come must take no slot from others.
            raw = await self._body(scope, receive, deadline)
            work = partial(self._read_and_answer, operation, raw, deadline)
            is_quick = operation.is_quick and len(raw) <= SMALL_BODY
        else:
            request = from_query(scope["query_string"], operation.takes)
            work, is_quick = partial(self._answer, operation, request, deadline), operation.is_quick
        workers.acquire_slot()
        try:
            body = work() if is_quick else await workers.run(work, deadline)
        except NoSuchRow as missing:
            raise await workers.run(missing.refusal, deadline) from None
        finally:
            workers.release_slot()
        # A slow reader does not hold a slot, but the total of unread answers is limited.
        self._service.check_unread_limit(body)
        await reply(send, 200, body)

    async def _body(self, scope: Scope, receive: Receive, deadline: Deadline) -> bytes:
        if scope["query_string"]:
            raise bad_request(
                "POST takes its values from the body, not from parameters; leave out what is behind the ?"
            )
        return await read_body(scope, receive, deadline, self._service.arriving)

    def _read_and_answer(self, operation: Operation, raw: bytes, deadline: Deadline) -> bytes:
        return self._answer(operation, from_body(raw, operation.takes), deadline)

    def _answer(self, operation: Operation, request: Any, deadline: Deadline) -> bytes:
        model = self._service.models.find(request.model)
        return model.json(operation.answer(model, request, deadline))


class FixedAnswer(Path):
    """A path whose answer takes no arguments and is computed at once."""

    def __init__(self, service: Service, answer: Any, *, when_ready: bool = False) -> None:
        """``answer`` returns a status, a body, its content type and, if they differ from the default, headers."""
        super().__init__(["GET"])
        self._service, self._answer, self._when_ready = service, answer, when_ready

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["method"] not in ("GET", "HEAD"):
            await self.refuse_method(scope, send)
            return
        if self._when_ready:
            self._service.check_ready()
        if scope["query_string"]:
            from_query(scope["query_string"], Nothing)
        status, body, kind, *headers = self._answer(scope)
        await reply(send, status, body, kind, *headers)


HTML = b"text/html; charset=utf-8"


class ExplorerPages:
    """The explorer pages, each with the headers that allow its own script."""

    def __init__(self) -> None:
        self._pages: dict[str, tuple[bytes, Headers]] = {}
        self._lock = threading.Lock()

    def get(self, model: Model) -> tuple[bytes, Headers] | None:
        """The page, or None if it has not been made yet."""
        return self._pages.get(model.name)

    def get_or_make(self, model: Model) -> tuple[bytes, Headers]:
        """The page, made now unless another thread has made it in the meantime."""
        with self._lock:
            if model.name not in self._pages:
                content = explorer_page(model.embedding, title=model.name).encode()
                self._pages[model.name] = (content, page_headers(content))
            return self._pages[model.name]


class ExplorerPath(Path):
    """The explorer of the model in the path, or of the only model; a list of links if there are several."""

    def __init__(self, service: Service, explorers: ExplorerPages) -> None:
        super().__init__(["GET"])
        self._service, self._explorers = service, explorers
        self._making: dict[str, asyncio.Future[tuple[bytes, Headers]]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["method"] not in ("GET", "HEAD"):
            await self.refuse_method(scope, send)
            return
        service = self._service
        if not service.options.explorer:
            raise Refusal(404, "not_found", "the explorer is not served here; see /openapi.json")
        service.check_ready()
        from_query(scope["query_string"], Nothing)
        name = scope["path_params"].get("name", UNSET)
        if name is UNSET and len(service.models) > 1:
            page = _links([model.name for model in service.models])
            await reply(send, 200, page, HTML, page_headers(page))
            return
        model = service.models.find(name)
        page, headers = self._explorers.get(model) or await self._shared_page(model)
        service.check_unread_limit(page)
        await reply(send, 200, page, HTML, headers)

    async def _shared_page(self, model: Model) -> tuple[bytes, Headers]:
        # All requests for a page wait for the same thread; a client that disconnects does not cancel it for the others.
        making = self._making.get(model.name)
        if making is None:
            making = self._making[model.name] = asyncio.ensure_future(self._make(model))
            making.add_done_callback(lambda _: self._making.pop(model.name))
        return await asyncio.shield(making)

    async def _make(self, model: Model) -> tuple[bytes, Headers]:
        workers = self._service.workers
        workers.acquire_slot()
        try:
            return await workers.run(
                partial(self._explorers.get_or_make, model), Deadline(self._service.options.deadline)
            )
        finally:
            workers.release_slot()


def _links(names: list[str]) -> bytes:
    items = "\n".join(f'<li><a href="/explore/{quote(name, safe="")}">{html.escape(name)}</a></li>' for name in names)
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        "<title>hypercone</title>\n<style>\n:root { color-scheme: light dark }\n"
        "body { font: 1.1rem/1.7 system-ui, sans-serif; max-width: 34rem; margin: 4rem auto; padding: 0 1rem }\n"
        f"</style>\n<h1>hypercone</h1>\n<p>The models that are served here:</p>\n<ul>\n{items}\n</ul>\n"
        '<p>For programs: <a href="/openapi.json">openapi.json</a></p>\n</html>\n'
    ).encode()
