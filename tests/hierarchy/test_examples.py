"""Every example in a docstring of these two rooms runs and tells the truth."""

import doctest
import importlib
import pkgutil

import pytest

import hypercone.data
import hypercone.hierarchy

ROOMS = (hypercone.hierarchy, hypercone.data)
MODULES = [info.name for room in ROOMS for info in pkgutil.iter_modules(room.__path__, room.__name__ + ".")]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("_kernels")])
def test_the_examples_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
