"""The OpenAPI document, made from the tables by which requests are read, so that it cannot say anything else."""

from __future__ import annotations

from typing import Any

from hypercone.service.errors import STATUSES
from hypercone.service.handlers import OPERATIONS, Operation, answer_schema, with_model
from hypercone.service.models import Model, Models
from hypercone.service.schema import Field

_ALWAYS = (400, 405, 421, 431, 500)
_OF_QUESTIONS = (404, 503, 504)
_OF_BODIES = (408, 413, 415)
_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
        }
    },
}


def openapi(models: Models, version: str, *, token: bool) -> dict[str, Any]:
    """The document for these models."""
    examples = _examples(next(iter(models)))
    paths: dict[str, Any] = {}
    for operation in OPERATIONS:
        described = _operation(operation, examples, models.names, token)
        paths.setdefault(operation.path, {})[operation.method.lower()] = described
    paths |= _plain_paths(token)
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "hypercone",
            "version": version,
            "description": "Questions to embeddings of hierarchies: is it one, what is above, below and near.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": {"Error": _ERROR},
            "responses": {str(status): _error_response(status) for status in STATUSES},
        },
    }
    if token:
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
    return document


def _operation(operation: Operation, examples: dict[str, Any], models: list[str], token: bool) -> dict[str, Any]:
    fields = with_model(operation.fields, models)
    is_post = operation.method == "POST"
    described: dict[str, Any] = {
        "operationId": _id(operation.method, operation.path),
        "summary": operation.summary,
        "responses": {
            "200": {"description": "the answer", "content": _json(answer_schema(operation))},
            **_errors((*_ALWAYS, *_OF_QUESTIONS, *(_OF_BODIES if is_post else (408, 413))), token),
        },
    }
    if is_post:
        described["requestBody"] = {"required": True, "content": {"application/json": _body(fields, examples)}}
    else:
        described["parameters"] = [_parameter(field, examples) for field in fields]
    return described


def _parameter(field: Field, examples: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": field.name,
        "in": "query",
        "required": field.required,
        "description": field.about,
        "schema": field.schema(),
        "example": examples[field.name],
    }


def _body(fields: tuple[Field, ...], examples: dict[str, Any]) -> dict[str, Any]:
    schema = {
        "type": "object",
        "required": [field.name for field in fields if field.required],
        "additionalProperties": False,
        "properties": {field.name: field.schema() | {"description": field.about} for field in fields},
    }
    return {"schema": schema, "example": {field.name: examples[field.name] for field in fields}}


def _examples(model: Model) -> dict[str, Any]:
    """A value for each field that is answered with 200 by the very model that is served."""
    child, parent = model.example()
    return {
        "child": child,
        "parent": parent,
        "name": child,
        "names": [child, parent],
        "pairs": [[child, parent], [parent, child]],
        "parents": [parent],
        "not_under": [],
        "limit": 20,
        "count": 5,
        "model": model.name,
    }


def _plain_paths(token: bool) -> dict[str, Any]:
    status = {"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}}
    about = {
        "name": {"type": "string"},
        "method": {"type": "string"},
        "dim": {"type": "integer", "minimum": 1},
        "nodes": {"type": "integer", "minimum": 0},
        "threshold": {"type": "number"},
        "kind": {"type": "string"},
    }
    model = {"type": "object", "required": list(about), "additionalProperties": False, "properties": about}
    models = {
        "type": "object",
        "required": ["models"],
        "additionalProperties": False,
        "properties": {"models": {"type": "array", "items": model}},
    }
    return {
        "/v1/models": _plain("/v1/models", "The models that are served", _json(models), (503,), token),
        "/healthz": _plain("/healthz", "Whether the process is alive", _json(status), (), None),
        "/readyz": _plain("/readyz", "Whether questions are answered", _json(status), (503,), None),
        "/metrics": _plain(
            "/metrics", "Counts for Prometheus", {"text/plain": {"schema": {"type": "string"}}}, (), token
        ),
        "/openapi.json": _plain("/openapi.json", "This document", _json({"type": "object"}), (), token),
    }


def _plain(
    path: str, summary: str, content: dict[str, Any], more: tuple[int, ...], token: bool | None
) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": _id("GET", path),
        "summary": summary,
        "responses": {
            "200": {"description": "the answer", "content": content},
            **_errors((*_ALWAYS, *more), bool(token)),
        },
    }
    if token is None:
        described["security"] = []
    return {"get": described}


def _errors(statuses: tuple[int, ...], token: bool) -> dict[str, Any]:
    every = sorted({*statuses, *((401,) if token else ())})
    return {str(status): {"$ref": f"#/components/responses/{status}"} for status in every}


def _error_response(status: int) -> dict[str, Any]:
    described: dict[str, Any] = {
        "description": STATUSES[status],
        "content": _json({"$ref": "#/components/schemas/Error"}),
    }
    header = {401: "WWW-Authenticate", 405: "Allow", 503: "Retry-After"}.get(status)
    if header:
        described["headers"] = {header: {"schema": {"type": "string"}}}
    return described


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _id(method: str, path: str) -> str:
    return method.lower() + "".join(part.title() for part in path.replace("-", "/").replace(".", "/").split("/"))
