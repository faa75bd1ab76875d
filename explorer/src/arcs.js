/**
 * Geodesics of the disk as arcs of a canvas path. A geodesic is a circle that meets the rim at right angles, or a
 * straight line through the centre.
 */

/** @typedef {{x: number, y: number, radius: number}} Circle a disk on the screen, in pixels */

/** An arc that bends by less than this many pixels is drawn as a line. */
const FLAT = 0.2;

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
 * Goes on from p, where the path is, to q along the geodesic.
 * @param {CanvasPath} path
 * @param {Circle} disk
 * @param {number} px
 * @param {number} py
 * @param {number} qx
 * @param {number} qy in units of the disk, y up
 */
export function geodesicTo(path, disk, px, py, qx, qy) {
  const half = halfTurn(px, py, qx, qy);
  const sx = qx - px;
  const sy = qy - py;
  const bend = Math.tan(half / 2);
  if (Math.abs(bend) * Math.hypot(sx, sy) * disk.radius < 2 * FLAT) {
    path.lineTo(disk.x + disk.radius * qx, disk.y - disk.radius * qy);
    return;
  }
  const away = 1 / (2 * Math.tan(half));
  const cx = px + sx / 2 - sy * away;
  const cy = py + sy / 2 + sx * away;
  const radius = Math.hypot(sx, sy) / (2 * Math.abs(Math.sin(half)));
  // Seen on the screen, where y points down, every angle changes its sign.
  path.arc(
    disk.x + disk.radius * cx,
    disk.y - disk.radius * cy,
    disk.radius * radius,
    -Math.atan2(py - cy, px - cx),
    -Math.atan2(qy - cy, qx - cx),
    half > 0,
  );
}
