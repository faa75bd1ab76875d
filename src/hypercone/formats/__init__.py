"""Readers for every file format of hierarchies, and files of splits and pairs."""

from hypercone.formats.registry import read
from hypercone.formats.splits import read_pairs, read_split, write_split

__all__ = ["read", "read_pairs", "read_split", "write_split"]
