"""A page to explore a model in: one self-contained HTML file that opens from the disk, without a network.

The page is built from ``explorer/`` at the top of the project and stored here as ``page.html``, so that users of the
package do not need Node. This module inserts a model into it.

The model is one block of text: base64 of gzip of a JSON header and the arrays that it describes.

::

    4 bytes     the length H of the header, little-endian
    H bytes     the header, JSON in UTF-8 padded with spaces, so that 4 + H is a multiple of 8
    the rest    the arrays, little-endian, each at the offset in the header, a multiple of 8 counted from 4 + H

Points stay float64, because the page computes the energies itself and must give the same answers. ``redundant`` are the
places of the edges that follow from others, so that the page need not search for them. Synonyms and other ids are one
line per row each, separated by tabs; what the model has nothing of is left out.
"""

from __future__ import annotations

import base64
import json
import tempfile
import webbrowser
import zlib
from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from hypercone._arrays import Rows
from hypercone._files import new_file
from hypercone.embedding import Embedding
from hypercone.embedding.folder import checked_path
from hypercone.errors import InputError
from hypercone.hierarchy import Hierarchy
from hypercone.hierarchy.glossary import Glossary
from hypercone.plotting.views import PlanarView, branches, depths_from_ranks, planar_view
from hypercone.progress import Step

__all__ = ["Page", "explorer_page", "open_page", "temporary_page", "write_page"]

PLACEHOLDER = "<!--hypercone-data-->"


def explorer_page(embedding: Embedding, *, title: str | None = None, view: str = "auto") -> str:
    """The model as one self-contained HTML page.

    ``title`` is its heading, and ``view`` says how more than two dimensions become a disk: own, construction or
    projection, or auto to choose what suits the model. Names and title are never inserted into the HTML as text.

    >>> import hypercone
    >>> pets = hypercone.Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])
    >>> page = explorer_page(hypercone.fit(pets, dim=2), title="</script> pets")
    >>> page.startswith("<!doctype html>"), "pets" in page
    (True, False)
    """
    template = resources.files("hypercone.explorer").joinpath("page.html").read_text(encoding="utf-8")
    before, after = template.split(PLACEHOLDER)
    data = pack_model(embedding, title, view)
    return f'{before}<script type="text/plain" id="hypercone-data">{data}</script>{after}'


def write_page(embedding: Embedding, path: str | Path, *, title: str | None = None, view: str = "auto") -> Path:
    """Write the page of a model to a file, completely or not at all.

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


def temporary_page(name: str) -> Path:
    """A path for a page in a new private folder. It is not removed, because the browser reads it later.

    >>> page = temporary_page("pets")
    >>> page.parent.rmdir()
    >>> page.name
    'pets.html'
    """
    return Path(tempfile.mkdtemp(prefix="hypercone-")) / f"{name}.html"


# A page is stored in the notebook that shows it, so a larger one is only named.
MOST_INLINE = 8_000_000
# In pixels.
INLINE_HEIGHT = 640


class Page(type(Path())):  # type: ignore[misc]
    """The path of a page, which a notebook shows as the page itself.

    >>> Page("pets.html") == Path("pets.html"), Page("missing.html")._repr_html_()
    (True, None)
    """

    def _repr_html_(self) -> str | None:
        try:
            content = self.read_text(encoding="utf-8") if self.stat().st_size <= MOST_INLINE else ""
        except OSError:
            return None
        if not content:
            return f"The page is too large for a notebook; open {escape(str(self))} in a browser."
        look = "box-sizing:border-box;border:1px solid rgba(128,128,128,.4);border-radius:6px"
        style = f"width:100%;height:{INLINE_HEIGHT}px;{look}"
        return f'<iframe srcdoc="{escape(content)}" style="{style}" title="explorer"></iframe>'


def open_page(path: Path) -> bool:
    """Open a page in the browser of this machine; False if none could be started."""
    try:
        return webbrowser.open(path.resolve().as_uri())
    except (webbrowser.Error, OSError):
        return False


FORMAT = 1
ALIGNMENT = 8
# Coordinates hardly compress, and a higher level takes twice as long to save less than one percent.
LEVEL = 6
GZIP = 16 + zlib.MAX_WBITS
# The number of bytes compressed at a time, in about a hundredth of a second.
PIECE = 2**18


def pack_model(embedding: Embedding, title: str | None = None, view: str = "auto") -> str:
    """The model as base64; the same model gives the same text.

    >>> from hypercone.methods import Settings
    >>> pets = Embedding(["animal", "dog"], np.array([[0.5, 0.0], [0.9, 0.0]]), "hyperbolic-cones", Settings(), 0.0)
    >>> base64.b64decode(pack_model(pets))[:2].hex()
    '1f8b'
    """
    return base64.b64encode(compress(model_container(embedding, title, view))).decode("ascii")


def compress(content: bytes) -> bytes:
    """Compress with gzip, without a date; the bytes are those of ``gzip.compress``.

    >>> import gzip
    >>> gzip.decompress(compress(b"cones"))
    b'cones'
    """
    compressor, pieces = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP), []
    with Step("page", len(content)) as step:
        for start in range(0, len(content), PIECE):
            pieces.append(compressor.compress(content[start : start + PIECE]))
            step.advance(PIECE)
    return b"".join([*pieces, compressor.flush()])


def model_container(embedding: Embedding, title: str | None = None, view: str = "auto") -> bytes:
    """The header and the arrays, before they are compressed."""
    if not len(embedding):
        raise InputError("the model has no nodes, so there is nothing to explore")
    seen = planar_view(embedding.points, embedding.method, embedding.settings, embedding.hierarchy, view)
    descriptions, blocks = _layout(_arrays(embedding, seen))
    header = _header(embedding, seen, default_title(embedding) if title is None else title) | {"arrays": descriptions}
    # ASCII, so that everything else is escaped, also lone surrogates, which UTF-8 cannot encode.
    text = json.dumps(header, allow_nan=False).encode("ascii")
    text += b" " * (-(4 + len(text)) % ALIGNMENT)
    return b"".join([len(text).to_bytes(4, "little"), text, *blocks])


def default_title(embedding: Embedding) -> str:
    """The title of a model without one: the root of its hierarchy if there is a single root, else its size."""
    roots = [] if embedding.hierarchy is None else embedding.hierarchy.root_rows.tolist()
    if embedding.by_point is not None:
        roots = np.setdiff1d(roots, embedding.by_point).tolist()
    return embedding.display_name(roots[0]) if len(roots) == 1 else f"{len(embedding):,} nodes"


def _header(embedding: Embedding, seen: PlanarView, title: str) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "title": title,
        "method": embedding.method,
        "dim": embedding.dim,
        "nodes": len(embedding),
        "threshold": float(embedding.threshold),
        "settings": asdict(embedding.settings),
        "kind": str(embedding.record.get("kind", "given")),
        "view": {"kind": seen.kind, "caption": seen.caption, "K": seen.K, "center": list(seen.center)},
        "hasEdges": embedding.hierarchy is not None,
        "answersBy": embedding.default_by,
        "prefixes": {} if embedding.glossary is None else dict(embedding.glossary.prefixes),
    }


def _arrays(embedding: Embedding, seen: PlanarView) -> dict[str, Any]:
    """The arrays by name: numbers as NumPy arrays, texts as bytes."""
    hierarchy = embedding.hierarchy
    no_edges = np.empty((0, 2), np.int32)
    arrays: dict[str, Any] = {
        "points": embedding.points,
        "view": np.ascontiguousarray(seen.points, np.float64),
        "edges": no_edges if hierarchy is None else hierarchy.edges.astype(np.int32),
        "depth": depths_from_ranks(embedding._generality_order[1])
        if hierarchy is None
        else hierarchy.depths.astype(np.int32),
        "branch": np.full(len(embedding), -1, np.int32) if hierarchy is None else branches(hierarchy),
        "names": _lines(embedding.names),
    }
    if embedding.labels:
        arrays["labels"] = _lines(embedding.labels.texts)
    if hierarchy is not None:
        arrays["redundant"] = _redundant_edges(hierarchy)
    if embedding.by_point is not None:
        arrays["byPoint"] = embedding.by_point
    return arrays if embedding.glossary is None else arrays | _glossary_arrays(embedding.glossary)


def _redundant_edges(hierarchy: Hierarchy) -> Rows:
    """The places of the edges that follow from others, so that parents and children are those of the other edges."""
    codes, direct = (edges.astype(np.int64) @ (len(hierarchy), 1) for edges in (hierarchy.edges, hierarchy.reduction()))
    return np.flatnonzero(~np.isin(codes, direct)).astype(np.int32)


def _glossary_arrays(glossary: Glossary) -> dict[str, bytes]:
    """What a node is called besides its name and label, and what its name means."""
    texts = {
        "definitions": list(glossary.definitions),
        "synonyms": ["\t".join(some) for some in glossary.synonyms],
        "otherIds": ["\t".join(some) for some in glossary.other_ids],
        "obsolete": [
            json.dumps([name, about.label, about.replaced_by, about.consider])
            for name, about in glossary.obsolete.items()
        ],
    }
    return {name: _lines(lines) for name, lines in texts.items() if any(lines)}


def _lines(texts: Sequence[str]) -> bytes:
    return "\n".join(texts).encode(errors="replace")


def _layout(arrays: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
    """The description of the arrays for the header, and the arrays as bytes, each padded to a multiple of 8.

    A model that is its own view has one array for both.
    """
    descriptions: dict[str, Any] = {}
    blocks: list[bytes] = []
    offsets: dict[int, int] = {}
    end = 0
    for name, values in arrays.items():
        offset = offsets.setdefault(id(values), end)
        descriptions[name] = {"dtype": _dtype(values), "shape": _shape(values), "offset": offset}
        if offset == end:
            content = _bytes(values)
            blocks += [content, bytes(-len(content) % ALIGNMENT)]
            end += len(content) + len(blocks[-1])
    return descriptions, blocks


def _dtype(values: Any) -> str:
    return "utf8" if isinstance(values, bytes) else str(values.dtype)


def _shape(values: Any) -> list[int]:
    return [len(values)] if isinstance(values, bytes) else list(values.shape)


def _bytes(values: Any) -> bytes:
    return values if isinstance(values, bytes) else bytes(values.astype(values.dtype.newbyteorder("<")).tobytes())
