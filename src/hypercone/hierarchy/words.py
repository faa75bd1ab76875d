"""Small matters of English, so that messages read like sentences."""

from __future__ import annotations

from collections.abc import Sequence

from hypercone.errors import one_line


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


def short(text: str, most: int = 60) -> str:
    """The text as a message shows it, so that a broken file cannot flood the screen.

    >>> short("poodle"), len(short("poodle" * 1_000_000))
    ('poodle', 60)
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def visible(text: str, most: int = 60) -> str:
    r"""The same for text that stands without quotes: what is no visible character is escaped, as quotes would do.

    >>> visible("white pelican"), visible("bell\x07"), visible("two\nlines")
    ('white pelican', 'bell\\x07', 'two\\nlines')
    """
    return one_line(short(text, most))


def some(things: Sequence[str], total: int | None = None) -> str:
    """The first three things, and how many more there are; ``total`` if not all are given.

    >>> some(["a", "b", "c", "d", "e"]), some(["a"]), some(["a", "b", "c"], 1_003)
    ('a, b, c and 2 more', 'a', 'a, b, c and 1,000 more')
    """
    more = (len(things) if total is None else total) - 3
    return ", ".join(visible(thing) for thing in things[:3]) + (f" and {more:,} more" if more > 0 else "")
