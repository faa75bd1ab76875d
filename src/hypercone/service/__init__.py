"""Models over HTTP: questions as JSON, the explorer as a page, and everything a server on a network has to refuse."""

from hypercone._system import import_optional

PACKAGES = ("starlette", "uvicorn", "httptools", "msgspec")
# Asked for here, with the remedy where one is missing, so that the modules below can import them at their top.
for _package in PACKAGES:
    import_optional(_package, "the service needs", "'hypercone[serve]'")

from hypercone.service.app import Service  # noqa: E402
from hypercone.service.security import Options, read_token  # noqa: E402
from hypercone.service.server import serve  # noqa: E402

__all__ = ["PACKAGES", "Options", "Service", "read_token", "serve"]
