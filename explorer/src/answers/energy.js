// The energies of the five methods, in float64 and with the arithmetic of the package's compiled kernels.
//
// Sums run in the same order and square roots are exact, so all intermediate values have the same bits as in Python. Only
// the final arctan, arcsine or arsinh may differ in its last digit between math libraries. That digit matters, because a
// fit chooses the energy of some pair as its threshold: a pair counts as inside if its energy is at most the threshold
// plus the possible rounding error. Each formula reports that error as `doubt`.

/**
 * @typedef {{
 *   points: Float64Array, dim: number, count: number, method: string, settings: {K: number, alpha: number},
 *   threshold: number,
 * }} EnergyModel
 * @typedef {{
 *   hasCones: boolean, isHyperbolic: boolean, isMargin: boolean,
 *   signed: (parent: number, child: number) => number,
 *   doubt: () => number,
 *   angle: () => number,
 *   aperture: (row: number) => number,
 * }} Energy signed: before it is clipped at 0; doubt and angle: of the last pair
 */

const EPSILON = Number.EPSILON;

/** @param {EnergyModel} model @returns {Energy} */
export function makeEnergy(model) {
  switch (model.method) {
    case "hyperbolic-cones":
      return coneEnergy(model, 1);
    case "euclidean-cones":
      return coneEnergy(model, 0);
    case "order":
      return orderEnergy(model);
    case "poincare":
      return distanceEnergy(model, model.settings.alpha, true);
    case "euclidean":
      return distanceEnergy(model, model.settings.alpha, false);
  }
  throw new Error(`there is no method ${model.method}`);
}

/** Distances without weights: hyperbolic for methods in the ball, else Euclidean. @param {EnergyModel} model */
export function makeDistance(model) {
  const isHyperbolic = model.method === "hyperbolic-cones" || model.method === "poincare";
  return distanceEnergy(model, 0, isHyperbolic).signed;
}

/** @param {EnergyModel} model @param {0 | 1} curvature @returns {Energy} */
function coneEnergy({ points, dim, settings }, curvature) {
  const K = settings.K;
  let angle = 0;
  let opening = 0;

  /** sin ψ = K q / r with q = (1 − r)(1 + r), or K / r in flat space. @param {number} r */
  const apertureAt = (r) => {
    const q = curvature ? (1 - r) * (1 + r) : 1;
    return Math.asin(Math.min(1, (K * q) / r));
  };

  /** @param {number} parent @param {number} child */
  const signed = (parent, child) => {
    const p = parent * dim;
    const c = child * dim;
    let a = 0;
    let along = 0;
    let m = 0;
    for (let k = 0; k < dim; k++) {
      const delta = points[c + k] - points[p + k];
      a += points[p + k] * points[p + k];
      along += points[p + k] * delta;
      m += delta * delta;
    }
    const share = along / a;
    let across = 0;
    for (let k = 0; k < dim; k++) {
      const side = points[c + k] - points[p + k] - share * points[p + k];
      across += side * side;
    }
    const r = Math.sqrt(a);
    along /= r;
    across = Math.sqrt(across);
    if (curvature) {
      const q = (1 - r) * (1 + r);
      angle = Math.atan2(q * across, q * along - m * r);
    } else {
      angle = Math.atan2(across, along);
    }
    opening = apertureAt(r);
    return angle - opening;
  };

  return {
    hasCones: true,
    isHyperbolic: curvature === 1,
    isMargin: true,
    signed,
    doubt: () => 4 * EPSILON * (angle + opening),
    angle: () => angle,
    aperture: (row) => apertureAt(normOf(points, dim, row)),
  };
}

/** @param {EnergyModel} model @returns {Energy} */
function orderEnergy({ points, dim }) {
  let total = 0;
  return {
    hasCones: false,
    isHyperbolic: false,
    isMargin: true,
    signed: (parent, child) => {
      const p = parent * dim;
      const c = child * dim;
      total = 0;
      for (let k = 0; k < dim; k++) {
        const excess = Math.max(0, points[p + k] - points[c + k]);
        total += excess * excess;
      }
      return total;
    },
    // The kernel may use fused multiply-add, which rounds once less.
    doubt: () => dim * EPSILON * total,
    angle: () => NaN,
    aperture: () => NaN,
  };
}

/** @param {EnergyModel} model @param {number} alpha @param {boolean} isHyperbolic @returns {Energy} */
function distanceEnergy({ points, dim }, alpha, isHyperbolic) {
  let score = 0;
  return {
    hasCones: false,
    isHyperbolic,
    isMargin: false,
    signed: (parent, child) => {
      const p = parent * dim;
      const c = child * dim;
      let uu = 0;
      let vv = 0;
      let dd = 0;
      for (let k = 0; k < dim; k++) {
        const delta = points[c + k] - points[p + k];
        uu += points[p + k] * points[p + k];
        vv += points[c + k] * points[c + k];
        dd += delta * delta;
      }
      const u = Math.sqrt(uu);
      const v = Math.sqrt(vv);
      const weight = 1 + alpha * (u - v);
      const gaps = (1 - u) * (1 + u) * (1 - v) * (1 + v);
      score = isHyperbolic ? weight * 2 * Math.asinh(Math.sqrt(dd / gaps)) : weight * Math.sqrt(dd);
      return score;
    },
    doubt: () => (isHyperbolic ? 8 * EPSILON * Math.abs(score) : 0),
    angle: () => NaN,
    aperture: () => NaN,
  };
}

/** The Euclidean norm of a point. @param {Float64Array} points @param {number} dim @param {number} row */
export function normOf(points, dim, row) {
  let total = 0;
  for (let k = row * dim; k < (row + 1) * dim; k++) total += points[k] * points[k];
  return Math.sqrt(total);
}
