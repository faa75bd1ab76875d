"""The paths of the API: a request becomes values, the values an answer, the answer JSON."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from hypercone.service.deadline import Deadline
from hypercone.service.fields import Field
from hypercone.service.models import Model
from hypercone.service.names import NoSuchRow
from hypercone.service.operations import Operation, with_model
from hypercone.service.reading import body_values, query_values, read_body
from hypercone.service.refusals import Refusal, malformed
from hypercone.service.replies import Receive, Scope, Send, reply, reply_empty

if TYPE_CHECKING:
    from hypercone.service.app import Service

# A body up to this size is a matter of a millisecond.
SMALL_BODY = 64 * 1024


class Path:
    """What all paths have in common: which methods they know, and what they say to the others."""

    def __init__(self, methods: Sequence[str]) -> None:
        known = [*methods, *(["HEAD"] if "GET" in methods else []), "OPTIONS"]
        self.allowed = ", ".join(sorted(known)).encode()

    async def refuse_method(self, scope: Scope, send: Send) -> None:
        """Say which methods there are."""
        if scope["method"] != "OPTIONS":
            message = f"this path knows only {self.allowed.decode()}"
            raise Refusal(405, "wrong_method", message, ((b"allow", self.allowed),))
        await reply_empty(send, ((b"allow", self.allowed),))


class Questions(Path):
    """One path of the API, with its operations by method."""

    def __init__(self, service: Service, operations: Sequence[Operation]) -> None:
        super().__init__([operation.method for operation in operations])
        self._service = service
        models = service.models.names
        self._operations = {
            operation.method: (operation, with_model(operation.fields, models)) for operation in operations
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        method = scope["method"]
        chosen = self._operations.get("GET" if method == "HEAD" else method)
        if chosen is None:
            await self.refuse_method(scope, send)
            return
        operation, fields = chosen
        self._service.must_be_ready()
        workers, deadline = self._service.workers, Deadline(self._service.options.deadline)
        workers.take_place()
        try:
            if operation.method == "POST":
                body = await self._from_body(operation, fields, scope, receive, deadline)
            else:
                values = query_values(scope["query_string"], fields)
                model = self._service.models.find(values["model"])
                if operation.is_quick:
                    body = _answered(operation, model, values, deadline)
                else:
                    body = await workers.run(partial(_answered, operation, model, values, deadline), deadline)
        except NoSuchRow as missing:
            raise await workers.run(missing.refusal, deadline) from None
        finally:
            workers.free_place()
        # Who reads slowly does not keep a place meanwhile, but only so much may wait to be read.
        self._service.must_have_room(body)
        await reply(send, 200, body)

    async def _from_body(
        self, operation: Operation, fields: Sequence[Field], scope: Scope, receive: Receive, deadline: Deadline
    ) -> bytes:
        if scope["query_string"]:
            raise malformed("POST takes its values from the body, and no parameters; leave out what is behind the ?")
        raw = await read_body(scope, receive, deadline)
        work = partial(self._read_and_answered, operation, fields, raw, deadline)
        if operation.is_quick and len(raw) <= SMALL_BODY:
            return work()
        return await self._service.workers.run(work, deadline)

    def _read_and_answered(
        self, operation: Operation, fields: Sequence[Field], raw: bytes, deadline: Deadline
    ) -> bytes:
        values = body_values(raw, fields)
        return _answered(operation, self._service.models.find(values["model"]), values, deadline)


def _answered(operation: Operation, model: Model, values: dict[str, Any], deadline: Deadline) -> bytes:
    import orjson

    answer = operation.answer(model, values, deadline)
    return orjson.dumps(answer, option=orjson.OPT_SERIALIZE_NUMPY)


class Fixed(Path):
    """A path with one answer that takes no arguments and no time."""

    def __init__(self, service: Service, answer: Any, *, when_ready: bool = False) -> None:
        """``answer`` gives a status, a body and its kind."""
        super().__init__(["GET"])
        self._service, self._answer, self._when_ready = service, answer, when_ready

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["method"] not in ("GET", "HEAD"):
            await self.refuse_method(scope, send)
            return
        if self._when_ready:
            self._service.must_be_ready()
        if scope["query_string"]:
            query_values(scope["query_string"], ())
        status, body, kind, *headers = self._answer(scope)
        await reply(send, status, body, kind, *headers)
