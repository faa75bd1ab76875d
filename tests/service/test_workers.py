"""What takes long runs beside the others, ends at its deadline, and cannot pile up."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from hypercone.service import handlers
from hypercone.service.errors import Refusal
from hypercone.service.requests import from_body
from hypercone.service.workers import Deadline, Workers

(NEAREST,) = (each for each in handlers.OPERATIONS if (each.path, each.method) == ("/v1/nearest", "POST"))


def test_a_thread_answers_while_the_loop_goes_on(run):
    workers = Workers(2)

    async def both():
        began = threading.Event()
        work = asyncio.create_task(workers.run(lambda: began.wait(5) and threading.current_thread().name, Deadline(10)))
        await asyncio.sleep(0)
        began.set()
        return await work

    assert run(both()).startswith("hypercone")
    workers.end()


def test_what_is_late_is_refused_and_its_thread_keeps_a_place_until_it_ends(run):
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


def test_what_has_not_begun_by_its_deadline_never_begins(run):
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


def test_a_place_is_free_again_however_the_request_ends(make_service, asked):
    service = make_service(concurrency=1)
    questions = ["child=dog&parent=animal", "child=dog", "child=dog&parent=gdo", "child=dog&parent=animal&model=x"]
    for question in questions:
        for path in ("/v1/is-a", "/v1/descendants", "/explore/pets", "/explore/x"):
            assert asked(service, "GET", f"{path}?{question}").status_code != 503
    for body in ({"pairs": []}, {"pairs": [["dog", "gdo"]]}, {"names": ["gdo"]}, [], {"parents": []}):
        for path in ("/v1/is-a", "/v1/nearest", "/v1/place"):
            assert asked(service, "POST", path, json=body).status_code != 503
    assert service.workers.taken == 0


def test_a_batch_ends_itself_at_its_deadline(make_service):
    (model,) = make_service().models
    request = from_body(b'{"names": ["dog", "dog"], "limit": 3}', NEAREST.takes)
    deadline = Deadline(0.0)
    time.sleep(0.001)
    with pytest.raises(Refusal) as refused:
        NEAREST.answer(model, request, deadline)
    assert refused.value.status == 504


def test_an_answer_lists_no_more_than_it_may(make_service, monkeypatch):
    (model,) = make_service().models
    monkeypatch.setattr(handlers, "MOST_LISTED", 7)
    two = from_body(b'{"names": ["animal", "animal"], "limit": 3}', NEAREST.takes)
    assert len(NEAREST.answer(model, two, Deadline(10)).results) == 2
    whole = from_body(b'{"names": ["animal", "animal"], "limit": 0}', NEAREST.takes)
    with pytest.raises(Refusal) as refused:
        NEAREST.answer(model, whole, Deadline(10))
    assert refused.value.status == 413


def test_a_single_answer_lists_no_more_than_it_may_either(make_service, asked, monkeypatch):
    service = make_service()
    monkeypatch.setattr(handlers, "MOST_LISTED", 3)
    assert asked(service, "GET", "/v1/descendants?name=animal&limit=3").status_code == 200
    for limit in ("", "&limit=0", "&limit=4", "&limit=1000000"):
        assert asked(service, "GET", f"/v1/descendants?name=animal{limit}").status_code == 413


def test_a_mistake_of_ours_is_one_line_in_the_log_and_a_number_for_the_client(make_service, asked, monkeypatch, capsys):
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
