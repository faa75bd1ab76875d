/**
 * Mixing colours in the pixels of an ImageData, seen as whole numbers of 32 bits: red in the lowest byte, then green,
 * blue and alpha. A pixel's alpha is how much of it is covered.
 */

const RED_BLUE = 0xff00ff;
const GREEN = 0xff00;

/** 1/alpha in 16 bits, for mixing colours without a division. */
const RECIPROCAL = Int32Array.from({ length: 256 }, (_, alpha) => Math.floor(65535 / Math.max(1, alpha)));

/**
 * One colour over what a pixel holds.
 * @param {Int32Array} pixels
 * @param {number} at
 * @param {number} colour
 * @param {number} alpha 0 to 255
 */
export function paint(pixels, at, colour, alpha) {
  const old = pixels[at];
  const covered = old >>> 24;
  const sum = covered + (((255 - covered) * alpha + 255) >> 8);
  const part = (alpha * RECIPROCAL[sum] + 128) >> 8;
  const rest = 256 - part;
  // Red and blue in one multiplication: each has eight bits to spare below the other.
  const redBlue = (Math.imul(old & RED_BLUE, rest) + Math.imul(colour & RED_BLUE, part)) >>> 8;
  const green = (Math.imul(old & GREEN, rest) + Math.imul(colour & GREEN, part)) >>> 8;
  pixels[at] = (redBlue & RED_BLUE) | (green & GREEN) | (sum << 24);
}

/**
 * The same, but the more is covered the less is added, so that a crowd becomes a texture that shows its density instead
 * of a solid band.
 * @param {Int32Array} pixels
 * @param {number} at
 * @param {number} colour
 * @param {number} alpha 0 to 65535
 */
export function glaze(pixels, at, colour, alpha) {
  const added = (alpha * (255 - (pixels[at] >>> 24)) + 32768) >> 16;
  if (added > 0) paint(pixels, at, colour, added);
}
