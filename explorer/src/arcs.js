/** Geodesics of the disk: circles that meet the rim at right angles, and straight lines through the center. */

/**
 * Half the angle by which the geodesic from p to q turns left, in (−π/2, π/2). Either end may lie on the rim.
 * @param {number} px
 * @param {number} py
 * @param {number} qx
 * @param {number} qy
 */
export function halfTurn(px, py, qx, qy) {
  // The geodesic leaves p along (1 − |p|²)·step − |step|²·p, and its chord stands at half its turn from there.
  const sx = qx - px;
  const sy = qy - py;
  return Math.atan2(sx * py - sy * px, 1 - px * px - py * py - px * sx - py * sy);
}

/**
 * The signed distance of points from the geodesic from p to q and on beyond both, positive on its left.
 * @param {number} px
 * @param {number} py
 * @param {number} qx
 * @param {number} qy
 * @returns {(x: number, y: number) => number} the distance on paper, not the hyperbolic one
 */
export function distanceLeftOf(px, py, qx, qy) {
  // The circle a(|z|² + 1) = 2n·z, whose center is n/a; with a = 0 it is a line, and nothing is divided by a.
  const p = (1 + px * px + py * py) / 2;
  const q = (1 + qx * qx + qy * qy) / 2;
  const a = px * qy - py * qx;
  const nx = p * qy - q * py;
  const ny = q * px - p * qx;
  const radius = Math.sqrt(Math.max(0, nx * nx + ny * ny - a * a));
  return (x, y) => {
    const cx = a * x - nx;
    const cy = a * y - ny;
    return (a * (x * x + y * y + 1) - 2 * (nx * x + ny * y)) / (Math.sqrt(cx * cx + cy * cy) + radius);
  };
}
