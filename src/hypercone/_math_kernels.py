"""Elementary functions whose results have the same bits on every machine, compiled or run as plain Python.

The functions of the math library differ between machines: libraries choose other algorithms, and one library selects a
variant with fused multiply-adds where the processor has them. These use only operations that IEEE 754 rounds
correctly (+, −, ×, ÷ and the square root), exact operations, and comparisons, in a fixed order.

The error of a result is stated in ulp, the distance between adjacent floats at the exact result. Where the plain
function would raise an exception (a division by zero, a root of a negative number), the argument is tested first.

An argument is reduced to a small one, with tables, and a polynomial of that is added. Coefficients that are not 1/n or
1/n! interpolate the function at the Chebyshev nodes of the interval; they and the tables were computed with 60 digits.
A number "in two parts" is the sum of a float and a much smaller one.
"""
# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np

from hypercone._jit import MANY, kernel, kernel_part

INFINITY = float("inf")
NAN = float("nan")


def _tables(text):
    numbers = np.array([float(number) for number in text.split()])
    return numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]


# Adding 1.5 · 2^52 to a smaller float rounds it to an integer, which is then in the low bits of the sum.
ROUNDER = 6755399441055744.0
ROUNDER_BITS = 0x4338000000000000

# π and π/2 in two parts, and π/2 in four: the first three have 35 bits, so their products with integers below 2^17
# are exact.
PI_HIGH, PI_LOW = 3.141592653589793, 1.2246467991473532e-16
HALF_PI_HIGH, HALF_PI_LOW = 1.5707963267948966, 6.123233995736766e-17
HALF_PI_1, HALF_PI_2 = 1.5707963267923333, 2.5633441515839558e-12
HALF_PI_3, HALF_PI_4 = 1.0562999066944068e-23, 4.3359050650618903e-35
TWO_PI = 6.283185307179586
PER_HALF_PI = 0.6366197723675814
REDUCED_EXACTLY = 2e5

# log 2 / 32 in two parts, the first with 36 bits, and 2^(i/32) in two parts.
STEPS_PER_UNIT = 46.16624130844683
STEP_HIGH, STEP_LOW = 0.021660849392446835, 5.145609244655338e-14
EXP_HIGH, EXP_LOW = _tables(
    """
    1.0 1.0218971486541166 1.0442737824274138 1.0671404006768237 1.0905077326652577 1.1143867425958924
    1.1387886347566916 1.1637248587775775 1.189207115002721 1.215247359980469 1.241857812073484 1.2690509571917332
    1.2968395546510096 1.3252366431597413 1.3542555469368927 1.383909881963832 1.4142135623730951 1.4451808069770467
    1.4768261459394993 1.5091644275934228 1.5422108254079407 1.5759808451078865 1.6104903319492543 1.645755478153965
    1.681792830507429 1.718619298122478 1.7562521603732995 1.7947090750031072 1.8340080864093424 1.8741676341103
    1.9152065613971474 1.9571441241754002
    0 5.109225e-17 8.551890e-17 -7.899854e-17 -3.046782e-17 1.041028e-16 8.912813e-17 3.829205e-17 3.982015e-17
    -7.712631e-17 4.658028e-17 2.667932e-18 2.538250e-17 -2.858731e-17 7.700948e-17 -6.770512e-17 -9.667293e-17
    -3.023758e-17 -3.483995e-17 -1.016455e-16 7.949835e-17 -1.013692e-17 2.470719e-17 -1.012568e-16 8.199010e-17
    -1.851380e-17 2.960141e-17 1.822746e-17 3.283107e-17 -6.122763e-17 -1.061995e-16 8.960768e-17
    """
)

# log 2 in two parts, the first a multiple of 2^−42. The significands of floats are taken from 0.6953125 (its bits are
# LOG_START) to twice that, in 32 intervals. LOG_INVERSE has a short reciprocal of a float in each interval, 1 for that
# around 1; the other tables have −log of it in two parts, the first a multiple of 2^−42.
LOG2_HIGH, LOG2_LOW = 0.6931471805598903, 5.497923018708371e-14
LOG_START = 0x3FE6400000000000
LOG_INVERSE = (
    np.array(
        "728 712 697 683 669 655 643 630 618 607 596 585 575 565 555 546 "
        "537 529 520 512 496 482 468 455 443 431 420 410 400 390 381 372".split(),
        dtype=np.float64,
    )
    / 512.0
)
LOG_HIGH, LOG_LOW = _tables(
    """
    -0.35197642315711164 -0.32975328637257917 -0.30846078572108127 -0.2881702345312078 -0.26745943508876735
    -0.2463106105958559 -0.22782009919819757 -0.20739519434596332 -0.18816383241824042 -0.1702041660200848
    -0.15191604202573217 -0.13328722219239353 -0.11604541575775329 -0.0985011061068235 -0.08064348870698268
    -0.06429435070549516 -0.04767346946937323 -0.03266380681884584 -0.015504186535963527 0 0.03174869831468641
    0.060380510988807146 0.08985632912185793 0.11802720608852724 0.14475485499428942 0.172216534935842
    0.19806991376208316 0.2221674653410446 0.2468600779316148 0.2721778859158803 0.29552524991277096 0.3194307707663029
    -6.65449164332e-14 1.11186713896e-13 6.51660035647e-14 -7.44535705475e-14 4.66846765705e-14 1.11771562888e-13
    8.59650931401e-14 -1.07268675773e-13 5.74307839320e-14 9.43353766458e-14 -1.09807540999e-13 4.48198407260e-14
    -8.93655992628e-14 -1.09658996899e-13 5.59544053235e-14 9.79051851199e-14 1.63280044238e-14 5.42450587928e-14
    -1.72745674997e-15 0 -1.06106527352e-13 1.00334248887e-13 3.12187488074e-15 3.01322795991e-14 8.27297328556e-14
    -8.19946751146e-14 1.06341283043e-14 1.09706993206e-13 -8.89985135656e-14 -6.46510306401e-14 3.58605309202e-14
    5.83435742009e-14
    """
)

# atan(i/32) in two parts.
ATAN_HIGH, ATAN_LOW = _tables(
    """
    0 0.031239833430268277 0.06241880999595735 0.09347678115858947 0.12435499454676144 0.15499674192394097
    0.18534794999569476 0.21535769969773805 0.24497866312686414 0.2741674511196588 0.3028848683749714 0.3310960767041321
    0.35877067027057225 0.38588266939807375 0.4124104415973873 0.43833655985795783 0.4636476090008061
    0.48833395105640554 0.5123894603107377 0.5358112379604637 0.5585993153435624 0.5807563535676704 0.6022873461349642
    0.6231993299340659 0.6435011087932844 0.6632029927060933 0.6823165548747481 0.7008544078844502 0.7188299996216245
    0.7362574289814281 0.7531512809621944 0.7695264804056583 0.7853981633974483
    0 -1.188443e-18 -1.549076e-18 -6.284473e-18 -3.125324e-18 9.585416e-18 4.180692e-18 4.738160e-19 1.069876e-17
    8.261354e-18 -1.101083e-17 -7.952610e-18 -2.462382e-17 2.378823e-17 -1.587652e-17 -2.494277e-17 2.269878e-17
    -1.137324e-17 -2.546278e-17 -4.063796e-18 -5.455631e-18 -1.441464e-17 2.950431e-17 2.672404e-17 1.583479e-17
    -3.076055e-17 6.943224e-18 -1.987626e-17 -2.147839e-17 3.473938e-17 -2.425693e-17 -3.704992e-17 3.061617e-17
    """
)


@kernel_part
def _power_of_two(exponent):
    """2^exponent, for an integer from −1022 to 1023"""
    return np.int64((exponent + 1023) << 52).view(np.float64)


@kernel_part
def _upper_half(x):
    """The float x without its 27 lowest bits: a product of two such, or of one with 27 other bits, is exact."""
    return np.int64(np.float64(x).view(np.int64) & -134217728).view(np.float64)


@kernel_part
def _remainder(total, a, b):
    """The rest total − a b, where total is a b but for rounding; its own error is of the order of 2^−78 total."""
    a_upper = _upper_half(a)
    b_upper = _upper_half(b)
    return ((total - a_upper * b_upper) - a_upper * (b - b_upper)) - (a - a_upper) * b


@kernel_part
def _square_remainder(total, a):
    """The rest total − a², where total is a² but for rounding."""
    upper = _upper_half(a)
    return (total - upper * upper) - (a - upper) * (a + upper)


@kernel_part
def _divide(top, top_low, bottom, bottom_low):
    """(top + top_low) / (bottom + bottom_low), where the low parts are smaller"""
    a = top + top_low
    a_low = top_low - (a - top)
    b = bottom + bottom_low
    b_low = bottom_low - (b - bottom)
    ratio = a / b
    return ratio + (_remainder(a, ratio, b) + (a_low - ratio * b_low)) / b


@kernel_part
def _exp_parts(x, x_low):
    """(high, low, factor) with e^(x + x_low) = (high + low) factor, for |x| < 1000 and a small x_low"""
    rounded = x * STEPS_PER_UNIT + ROUNDER
    bits = np.float64(rounded).view(np.int64)
    index = bits & 31
    # The result or its power of two may be subnormal or too large; neither is with half of the exponent.
    exponent = (bits - ROUNDER_BITS) >> 5
    half = exponent >> 1
    start = _power_of_two(half)
    high = EXP_HIGH[index] * start
    steps = rounded - ROUNDER
    r = (x - steps * STEP_HIGH) - (steps * STEP_LOW - x_low)
    rr = r * r
    series = (1.0 / 2.0 + r * (1.0 / 6.0)) + rr * ((1.0 / 24.0 + r * (1.0 / 120.0)) + rr * (1.0 / 720.0))
    low = (EXP_LOW[index] * start + high * r) + (high * rr) * series
    return high, low, _power_of_two(exponent - half)


@kernel_part
def exp(x):
    """e^x; error below 0.6 ulp, or 0.8 ulp where the result is subnormal"""
    # Beyond these limits the result is 0 or infinite.
    if x < -746.0:
        x = -746.0
    if x > 710.0:
        x = 710.0
    high, low, factor = _exp_parts(x, 0.0)
    return (high + low) * factor


@kernel_part
def _expm1_parts(x):
    """(high, low) with e^x − 1 = high + low, for −60 ≤ x ≤ 60"""
    if abs(x) < 0.2:
        series = 1.0 / 3628800.0 + x * (1.0 / 39916800.0 + x * (1.0 / 479001600.0))
        series = 1.0 / 40320.0 + x * (1.0 / 362880.0 + x * series)
        series = 1.0 / 720.0 + x * (1.0 / 5040.0 + x * series)
        series = 1.0 / 24.0 + x * (1.0 / 120.0 + x * series)
        return x, x * x * (1.0 / 2.0 + x * (1.0 / 6.0 + x * series))
    high, low, factor = _exp_parts(x, 0.0)
    high = high * factor
    total = high - 1.0
    rest = (high - (total + 1.0)) if high < 1.0 else (high - total) - 1.0
    return total, rest + low * factor


@kernel_part
def expm1(x):
    """e^x − 1, also for tiny x; error below 0.8 ulp"""
    if x > 60.0:
        return exp(x)
    # The result is −1 below.
    high, low = _expm1_parts(-60.0 if x < -60.0 else x)
    return math.copysign(high + low, x)


@kernel_part
def _split_exponent(x):
    """(z, i, n) with x = z 2^n for a positive finite x; i is the index of z in the tables for the logarithm"""
    shift = 0
    if x < 2.2250738585072014e-308:
        x = x * 18014398509481984.0
        shift = 54
    bits = np.float64(x).view(np.int64)
    offset = bits - LOG_START
    exponent = offset >> 52
    return np.int64(bits - (exponent << 52)).view(np.float64), (offset >> 47) & 31, exponent - shift


@kernel_part
def _log_parts(z, z_low, index, exponent):
    """(high, low, r, r_low) with log((z + z_low) 2^exponent) = high + low − (r + r_low)²/2"""
    inverse = LOG_INVERSE[index]
    upper = _upper_half(z)
    # The inverse has 10 bits, so this is exact.
    r_high = upper * inverse - 1.0
    r_low = ((z - upper) + z_low) * inverse
    r = r_high + r_low
    r_low = r_low - (r - r_high)
    rr = r * r
    series = (-1.0 / 8.0 + r * (1.0 / 9.0)) + rr * (-1.0 / 10.0)
    series = (-1.0 / 4.0 + r * (1.0 / 5.0)) + rr * ((-1.0 / 6.0 + r * (1.0 / 7.0)) + rr * series)
    series = rr * (r * (1.0 / 3.0) + rr * series)
    base = exponent * LOG2_HIGH + LOG_HIGH[index]
    high = base + r
    low = ((r - (high - base)) + r_low) + (series + (exponent * LOG2_LOW + LOG_LOW[index]))
    return high, low, r, r_low


@kernel_part
def _log_sum(z, z_low, index, exponent):
    """log((z + z_low) 2^exponent), for z and its index from ``_split_exponent``"""
    high, low, r, _ = _log_parts(z, z_low, index, exponent)
    return high + (low - 0.5 * (r * r))


@kernel_part
def log(x):
    """The natural logarithm of x: −∞ at 0, NaN below; error below 0.55 ulp"""
    if not 0.0 < x < INFINITY:
        return -INFINITY if x == 0.0 else (x if x > 0.0 else NAN)
    z, index, exponent = _split_exponent(x)
    return _log_sum(z, 0.0, index, exponent)


@kernel_part
def log1p(x):
    """log(1 + x), also for tiny x: −∞ at −1, NaN below; error below 0.55 ulp"""
    if abs(x) < 1e-6:
        return math.copysign(x + x * x * (-1.0 / 2.0 + x * (1.0 / 3.0)), x)
    if not -1.0 < x < 1e18:
        return -INFINITY if x == -1.0 else log(x)
    total = 1.0 + x
    part = total - 1.0
    rest = (1.0 - (total - part)) + (x - part)
    z, index, exponent = _split_exponent(total)
    return _log_sum(z, rest * _power_of_two(-exponent), index, exponent)


@kernel_part
def power(base, exponent):
    """base^exponent for a base ≥ 0 (NaN below, unless the exponent is 0 or 1);
    error below 0.7 ulp where |exponent · log base| < 50, and below 1.5 ulp where the result is normal
    """
    if exponent == 0.0 or base == 1.0:
        return 1.0
    if exponent == 1.0:
        return base
    if not 0.0 < base < INFINITY or exponent != exponent:
        if base == 0.0 or base == INFINITY:
            return exponent if exponent != exponent else (0.0 if (base == 0.0) == (exponent > 0.0) else INFINITY)
        return NAN
    z, index, n = _split_exponent(base)
    high, low, r, r_low = _log_parts(z, 0.0, index, n)
    # The logarithm is multiplied by the exponent, and its error too, so the square is added without one.
    upper = _upper_half(r)
    square = 0.5 * (upper * upper)
    total = high - square
    low = low + ((high - total) - square) - (0.5 * ((r - upper) * (r + upper)) + r * r_low)
    high = total + low
    low = low - (high - total)
    x = exponent * high
    # The result is 0 or infinite beyond, and the remainder might overflow.
    if not abs(x) < 800.0:
        return 0.0 if x < 0.0 else INFINITY
    x_low = exponent * low - _remainder(x, exponent, high)
    high, low, factor = _exp_parts(x, x_low)
    return (high + low) * factor


@kernel_part
def _reduce_angle(x):
    """(quarter turns, r, r_low) with x = turns π/2 + r + r_low and |r| ≤ π/4, for x ≥ 0"""
    if x > REDUCED_EXACTLY:
        x = x % TWO_PI
    rounded = x * PER_HALF_PI + ROUNDER
    turns = rounded - ROUNDER
    a = x - turns * HALF_PI_1
    w = turns * HALF_PI_2
    b = a - w
    part = a - b
    rest = ((a - (b + part)) + (part - w)) - turns * HALF_PI_3
    r = b + rest
    part = r - b
    r_low = ((b - (r - part)) + (rest - part)) - turns * HALF_PI_4
    return np.float64(rounded).view(np.int64) & 3, r, r_low


@kernel_part
def _sin_cos_parts(r, r_low):
    """(sine, its low part, cosine, its low part) of r + r_low, for |r| ≤ π/4"""
    t = r * r
    series = -2.5052106215978872e-08 + t * (1.6058529011960855e-10 + t * -7.586543634101805e-13)
    series = -0.00019841269841265003 + t * (2.7557319219291695e-06 + t * series)
    # The last constant is 1/6 less the float nearest to it, which is used below.
    series = t * (0.008333333333333331 + t * series) - 9.25185853854297e-18
    cube = r * t
    upper = _upper_half(r)
    half_square = 0.5 * (upper * upper)
    cosine = 1.0 - half_square
    sine_low = cube * -0.16666666666666666 + (cube * series + r_low * cosine)
    series = -2.755731725679604e-07 + t * (2.0876143159909436e-09 + t * -1.1382408754153112e-11)
    series = -0.0013888888888887378 + t * (2.4801587298736863e-05 + t * series)
    series = t * t * (0.041666666666666664 + t * series)
    rest = 0.5 * ((r - upper) * (r + upper)) + r * r_low
    return r, sine_low, cosine, ((1.0 - cosine) - half_square) + (series - rest)


@kernel_part
def sin_cos(x):
    """(sin x, cos x) with an error below 0.75 ulp; for |x| > 2·10⁵, of a number within half an ulp of x"""
    turns, r, r_low = _reduce_angle(abs(x))
    sine, sine_low, cosine, cosine_low = _sin_cos_parts(r, r_low)
    sine = sine + sine_low
    cosine = cosine + cosine_low
    is_odd = (turns & 1) == 1
    first = cosine if is_odd else sine
    second = sine if is_odd else cosine
    first = -first if turns & 2 else first
    second = -second if (turns + 1) & 2 else second
    return first * math.copysign(1.0, x), second


@kernel_part
def sin(x):
    """The sine of x with an error below 0.75 ulp; for |x| > 2·10⁵, of a number within half an ulp of x"""
    return sin_cos(x)[0]


@kernel_part
def cos(x):
    """The cosine of x with an error below 0.75 ulp; for |x| > 2·10⁵, of a number within half an ulp of x"""
    return sin_cos(x)[1]


@kernel_part
def tan(x):
    """The tangent of x with an error below 0.9 ulp; for |x| > 2·10⁵, of a number within half an ulp of x"""
    turns, r, r_low = _reduce_angle(abs(x))
    sine, sine_low, cosine, cosine_low = _sin_cos_parts(r, r_low)
    is_odd = (turns & 1) == 1
    top = -cosine if is_odd else sine
    top_low = -cosine_low if is_odd else sine_low
    bottom = sine if is_odd else cosine
    bottom_low = sine_low if is_odd else cosine_low
    return _divide(top, top_low, bottom, bottom_low) * math.copysign(1.0, x)


@kernel_part
def atan2(y, x):
    """The angle of the point (x, y), from −π to π; error below 0.8 ulp"""
    rise = abs(y)
    run = abs(x)
    is_steep = rise > run
    small = run if is_steep else rise
    large = rise if is_steep else run
    if not (small <= large and 1e-120 < large < INFINITY):
        if not small <= large:
            return NAN
        if large == INFINITY:
            small = 1.0 if small == INFINITY else 0.0
            large = 1.0
        elif large == 0.0:
            large = 1.0
        else:
            # The remainder of the quotient below would underflow.
            small = small * 4.149515568880993e180
            large = large * 4.149515568880993e180
    q = small / large
    q_low = _remainder(small, q, large) / large
    # Here q is the result, and the remainder may have underflowed.
    if q < 1e-9:
        q_low = 0.0
    # Below 5/64 the series is used alone, because near i = 1 the error of the quotient t would weigh too much.
    index = np.float64(q * 32.0 + ROUNDER).view(np.int64) & 63
    if q < 0.078125:
        index = 0
    node = index * 0.03125
    scale = 1.0 + node * q
    t = (q - node) / scale
    tt = t * t
    series = (0.11111107808114219 + tt * -0.09089942560055032) + tt * tt * 0.07561705679484348
    series = (0.19999999999997112 + tt * -0.14285714280608175) + tt * tt * series
    rest = q_low / scale + t * tt * (-0.3333333333333333 + tt * series)
    is_left = math.copysign(1.0, x) < 0.0
    base = HALF_PI_HIGH if is_steep else (PI_HIGH if is_left else 0.0)
    base_low = HALF_PI_LOW if is_steep else (PI_LOW if is_left else 0.0)
    sign = 1.0 if is_steep == is_left else -1.0
    angle = sign * ATAN_HIGH[index]
    total = base + angle
    rest = ((base - total) + angle) + (base_low + sign * (ATAN_LOW[index] + rest))
    return math.copysign(total + (sign * t + rest), y)


@kernel_part
def atan(x):
    """The angle with the tangent x; error below 0.8 ulp"""
    return atan2(x, 1.0)


@kernel_part
def _asin_tail(z):
    """asin(√z) / √z − 1, for 0 ≤ z ≤ 1/4"""
    zz = z * z
    a = (0.02237217294214989 + z * 0.017352392720869945) + zz * (0.013971212973553311 + z * 0.011479177415181617)
    b = (0.0103228143502052 + z * 0.005457506718563782) + zz * (0.01740087944288715 + z * -0.014851887071528912)
    c = (0.16666666666666669 + z * 0.07499999999998433) + zz * (0.04464285714635543 + z * 0.030381944138531247)
    zzzz = zz * zz
    return z * (c + zzzz * (a + zzzz * (b + zzzz * 0.028757851367602328)))


@kernel_part
def _half_angle_parts(x):
    """(high, low) with acos(x) / 2 = high + low, for 1/2 ≤ x ≤ 1"""
    z = 0.5 * (1.0 - x)
    root = math.sqrt(z)
    # The constant avoids 0/0 and is lost in any other root.
    root_low = _square_remainder(z, root) / (root + root + 1e-300)
    return root, root_low + root * _asin_tail(z)


@kernel_part
def asin(x):
    """The angle with the sine x, NaN outside [−1, 1]; error below 0.75 ulp"""
    a = abs(x)
    if not a <= 1.0:
        return NAN
    if a <= 0.5:
        return math.copysign(a + a * _asin_tail(a * a), x)
    high, low = _half_angle_parts(a)
    high = high + high
    total = HALF_PI_HIGH - high
    rest = (HALF_PI_HIGH - total) - high
    return math.copysign(total + (rest + (HALF_PI_LOW - (low + low))), x)


@kernel_part
def acos(x):
    """The angle with the cosine x, NaN outside [−1, 1]; error below 0.75 ulp"""
    a = abs(x)
    if not a <= 1.0:
        return NAN
    if a <= 0.5:
        total = HALF_PI_HIGH - x
        rest = (HALF_PI_HIGH - total) - x
        return total + (rest + (HALF_PI_LOW - x * _asin_tail(a * a)))
    high, low = _half_angle_parts(a)
    high = high + high
    low = low + low
    if x > 0.0:
        return high + low
    total = PI_HIGH - high
    rest = (PI_HIGH - total) - high
    return total + (rest + (PI_LOW - low))


@kernel_part
def sinh(x):
    """The hyperbolic sine of x; error below 0.7 ulp"""
    a = abs(x)
    if a < 0.35:
        t = a * a
        series = 1.0 / 362880.0 + t * (1.0 / 39916800.0 + t * (1.0 / 6227020800.0))
        series = 1.0 / 6.0 + t * (1.0 / 120.0 + t * (1.0 / 5040.0 + t * series))
        return math.copysign(a + a * t * series, x)
    # The result is infinite above.
    if a > 711.0:
        a = 711.0
    high, low, factor = _exp_parts(a, 0.0)
    if a > 40.0:
        return math.copysign((high + low) * (0.5 * factor), x)
    down, down_low, down_factor = _exp_parts(-a, 0.0)
    high = high * factor
    down = down * down_factor
    total = high - down
    rest = ((high - total) - down) + (low * factor - down_low * down_factor)
    return math.copysign(0.5 * (total + rest), x)


@kernel_part
def tanh(x):
    """The hyperbolic tangent of x; error below 0.75 ulp"""
    a = abs(x)
    # The result is 1 above.
    if a > 22.0:
        a = 22.0
    high, low = _expm1_parts(a + a)
    bottom = 2.0 + high
    bottom_low = ((2.0 - bottom) + high if high < 2.0 else (high - bottom) + 2.0) + low
    return math.copysign(_divide(high, low, bottom, bottom_low), x)


@kernel_part
def asinh(x):
    """The inverse hyperbolic sine of x; error below 0.55 ulp"""
    a = abs(x)
    if a < 0.0078125:
        t = a * a
        return math.copysign(a + a * t * (-1.0 / 6.0 + t * (3.0 / 40.0 + t * (-15.0 / 336.0))), x)
    if not a < INFINITY:
        return x
    if a > 1e9:
        z, index, exponent = _split_exponent(a)
        return math.copysign(_log_sum(z, 0.0, index, exponent + 1), x)
    square = a * a
    total = 1.0 + square
    rest = (1.0 - total) + square if square < 1.0 else (square - total) + 1.0
    root = math.sqrt(total)
    root_low = (_square_remainder(total, root) + (rest - _square_remainder(square, a))) / (root + root)
    total = a + root
    rest = ((root - total) + a) + root_low
    z, index, exponent = _split_exponent(total)
    return math.copysign(_log_sum(z, rest * _power_of_two(-exponent), index, exponent), x)


@kernel(weight=MANY)
def exp_each(values):
    """e^x for each x of an array."""
    results = np.empty(len(values))
    for i in range(len(values)):
        results[i] = exp(values[i])
    return results


@kernel(weight=MANY)
def log_each(values):
    """The natural logarithm of each number of an array."""
    results = np.empty(len(values))
    for i in range(len(values)):
        results[i] = log(values[i])
    return results


@kernel(weight=MANY)
def sin_each(values):
    """The sine of each number of an array."""
    results = np.empty(len(values))
    for i in range(len(values)):
        results[i] = sin(values[i])
    return results


@kernel(weight=MANY)
def tanh_each(values):
    """The hyperbolic tangent of each number of an array."""
    results = np.empty(len(values))
    for i in range(len(values)):
        results[i] = tanh(values[i])
    return results


@kernel(weight=MANY)
def power_each(values, exponent):
    """x^exponent for each x ≥ 0 of an array."""
    results = np.empty(len(values))
    for i in range(len(values)):
        results[i] = power(values[i], exponent)
    return results
