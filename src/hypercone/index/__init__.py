"""The exact cone index: who is under whom, and who is near, without asking every node."""

from hypercone.index.cone_index import ConeIndex
from hypercone.index.finder import Finder
from hypercone.index.scan import Found, Near, Scan

__all__ = ["ConeIndex", "Finder", "Found", "Near", "Scan"]
