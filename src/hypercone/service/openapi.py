"""The OpenAPI document, generated from the types of requests and answers."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from hypercone.errors import some
from hypercone.hierarchy.similarity import MEASURES
from hypercone.queries.answers import Results
from hypercone.service.errors import STATUSES, Error
from hypercone.service.handlers import OPERATIONS, Operation
from hypercone.service.models import Model, Models, Served

_ALWAYS = (400, 405, 421, 431, 500)
_FOR_QUESTIONS = (404, 408, 413, 503, 504)
_WHERE = "#/components/schemas/{name}"


@dataclass
class Status:
    """The answer of /healthz and /readyz."""

    status: str


def openapi(models: Models, version: str, *, token: bool) -> dict[str, Any]:
    """The OpenAPI document for these models."""
    examples, schemas = _examples(next(iter(models))), _schemas(models)
    paths: dict[str, Any] = {}
    for operation in OPERATIONS:
        described = _operation(operation, examples, schemas, token)
        paths.setdefault(operation.path, {})[operation.method.lower()] = described
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "hypercone",
            "version": version,
            "description": "Queries of embeddings of hierarchies: is-a, ancestors, descendants, nearest and more.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": paths | _plain_paths(token),
        "components": {
            "schemas": schemas,
            "responses": {str(status): _error_response(status) for status in STATUSES},
        },
    }
    if token:
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
    return document


def _schemas(models: Models) -> dict[str, Any]:
    """The schemas by type name; ``model`` is required if there are several models."""
    takes = [operation.takes for operation in OPERATIONS]
    gives = [
        kind for operation in OPERATIONS for kind in (operation.gives, operation.of) if kind not in (None, Results)
    ]
    # Several questions may have the same type of answer.
    types = dict.fromkeys([*takes, *gives, Error, Served, Status])
    _, schemas = msgspec.json.schema_components(types, ref_template=_WHERE)
    for schema in schemas.values():
        schema["additionalProperties"] = False
    for kind in takes:
        schema = schemas[kind.__name__]
        schema["properties"]["model"]["description"] += f": {some(models.names)}"
        if len(models) > 1:
            schema["required"] = [*schema.get("required", ()), "model"]
        if "groups" in schema["properties"]:
            schema["oneOf"] = [{"required": ["names"]}, {"required": ["groups"]}]
    return schemas


def _operation(operation: Operation, examples: dict[str, Any], schemas: dict[str, Any], token: bool) -> dict[str, Any]:
    statuses, name = (*_ALWAYS, *_FOR_QUESTIONS), operation.takes.__name__
    content = _json(_answer(operation, schemas))
    if "measure" in schemas[name]["properties"]:
        # The graph compares two nodes, neither of which is the parent.
        two = {"name": examples["name"], "other": examples["other"]}
        examples = examples | {"by": "graph", "pairs": [two]}
    if operation.method == "GET":
        described = _describe("get", operation.path, operation.summary, content, statuses, token)
        return described | {"parameters": list(_parameters(schemas.pop(name), examples))}
    example = {field: examples[field] for field in schemas[name]["properties"] if field in examples}
    body = {"schema": _reference(operation.takes), "example": example}
    described = _describe("post", operation.path, operation.summary, content, (*statuses, 415), token)
    return described | {"requestBody": {"required": True, "content": {"application/json": body}}}


def _parameters(schema: dict[str, Any], examples: dict[str, Any]) -> Iterable[dict[str, Any]]:
    for name, kind in schema["properties"].items():
        yield {
            "name": name,
            "in": "query",
            "required": name in schema.get("required", ()),
            "description": kind.pop("description"),
            "deprecated": kind.pop("deprecated", False),
            "schema": kind,
            "example": examples[name],
        }


def _answer(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    """The schema of an answer: that of its type, with the name of the model."""
    single = _with_model(schemas[operation.gives.__name__]) if operation.gives is not Results else None
    if operation.of is None:
        return single or {}
    results = {"type": "array", "items": _reference(operation.of)}
    several = _with_model({"type": "object", "required": ["results"], "properties": {"results": results}})
    return {"oneOf": [single, several]} if single else several


def _with_model(schema: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(schema) | {
        "properties": {"model": {"type": "string"}, **schema["properties"]},
        "required": ["model", *schema["required"]],
        "additionalProperties": False,
    }


def _examples(model: Model) -> dict[str, Any]:
    """An example value for each field; requests made of them succeed with this model."""
    child, parent = model.example()
    return {
        "child": child,
        "parent": parent,
        "name": child,
        "other": parent,
        "others": [parent],
        "measure": MEASURES[0],
        "names": [child, parent],
        "text": child,
        "texts": [child, parent],
        "pairs": [{"child": child, "parent": parent}, {"child": parent, "parent": child}],
        "parents": [parent],
        "not_under": [],
        "by": "geometry",
        "limit": 20,
        "count": 20,
        "model": model.name,
    }


def _plain_paths(token: bool) -> dict[str, Any]:
    status, text = _json(_reference(Status)), {"text/plain": {"schema": {"type": "string"}}}
    plain = [
        ("/v1/models", "The models that are served", _json(_reference(Served)), (503,), True),
        ("/healthz", "Whether the process is alive", status, (), False),
        ("/readyz", "Whether questions are answered", status, (503,), False),
        ("/metrics", "Counts for Prometheus", text, (), True),
        ("/openapi.json", "This document", _json({"type": "object"}), (), True),
    ]
    return {
        path: {
            "get": _describe("get", path, summary, content, (*_ALWAYS, *more), token and needs_token)
            | ({} if needs_token else {"security": []})
        }
        for path, summary, content, more, needs_token in plain
    }


def _describe(
    method: str, path: str, summary: str, content: dict[str, Any], statuses: tuple[int, ...], token: bool
) -> dict[str, Any]:
    errors = sorted({*statuses, *((401,) if token else ())})
    return {
        "operationId": method + "".join(part.title() for part in re.split("[/.-]", path)),
        "summary": summary,
        "responses": {
            "200": {"description": "the answer", "content": content},
            **{str(status): {"$ref": f"#/components/responses/{status}"} for status in errors},
        },
    }


def _error_response(status: int) -> dict[str, Any]:
    described: dict[str, Any] = {
        "description": STATUSES[status],
        "content": _json(_reference(Error)),
    }
    header = {401: "WWW-Authenticate", 405: "Allow", 503: "Retry-After"}.get(status)
    if header:
        described["headers"] = {header: {"schema": {"type": "string"}}}
    return described


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _reference(kind: type) -> dict[str, Any]:
    return {"$ref": _WHERE.format(name=kind.__name__)}
