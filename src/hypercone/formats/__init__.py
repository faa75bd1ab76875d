"""Files in: every format that a hierarchy, a split or a list of pairs can be read from."""

from hypercone.formats.registry import read
from hypercone.formats.splits import read_pairs, read_split, write_split

__all__ = ["read", "read_pairs", "read_split", "write_split"]
