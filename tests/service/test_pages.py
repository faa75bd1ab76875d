"""The pages for people: the explorer of each model, and links where there are several."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import unquote

import pytest

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
