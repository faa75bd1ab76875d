"""A fit with a run's folder: what it is of, and its checkpoints for as long as it lasts."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypercone.hierarchy import Hierarchy, Split
from hypercone.methods import Points
from hypercone.runs import Run, opened
from hypercone.runs.checkpoint import Identity
from hypercone.runs.folder import Checkpoints, KeptCheckpoints
from hypercone.training.config import FitConfig


def identity_of(hierarchy: Hierarchy, config: FitConfig, split: Split | None, start: Points | None) -> Identity:
    """All that the result depends on, in plain values; two fits with the same identity give the same bytes.

    >>> pets = Hierarchy.from_pairs([("animal", "dog")])
    >>> identity_of(pets, FitConfig(dim=2), None, None)["nodes"]
    2
    """
    from hypercone import __version__

    parts: Identity = {
        **config.as_dict(),
        "hypercone": __version__,
        # The last bit of a number may depend on these as well.
        **{name: importlib.metadata.version(name) for name in ("numba", "numpy")},
        "nodes": len(hierarchy),
        "direct edges": len(hierarchy.edges),
        "hierarchy": hierarchy.digest,
    }
    if hierarchy.labels is not None:
        parts["labels"] = hashlib.sha256("\n".join(hierarchy.labels.texts).encode()).hexdigest()
    if split is not None:
        pairs = (split.train, split.validation.positives, split.validation.negatives)
        parts |= {"percent": split.percent, "split seed": split.seed, "split": _digest(*pairs)}
    if start is not None:
        parts["start"] = _digest(start)
    return parts


def _digest(*arrays: NDArray[Any]) -> str:
    hashed = hashlib.sha256()
    for array in arrays:
        hashed.update(f"{array.dtype.str}{array.shape}".encode())
        hashed.update(np.ascontiguousarray(array).tobytes())
    return hashed.hexdigest()


@contextlib.contextmanager
def kept(
    run: Run | None, hierarchy: Hierarchy, config: FitConfig, split: Split | None, start: Points | None
) -> Iterator[Checkpoints]:
    """The checkpoints of a fit; without a run there are none."""
    if run is None:
        yield Checkpoints()
        return
    with opened(run, identity_of(hierarchy, config, split, start)) as folder:
        yield KeptCheckpoints(run, folder)
