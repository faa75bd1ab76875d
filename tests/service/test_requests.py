"""Requests are read, refused and answered as the OpenAPI document says, also generated ones."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone.service.errors import STATUSES, Refusal
from hypercone.service.handlers import OPERATIONS
from hypercone.service.requests import ANY_NAME, MANY, from_body, from_query, many, request_type, text, whole

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
TYPES = {
    "text": text("a text"),
    "number": whole("a number"),
    "names": many(ANY_NAME, "names", 1, 3),
    "pairs": many(MANY["CHILD PARENT"][1].__origin__.__args__[0], "pairs", 0, 3),
}
REQUESTS = {name: request_type("About" + name, [(name, kind)]) for name, kind in TYPES.items()}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=12,
)
NAME = st.text(max_size=2) | st.integers()
NEARLY_RIGHT = st.lists(
    st.lists(NAME, min_size=1, max_size=3) | st.dictionaries(st.sampled_from(["child", "parent", "x"]), NAME),
    max_size=4,
)
SCHEMAS = {name: msgspec.json.schema(kind) for name, kind in REQUESTS.items()}
VALIDATORS = {name: jsonschema_rs.validator_for(schema) for name, schema in SCHEMAS.items()}
TAKES = {(each.path, each.method): each.takes for each in OPERATIONS}
PAIR, NAMED, NAMES = TAKES["/v1/is-a", "GET"], TAKES["/v1/ancestors", "GET"], TAKES["/v1/ancestors", "POST"]


def _outcome(read, *given):
    """The request, or the status of its refusal."""
    try:
        return read(*given)
    except Refusal as refused:
        return refused.status if len(refused.message) < 300 else 500


@given(TEXT, TEXT)
def test_urlencoded_values_are_decoded(child, parent):
    found = from_query(urlencode({"child": child, "parent": parent}).encode(), PAIR)
    assert (found.child, found.parent, found.model) == (child, parent, msgspec.UNSET)


@given(st.binary(max_size=40))
def test_any_bytes_are_a_query_or_a_refusal(query):
    found = _outcome(from_query, query, request_type("Any", [("a", whole("any"))]))
    assert found == 400 or hasattr(found, "a")


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(list(TYPES)), JSON | NEARLY_RIGHT | st.lists(st.text(max_size=2), max_size=5))
def test_a_field_accepts_exactly_what_its_schema_accepts(name, value):
    # A large whole number may be written with an exponent, which is not accepted as one.
    body = json.dumps({name: value})
    document = json.loads(body)
    found = _outcome(from_body, body.encode(), REQUESTS[name])
    is_refused = type(found) is int
    assert found != 500
    assert is_refused != VALIDATORS[name].is_valid(document) or (name == "number" and "e" in body)


@given(JSON)
def test_any_json_is_a_body_or_a_refusal(value):
    found = _outcome(from_body, json.dumps(value).encode(), REQUESTS["text"])
    assert found == 400 or {"text": found.text} == value


@given(
    st.dictionaries(
        st.sampled_from(["names", "limit", 'n":s', ":"]), st.integers(0, 9) | st.just(["a:b", '":']), max_size=3
    )
)
def test_repeated_members_are_refused_however_they_are_written(members):
    written = [
        f"{json.dumps(name)}{space}:{json.dumps(value)}" for name, value in members.items() for space in ("", " ")
    ]
    for doubled in (written, written[::-1]):
        assert _outcome(from_body, ("{" + ",".join(doubled) + "}").encode(), NAMES) == 400


QUERIES = {
    b"": "the parameter name is missing: the name or label of a node",
    b"name=": "name is '', but must be a text that is not empty",
    b"name": "the parameter 'name' has no value",
    b"name=a&name=b": "the parameter 'name' is given twice",
    b"name=a&nmae=b": "there is no parameter 'nmae' here; known are name, by, limit",
    b"name=a&": "the parameter '' has no value",
    b"name=%zz": "a % that is not followed by two hexadecimal digits",
    b"name=100%": "a % that is not followed by two hexadecimal digits",
    b"name=%ff": "the query is not UTF-8",
    b"name=a&limit=ten": "limit is 'ten', but must be a whole number",
    b"name=a&limit=1.0": "limit is '1.0', but must be a whole number",
    b"name=a&limit=1e3": "limit is '1e3', but must be a whole number",
    b"name=a&limit=-1": "limit is -1, but must be from 0 to 1000000",
    b"name=a&limit=1000001": "limit is 1000001",
    b"name=a&limit=" + b"9" * 400: "but must be a whole number",
}
BODIES = {
    b"": "the body is not valid JSON",
    b"[]": "the body is JSON, but must be an object",
    b'{"limit": 3}': "the member names is missing: names or labels of nodes",
    b'{"names": ["a"], "names": ["b"]}': "two members with one name",
    b'{"names": ["a:b"], "n\\u0061mes": ["b"]}': "two members with one name",
    b'{"names": ["a"], "limit": 1e400}': "the body is not valid JSON",
    b'{"names": ["a"], "limit": 1e3}': "limit is 1000.0, but must be a whole number",
    b'{"names": ["a"], "limit": -1}': "limit is -1, but",
    b'{"names": ["a"], "limit": 1.5}': "limit is 1.5, but must be a whole number",
    b'{"names": ["a"], "limit": "x"}': "limit is 'x', but must be a whole number",
    b'{"names": ["a"], "limit": true}': "limit is true, but must be a whole number",
    b'{"names": ["a"], "limit": null}': "limit is null, but must be a whole number",
    b'{"names": ["a"], "limit": 1000001}': "limit is 1000001, but must be from 0 to 1000000",
    b'{"names": ["a"], "limit": 99999999999999999999}': "limit is 99999999999999999999, but must be from 0",
    b'{"names": "a"}': "names is 'a', but must be a list",
    b'{"names": ["b", ["a"]]}': "names[1] is a list of 1, but must be a text that is not empty",
    b'{"names": [{}]}': "names[0] is an object, but must be a text that is not empty",
    b'{"names": ["a"], "x": {"x": 1, "x": 2}}': "two members with one name",
    b'{"names": ["a"], "x": ' + b'{"x":' * 1000 + b"1" + b"}" * 1000 + b"}": "nested too deeply",
    b'{"names": ["a"], "limit": ["' + b"x" * 1000 + b'"]}': "limit is a list of 1, but must be a whole number",
    b'{"names": ["a"], "' + b"x" * 1000 + b'": 1}': "xxx…' here; known are names, by, limit, model",
}
BAD_PAIRS = {
    '["a"]': 'pairs[1] is a list of 1, but must be {"child": …, "parent": …}, each a name',
    '{"child": "a"}': 'pairs[1] is an object, but must be {"child": …, "parent": …}, each a name',
    '{"child": "a", "parent": "b", "x": 1}': "pairs[1] is an object, but must be {",
    '{"child": "a", "parent": ""}': "pairs[1].parent is '', but must be a text that is not empty",
    '["a", 3]': "pairs[1][1] is 3, but must be a text that is not empty",
    '"ab"': "pairs[1] is 'ab', but must be {",
}
REFUSED = [
    *((from_query, NAMED, *row) for row in QUERIES.items()),
    *((from_body, NAMES, *row) for row in BODIES.items()),
    *(
        (from_body, TAKES["/v1/is-a", "POST"], f'{{"pairs": [["a", "b"], {pair}]}}'.encode(), words)
        for pair, words in BAD_PAIRS.items()
    ),
]


@pytest.mark.parametrize(("read", "takes", "written", "words"), REFUSED)
def test_a_bad_query_body_or_pair_is_refused_in_one_sentence(read, takes, written, words):
    with pytest.raises(Refusal) as refused:
        read(written, takes)
    assert refused.value.status == 400
    assert words in refused.value.message
    assert len(refused.value.message) < 200


@pytest.mark.parametrize(
    ("path", "written", "sentence"),
    [
        ("/v1/parents", "foo", "by is 'foo', but must be graph or geometry"),
        ("/v1/is-a", "", "by is '', but must be graph or geometry"),
        ("/v1/nearest", "graph", "by is 'graph', but must be geometry"),
        ("/v1/parents", 5, "by is 5, but must be graph or geometry"),
    ],
)
def test_what_by_may_be_is_said_if_it_is_something_else(server, path, written, sentence):
    item = {"pairs": [["n3", "n1"]]} if path == "/v1/is-a" else {"names": ["n3"]}
    status, _, found = server.ask(path, item | {"by": written})
    assert (status, found["error"]["message"]) == (400, sentence)
    if isinstance(written, str):
        asked = "child=n3&parent=n1" if path == "/v1/is-a" else "name=n3"
        status, _, found = server.ask(f"{path}?{asked}&by={written}")
        assert (status, found["error"]["message"]) == (400, sentence)


def test_colons_in_names_are_not_members_and_a_whole_number_may_have_a_point():
    assert from_body(b'{"names": ["HP:1", "HP:2"]}', NAMES).names == ["HP:1", "HP:2"]
    assert from_body(b'{"names" : ["\\":", "HP:2"], "limit": 20.0}', NAMES).names == ['":', "HP:2"]
    assert from_body(b'{"names": [], "limit": 20.0}', NAMES).limit == 20


def test_the_sizes_of_batches_are_limited():
    for path, field, item, most in [
        ("/v1/ancestors", "names", "a", 10_000),
        ("/v1/is-a", "pairs", ["a", "b"], 10_000),
        ("/v1/is-a", "pairs", {"child": "a", "parent": "b"}, 10_000),
        ("/v1/lca", "names", "a", 10_000),
        ("/v1/lca", "groups", ["a", "b"], 10_000),
        ("/v1/search", "texts", "a", 500),
    ]:
        takes = TAKES[path, "POST"]
        from_body(json.dumps({field: [item] * most}).encode(), takes)
        with pytest.raises(Refusal) as refused:
            from_body(json.dumps({field: [item] * (most + 1)}).encode(), takes)
        assert refused.value.status == 413
        assert f"{field} has {most + 1:,} items, but at most {most:,} are taken at a time" in refused.value.message


def test_post_takes_json_however_it_is_called_and_no_parameters_and_get_no_unknown_ones(server):
    for kind in ["application/json", "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"']:
        assert server.ask("/v1/energy", {"pairs": []}, headers={"Content-Type": kind})[0] == 200
    assert server.ask("/v1/is-a?model=nodes", {"pairs": []})[0] == 400
    for path in ["/healthz?x=1", "/v1/models?x=1", "/metrics?x=1", "/?x=1"]:
        assert server.ask(path)[0] == 400


@pytest.fixture(scope="module")
def document(server):
    return server.ask("/openapi.json")[2]


def _operations(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def _validate(document, schema, value):
    jsonschema_rs.validate({**schema, "components": document["components"]}, value)


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
            _validate(document, body["schema"], body["example"])
        for each in parameters:
            jsonschema_rs.validate(each["schema"], each["example"])
        status, headers, found = server.ask(f"{path}?{query}" if query else path, body and body["example"])
        assert status == 200
        content = operation["responses"]["200"]["content"]
        kind = headers["content-type"].split(";")[0]
        _validate(document, content[kind]["schema"], found)


def test_every_status_is_documented(document, server):
    asked = [("/v1/is-a?child=n1", None), ("/v1/is-a?child=n1&parent=no+such", None), ("/v1/place", {"parents": []})]
    for path, body in asked:
        status, _, found = server.ask(path, body)
        operation = document["paths"][path.split("?")[0]]["post" if body else "get"]
        reference = operation["responses"][str(status)]["$ref"]
        described = document["components"]["responses"][reference.rsplit("/", 1)[1]]
        schema = described["content"]["application/json"]["schema"]
        _validate(document, schema, found)
    assert set(document["components"]["responses"]) == {str(status) for status in STATUSES}


def test_the_document_requires_the_token_and_the_model_where_they_are_needed(make_service, asked, small):
    service = make_service({"one": small, "two": small}, token="s3cret")
    found = asked(service, "GET", "/openapi.json", headers={"Authorization": "Bearer s3cret"}).json()
    assert found["security"] == [{"token": []}]
    assert found["paths"]["/healthz"]["get"]["security"] == []
    assert "401" in found["paths"]["/v1/is-a"]["get"]["responses"]
    required = {each["name"]: each["required"] for each in found["paths"]["/v1/is-a"]["get"]["parameters"]}
    assert required == {"child": True, "parent": True, "model": True, "by": False}


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
