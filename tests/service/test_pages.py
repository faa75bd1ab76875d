"""The pages for people: the explorer of each model, and links where there are several."""

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
from hypercone.service.errors import Refusal, page_headers

STRANGE = '<b>"Löwe" & co</b>'


def test_the_only_model_is_explored_at_the_root_and_under_its_name(make_service, asked):
    service = make_service()
    root = asked(service, "GET", "/")
    assert (root.status_code, root.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert root.text.lower().startswith("<!doctype html>")
    assert 'id="hypercone-data"' in root.text
    assert asked(service, "GET", "/explore/pets").text == root.text


def test_the_page_lets_only_its_own_script_and_style_run(make_service, asked):
    policy = asked(make_service(), "GET", "/").headers["content-security-policy"]
    assert re.search(r"script-src 'sha256-[^ ;]+'; style-src 'sha256-[^ ;]+';", policy)
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'")


def test_several_models_are_linked_whatever_they_are_called(make_service, asked, small):
    service = make_service({"pets": small, STRANGE: small})
    links = asked(service, "GET", "/")
    assert STRANGE not in links.text
    found = re.findall(r'<a href="(/explore/[^"]+)">([^<]+)</a>', links.text)
    assert [unescape(words) for _, words in found] == ["pets", STRANGE]
    assert unquote(found[1][0]) == f"/explore/{STRANGE}"
    assert asked(service, "GET", found[0][0]).status_code == 200


@pytest.mark.parametrize("name", ["nowhere", "%2e%2e%2fetc", "pets%00", "pets/", "pets/.."])
def test_a_page_of_no_model_is_404(make_service, asked, name):
    assert asked(make_service(), "GET", f"/explore/{name}").status_code == 404


def test_without_the_explorer_there_is_no_page(make_service, asked):
    service = make_service(explorer=False)
    assert [asked(service, "GET", path).status_code for path in ("/", "/explore/pets")] == [404, 404]
    assert asked(service, "GET", "/v1/models").status_code == 200


def test_those_who_come_while_a_page_is_made_wait_for_it_in_one_place(make_service, run):
    service = make_service(concurrency=1)

    async def all_at_once():
        transport = httpx.ASGITransport(service)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await asyncio.gather(*(client.get("/") for _ in range(8)))

    assert [answer.status_code for answer in run(all_at_once())] == [200] * 8


def test_a_script_in_a_module_may_run_however_its_type_is_quoted():
    for written in (
        b"<script>",
        b"<script type=module>",
        b'<script type="module">',
        b"<script type='text/javascript'>",
    ):
        policy = dict(page_headers(written + b"run()</script>"))[b"content-security-policy"]
        assert b"script-src 'sha256-" in policy
    data = dict(page_headers(b'<script type="text/plain">data</script>'))[b"content-security-policy"]
    assert b"script-src 'none'" in data


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
