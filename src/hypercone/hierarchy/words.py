"""Small matters of English, so that messages read like sentences."""

from __future__ import annotations


def with_article(name: str) -> str:
    """The name with a or an, by its first letter.

    >>> with_article("pelican"), with_article("animal.n.01")
    ('a pelican', 'an animal.n.01')
    """
    return f"{'an' if name[:1].lower() in tuple('aeio') else 'a'} {name}"


def counted(count: int, thing: str) -> str:
    """The number and the thing, in the plural unless there is one.

    >>> counted(1, "edge"), counted(1_500, "edge")
    ('1 edge', '1,500 edges')
    """
    return f"{count:,} {thing}{'' if count == 1 else 's'}"
