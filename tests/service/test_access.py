"""Which requests are accepted: by Host, by token and by origin; and the security headers of every answer."""

from __future__ import annotations

import base64
import re

import pytest

from hypercone.errors import InputError
from hypercone.service import Options
from hypercone.service.errors import page_headers
from hypercone.service.security import Hosts, checked_host_name, checked_origin, read_token

TOKEN = "s3cret-Token.~+/="

BEARER = {"Authorization": f"Bearer {TOKEN}"}

ORIGIN = "https://app.example.org"


OWN = ["localhost", "LOCALHOST:1", "127.0.0.1:8000", "[::1]", "[::1]:80", "localhost.", "a.b"]
OTHER = ["", "evil.example", "localhost.evil.example", "evil-localhost", "localhost@evil", "127.0.0.1.nip.io", "0x7f.1"]
ODD = ["localhost:port", "localhost:1:2", "::1", "[::1", "localhost\t", " localhost", "löcalhost", "2130706433"]


@pytest.mark.parametrize(
    ("host", "status"), [(None, 400), *((host, None) for host in OWN), *((host, 421) for host in (*OTHER, *ODD))]
)
def test_only_the_own_names_are_accepted_as_host_with_any_port(host, status):
    refusal = Hosts(["A.b"]).refusal(None if host is None else host.encode("latin-1"))
    assert (refusal and refusal.status) == status


def test_a_wrong_host_is_refused_even_where_no_token_is_needed(make_service, asked):
    service = make_service()
    for path in ["/healthz", "/readyz", "/v1/models", "/", "/nowhere"]:
        assert asked(service, "GET", path, headers={"Host": "evil.example"}).status_code == 421


def test_a_host_that_was_allowed_is_answered(make_service, asked):
    service = make_service(allow_hosts=("models.example.org",))
    assert asked(service, "GET", "/healthz", headers={"Host": "models.example.org:443"}).status_code == 200


@pytest.mark.parametrize("name", ["", "a b", "a/b", "http://a", "a:80", "*", "-a", "[::1", "ä"])
def test_an_invalid_host_name_cannot_be_allowed(name):
    with pytest.raises(InputError, match="is not a host name"):
        checked_host_name(name)


@pytest.mark.parametrize("path", ["/metrics", "/openapi.json", "/v1/is-a", "/v1/models", "/nowhere"])
def test_with_a_token_everything_but_the_probes_needs_it(make_service, asked, path):
    service = make_service(token=TOKEN)
    without = asked(service, "GET", path)
    assert (without.status_code, without.headers["www-authenticate"]) == (401, 'Bearer realm="hypercone"')
    assert TOKEN not in without.text
    for wrong in ["Bearer guess", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN, "Bearer", f"Bearer  {TOKEN}\0"]:
        answer = asked(service, "GET", path, headers={"Authorization": wrong})
        assert (answer.status_code, "invalid_token" in answer.headers["www-authenticate"]) == (401, True)
    assert asked(service, "GET", path, headers=BEARER).status_code != 401
    assert asked(service, "GET", path, headers={"Authorization": f"bearer {TOKEN}"}).status_code != 401
    assert asked(service, "GET", f"{path}?token={TOKEN}").status_code == 401


@pytest.mark.parametrize("path", ["/", "/explore/pets", "/explore/nothing"])
def test_the_token_is_accepted_as_a_password_only_on_pages(make_service, asked, path):
    def with_password(text, where=path):
        given = "Basic " + base64.b64encode(text.encode()).decode()
        return asked(service, "GET", where, headers={"Authorization": given})

    service = make_service(token=TOKEN)
    assert asked(service, "GET", path).headers["www-authenticate"].startswith("Basic realm=")
    assert with_password(f"anybody:{TOKEN}").status_code != 401
    assert asked(service, "GET", path, headers=BEARER).status_code != 401
    for wrong in (TOKEN, f"{TOKEN}:", f"anybody:{TOKEN}x", "anybody:", ":"):
        assert with_password(wrong).status_code == 401
    assert asked(service, "GET", path, headers={"Authorization": f"Basic {TOKEN}"}).status_code == 401
    assert with_password(f"anybody:{TOKEN}", "/v1/models").status_code == 401


def test_the_probes_need_no_token(make_service, asked):
    service = make_service(token=TOKEN)
    assert [asked(service, "GET", path).status_code for path in ("/healthz", "/readyz")] == [200, 200]


def test_a_token_comes_from_a_file_or_else_from_the_environment(tmp_path, monkeypatch):
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    monkeypatch.setenv("HYPERCONE_TOKEN", "from-the-environment")
    assert read_token(str(file)) == TOKEN
    assert read_token(None) == "from-the-environment"
    monkeypatch.delenv("HYPERCONE_TOKEN")
    assert read_token(None) is None


def test_a_token_is_never_shown(tmp_path):
    assert TOKEN not in repr(Options(token=TOKEN))
    file = tmp_path / "token"
    for content in ["", "two words", "naïve", "x\0y"]:
        file.write_text(content)
        with pytest.raises(InputError) as refused:
            read_token(str(file))
        assert not content or content not in str(refused.value)


def test_without_cors_no_page_may_read_answers(make_service, asked):
    answer = asked(make_service(), "GET", "/v1/models", headers={"Origin": ORIGIN})
    assert answer.status_code == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]
    preflight = {"Origin": ORIGIN, "Access-Control-Request-Method": "POST"}
    answer = asked(make_service(), "OPTIONS", "/v1/is-a", headers=preflight)
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_only_pages_of_an_allowed_origin_may_read_answers(make_service, asked):
    service = make_service(cors=(ORIGIN,), token=TOKEN)
    for origin, allowed in [(ORIGIN, ORIGIN), ("https://evil.example", None), ("null", None), (ORIGIN + ".evil", None)]:
        for headers in ({"Origin": origin}, {"Origin": origin} | BEARER):
            answer = asked(service, "GET", "/v1/models", headers=headers)
            assert answer.headers.get("access-control-allow-origin") == allowed
            assert answer.headers["vary"] == "origin"
        preflight = {"Origin": origin, "Access-Control-Request-Method": "POST"}
        answer = asked(service, "OPTIONS", "/v1/is-a", headers=preflight)
        assert answer.status_code == 204
        assert answer.headers.get("access-control-allow-origin") == allowed
        assert ("access-control-allow-headers" in answer.headers) == (allowed is not None)
        assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize(
    "origin", ["*", "null", "app.example.org", "https://a/b", "ftp://a", "https://", "https://a b"]
)
def test_an_invalid_origin_cannot_be_allowed(origin):
    with pytest.raises(InputError, match="is not an origin"):
        checked_origin(origin)


def test_every_answer_has_the_security_headers(make_service, asked):
    service = make_service()
    for method, path in [("GET", "/v1/models"), ("GET", "/nowhere"), ("POST", "/v1/is-a"), ("OPTIONS", "/healthz")]:
        headers = asked(service, method, path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"


def test_the_policy_of_a_page_allows_only_its_own_scripts():
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
    scripts = b'<script>run()</script><script type="text/plain">data</script><script type=module>m()</script>'
    page = b"<style>p{}</style>" + scripts
    policy = dict(page_headers(page))[b"content-security-policy"].decode()
    scripts = re.search(r"script-src ([^;]*)", policy)[1].split()
    # echo -n 'run()' | openssl sha256 -binary | base64
    assert scripts[0] == "'sha256-AvyuiL0SD1mVY3NNxR+V2uo+lhk6RMFrytWmRt6CrJQ='"
    assert len(scripts) == 2
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
