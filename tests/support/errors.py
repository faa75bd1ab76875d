"""Errors compared to the letter."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hypercone.errors import InputError


@contextmanager
def raises_exactly(sentence: str, error: type[Exception] = InputError) -> Iterator[None]:
    """The block raises this error with exactly this sentence."""
    with pytest.raises(error) as caught:
        yield
    assert str(caught.value) == sentence
