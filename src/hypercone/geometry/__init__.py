"""The closed forms of the paper in NumPy, written to be compared with it.

Points are arrays (..., d) and results (...); everything broadcasts over the leading axes and keeps float32 or
float64. `parent` is the more general point, the apex of the cone; `child` is the more specific one.

==========================================  =========================================================
paper                                       here
==========================================  =========================================================
metric tensor λ, distance, norm (§2.2)      poincare.conformal_factor, distance, norm
Theorem 1, unit-speed geodesics             poincare.geodesic, geodesic_between
Corollary 1.1, exponential map              poincare.exp_map (stable), exp_map_paper (as printed), log_map
angles; laws of cosines and sines (§2.2)    poincare.angle, angle_at, cosine_law_angle, cosine_law_side,
                                            sine_law_ratio
S-cones by the exponential map (§3)         manifold_cones.s_cone, in_s_cone
axial symmetry (§3)                         manifold_cones.angular_cone, entailment_cone
restriction on ε (§3)                       cones.inner_radius
closed form of ψ (§3)                       cones.half_aperture
Theorem 5, the angle Ξ                      cones.cone_angle (stable), cone_angle_paper (as printed)
the cone as a set (§3)                      cones.contains
Euclidean entailment cones (§3)             euclidean_cones, the same names
energy (§4.1)                               cones.energy, signed_energy; order.energy for Vendrov et al.
Riemannian gradient, retraction (§4.2)      poincare.riemannian_gradient, retraction, project
appendix A, the hyperboloid and Theorem 6   hyperboloid
==========================================  =========================================================

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
]
