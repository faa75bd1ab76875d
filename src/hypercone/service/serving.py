"""The way in: from embeddings to a running server, if what it is made of is installed."""

from __future__ import annotations

from collections.abc import Mapping

from hypercone._system import needed
from hypercone.embedding import Embedding
from hypercone.service.app import EXTRA, Service
from hypercone.service.options import Options
from hypercone.service.sockets import listening_socket

PACKAGES = ("starlette", "uvicorn", "httptools", "orjson")


def check_installed() -> None:
    """One sentence with the remedy if a package of the extra is missing."""
    for package in PACKAGES:
        needed(package, *EXTRA)


def serve(embeddings: Mapping[str, Embedding], options: Options) -> None:
    """Answer for the embeddings, by name, until the process is asked to end."""
    check_installed()
    from hypercone.service.server import ServiceServer

    with listening_socket(options.host, options.port, needs_token=options.token is None) as listener:
        ServiceServer(Service(embeddings, options), listener).run()
