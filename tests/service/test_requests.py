"""What a request says is read as it is meant, and refused where it could be meant otherwise."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone.service import handlers
from hypercone.service.errors import Refusal
from hypercone.service.schema import Field, Pairs, Texts, Whole, body_values, query_values

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
FIELDS = [
    Field("text", "a text"),
    Whole("number", "a number", least=1, most=50),
    Texts("names", "names", least=1, most=3),
    Pairs("pairs", "pairs", most=3),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=12,
)
NEARLY_RIGHT = st.lists(st.lists(st.text(max_size=2) | st.integers(), min_size=1, max_size=3), max_size=4)


VALIDATORS = {field.name: jsonschema_rs.validator_for(field.schema()) for field in FIELDS}


def _outcome(read, *given):
    """What was read, or the status of the refusal."""
    try:
        return read(*given)
    except Refusal as refused:
        return refused.status if len(refused.message) < 300 else 500


@given(TEXT, TEXT)
def test_whatever_is_urlencoded_comes_out_as_it_was(child, parent):
    query = urlencode({"child": child, "parent": parent}).encode()
    assert query_values(query, [handlers.CHILD, handlers.PARENT]) == {"child": child, "parent": parent}


@given(st.binary(max_size=40))
def test_any_bytes_are_a_query_or_a_refusal(query):
    found = _outcome(query_values, query, [Field("a", "any", required=False)])
    assert found == 400 or set(found) == {"a"}


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(FIELDS), JSON | NEARLY_RIGHT | st.lists(st.text(max_size=2), max_size=5))
def test_a_field_takes_exactly_what_its_schema_says(field, value):
    document = json.loads(json.dumps(value))
    found = _outcome(field.from_json, document)
    is_refused = type(found) is int and found >= 400
    assert is_refused != VALIDATORS[field.name].is_valid(document)


@given(JSON)
def test_any_json_is_a_body_or_a_refusal(value):
    assert _outcome(body_values, json.dumps(value).encode(), FIELDS[:1]) in (400, value)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (b"", "the parameter name is missing"),
        (b"name=", "name is '', but must be a text that is not empty"),
        (b"name", "the parameter 'name' has no value"),
        (b"name=a&name=b", "the parameter 'name' is given twice"),
        (b"name=a&nmae=b", "there is no parameter 'nmae' here; known are name, limit"),
        (b"name=a&", "the parameter '' has no value"),
        (b"name=%zz", "a % that is not followed by two hexadecimal digits"),
        (b"name=100%", "a % that is not followed by two hexadecimal digits"),
        (b"name=%ff", "the query is not UTF-8"),
        (b"name=a&limit=ten", "limit is 'ten', but must be a whole number"),
        (b"name=a&limit=1.0", "limit is '1.0', but must be a whole number"),
        (b"name=a&limit=-1", "limit is -1, but must be from 0 to 1000000"),
        (b"name=a&limit=1000001", "limit is 1000001"),
        (b"name=a&limit=" + b"9" * 400, "but must be a whole number"),
    ],
)
def test_a_query_that_cannot_be_meant_is_refused_in_a_sentence(query, words):
    with pytest.raises(Refusal) as refused:
        query_values(query, [handlers.NAME, handlers.LIMIT])
    assert refused.value.status == 400
    assert words in refused.value.message


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "the body is not valid JSON"),
        (b"[]", "the body is JSON, but must be an object"),
        (b'{"names": ["a"], "names": ["b"]}', "two members with one name"),
        (b'{"names": ["a:b"], "n\\u0061mes": ["b"]}', "two members with one name"),
        (b'{"names": ["a"], "limit": 1e400}', "the body is not valid JSON"),
        (b'{"names": ["a"], "limit": true}', "limit is true, but must be a whole number"),
        (b'{"names": ["a"], "limit": null}', "limit is null, but must be a whole number"),
        (b'{"names": "a"}', "names is 'a', but must be a list"),
        (b'{"names": [["a"]]}', "names is a list, but must be names"),
        (b'{"names": [{}]}', "names is an object, but must be names"),
        (b'{"names": ["a"], "x": {"x": 1, "x": 2}}', "two members with one name"),
        (b'{"names": ["a"], "x": ' + b'{"x":' * 1000 + b"1" + b"}" * 1000 + b"}", "nested too deeply"),
    ],
)
def test_a_body_that_cannot_be_meant_is_refused_in_a_sentence(body, words):
    with pytest.raises(Refusal) as refused:
        body_values(body, [handlers.NAMES, handlers.LIMIT])
    assert refused.value.status == 400
    assert words in refused.value.message


def test_colons_in_names_are_no_second_members():
    assert body_values(b'{"names": ["HP:1", "HP:2"]}', [handlers.NAMES]) == {"names": ["HP:1", "HP:2"]}


def test_a_whole_number_may_be_written_with_a_point_in_json():
    assert body_values(b'{"names": [], "limit": 20.0}', [handlers.NAMES, handlers.LIMIT])["limit"] == 20


def test_a_batch_has_at_most_ten_thousand():
    handlers.NAMES.from_json(["a"] * 10_000)
    handlers.PAIRS.from_json([["a", "b"]] * 10_000)
    for field, item in [(handlers.NAMES, "a"), (handlers.PAIRS, ["a", "b"])]:
        with pytest.raises(Refusal) as refused:
            field.from_json([item] * 10_001)
        assert refused.value.status == 413


def test_post_takes_no_parameters_and_get_no_unknown_ones(server):
    assert server.ask("/v1/is-a?model=nodes", {"pairs": []})[0] == 400
    for path in ["/healthz?x=1", "/v1/models?x=1", "/metrics?x=1", "/?x=1"]:
        assert server.ask(path)[0] == 400


@pytest.mark.parametrize(
    "kind", ["application/json", "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"']
)
def test_json_may_be_announced_in_several_ways(server, kind):
    assert server.ask("/v1/energy", {"pairs": []}, headers={"Content-Type": kind})[0] == 200


@pytest.mark.parametrize(("value", "shown"), [(0, "0"), (1.5, "1.5"), (True, "true"), (None, "null"), ("x", "'x'")])
def test_a_value_that_is_refused_is_shown_as_it_was_given(value, shown):
    with pytest.raises(Refusal) as refused:
        Whole("number", "a number", least=1, most=50).from_json(value)
    assert f"number is {shown}, but" in refused.value.message
