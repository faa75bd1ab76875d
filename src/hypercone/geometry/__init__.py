"""The closed forms of the paper in NumPy, written to be compared with it.

Points are arrays (..., d) and results (...); everything broadcasts over the leading axes and keeps float32 or
float64. `parent` is the more general point, the apex of the cone; `child` is the more specific one.

==========================================  =========================================================
paper                                       here
==========================================  =========================================================
length of a curve (§2.1)                    poincare.curve_length
metric tensor, distance, norm (§2.2)        poincare.metric, conformal_factor, distance, norm
Theorem 1, unit-speed geodesics             poincare.geodesic, geodesic_between
Corollary 1.1, exponential map              poincare.exp_map (stable), exp_map_paper (as printed), log_map
angles; laws of cosines and sines (§2.2)    poincare.angle, angle_at, cosine_law_angle, cosine_law_side,
                                            sine_law_ratio
trees and δ-hyperbolicity (§2.2)            trees.delta_hyperbolicity, approximating_tree, sarkar_embedding,
                                            distortion
S-cones by the exponential map (§3)         manifold_cones.s_cone, in_s_cone, on three manifolds
axial symmetry, conic border (§3)           manifold_cones.angular_cone, entailment_cone, conic_border,
                                            entailment_border
restriction on ε (§3)                       cones.inner_radius
closed form of ψ (§3)                       cones.half_aperture
Theorem 5, the angle Ξ                      cones.cone_angle (stable), cone_angle_paper (as printed)
the cone as a set (§3)                      cones.contains
Euclidean entailment cones (§3)             euclidean_cones, the same names
loss and energy (§4.1)                      cones.max_margin_loss, energy, signed_energy; order.energy for
                                            Vendrov et al.
Riemannian gradient, retraction (§4.2)      poincare.riemannian_gradient, retraction, project
appendix A, the hyperboloid and Theorem 6   hyperboloid
==========================================  =========================================================

One rule holds everywhere: **what is not a point raises DomainError**, which is a ValueError. So do NaN and infinity
wherever a number is expected, a vector longer than 1 where a point of the ball is expected, and a point that is not on
the hyperboloid where it should be; the error says which one it is, and no function answers NaN instead. A length that
exceeds 1 by rounding alone, by at most 64 eps, is that of a point at the border. Directions, tangent vectors, points of
flat space and what `poincare.project` moves into a shell may have any length. Only the printed forms answer NaN:
`cone_angle_paper` where the paper's formula is 0/0, and `exp_map_paper` where its cosh overflows.

Not in the paper: the same cones as Euclidean cones and convex hulls (klein), as nested spherical caps (caps),
and on the hyperboloid (hyperboloid.cone_angle).
"""

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

__all__ = [
    "caps",
    "cones",
    "euclidean_cones",
    "hyperboloid",
    "klein",
    "manifold_cones",
    "order",
    "poincare",
    "trees",
]
