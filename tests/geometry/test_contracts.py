"""What every public function of the geometry promises: shapes, types, no NaN, no warning, one error for bad points.

Each function is listed once with the kinds of its arguments; a function missing from the list fails a test.
"""

import inspect
import itertools

import numpy as np
import pytest

from hypercone.errors import DomainError, InputError
from hypercone.geometry import (
    caps,
    cones,
    euclidean_cones,
    hyperboloid,
    klein,
    manifold_cones,
    order,
    poincare,
    trees,
)

K = 0.1
D = 3
WIDEST = float(np.arccos(caps.kappa(K)))
MODULES = [caps, cones, euclidean_cones, manifold_cones, hyperboloid, klein, order, poincare, trees]

# p point of the ball, h point of the hyperboloid, v vector of any size, u of ordinary size, w vector with a time, s
# positive side, t time, f fraction of a path, a angle, R cap radius, K the constant, i and o the radii of the shell
KINDS = {
    caps.cap_radius: "pK",
    caps.point_from_cap: "vRK",
    caps.contains: "ppK",
    cones.half_aperture: "pK",
    cones.cone_angle: "pp",
    cones.cone_angle_paper: "pp",
    cones.signed_energy: "ppK",
    cones.energy: "ppK",
    cones.contains: "ppK",
    euclidean_cones.half_aperture: "vK",
    euclidean_cones.cone_angle: "vv",
    euclidean_cones.cone_angle_paper: "vv",
    euclidean_cones.signed_energy: "vvK",
    euclidean_cones.energy: "vvK",
    euclidean_cones.contains: "vvK",
    manifold_cones.s_cone: "pv",
    manifold_cones.conic_border: "pvav",
    manifold_cones.entailment_border: "pKvt",
    hyperboloid.to_hyperboloid: "p",
    hyperboloid.from_hyperboloid: "h",
    hyperboloid.push_forward: "pv",
    hyperboloid.minkowski: "ww",
    hyperboloid.geodesic: "hwt",
    hyperboloid.metric: "hww",
    hyperboloid.exp_map: "hw",
    hyperboloid.log_map: "hh",
    hyperboloid.spoke: "h",
    hyperboloid.distance: "hh",
    hyperboloid.half_aperture: "hK",
    hyperboloid.cone_angle: "hh",
    hyperboloid.contains: "hhK",
    klein.to_klein: "p",
    klein.from_klein: "p",
    klein.klein_radius: "p",
    klein.cone_half_angle: "pK",
    klein.contains: "ppK",
    klein.convex_hull_contains: "ppK",
    order.energy: "vv",
    order.contains: "vv",
    poincare.conformal_factor: "p",
    poincare.metric: "puu",
    poincare.norm: "p",
    poincare.distance: "pp",
    poincare.mobius_add: "pp",
    poincare.geodesic: "pvt",
    poincare.geodesic_between: "ppf",
    poincare.exp_map: "pv",
    poincare.exp_map_paper: "pv",
    poincare.log_map: "pp",
    poincare.riemannian_gradient: "pv",
    poincare.retraction: "pv",
    poincare.project: "vio",
    poincare.angle: "vv",
    poincare.departure: "pp",
    poincare.angle_at: "ppp",
    poincare.cosine_law_angle: "sss",
    poincare.cosine_law_side: "ssa",
    poincare.sine_law_ratio: "as",
}
# numbers in, numbers out: nothing can be outside
NUMBERS = {caps.kappa, cones.inner_radius, euclidean_cones.inner_radius, trees.euclidean_star_distortion}
# sums, functions, trees: tested elsewhere, but for what they do with something that is not a point
LINE = [[0.5, 0.0], [0.6, 0.0]]
EDGES = [(0, 1), (0, 2)]
OTHERS = {
    cones.max_margin_loss: lambda bad: cones.max_margin_loss(LINE, LINE, LINE, bad, K),
    euclidean_cones.max_margin_loss: lambda bad: euclidean_cones.max_margin_loss(bad, LINE, LINE, LINE, K),
    order.max_margin_loss: lambda bad: order.max_margin_loss(LINE, bad, LINE, LINE),
    poincare.curve_length: poincare.curve_length,
    manifold_cones.angular_cone: manifold_cones.angular_cone([1.0, 0.0], 1.0),
    manifold_cones.entailment_cone: lambda bad: manifold_cones.entailment_cone(bad, K),
    manifold_cones.in_s_cone: lambda bad: manifold_cones.in_s_cone(LINE, bad, manifold_cones.entailment_cone(LINE, K)),
    trees.four_point_delta: lambda bad: trees.four_point_delta(np.resize(bad, (4, 4))),
    trees.delta_hyperbolicity: trees.delta_hyperbolicity,
    trees.approximating_tree: trees.approximating_tree,
    trees.tree_distances: lambda bad: trees.tree_distances(EDGES, 1 + bad[1]),
    trees.sarkar_embedding: lambda bad: trees.sarkar_embedding(EDGES, 1 + bad[1]),
    trees.distortion: lambda bad: trees.distortion(bad, [[0, 1], [1, 0]]),
}
PRINTED = {cones.cone_angle_paper, euclidean_cones.cone_angle_paper, poincare.exp_map_paper}
# undefined for a direction along the axis
BORDERS = {manifold_cones.conic_border, manifold_cones.entailment_border}
CONSTANTS = {"K": K, "i": 0.1, "o": 0.9}


def name_of(function):
    return f"{function.__module__.rpartition('.')[2]}.{function.__name__}"


each_function = pytest.mark.parametrize("function", KINDS, ids=name_of)


def draw(rng, kind, shape, dtype):
    if kind in CONSTANTS:
        return CONSTANTS[kind]
    if kind == "w":
        return np.concatenate([np.zeros((*shape, 1)), rng.uniform(-1, 1, (*shape, D))], axis=-1).astype(dtype)
    if kind in "phvu":
        rays = rng.normal(size=(*shape, D))
        points = rays / np.linalg.norm(rays, axis=-1, keepdims=True) * rng.uniform(0.2, 0.8, (*shape, 1))
        return (hyperboloid.to_hyperboloid(points) if kind == "h" else points).astype(dtype)
    top = {"s": 2.0, "t": 2.0, "f": 1.0, "a": 3.0, "R": WIDEST}[kind]
    return rng.uniform(0.1 * top, 0.9 * top, shape).astype(dtype)


def test_every_public_function_is_listed():
    public = {
        member
        for module in MODULES
        for name, member in inspect.getmembers(module, inspect.isfunction)
        if not name.startswith("_") and member.__module__ == module.__name__
    }
    assert public == set(KINDS) | set(OTHERS) | NUMBERS


@each_function
def test_answers_have_the_type_of_the_points_and_float32_ones_are_float64_ones_rounded(function):
    rng = np.random.default_rng(55)
    for shape in ((), (50,)):
        narrow = [draw(rng, kind, shape, np.float32) for kind in KINDS[function]]
        wide = [np.float64(a) if isinstance(a, np.floating | np.ndarray) else a for a in narrow]
        found, reference = function(*narrow), function(*wide)
        assert found.dtype in (np.float32, np.bool_)
        assert reference.dtype in (np.float64, np.bool_)
        atol = 2e-3 if function in PRINTED else 2e-5
        np.testing.assert_allclose(found.astype(float), reference.astype(float), rtol=1e-4, atol=atol)


@each_function
def test_leading_axes_broadcast(function):
    rng, kinds = np.random.default_rng(56), KINDS[function]
    arguments = [draw(rng, kind, (4, 1) if n == 0 else (3,), np.float64) for n, kind in enumerate(kinds)]
    result = function(*arguments)
    many = sum(kind not in CONSTANTS for kind in kinds) > 1
    for i, j in itertools.product(range(4), range(3 if many else 1)):
        single = [
            a if kind in CONSTANTS else (a[i, 0] if n == 0 else a[j])
            for n, (kind, a) in enumerate(zip(kinds, arguments, strict=True))
        ]
        np.testing.assert_allclose(result[i, j], function(*single), rtol=1e-13, atol=1e-15)


@each_function
def test_lists_are_taken_as_float64_and_arrays_are_not_written_to(function):
    rng = np.random.default_rng(57)
    arguments = [np.asarray(draw(rng, kind, (6,), np.float64)) for kind in KINDS[function]]
    for argument in arguments:
        argument.flags.writeable = False
    np.testing.assert_array_equal(function(*(a.tolist() for a in arguments)), function(*arguments))


def edges(kind, dtype):
    """The places where formulas break, one value per row."""
    last = 1 - np.finfo(dtype).epsneg
    tiny = np.finfo(dtype).smallest_subnormal
    low = cones.inner_radius(K)
    radii = [0.0, float(tiny), low, low + 1e-5, 0.5, 1 - 1e-7, last]
    rays = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [-0.6, -0.8, 0.0], [0.0, 0.0, 1.0]]
    points = np.array([[r * np.array(ray) for ray in rays] for r in radii]).reshape(-1, D).astype(dtype)
    if kind in "pu":
        return points
    if kind == "h":
        return hyperboloid.to_hyperboloid(points)
    if kind == "w":
        still = np.concatenate([np.zeros((len(points), 1)), points], axis=1).astype(dtype)
        return np.concatenate([still, still[-4:] * 1e-30, still[-4:] * 20])
    if kind == "v":
        return np.concatenate([points, points[-4:] * 1e-30, points[-4:] * 1e15])
    values = {
        "t": [0, float(tiny), 1, 20],
        "f": [0, float(tiny), 0.5, last, 1],
        "s": [1e-30, 1e-6, 1, 30],
        "a": [0, float(tiny), 1, 3.1415],
        "R": [float(tiny), 1e-12, 0.5 * WIDEST, WIDEST],
    }
    return np.array(values[kind], dtype)


# the printed forms are undefined at the edges, which is why they are not the ones to compute with
@pytest.mark.parametrize("function", [f for f in KINDS if f not in PRINTED | BORDERS], ids=name_of)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_answer_is_nan_and_nothing_is_warned_about_at_the_edges_of_the_domain(function, dtype):
    kinds = KINDS[function]
    tables = [[CONSTANTS[kind]] if kind in CONSTANTS else edges(kind, dtype) for kind in kinds]
    columns = zip(*itertools.product(*tables), strict=True)
    arguments = [
        column[0] if kind in CONSTANTS else np.array(column) for kind, column in zip(kinds, columns, strict=True)
    ]
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        assert np.all(np.isfinite(function(*arguments)))


OUTSIDE = {"p": [1.5, 0.0, 0.0], "h": [3.0, 1.0, 0.0, 0.0]}


def not_points(kind):
    """Values of the kind that are not points of its space, nor numbers."""
    size = {"p": D, "v": D, "u": D, "h": D + 1, "w": D + 1}.get(kind)
    for value in (np.nan, np.inf, -np.inf):
        yield value if size is None else [value, *[0.1] * (size - 1)]
    if kind in OUTSIDE:
        yield OUTSIDE[kind]


@each_function
def test_what_is_not_a_point_raises_one_error_whatever_the_function_and_the_argument(function):
    rng, kinds = np.random.default_rng(58), KINDS[function]
    good = [draw(rng, kind, (), np.float64) for kind in kinds]
    for place, kind in enumerate(kinds):
        for bad in not_points(kind) if kind not in CONSTANTS else ():
            with pytest.raises(DomainError):
                function(*good[:place], bad, *good[place + 1 :])


@pytest.mark.parametrize("function", OTHERS, ids=name_of)
def test_a_function_of_sums_of_functions_or_of_trees_raises_the_same_error(function):
    flat = {euclidean_cones.max_margin_loss, order.max_margin_loss, manifold_cones.angular_cone}
    OTHERS[function](np.array([[0.0, 0.5], [0.5, 0.0]]))
    with pytest.raises(DomainError):
        OTHERS[function](np.array([[0.0, 0.5], [np.nan, 0.0]]))
    if function not in flat and function.__module__ != trees.__name__:
        with pytest.raises(DomainError):
            OTHERS[function](np.array([[0.0, 0.5], [1.5, 0.0]]))


def test_the_error_says_which_point_it_is_and_what_to_do_and_is_a_value_error():
    points = np.full((2, 3, 2), 0.5)
    points[1, 2] = [3.0, 4.0]
    with pytest.raises(
        ValueError, match=r"^the point at \[1, 2\] has norm 5, but the ball ends at 1; poincare.project"
    ) as e:
        poincare.norm(points)
    assert isinstance(e.value, InputError)
    with pytest.raises(DomainError, match=r"^the point has norm 5, but"):
        cones.cone_angle([0.5, 0.0], [3.0, 4.0])
    with pytest.raises(DomainError, match=r"^the number nan at \[1\] is not finite"):
        order.energy([0.5, np.nan], [3.0, 4.0])
    with pytest.raises(DomainError, match=r"^the point at \[0\] has x₀ = 2, but on the hyperboloid it is .* = 1.41421"):
        hyperboloid.distance([[2.0, 1.0]], [1.0, 0.0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_length_rounded_up_to_more_than_1_is_a_point_at_the_border_and_a_longer_one_is_not(dtype):
    beyond = np.array([1 + 60 * np.finfo(dtype).eps, 0], dtype)
    assert np.isfinite(poincare.norm(beyond))
    assert np.isfinite(cones.half_aperture(beyond, K))
    with pytest.raises(DomainError):
        poincare.norm(np.array([1 + 70 * np.finfo(dtype).eps, 0], dtype))
