"""Pages for people: the explorer of each model, made when it is first asked for, and links to them."""

from __future__ import annotations

import asyncio
import html
import threading
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from hypercone.service.deadline import Deadline
from hypercone.service.endpoints import Path
from hypercone.service.headers import page_headers
from hypercone.service.models import Model
from hypercone.service.reading import query_values
from hypercone.service.refusals import Headers, Refusal
from hypercone.service.replies import Receive, Scope, Send, reply

if TYPE_CHECKING:
    from hypercone.service.app import Service

HTML = b"text/html; charset=utf-8"


class Explorers:
    """The explorer pages, each with the headers that let its own script run."""

    def __init__(self) -> None:
        self._pages: dict[str, tuple[bytes, Headers]] = {}
        self._lock = threading.Lock()

    def ready(self, model: Model) -> tuple[bytes, Headers] | None:
        """The page, if it has been made."""
        return self._pages.get(model.name)

    def made(self, model: Model) -> tuple[bytes, Headers]:
        """The page, made now unless another thread, one that its first visitor gave up, has made it meanwhile."""
        with self._lock:
            if model.name not in self._pages:
                from hypercone.explorer import explorer_page

                content = explorer_page(model.embedding, title=model.name).encode()
                self._pages[model.name] = (content, page_headers(content))
            return self._pages[model.name]


class Page(Path):
    """The explorer of the model in the path, or of the only one; with several and none in the path, links to them."""

    def __init__(self, service: Service, explorers: Explorers) -> None:
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
            raise Refusal(404, "not_found", "the explorer is not served here (--no-explorer); see /openapi.json")
        service.must_be_ready()
        query_values(scope["query_string"], ())
        name = scope["path_params"].get("name")
        if name is None and len(service.models) > 1:
            page = _links([model.name for model in service.models])
            await reply(send, 200, page, HTML, page_headers(page))
            return
        model = service.models.find(name)
        page, headers = self._explorers.ready(model) or await self._made(model)
        service.must_have_room(page)
        await reply(send, 200, page, HTML, headers)

    async def _made(self, model: Model) -> tuple[bytes, Headers]:
        # All who ask meanwhile wait for one thread; who leaves does not end it for the others.
        making = self._making.get(model.name)
        if making is None:
            making = self._making[model.name] = asyncio.ensure_future(self._make(model))
            making.add_done_callback(lambda _: self._making.pop(model.name))
        return await asyncio.shield(making)

    async def _make(self, model: Model) -> tuple[bytes, Headers]:
        workers = self._service.workers
        workers.take_place()
        try:
            return await workers.run(partial(self._explorers.made, model), Deadline(self._service.options.deadline))
        finally:
            workers.free_place()


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
