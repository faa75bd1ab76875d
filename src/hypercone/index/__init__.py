"""The exact cone index: ancestors, descendants and nearest nodes without testing every node."""

from hypercone.index.index import ConeIndex, Finder, FoundRows, NearestRows, Scan

__all__ = ["ConeIndex", "Finder", "FoundRows", "NearestRows", "Scan"]
