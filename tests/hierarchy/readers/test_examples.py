"""Every example in a docstring of the readers runs and tells the truth."""

import doctest
import importlib
import pkgutil

import pytest

from hypercone.hierarchy import readers

MODULES = [info.name for info in pkgutil.iter_modules(readers.__path__, readers.__name__ + ".")]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
