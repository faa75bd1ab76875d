// Whether one has moved to where there is nothing: then the way back should catch the eye.

// So many pixels at the rim nobody would call a picture.
const RIM = 4;

/**
 * Whether a node can be seen: on the screen, and not in the crowd at the rim where all that is far away ends.
 * @param {{count: number, x: ArrayLike<number>, y: ArrayLike<number>}} scene
 * @param {import("./camera.js").Camera} camera
 */
export function seesAnyNode({ count, x, y }, camera) {
  const { width, height, originX, originY, radius } = camera;
  for (let row = 0; row < count; row++) {
    const spot = camera.toScreen(x[row], y[row]);
    if (spot.x < 0 || spot.y < 0 || spot.x > width || spot.y > height) continue;
    if (radius - Math.hypot(spot.x - originX, spot.y - originY) > RIM) return true;
  }
  return false;
}
