"""What a method implements for the compiled loops; see ``_jit.generic`` for how the right one is inlined.

Two families share everything but these few functions. The *margin* methods (cones, order embeddings) pull a child
into its parent's region and push corrupted pairs out of it; the *distance* methods (Poincaré, Euclidean) rank a
true neighbour before corrupted ones. ``method`` is always the named tuple of a method's constants; ``points`` the
array of all nodes; ``parent`` and ``child`` rows of it.
"""
# mypy: ignore-errors

from hypercone._jit import EXACT, STRICT, generic

# Every method.
# signed_energy(method, points, parent, child, dim) -> how far the child is from where it belongs; ≤ 0 inside.
# Strict, so that the index and the scan agree to the last bit.
signed_energy = generic("signed_energy", STRICT)
# inverse_scale(method, squared_norm) -> 1/λ, the factor from hyperbolic to Euclidean lengths; 1 in flat space.
inverse_scale = generic("inverse_scale")
# move_along_geodesic(method, points, row, tangent, dim): the full exponential map, in place.
move_along_geodesic = generic("move_along_geodesic", EXACT)

# Margin methods.
# region(method, points, parent, push, dim) -> all that the tests below need to know of the parent alone.
region = generic("region")
# is_outside(method, region, points, parent, child, dim) -> whether the energy is positive.
is_outside = generic("is_outside")
# is_within_margin(method, region, points, parent, child, dim) -> whether a corrupted pair still needs a push.
is_within_margin = generic("is_within_margin")
# add_gradient(method, region, points, parent, child, weight, of_parent, of_child, dim): adds weight·∂E to both.
add_gradient = generic("add_gradient")

# Distance methods.
# attraction(method, squared_distance, anchor_room, other_room) -> (e^−d, c, p, q) such that
# ∂d/∂anchor = c·((anchor − other) + p·anchor) and ∂d/∂other = c·((other − anchor) + q·other).
attraction = generic("attraction")
# room(method, squared_norm) -> what attraction needs to know of one point alone.
room = generic("room")

# Ranking: a cheap test that spares most exact energies.
# reach(method, bound) -> the bound in the form the test below compares with.
reach = generic("reach", EXACT)
# may_reach(method, reach, points, parent, child, dim) -> False only if the energy is certainly above the bound.
may_reach = generic("may_reach", EXACT)
