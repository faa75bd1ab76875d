"""Errors compared to the letter."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hypercone.errors import InputError


@contextmanager
def raises_exactly(sentence: str, error: type[Exception] = InputError) -> Iterator[None]:
    """The block raises this error with exactly this sentence; one that ends in "…" is only its beginning."""
    with pytest.raises(error) as caught:
        yield
    beginning = sentence.removesuffix("…")
    found = str(caught.value)
    assert found[: None if beginning == sentence else len(beginning)] == beginning, found
