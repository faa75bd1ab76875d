"""What a method needs beyond its formulas; fails when a line of the table is without one of them."""

import importlib
from pathlib import Path

import pytest

import hypercone.methods
from hypercone.errors import UnknownNameError
from hypercone.methods import METHODS, Method, Settings, find_method
from hypercone.training import FitConfig

FOLDER = Path(hypercone.methods.__file__).parent


def test_every_method_has_its_file_and_its_kernels(method):
    stem = method.name.replace("-", "_")
    assert (FOLDER / f"{stem}.py").is_file()
    assert (FOLDER / f"{stem}_kernels.py").is_file()
    assert type(method).__module__ == f"hypercone.methods.{stem}"


def test_every_method_dispatches_on_a_named_tuple_of_its_own():
    kinds = [type(method.constants(Settings())) for method in METHODS.values()]
    assert len(set(kinds)) == len(METHODS)
    for name, kind in zip(METHODS, kinds, strict=True):
        assert kind.__module__ == f"hypercone.methods.{name.replace('-', '_')}_kernels"
        assert kind._fields[:2] == ("inner", "outer")


def test_every_class_of_the_room_is_in_the_table():
    for path in FOLDER.glob("*.py"):
        if not path.stem.startswith("_"):
            importlib.import_module(f"hypercone.methods.{path.stem}")
    assert set(map(type, METHODS.values())) == set(Method.__subclasses__())


def test_every_method_says_in_a_line_what_it_is(method):
    assert method.summary
    assert "\n" not in method.summary
    assert not method.summary.endswith(".")
    assert method.loss in ("margin", "softmax")
    assert METHODS[method.name] is method


def test_every_method_is_held_against_the_printed_formulas(method, printed_names):
    assert method.name in printed_names


def test_every_method_has_defaults_that_a_fit_accepts(method):
    config = FitConfig(method=method.name)
    for name, value in method.defaults.items():
        assert FitConfig.from_dict({"method": method.name, name: value}).as_dict()[name] == value
    assert config.rate == method.defaults["rate"]


def test_the_constants_hold_the_shell(method):
    case = Settings(K=0.2, border=1e-4)
    constants = method.constants(case)
    assert (constants.inner, constants.outer) == method.shell(case)


def test_a_misspelt_method_is_answered_with_the_nearest():
    assert find_method("order") is METHODS["order"]
    with pytest.raises(UnknownNameError, match=r"^there is no method 'poincarre'; did you mean poincare\?$"):
        find_method("poincarre")
