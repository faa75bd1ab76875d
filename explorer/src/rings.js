/** A ring around a node that is chosen or pointed at. */

import { tint } from "./pixels.js";

/** @typedef {import("./buffer.js").PixelBuffer} PixelBuffer */

/**
 * @param {PixelBuffer} buffer
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 * @param {number} width all in device pixels
 * @param {number} color
 */
export function drawRing({ pixels, width: across, height: down }, x, y, radius, width, color) {
  const reach = radius + width / 2 + 1;
  for (let py = Math.max(0, Math.floor(y - reach)); py < Math.min(down, y + reach); py++) {
    for (let px = Math.max(0, Math.floor(x - reach)); px < Math.min(across, x + reach); px++) {
      const away = Math.abs(Math.hypot(px + 0.5 - x, py + 0.5 - y) - radius);
      const covered = Math.min(1, Math.max(0, width / 2 + 0.5 - away));
      if (covered > 0) tint(pixels, py * across + px, color, Math.round(256 * covered));
    }
  }
}
