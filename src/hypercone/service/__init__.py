"""Models over HTTP: a JSON API, the explorer as a page, and protection against hostile requests."""

from hypercone._system import import_optional

PACKAGES = ("starlette", "uvicorn", "httptools", "msgspec")
# Checked here, with a remedy for a missing package, so that the modules below can import them at the top.
for _package in PACKAGES:
    import_optional(_package, "the service needs", "'hypercone[serve]'")

from hypercone.service.app import Service  # noqa: E402
from hypercone.service.security import Options, read_token  # noqa: E402
from hypercone.service.server import serve  # noqa: E402

__all__ = ["PACKAGES", "Options", "Service", "read_token", "serve"]
