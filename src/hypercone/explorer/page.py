"""The built page with a model in it."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from hypercone._files import new_file
from hypercone.embedding import Embedding
from hypercone.embedding.folder import checked_path
from hypercone.explorer.packing import packed

PLACE = "<!--hypercone-data-->"


def explorer_page(embedding: Embedding, *, title: str | None = None, view: str = "auto") -> str:
    """The model as one HTML page that needs nothing else, not even a network.

    ``title`` stands at its top, and ``view`` says how more than two dimensions become a disk: own, construction or
    projection, or what suits the model. Whatever the names and the title hold, none of it stands in the HTML as text.

    >>> import hypercone
    >>> pets = hypercone.Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])
    >>> page = explorer_page(hypercone.fit(pets, dim=2), title="</script> pets")
    >>> page.startswith("<!doctype html>"), "pets" in page
    (True, False)
    """
    template = resources.files("hypercone.explorer").joinpath("page.html").read_text(encoding="utf-8")
    before, after = template.split(PLACE)
    data = packed(embedding, title, view)
    return f'{before}<script type="text/plain" id="hypercone-data">{data}</script>{after}'


def write_page(embedding: Embedding, path: str | Path, *, title: str | None = None, view: str = "auto") -> Path:
    """Write the page of a model to a file, all of it or nothing.

    >>> import tempfile
    >>> import hypercone
    >>> pets = hypercone.fit(hypercone.Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat")]), dim=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_page(pets, Path(folder) / "pets.html").name
    'pets.html'
    """
    path = checked_path(path)
    content = explorer_page(embedding, title=title, view=view)
    with new_file(path) as temporary:
        temporary.write_text(content, encoding="utf-8", newline="\n")
    return path
