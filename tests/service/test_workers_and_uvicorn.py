"""Worker threads with deadlines and limits, and the parts of uvicorn that the service depends on."""

from __future__ import annotations

import asyncio
import inspect
import re
import threading
import time
import tomllib
from importlib.metadata import version
from pathlib import Path

import httptools
import pytest
import uvicorn
from uvicorn.protocols.http import httptools_impl
from uvicorn.server import ServerState

from hypercone.service import handlers, requests
from hypercone.service.errors import Refusal
from hypercone.service.protocol import ServiceProtocol
from hypercone.service.requests import from_body
from hypercone.service.server import ServiceServer
from hypercone.service.workers import Deadline, Workers

(NEAREST,) = (each for each in handlers.OPERATIONS if (each.path, each.method) == ("/v1/nearest", "POST"))


def test_a_thread_works_while_the_event_loop_runs(run):
    workers = Workers(2)

    async def both():
        began = threading.Event()
        work = asyncio.create_task(workers.run(lambda: began.wait(5) and threading.current_thread().name, Deadline(10)))
        await asyncio.sleep(0)
        began.set()
        return await work

    assert run(both()).startswith("hypercone")
    workers.end()


def test_late_work_is_refused_and_its_thread_holds_a_slot_until_it_ends(run):
    workers, go_on = Workers(2), threading.Event()

    async def late():
        with pytest.raises(Refusal) as refused:
            await workers.run(lambda: go_on.wait(10), Deadline(0.05))
        assert refused.value.status == 504
        assert workers.taken == 1
        workers.acquire_slot()
        with pytest.raises(Refusal) as turned_away:
            workers.acquire_slot()
        workers.release_slot()
        assert (turned_away.value.status, turned_away.value.headers) == (503, ((b"retry-after", b"1"),))
        go_on.set()
        while workers.taken:
            await asyncio.sleep(0.01)

    run(asyncio.wait_for(late(), 10))
    workers.end()


@pytest.mark.parametrize("size", [100, 300_000])
def test_bodies_that_wait_for_their_rest_take_no_slot_and_limited_memory(size, make_service, run, monkeypatch):
    """Small bodies are always accepted; of larger ones, only so many bytes may wait."""
    monkeypatch.setattr(requests, "MOST_ARRIVING", 400_000)
    service = make_service(concurrency=1, deadline=0.3)
    body = b'{"pairs":[["dog","animal"]]}'

    async def ask(*parts):
        """The status of a request whose body comes in these parts, and stops before its end if the last is None."""
        waiting, statuses = list(parts), []

        async def receive():
            part = waiting.pop(0)
            if part is None:
                await asyncio.sleep(60)
            return {"type": "http.request", "body": part, "more_body": bool(waiting)}

        async def send(message):
            statuses.append(message.get("status"))

        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        scope = {"type": "http", "method": "POST", "path": "/v1/is-a", "query_string": b"", "headers": headers}
        await service(scope, receive, send)
        return statuses[0]

    async def all_at_once():
        halves = [asyncio.create_task(ask(b" " * size, None)) for _ in range(2)]
        await asyncio.sleep(0.05)
        others = [await ask(body), await ask(b" " * 200_000, body)]
        return others, [await half for half in halves]

    others, halves = run(all_at_once())
    assert others == ([200, 200] if size == 100 else [200, 503])
    assert sorted(halves) == ([408, 408] if size == 100 else [408, 503])
    assert service.arriving.size == 0
    assert service.workers.taken == 0


def test_work_not_started_by_its_deadline_never_starts(run):
    workers, go_on, begun = Workers(100), threading.Event(), []

    async def crowded():
        busy = [asyncio.create_task(workers.run(lambda: go_on.wait(10), Deadline(10))) for _ in range(50)]
        await asyncio.sleep(0.05)
        with pytest.raises(Refusal):
            await workers.run(lambda: begun.append(1), Deadline(0.05))
        assert workers.taken == 0
        go_on.set()
        await asyncio.gather(*busy)

    run(crowded())
    assert not begun
    workers.end()


def test_a_slot_is_released_however_the_request_ends(make_service, asked):
    service = make_service(concurrency=1)
    questions = ["child=dog&parent=animal", "child=dog", "child=dog&parent=gdo", "child=dog&parent=animal&model=x"]
    for question in questions:
        for path in ("/v1/is-a", "/v1/descendants", "/explore/pets", "/explore/x"):
            assert asked(service, "GET", f"{path}?{question}").status_code != 503
    for body in ({"pairs": []}, {"pairs": [["dog", "gdo"]]}, {"names": ["gdo"]}, [], {"parents": []}):
        for path in ("/v1/is-a", "/v1/nearest", "/v1/place"):
            assert asked(service, "POST", path, json=body).status_code != 503
    assert service.workers.taken == 0


def test_a_batch_stops_at_its_deadline(make_service):
    (model,) = make_service().models
    request = from_body(b'{"names": ["dog", "dog"], "limit": 3}', NEAREST.takes)
    deadline = Deadline(0.0)
    time.sleep(0.001)
    with pytest.raises(Refusal) as refused:
        NEAREST.answer(model, request, deadline)
    assert refused.value.status == 504


def test_an_answer_is_limited(make_service, asked, monkeypatch):
    service = make_service()
    monkeypatch.setattr(handlers, "MOST_LISTED", 7)
    for limit, status in [(3, 200), (0, 413)]:
        two = {"names": ["animal", "animal"], "limit": limit}
        assert asked(service, "POST", "/v1/nearest", json=two).status_code == status
    monkeypatch.setattr(handlers, "MOST_LISTED", 3)
    for limit, status in {"&limit=3": 200, "": 413, "&limit=0": 413, "&limit=4": 413, "&limit=1000000": 413}.items():
        assert asked(service, "GET", f"/v1/descendants?name=animal{limit}").status_code == status


def test_an_internal_error_is_one_log_line_and_a_number_for_the_client(make_service, asked, monkeypatch, capsys):
    service = make_service()
    (model,) = service.models
    monkeypatch.setattr(model, "energy", lambda child, parent: 1 / 0)
    answer = asked(service, "GET", "/v1/is-a?child=dog&parent=animal")
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal")
    assert "ZeroDivision" not in answer.text
    log = capsys.readouterr().err
    assert log.count("\n") == 1
    assert "ZeroDivisionError: division by zero" in log
    assert "GET '/v1/is-a'" in log
    number = log.split("error ")[1].split(":")[0]
    assert number in answer.json()["error"]["message"]
    assert asked(service, "GET", "/v1/energy?child=dog&parent=animal").status_code == 500
    assert service.workers.taken == service.metrics.in_flight == 0


PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
ADVICE = "the service uses it (service/protocol.py, service/server.py); adapt these, then raise the bound"

# The rest of this file checks the private parts of uvicorn that the service uses: a change of uvicorn fails here first.
# pyproject.toml bounds the version at both ends; run these tests before raising the upper bound.
# The methods that the service overrides or calls, with their parameters.
METHODS = {
    httptools_impl.HttpToolsProtocol: {
        "__init__": ["config", "server_state", "app_state", "_loop"],
        "connection_made": ["transport"],
        "connection_lost": ["exc"],
        "data_received": ["data"],
        "send_400_response": ["msg"],
        **{f"on_{what}": [] for what in ("message_begin", "headers_complete", "message_complete", "response_complete")},
        **{name: [] for name in ("eof_received", "shutdown", "pause_writing", "resume_writing")},
        "_unsupported_upgrade_warning": [],
    },
    uvicorn.Server: {
        "__init__": ["config"],
        **{name: ["sockets"] for name in ("run", "startup", "shutdown")},
        "capture_signals": [],
        "handle_exit": ["sig", "frame"],
    },
}
# The attributes that the service reads or sets.
ATTRIBUTES = {
    httptools_impl.HttpToolsProtocol: "config server_state connections loop transport cycle pipeline url headers scope",
    httptools_impl.RequestResponseCycle: "transport more_body response_started response_complete keep_alive "
    "disconnected message_event default_headers scope",
    uvicorn.Server: "config server_state should_exit servers lifespan",
    ServerState: "connections default_headers",
}


def test_the_installed_uvicorn_is_within_the_bounds():
    extra = tomllib.loads(PYPROJECT.read_text())["project"]["optional-dependencies"]["serve"]
    (wanted,) = (name for name in extra if name.startswith("uvicorn"))
    texts = (*wanted.removeprefix("uvicorn>=").split(",<"), version("uvicorn"))
    least, most, installed = (tuple(int(part) for part in text.split(".")[:2]) for text in texts)
    assert least <= installed < most, f"uvicorn {installed} is installed, but pyproject.toml has {wanted}"


@pytest.mark.parametrize(
    ("owner", "name"), [(owner, name) for owner, names in METHODS.items() for name in names], ids=str
)
def test_uvicorn_methods_have_the_expected_parameters(owner, name):
    method = getattr(owner, name, None)
    assert method is not None, f"uvicorn {version('uvicorn')} has no {owner.__name__}.{name} any more; {ADVICE}"
    given = [part for part in inspect.signature(method).parameters if part != "self"]
    assert given == METHODS[owner][name], f"{owner.__name__}.{name} of uvicorn {version('uvicorn')}: {ADVICE}"


@pytest.mark.parametrize("owner", ATTRIBUTES, ids=lambda owner: owner.__name__)
def test_uvicorn_objects_have_the_expected_attributes(owner):
    source = inspect.getsource(owner)
    for name in ATTRIBUTES[owner].split():
        has_it = re.search(rf"\bself\.{name}\b.*(=|:)", source)
        assert has_it, f"{owner.__name__} of uvicorn {version('uvicorn')} has no {name}; {ADVICE}"


def test_status_lines_are_whole_lines_by_status_and_httptools_parses_a_target():
    for status in (400, 408, 431, 503):
        line = httptools_impl.STATUS_LINE[status]
        assert line.startswith(b"HTTP/1.1 %d " % status), f"STATUS_LINE has changed; {ADVICE}"
        assert line.endswith(b"\r\n"), f"STATUS_LINE has changed; {ADVICE}"
    assert httptools.parse_url(b"http://other.example/path").host == b"other.example"


def test_every_overridden_method_is_in_the_table():
    for ours, theirs in ((ServiceProtocol, httptools_impl.HttpToolsProtocol), (ServiceServer, uvicorn.Server)):
        replaced = {name for name, part in vars(ours).items() if callable(part) and hasattr(theirs, name)}
        missing = replaced - set(METHODS[theirs]) - {"__init__", "__class_getitem__"}
        assert not missing, f"{ours.__name__} replaces {missing}, which the table above does not list"
