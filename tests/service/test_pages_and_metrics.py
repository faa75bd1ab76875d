"""The explorer pages of each model, and the metrics that Prometheus reads."""

from __future__ import annotations

import asyncio
import re
from html import unescape
from urllib.parse import unquote

import httpx
import numpy as np
import pytest

from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.methods import Settings
from hypercone.service import Service
from hypercone.service.errors import Refusal
from hypercone.service.metrics import BUCKETS, Metrics

STRANGE = '<b>"Löwe" & co</b>'


def test_the_only_model_is_explored_at_the_root_and_under_its_name_with_its_own_script_and_style(make_service, asked):
    service = make_service()
    root = asked(service, "GET", "/")
    assert (root.status_code, root.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert root.text.lower().startswith("<!doctype html>")
    assert 'id="hypercone-data"' in root.text
    assert asked(service, "GET", "/explore/pets").text == root.text
    policy = root.headers["content-security-policy"]
    assert re.search(r"script-src 'sha256-[^ ;]+'; style-src 'sha256-[^ ;]+';", policy)
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'")


def test_several_models_are_linked_with_escaped_names(make_service, asked, small):
    service = make_service({"pets": small, STRANGE: small})
    links = asked(service, "GET", "/")
    assert STRANGE not in links.text
    found = re.findall(r'<a href="(/explore/[^"]+)">([^<]+)</a>', links.text)
    assert [unescape(words) for _, words in found] == ["pets", STRANGE]
    assert unquote(found[1][0]) == f"/explore/{STRANGE}"
    assert asked(service, "GET", found[0][0]).status_code == 200


def test_the_page_of_an_unknown_model_is_404_and_without_the_explorer_there_is_none(make_service, asked):
    service, bare = make_service(), make_service(explorer=False)
    for name in ["nowhere", "%2e%2e%2fetc", "pets%00", "pets/", "pets/.."]:
        assert asked(service, "GET", f"/explore/{name}").status_code == 404
    found = [asked(bare, "GET", path).status_code for path in ("/", "/explore/pets", "/v1/models")]
    assert found == [404, 404, 200]


def test_concurrent_requests_for_a_page_share_one_slot(make_service, run):
    service = make_service(concurrency=1)

    async def all_at_once():
        transport = httpx.ASGITransport(service)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await asyncio.gather(*(client.get("/") for _ in range(8)))

    assert [answer.status_code for answer in run(all_at_once())] == [200] * 8


def test_a_large_answer_is_refused_while_too_many_wait_to_be_read(make_service):
    service = make_service()
    service.unread = lambda: 256 * 1024**2
    service.check_unread_limit(bytes(1000))
    with pytest.raises(Refusal) as refused:
        service.check_unread_limit(bytes(1024**2))
    assert (refused.value.status, "try again" in refused.value.message) == (503, True)


def test_a_model_without_nodes_is_not_served():
    nothing = Embedding([], np.empty((0, 2)), "hyperbolic-cones", Settings(), 0.0)
    with pytest.raises(InputError, match="the model nothing has no nodes"):
        Service({"nothing": nothing})


LINE = re.compile(r'(?P<name>[a-z_]+)(?:\{(?P<labels>(?:[a-z]+="(?:[^"\\\n]|\\.)*",?)*)\})? (?P<value>\S+)')
LABEL = re.compile(r'([a-z]+)="((?:[^"\\\n]|\\.)*)"')


def _read(text):
    """The values by name and labels; fails unless every line is valid and each name is declared before its use."""
    values, kinds = {}, {}
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            continue
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in kinds
            kinds[name] = kind
            continue
        match = LINE.fullmatch(line)
        assert match, line
        family = re.sub(r"_(bucket|sum|count)$", "", match["name"])
        assert match["name"] in kinds or kinds[family] == "histogram"
        key = (match["name"], tuple(LABEL.findall(match["labels"] or "")))
        assert key not in values
        values[key] = float(match["value"])
    return values


def _answers(values, route, status):
    return values["hypercone_requests_total", (("route", route), ("status", status))]


def test_answers_are_counted_by_status_and_by_few_routes_whatever_is_requested(make_service, asked):
    service = make_service()
    for path in ["/healthz"] * 3 + ["/v1/is-a?child=dog&parent=animal", "/v1/is-a", "/nowhere", "/a/b/c", "/explore/x"]:
        asked(service, "GET", path)
    answer = asked(service, "GET", "/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    counted = _read(answer.text)
    assert _answers(counted, "/healthz", "200") == 3
    assert _answers(counted, "/v1/is-a", "200") == _answers(counted, "/v1/is-a", "400") == 1
    assert _answers(counted, "other", "404") == 2
    assert _answers(counted, "/explore/{name}", "404") == 1
    known = {None, "/healthz", "/v1/is-a", "other", "/explore/{name}", "/metrics"}
    assert {dict(labels).get("route") for _, labels in counted} <= known
    assert counted["hypercone_requests_in_flight", ()] == 1, "the one that asks"
    assert counted["hypercone_model_nodes", (("model", "pets"),)] == 5


def test_the_buckets_of_a_histogram_are_cumulative_and_any_model_name_is_escaped():
    metrics = Metrics()
    for seconds in (0.0001, 0.0005, 0.003, 0.2, 99.0):
        metrics.count("/healthz", 200, seconds)
    values = _read(metrics.text({'a "b" \\ c\nd': 3}).decode())
    assert values["hypercone_model_nodes", (("model", 'a \\"b\\" \\\\ c\\nd'),)] == 3
    name, route = "hypercone_request_duration_seconds", ("route", "/healthz")
    found = [values[f"{name}_bucket", (route, ("le", str(bound)))] for bound in (*BUCKETS, "+Inf")]
    assert found == sorted(found)
    assert found[0] == 2, "a bound belongs to its bucket"
    assert found[-1] == values[f"{name}_count", (route,)] == 5
    assert values[f"{name}_sum", (route,)] == pytest.approx(99.2036)


def test_data_that_is_not_http_is_counted_too(server):
    with server.open() as connection:
        connection.sendall(b"no such language\r\n\r\n")
        assert connection.recv(12) == b"HTTP/1.1 400"
    assert _answers(_read(server.ask("/metrics")[2]), "other", "400") >= 1
