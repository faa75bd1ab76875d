"""Every example in a docstring of the geometry runs and is right."""

import doctest
import importlib
import pkgutil

import pytest

import hypercone.geometry

MODULES = [f"hypercone.geometry.{found.name}" for found in pkgutil.iter_modules(hypercone.geometry.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_right(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0
