"""Models over HTTP: questions as JSON, the explorer as a page, and everything a server on a network has to refuse."""

from hypercone.service.app import Service
from hypercone.service.security import Options
from hypercone.service.server import serve

__all__ = ["Options", "Service", "serve"]
