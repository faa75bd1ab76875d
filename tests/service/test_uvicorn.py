"""The parts of uvicorn that the service is built on, by name: where they change, this says so before anything else.

They are no public interface of uvicorn, so that its version is bounded at both ends in pyproject.toml. Whoever raises
the upper bound runs this first, then the other tests.
"""

from __future__ import annotations

import inspect
import tomllib
from importlib.metadata import version
from pathlib import Path

import httptools
import pytest
import uvicorn
from uvicorn.protocols.http import httptools_impl
from uvicorn.server import ServerState

from hypercone.service.protocol import ServiceProtocol
from hypercone.service.server import ServiceConfig, ServiceServer

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
ADVICE = "the service leans on it (service/protocol.py, service/server.py); adapt these, then raise the bound"
# What ours replace or call, with the arguments.
METHODS = {
    httptools_impl.HttpToolsProtocol: {
        "__init__": ["config", "server_state", "app_state", "_loop"],
        "connection_made": ["transport"],
        "connection_lost": ["exc"],
        "eof_received": [],
        "data_received": ["data"],
        "on_message_begin": [],
        "on_headers_complete": [],
        "on_message_complete": [],
        "on_response_complete": [],
        "send_400_response": ["msg"],
        "shutdown": [],
        "pause_writing": [],
        "resume_writing": [],
        "_unsupported_upgrade_warning": [],
    },
    uvicorn.Server: {
        "__init__": ["config"],
        "run": ["sockets"],
        "startup": ["sockets"],
        "shutdown": ["sockets"],
        "capture_signals": [],
        "handle_exit": ["sig", "frame"],
    },
}
# What ours read or set, on objects that are made as uvicorn makes them.
OF_A_PROTOCOL = (
    *("config", "server_state", "connections", "loop", "transport"),
    *("cycle", "pipeline", "url", "headers", "scope"),
)
OF_A_CYCLE = (
    *("transport", "more_body", "response_started", "response_complete", "keep_alive", "disconnected"),
    *("message_event", "default_headers", "scope"),
)
OF_A_SERVER = ("config", "server_state", "should_exit", "servers", "lifespan")
OF_A_STATE = ("connections", "default_headers")


def _bounds() -> tuple[tuple[int, ...], tuple[int, ...]]:
    extra = tomllib.loads(PYPROJECT.read_text())["project"]["optional-dependencies"]["serve"]
    (wanted,) = (name for name in extra if name.startswith("uvicorn"))
    least, most = wanted.removeprefix("uvicorn>=").split(",<")
    return _numbers(least), _numbers(most)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:2])


def _sources(*owners: object) -> str:
    return "\n".join(inspect.getsource(owner) for owner in owners)


def test_the_installed_version_is_one_that_the_service_was_tried_with():
    least, most = _bounds()
    assert least <= _numbers(version("uvicorn")) < most, (
        f"uvicorn {version('uvicorn')} is installed, but pyproject.toml allows {least} up to below {most}"
    )


@pytest.mark.parametrize(
    ("owner", "name"), [(owner, name) for owner, names in METHODS.items() for name in names], ids=str
)
def test_the_methods_that_are_replaced_or_called_take_what_they_took(owner, name):
    method = getattr(owner, name, None)
    assert method is not None, f"uvicorn {version('uvicorn')} has no {owner.__name__}.{name} any more; {ADVICE}"
    given = [part for part in inspect.signature(method).parameters if part != "self"]
    expected = METHODS[owner][name]
    assert given == expected, (
        f"{owner.__name__}.{name} of uvicorn {version('uvicorn')} takes {given}, and took {expected}; {ADVICE}"
    )


def test_the_attributes_of_a_connection_are_there(make_service, run):
    async def made():
        config = ServiceConfig(make_service())
        config.load()
        return httptools_impl.HttpToolsProtocol(config, ServerState(), {})

    protocol, source = run(made()), _sources(httptools_impl.HttpToolsProtocol)
    for name in OF_A_PROTOCOL:
        assert hasattr(protocol, name) or f"self.{name} =" in source or f"self.{name}:" in source, (
            f"HttpToolsProtocol of uvicorn {version('uvicorn')} has no {name}; {ADVICE}"
        )


def test_the_attributes_of_a_request_are_there():
    names = set(inspect.signature(httptools_impl.RequestResponseCycle.__init__).parameters)
    source = _sources(httptools_impl.RequestResponseCycle)
    for name in OF_A_CYCLE:
        assert name in names or f"self.{name}" in source, (
            f"RequestResponseCycle of uvicorn {version('uvicorn')} has no {name}; {ADVICE}"
        )


def test_the_attributes_of_the_server_and_its_state_are_there(make_service):
    server = uvicorn.Server(ServiceConfig(make_service()))
    source = _sources(uvicorn.Server)
    for name in OF_A_SERVER:
        assert hasattr(server, name) or f"self.{name}" in source, (
            f"Server of uvicorn {version('uvicorn')} has no {name}; {ADVICE}"
        )
    for name in OF_A_STATE:
        assert hasattr(ServerState(), name), f"ServerState of uvicorn {version('uvicorn')} has no {name}; {ADVICE}"


def test_status_lines_are_whole_lines_by_status():
    lines = httptools_impl.STATUS_LINE
    for status in (400, 408, 431, 503):
        assert lines[status].startswith(b"HTTP/1.1 %d " % status), f"STATUS_LINE has changed; {ADVICE}"
        assert lines[status].endswith(b"\r\n"), f"STATUS_LINE has changed; {ADVICE}"


def test_a_request_target_is_parsed_by_httptools():
    assert httptools.parse_url(b"http://other.example/path").host == b"other.example"


def test_what_ours_replace_is_still_a_method_of_uvicorn():
    for ours, theirs in ((ServiceProtocol, httptools_impl.HttpToolsProtocol), (ServiceServer, uvicorn.Server)):
        replaced = {name for name, part in vars(ours).items() if callable(part) and hasattr(theirs, name)}
        missing = replaced - set(METHODS[theirs]) - {"__init__", "__class_getitem__"}
        assert not missing, f"{ours.__name__} replaces {missing}, which the table above does not list"
