/**
 * Mixing colors in the pixels of an ImageData, seen as whole numbers of 32 bits: red in the lowest byte, then green,
 * blue and alpha, which is always full. How much of a pixel dots cover is kept beside them, a byte each.
 */

const RED_BLUE = 0xff00ff;
const GREEN = 0xff00;
export const OPAQUE = 255 << 24;

/**
 * One color over what a pixel holds.
 * @param {Int32Array} pixels
 * @param {number} at
 * @param {number} color
 * @param {number} part of the new color, 0 to 256
 */
export function tint(pixels, at, color, part) {
  const old = pixels[at];
  const rest = 256 - part;
  // Red and blue in one multiplication: each has eight bits to spare below the other.
  const redBlue = (Math.imul(old & RED_BLUE, rest) + Math.imul(color & RED_BLUE, part) + 0x800080) >>> 8;
  const green = (Math.imul(old & GREEN, rest) + Math.imul(color & GREEN, part) + 0x8000) >>> 8;
  pixels[at] = (redBlue & RED_BLUE) | (green & GREEN) | OPAQUE;
}

/**
 * The same for a dot, which covers what it is drawn over.
 * @param {Int32Array} pixels
 * @param {Uint8Array} cover
 * @param {number} at
 * @param {number} color
 * @param {number} alpha 0 to 255
 */
export function paint(pixels, cover, at, color, alpha) {
  const covered = cover[at];
  cover[at] = covered + (((255 - covered) * alpha + 255) >> 8);
  tint(pixels, at, color, alpha + (alpha >> 7));
}

/**
 * The same, but the more is covered the less is added, so that a crowd becomes a texture that shows its density instead
 * of a solid band.
 * @param {Int32Array} pixels
 * @param {Uint8Array} cover
 * @param {number} at
 * @param {number} color
 * @param {number} alpha 0 to 65535
 */
export function glaze(pixels, cover, at, color, alpha) {
  const added = (alpha * (255 - cover[at]) + 32768) >> 16;
  if (added > 0) paint(pixels, cover, at, color, added);
}
