"""A path a line, from the root down, as in ``animal > dog > poodle``.

A word is a node: the same word in two branches is one node with two parents.
"""

from __future__ import annotations

import re
from itertools import pairwise

from hypercone.errors import InputError, short
from hypercone.hierarchy.files import Content
from hypercone.hierarchy.readers.lines import Lines
from hypercone.hierarchy.readers.reading import Reading
from hypercone.hierarchy.text import text_of

# Looking ahead instead of taking the white space, so that an empty name between two is seen.
SEPARATOR = re.compile(r"\s>(?=\s)")


def read(content: Content) -> Reading:
    r"""The edges of all paths, each once. Blank lines are skipped, and a first line that begins with ``#``.

    >>> read(Content("a", "", b"animal > dog > poodle\nanimal > cat")).children
    ['dog', 'poodle', 'cat']
    """
    found = Lines(content.label)
    for number, line in enumerate(text_of(content, "a path a line, such as animal > dog > poodle").split("\n"), 1):
        if not line.strip() or (number == 1 and line.startswith("#")):
            continue
        path = [name.strip() for name in SEPARATOR.split(f" {line.strip()} ")]
        if "" in path:
            raise InputError(
                f"{content.label}:{number}: a name is missing beside a > in {short(line.strip(), 40)!r}; "
                "write it or remove the >"
            )
        found.add_node(path[0])
        for parent, child in pairwise(path):
            found.add(parent, child, number)
    return found.reading()
