"""The exact cone index: who is under whom, and who is near, without asking every node."""

from hypercone.index.index import ConeIndex, Finder, Found, Near, Scan

__all__ = ["ConeIndex", "Finder", "Found", "Near", "Scan"]
