/** Which node is meant by a place on the screen. */

/** @typedef {import("./projection.js").Projection} Projection */

/** How near the cursor must be, in CSS pixels, and how much further away the largest dot may be to win over a speck. */
const REACH = 10;
const FAVOR = 1.2;

/**
 * The nearest node to a pixel, where larger dots count as nearer; -1 if none is within reach.
 * @param {Projection} places
 * @param {Float32Array} radii in device pixels
 * @param {number} px
 * @param {number} py in device pixels
 * @returns {number}
 */
export function pickNode({ x, y, count, pixelRatio }, radii, px, py) {
  const reach = REACH * pixelRatio;
  let best = -1;
  let cost = Infinity;
  for (let row = 0; row < radii.length && row < count; row++) {
    const dx = x[row] - px;
    const dy = y[row] - py;
    if (!(Math.abs(dx) <= reach && Math.abs(dy) <= reach)) continue;
    const distance = Math.hypot(dx, dy);
    const price = distance - FAVOR * radii[row];
    if (distance <= reach && price < cost) {
      cost = price;
      best = row;
    }
  }
  return best;
}
