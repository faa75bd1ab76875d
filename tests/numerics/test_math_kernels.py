"""Elementary functions: within the stated error of the exact result, and the same bits plain and compiled."""

from __future__ import annotations

import itertools
import math
import re

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypercone import _math_kernels as m
from hypercone._jit import kernel

UNARY = ("exp", "expm1", "log", "log1p", "sin", "cos", "tan", "atan", "asin", "acos", "sinh", "tanh", "asinh")
ODD = ("sin", "tan", "atan", "asin", "sinh", "tanh", "asinh")
RISING = ("exp", "expm1", "log", "log1p", "atan", "asin", "sinh", "tanh", "asinh")
SPECIAL = (0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0)
LARGEST, SMALLEST, SMALLEST_NORMAL = 1.7976931348623157e308, 5e-324, 2.2250738585072014e-308
EXTREMES = (LARGEST, -LARGEST, SMALLEST, -SMALLEST, SMALLEST_NORMAL, 1e-200, 0.5, -0.5, 0.2, 0.35, 22.0, 60.0, 800.0)
EXTREMES = (*SPECIAL, *EXTREMES, 709.78, 709.79, 710.47, 710.48, -745.13, -745.14, 2e5, 200_000.1, 1e9, 1e22, -1e300)
COUNT = 2000


@kernel
def evaluate(x, y):
    results = np.empty((15, len(x)))
    for i in range(len(x)):
        results[0, i] = m.exp(x[i])
        results[1, i] = m.expm1(x[i])
        results[2, i] = m.log(x[i])
        results[3, i] = m.log1p(x[i])
        results[4, i], results[5, i] = m.sin_cos(x[i])
        results[6, i] = m.tan(x[i])
        results[7, i] = m.atan(x[i])
        results[8, i] = m.asin(x[i])
        results[9, i] = m.acos(x[i])
        results[10, i] = m.sinh(x[i])
        results[11, i] = m.tanh(x[i])
        results[12, i] = m.asinh(x[i])
        results[13, i] = m.atan2(y[i], x[i])
        results[14, i] = m.power(abs(x[i]), y[i])
    return results


def compiled(name, x, y=None):
    """The results of one function, compiled; of two arguments it is atan2(y, x) or power(|x|, y)."""
    x = np.array(x, dtype=np.float64)
    rows = (*UNARY, "atan2", "power")
    return evaluate.compiled(x, x if y is None else np.array(y, dtype=np.float64))[rows.index(name)]


def plain(function, *arguments):
    with np.errstate(all="ignore"):
        return getattr(function, "py_func", function)(*arguments)


def bits(values):
    """The bits of floats, with one pattern for all NaNs."""
    values = np.array(values, dtype=np.float64)
    return np.where(np.isnan(values), np.nan, values).view(np.int64)


def spread(rng, low, high):
    """Floats of both signs, their magnitude spread evenly over powers of ten."""
    return 10.0 ** rng.uniform(low, high, COUNT // 4) * rng.choice([-1.0, 1.0], COUNT // 4)


def near_quarter_turns(rng):
    turns = [float(int(turn) * mpmath.pi / 2) for turn in rng.integers(1, 60_000, COUNT // 4)]
    return np.concatenate([turns, np.nextafter(turns, 0.0), np.array(turns) + spread(rng, -9, -1)])


def points(name):
    """Points of the domain of a function: tiny, huge, and where its error is largest."""
    rng = np.random.default_rng(UNARY.index(name))
    tiny = rng.integers(1, 2**52, COUNT // 8).view(np.float64)
    unit = rng.uniform(-1.0, 1.0, COUNT // 2)
    return np.concatenate([tiny, -tiny, unit, *_own_points(name, rng)])


def _own_points(name, rng):
    if name == "sinh":
        return spread(rng, -300, 1), rng.uniform(-710.4, 710.4, COUNT // 2), rng.uniform(0.3, 0.7, COUNT)
    if name in ("exp", "expm1"):
        return rng.uniform(-745.0, 709.7, COUNT), rng.uniform(0.1, 0.3, COUNT // 2), spread(rng, -300, 2)
    if name in ("log", "log1p"):
        near = 1.0 + spread(rng, -15.5, -0.5)
        return (near, near - 1.0, rng.uniform(0.6, 1.5, COUNT), abs(spread(rng, -300, 308)))
    if name in ("sin", "cos", "tan"):
        return near_quarter_turns(rng), rng.uniform(-2e5, 2e5, COUNT // 2), rng.uniform(0.7, 0.8, COUNT // 2)
    if name in ("asin", "acos"):
        return 0.5 + spread(rng, -12, -1), 1.0 - abs(spread(rng, -15, 0)), rng.uniform(0.4, 0.6, COUNT // 2)
    return spread(rng, -300, 307), spread(rng, -3, 1), rng.uniform(0.05, 0.7, COUNT)


def stated_errors(name):
    return [float(bound) for bound in re.findall(r"([\d.]+) ulp", getattr(m, name).__doc__)]


def errors_in_ulp(results, exact):
    return np.array(
        [
            float(abs(mpmath.mpf(result) - value) / mpmath.mpf(math.ulp(float(value))))
            for result, value in zip(results.tolist(), exact, strict=True)
        ]
    )


@pytest.mark.parametrize("name", UNARY)
def test_the_error_is_below_the_stated_one(name):
    x = points(name)
    if name in ("log", "log1p"):
        x = x[x > (0.0 if name == "log" else -1.0)]
    with mpmath.workdps(50):
        exact = [getattr(mpmath, name)(mpmath.mpf(value)) for value in x.tolist()]
        errors = errors_in_ulp(compiled(name, x), exact)
    is_normal = abs(np.array([float(value) for value in exact])) >= SMALLEST_NORMAL
    # The second bound of exp is for subnormal results.
    bounds = stated_errors(name)
    assert (errors[is_normal] < bounds[0]).all()
    assert (errors < bounds[-1]).all()


def test_the_error_of_atan2_is_below_the_stated_one():
    rng = np.random.default_rng(20)
    tiny = rng.integers(1, 2**52, COUNT // 4).view(np.float64)
    y = np.concatenate([rng.normal(size=COUNT), spread(rng, -300, 300), tiny, spread(rng, 300, 308)])
    x = np.concatenate([rng.normal(size=COUNT), spread(rng, -300, 300), -tiny[::-1], spread(rng, 300, 308)])
    with mpmath.workdps(50):
        exact = [mpmath.atan2(*map(mpmath.mpf, pair)) for pair in zip(y.tolist(), x.tolist(), strict=True)]
        errors = errors_in_ulp(compiled("atan2", x, y), exact)
    (bound,) = stated_errors("atan2")
    assert (errors < bound).all()


@pytest.mark.parametrize(("size", "which"), [(50.0, 0), (700.0, 1)])
def test_the_error_of_power_is_below_the_stated_one(size, which):
    rng = np.random.default_rng(21)
    # The logarithm is small and its reduction cancels just above 1.015625.
    base = [rng.uniform(0.01, 3.0, COUNT // 2), rng.uniform(1.0157, 1.017, COUNT // 2)]
    base = np.concatenate([*base, 1.0 + spread(rng, -8, -1), abs(spread(rng, -307, 307))])
    exponent = rng.uniform(-size, size, len(base)) / np.log(base)
    with mpmath.workdps(50):
        pairs = zip(base.tolist(), exponent.tolist(), strict=True)
        errors = errors_in_ulp(compiled("power", base, exponent), [mpmath.mpf(a) ** mpmath.mpf(b) for a, b in pairs])
    assert (errors < stated_errors("power")[which]).all()


def test_powers_that_are_floats_are_exact():
    base = np.arange(1, 1000)
    for exponent in (0, 1, 2, 3, 4):
        assert np.array_equal(compiled("power", base, np.full(len(base), exponent)), (base**exponent).astype(float))
    assert np.array_equal(compiled("power", base * base, np.full(len(base), 0.5)), base.astype(float))
    exponents = range(-1074, 1024)
    powers_of_two = [math.ldexp(1.0, exponent) for exponent in exponents]
    assert np.array_equal(compiled("power", np.full(len(exponents), 2.0), exponents), powers_of_two)


def test_beyond_the_reduced_range_sine_and_cosine_are_those_of_a_number_within_half_an_ulp():
    rng = np.random.default_rng(22)
    x = 10.0 ** rng.uniform(5.4, 308.0, COUNT // 4)
    with mpmath.workdps(400):
        turns = [mpmath.floor(mpmath.mpf(value) / m.TWO_PI) for value in x.tolist()]
        moved = [value + n * (2 * mpmath.pi - m.TWO_PI) for value, n in zip(x.tolist(), turns, strict=True)]
        assert all(abs(a - b) < math.ulp(b) / 2 for a, b in zip(moved, x.tolist(), strict=True))
        for name in ("sin", "cos", "tan"):
            exact = [getattr(mpmath, name)(value) for value in moved]
            assert (errors_in_ulp(compiled(name, x), exact) < stated_errors(name)[0]).all()


def test_the_tables_are_right_to_twenty_digits():
    with mpmath.workdps(50):
        for i in range(32):
            assert abs(m.EXP_HIGH[i] + mpmath.mpf(m.EXP_LOW[i]) - mpmath.mpf(2) ** (mpmath.mpf(i) / 32)) < 1e-20
            assert abs(m.LOG_HIGH[i] + mpmath.mpf(m.LOG_LOW[i]) + mpmath.log(m.LOG_INVERSE[i])) < 1e-20
            assert (m.LOG_HIGH[i] * 2.0**42).is_integer()
        for i in range(33):
            assert abs(m.ATAN_HIGH[i] + mpmath.mpf(m.ATAN_LOW[i]) - mpmath.atan(mpmath.mpf(i) / 32)) < 1e-20


def expected(function, *arguments):
    """What math gives, and where that raises, what a limit of the function gives."""
    try:
        return function(*arguments)
    except OverflowError:
        return math.copysign(math.inf, arguments[0])
    except ValueError:
        if function is math.pow:
            return math.inf
        return -math.inf if (function, arguments[0]) in POLES else math.nan


POLES = {(math.log, 0.0), (math.log1p, -1.0)}


@pytest.mark.parametrize("name", UNARY)
def test_special_values_are_those_of_math(name):
    x = [*SPECIAL, 1.5e3, -1.5e3, 1e4, -1e4] if name in ("exp", "expm1", "sinh", "tanh") else SPECIAL
    wanted = [expected(getattr(math, name), value) for value in x]
    is_rounded = np.isfinite(wanted) & (np.abs(np.array(x)) == 1.0)
    found = compiled(name, x)
    assert np.array_equal(bits(found)[~is_rounded], bits(wanted)[~is_rounded])
    assert found[is_rounded] == pytest.approx(np.array(wanted)[is_rounded], rel=3e-16)


def test_special_values_of_atan2_are_those_of_math():
    y, x = np.array(list(itertools.product((*SPECIAL, LARGEST, SMALLEST), repeat=2))).T
    assert np.array_equal(bits(compiled("atan2", x, y)), bits([math.atan2(*pair) for pair in zip(y, x, strict=True)]))


def test_special_values_of_powers_are_those_of_math():
    exponents = (*SPECIAL, 0.5, -0.5, 3e3, -3e3, LARGEST, -LARGEST)
    base, exponent = np.array(list(itertools.product((0.0, 0.5, 1.0, 2.0, math.inf, math.nan), exponents))).T
    wanted = [expected(math.pow, *pair) for pair in zip(base, exponent, strict=True)]
    is_rounded = np.abs(exponent) == 0.5
    found = compiled("power", base, exponent)
    assert np.array_equal(bits(found)[~is_rounded], bits(wanted)[~is_rounded])
    assert found[is_rounded] == pytest.approx(np.array(wanted)[is_rounded], rel=3e-16, nan_ok=True)
    assert math.isnan(plain(m.power, -2.0, 2.0))


def plain_results(name, x, y):
    function = getattr(m, name)
    if name == "atan2":
        return [plain(function, b, a) for a, b in zip(x, y, strict=True)]
    if name == "power":
        return [plain(function, abs(a), b) for a, b in zip(x, y, strict=True)]
    return [plain(function, a) for a in x]


@pytest.mark.parametrize("name", [*UNARY, "atan2", "power"])
def test_plain_and_compiled_give_the_same_bits(name):
    rng = np.random.default_rng(23)
    pairs = np.array(list(itertools.product(EXTREMES, repeat=2)))
    near = rng.normal(scale=3.0, size=(COUNT // 4, 2))
    wide = np.stack([spread(rng, -320, 308), spread(rng, -4, 4)], axis=1)
    x, y = np.concatenate(
        [pairs, near, wide] if name in ("atan2", "power") else [pairs[:: len(EXTREMES)], near, wide]
    ).T
    wanted = bits(compiled(name, x, y))
    # An argument is a Python float or, from an array, a NumPy one.
    assert np.array_equal(bits(plain_results(name, x, y)), wanted)
    assert np.array_equal(bits(plain_results(name, x.tolist(), y.tolist())), wanted)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.floats(), st.floats()), min_size=1, max_size=5))
def test_plain_and_compiled_give_the_same_bits_for_any_floats(pairs):
    x, y = np.array(pairs).T
    for name in (*UNARY, "atan2", "power"):
        assert np.array_equal(bits(plain_results(name, x.tolist(), y.tolist())), bits(compiled(name, x, y))), name


@pytest.mark.parametrize("name", ODD)
def test_odd_functions_are_exactly_odd(name):
    x = np.concatenate([points(name), EXTREMES])
    assert np.array_equal(bits(compiled(name, -x)), bits(-compiled(name, x)))


def test_the_cosine_is_exactly_even_and_atan2_odd_in_y():
    x = np.concatenate([points("cos"), EXTREMES])
    assert np.array_equal(bits(compiled("cos", -x)), bits(compiled("cos", x)))
    assert np.array_equal(bits(compiled("atan2", x, -x[::-1])), bits(-compiled("atan2", x, x[::-1])))


@pytest.mark.parametrize("name", RISING)
def test_rising_functions_do_not_fall(name):
    x = points(name)
    # Floats in a row, at the edges of the intervals of the tables and elsewhere.
    rows = [
        np.arange(200) * math.ulp(edge) + edge for edge in (0.0108304, 0.078125, 0.2, 0.35, 0.5, 0.6953125, 0.984375)
    ]
    x = np.sort(np.concatenate([x, *rows]))
    results = compiled(name, x)
    assert (np.diff(results[~np.isnan(results)]) >= 0.0).all()


@pytest.mark.parametrize("name", ["exp", "log", "sin", "tanh"])
def test_an_entry_kernel_gives_the_function_of_each_element(name):
    x = points(name)[::10]
    assert np.array_equal(bits(plain(getattr(m, f"{name}_each"), x)), bits(compiled(name, x)))


def test_the_entry_kernel_of_powers_gives_the_power_of_each_element():
    x = np.random.default_rng(24).normal(size=100)
    assert np.array_equal(bits(plain(m.power_each, abs(x), 1.5)), bits(compiled("power", x, np.full(100, 1.5))))
    assert np.array_equal(bits(m.exp_each.compiled(x)), bits(compiled("exp", x)))


def test_sine_and_cosine_alone_are_those_of_the_pair():
    for x in points("sin")[::50].tolist():
        assert plain(m.sin_cos, x) == (plain(m.sin, x), plain(m.cos, x))
