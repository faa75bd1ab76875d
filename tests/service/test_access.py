"""Which requests are accepted: by Host, by token and by origin; and the security headers of every answer."""

from __future__ import annotations

import base64
import re

import pytest

from hypercone.errors import InputError
from hypercone.service import Options, read_token
from hypercone.service.errors import page_headers

TOKEN = "s3cret-Token.~+/="
BEARER = {"Authorization": f"Bearer {TOKEN}"}
ORIGIN = "https://app.example.org"
OWN = ["localhost", "LOCALHOST:1", "127.0.0.1:8000", "[::1]", "[::1]:80", "a.b", "a.b:443"]
OTHER = ["", "evil.example", "localhost.evil.example", "evil-localhost", "localhost@evil", "127.0.0.1.nip.io", "0x7f.1"]
ODD = [
    "localhost.",
    "localhost..",
    "a.b.",
    "a.b.:443",
    "localhost:port",
    "localhost:1:2",
    "::1",
    "[::1",
    "localhost\t",
    " localhost",
    "löcalhost",
    "2130706433",
]


@pytest.fixture(scope="module")
def guarded(make_service):
    return make_service(token=TOKEN, cors=(ORIGIN,))


@pytest.mark.parametrize(
    ("host", "is_own"), [*((host, True) for host in OWN), *((host, False) for host in OTHER + ODD)]
)
def test_only_the_own_names_are_accepted_as_host_with_any_port(make_service, asked, host, is_own):
    service = make_service(ready=False, allow_hosts=("A.b",))
    for path, status in {"/healthz": 200, "/readyz": 503, "/v1/models": 503, "/": 503, "/nowhere": 404}.items():
        answer = asked(service, "GET", path, headers=[(b"Host", host.encode("latin-1"))])
        assert answer.status_code == (status if is_own else 421)


def test_an_invalid_host_name_or_origin_cannot_be_allowed(make_service):
    for name in ["", "a b", "a/b", "http://a", "a:80", "*", "-a", "[::1", "ä", "a."]:
        with pytest.raises(InputError, match="is not a host name"):
            make_service(ready=False, allow_hosts=(name,))
    for origin in ["*", "null", "app.example.org", "https://a/b", "ftp://a", "https://", "https://a b"]:
        with pytest.raises(InputError, match="is not an origin"):
            make_service(ready=False, cors=(origin,))


@pytest.mark.parametrize("path", ["/metrics", "/openapi.json", "/v1/is-a", "/v1/models", "/nowhere"])
def test_with_a_token_everything_but_the_probes_needs_it(guarded, asked, path):
    without = asked(guarded, "GET", path)
    assert (without.status_code, without.headers["www-authenticate"]) == (401, 'Bearer realm="hypercone"')
    assert TOKEN not in without.text
    for wrong in ["Bearer guess", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN, "Bearer", f"Bearer  {TOKEN}\0"]:
        answer = asked(guarded, "GET", path, headers={"Authorization": wrong})
        assert (answer.status_code, "invalid_token" in answer.headers["www-authenticate"]) == (401, True)
    assert asked(guarded, "GET", path, headers=BEARER).status_code != 401
    assert asked(guarded, "GET", path, headers={"Authorization": f"bearer {TOKEN}"}).status_code != 401
    assert asked(guarded, "GET", f"{path}?token={TOKEN}").status_code == 401
    assert [asked(guarded, "GET", probe).status_code for probe in ("/healthz", "/readyz")] == [200, 200]


@pytest.mark.parametrize("other", ["Bearer guess", f"Bearer {TOKEN}"])
def test_a_second_authorization_is_refused_even_if_the_token_is_in_one_of_them(guarded, asked, other):
    for both in ((other, f"Bearer {TOKEN}"), (f"Bearer {TOKEN}", other)):
        answer = asked(guarded, "GET", "/v1/models", headers=[(b"Authorization", each.encode()) for each in both])
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request")


@pytest.mark.parametrize("path", ["/", "/explore/pets", "/explore/nothing"])
def test_the_token_is_accepted_as_a_password_only_on_pages(guarded, asked, path):
    def with_password(text, where=path):
        given = "Basic " + base64.b64encode(text.encode()).decode()
        return asked(guarded, "GET", where, headers={"Authorization": given})

    assert asked(guarded, "GET", path).headers["www-authenticate"].startswith("Basic realm=")
    assert with_password(f"anybody:{TOKEN}").status_code != 401
    assert asked(guarded, "GET", path, headers=BEARER).status_code != 401
    for wrong in (TOKEN, f"{TOKEN}:", f"anybody:{TOKEN}x", "anybody:", ":"):
        assert with_password(wrong).status_code == 401
    assert asked(guarded, "GET", path, headers={"Authorization": f"Basic {TOKEN}"}).status_code == 401
    assert with_password(f"anybody:{TOKEN}", "/v1/models").status_code == 401


def test_a_token_comes_from_a_file_or_else_from_the_environment_and_is_never_shown(tmp_path, monkeypatch):
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    monkeypatch.setenv("HYPERCONE_TOKEN", "from-the-environment")
    assert (read_token(str(file)), read_token(None)) == (TOKEN, "from-the-environment")
    monkeypatch.delenv("HYPERCONE_TOKEN")
    assert read_token(None) is None
    assert TOKEN not in repr(Options(token=TOKEN))
    for content in ["", "two words", "naïve", "x\0y"]:
        file.write_text(content)
        with pytest.raises(InputError) as refused:
            read_token(str(file))
        assert not content or content not in str(refused.value)


def test_only_pages_of_an_allowed_origin_may_read_answers(make_service, guarded, asked):
    cases = [(guarded, ORIGIN, ORIGIN), *((guarded, other, None) for other in ("https://evil.example", "null"))]
    for service, origin, allowed in [*cases, (guarded, ORIGIN + ".evil", None), (make_service(), ORIGIN, None)]:
        given = {"Origin": origin}
        preflight = asked(service, "OPTIONS", "/v1/is-a", headers=given | {"Access-Control-Request-Method": "POST"})
        assert preflight.status_code == 204
        assert ("access-control-allow-headers" in preflight.headers) == (allowed is not None)
        for answer in (
            preflight,
            *(asked(service, "GET", "/v1/models", headers=given | more) for more in ({}, BEARER)),
        ):
            assert answer.headers.get("access-control-allow-origin") == allowed
            assert "access-control-allow-credentials" not in answer.headers
            assert allowed or not [name for name in answer.headers if name.startswith("access-control")]
            assert answer.headers.get("vary") == ("origin" if service is guarded else None)
        assert answer.status_code == 200


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
    def policy(page):
        return dict(page_headers(page))[b"content-security-policy"].decode()

    for kind in (b"", b" type=module", b' type="module"', b" type='text/javascript'"):
        assert "script-src 'sha256-" in policy(b"<script" + kind + b">run()</script>")
    data = b'<script type="text/plain">data</script>'
    assert "script-src 'none'" in policy(data)
    found = policy(b"<style>p{}</style><script>run()</script>" + data + b"<script type=module>m()</script>")
    first, _ = re.search(r"script-src ([^;]*)", found)[1].split()
    # echo -n 'run()' | openssl sha256 -binary | base64
    assert first == "'sha256-AvyuiL0SD1mVY3NNxR+V2uo+lhk6RMFrytWmRt6CrJQ='"
    assert "unsafe" not in found
    assert "frame-ancestors 'none'" in found
