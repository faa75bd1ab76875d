"""The metrics are text that Prometheus can read, and they count what happened."""

from __future__ import annotations

import re

import pytest

from hypercone.service.metrics import BUCKETS, Metrics

LINE = re.compile(r'(?P<name>[a-z_]+)(?:\{(?P<labels>(?:[a-z]+="(?:[^"\\\n]|\\.)*",?)*)\})? (?P<value>\S+)')
LABEL = re.compile(r'([a-z]+)="((?:[^"\\\n]|\\.)*)"')


def _read(text):
    """The values by name and labels, if every line is one of the three kinds and each name is declared before it."""
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


@pytest.fixture
def counted(make_service, asked):
    service = make_service()
    for path in ["/healthz"] * 3 + ["/v1/is-a?child=dog&parent=animal", "/v1/is-a", "/nowhere", "/a/b/c", "/explore/x"]:
        asked(service, "GET", path)
    answer = asked(service, "GET", "/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return _read(answer.text)


def _answers(values, route, status):
    return values["hypercone_requests_total", (("route", route), ("status", status))]


def test_answers_are_counted_by_route_and_status(counted):
    assert _answers(counted, "/healthz", "200") == 3
    assert _answers(counted, "/v1/is-a", "200") == _answers(counted, "/v1/is-a", "400") == 1
    assert counted["hypercone_requests_in_flight", ()] == 1, "the one that asks"
    assert counted["hypercone_model_nodes", (("model", "pets"),)] == 5


def test_whatever_is_asked_for_the_routes_are_few(counted):
    assert _answers(counted, "other", "404") == 2
    assert _answers(counted, "/explore/{name}", "404") == 1
    assert {dict(labels).get("route") for _, labels in counted} <= {
        *(None, "/healthz", "/v1/is-a", "other", "/explore/{name}", "/metrics"),
    }


def test_the_buckets_of_a_histogram_grow_up_to_the_count():
    metrics = Metrics()
    for seconds in (0.0001, 0.0005, 0.003, 0.2, 99.0):
        metrics.count("/healthz", 200, seconds)
    values = _read(metrics.text({}).decode())
    name, route = "hypercone_request_duration_seconds", ("route", "/healthz")
    found = [values[f"{name}_bucket", (route, ("le", str(bound)))] for bound in (*BUCKETS, "+Inf")]
    assert found == sorted(found)
    assert found[0] == 2, "a bound belongs to its bucket"
    assert found[-1] == values[f"{name}_count", (route,)] == 5
    assert values[f"{name}_sum", (route,)] == pytest.approx(99.2036)


def test_any_name_of_a_model_can_stand_in_a_label():
    strange = 'a "b" \\ c\nd'
    values = _read(Metrics().text({strange: 3}).decode())
    assert values["hypercone_model_nodes", (("model", 'a \\"b\\" \\\\ c\\nd'),)] == 3


def test_what_is_refused_before_it_is_a_request_is_counted_too(server):
    import socket

    with socket.create_connection((server.host, server.port), timeout=10) as connection:
        connection.sendall(b"no such language\r\n\r\n")
        assert connection.recv(12) == b"HTTP/1.1 400"
    assert _answers(_read(server.ask("/metrics")[2]), "other", "400") >= 1
