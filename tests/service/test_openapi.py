"""The OpenAPI document is well formed and complete, and answers are as it says, also to generated requests."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema_rs
import pytest

from hypercone.service.errors import STATUSES
from hypercone.service.handlers import OPERATIONS


@pytest.fixture(scope="module")
def document(server):
    return server.ask("/openapi.json")[2]


def _operations(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def _resolve(document, schema):
    """The schema with the parts it refers to."""
    return {**schema, "components": document["components"]}


def test_the_document_is_openapi_3_1_with_valid_schemas_and_references(document):
    assert (document["openapi"], document["info"]["title"]) == ("3.1.0", "hypercone")
    ids = [operation["operationId"] for _, _, operation in _operations(document)]
    assert len(set(ids)) == len(ids)
    for part in json.dumps(document).split('"$ref": "')[1:]:
        place = document
        for step in part.split('"')[0].removeprefix("#/").split("/"):
            place = place[step]
    schemas = list(_found(document, "schema"))
    assert len(schemas) > 20
    assert all(jsonschema_rs.meta.is_valid(schema) for schema in schemas)


def _found(part, key):
    if isinstance(part, dict):
        for name, value in part.items():
            if name == key and isinstance(value, dict):
                yield value
            yield from _found(value, key)
    elif isinstance(part, list):
        for value in part:
            yield from _found(value, key)


def test_every_operation_is_documented_and_every_path_exists(document, server):
    known = {(path, method.upper()) for path, method, _ in _operations(document)}
    assert {(operation.path, operation.method) for operation in OPERATIONS} <= known
    for path in document["paths"]:
        assert server.ask(path, method="OPTIONS")[0] == 204


def test_the_examples_are_answered_as_the_schemas_say(document, server):
    for path, method, operation in _operations(document):
        parameters = operation.get("parameters", [])
        query = "&".join(f"{each['name']}={each['example']}" for each in parameters)
        body = operation["requestBody"]["content"]["application/json"] if method == "post" else None
        if body:
            jsonschema_rs.validate(_resolve(document, body["schema"]), body["example"])
        for each in parameters:
            jsonschema_rs.validate(each["schema"], each["example"])
        status, headers, found = server.ask(f"{path}?{query}" if query else path, body and body["example"])
        assert status == 200
        content = operation["responses"]["200"]["content"]
        kind = headers["content-type"].split(";")[0]
        jsonschema_rs.validate(_resolve(document, content[kind]["schema"]), found)


def test_every_status_is_documented(document, server):
    asked = [("/v1/is-a?child=n1", None), ("/v1/is-a?child=n1&parent=no+such", None), ("/v1/place", {"parents": []})]
    for path, body in asked:
        status, _, found = server.ask(path, body)
        operation = document["paths"][path.split("?")[0]]["post" if body else "get"]
        reference = operation["responses"][str(status)]["$ref"]
        described = document["components"]["responses"][reference.rsplit("/", 1)[1]]
        schema = described["content"]["application/json"]["schema"]
        jsonschema_rs.validate(_resolve(document, schema), found)
    assert set(document["components"]["responses"]) == {str(status) for status in STATUSES}


def test_the_document_requires_the_token_and_the_model_where_they_are_needed(make_service, asked, small):
    service = make_service({"one": small, "two": small}, token="s3cret")
    found = asked(service, "GET", "/openapi.json", headers={"Authorization": "Bearer s3cret"}).json()
    assert found["security"] == [{"token": []}]
    assert found["paths"]["/healthz"]["get"]["security"] == []
    assert "401" in found["paths"]["/v1/is-a"]["get"]["responses"]
    required = {each["name"]: each["required"] for each in found["paths"]["/v1/is-a"]["get"]["parameters"]}
    assert required == {"child": True, "parent": True, "model": True}


def test_every_generated_request_is_answered_as_documented(service_model, tmp_path):
    # Fewer cases would save nothing: nearly all requests are those that schemathesis derives from each schema.
    command = [sys.executable, "-m", "tools.service_schemathesis", str(service_model), "--cases", "4"]
    done = subprocess.run(
        [*command, "-o", tmp_path / "report.json"],
        cwd=Path(__file__).parents[2],
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (tmp_path / "report.json").exists(), done.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["failures"] == report["errors"] == []
    assert report["server_errors"] == 0
    assert report["server_alive_without_a_traceback"]
    assert report["cases"] > 200
    assert all("200" in statuses for statuses in report["operations"].values()), report["operations"]
    assert report["share_of_200_among_valid"] > 0.2
