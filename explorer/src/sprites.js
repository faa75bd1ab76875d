/**
 * Antialiased discs and rings, drawn as coverage masks when they are first needed: for every radius in steps of a
 * quarter pixel, at each of 4 × 4 places within a pixel, so that a slowly moving dot does not jump.
 */

export const STEPS = 4;
export const PHASES = 4;

export class Sprites {
  /**
   * @param {number} largest radius in device pixels
   * @param {number} [hole] the width of a ring; discs if left out
   */
  constructor(largest, hole = Infinity) {
    this.largest = largest;
    const radii = Math.ceil(largest * STEPS) + 1;
    /** Side of the square mask of each radius, and where the masks of its phases begin. */
    this.sides = new Int32Array(radii);
    this.starts = new Int32Array(radii);
    let total = 0;
    for (let i = 0; i < radii; i++) {
      this.sides[i] = 2 * Math.ceil(i / STEPS + 0.5 - 0.5 / PHASES);
      this.starts[i] = total;
      total += PHASES * PHASES * this.sides[i] ** 2;
    }
    this.masks = new Uint8Array(total);
    this._isDrawn = new Uint8Array(radii);
    this._hole = hole;
  }

  /**
   * Where the masks of a radius begin, which are there from now on.
   * @param {number} index of the radius
   */
  startOf(index) {
    if (this._isDrawn[index] === 0) this._draw(index);
    return this.starts[index];
  }

  /** @param {number} index */
  _draw(index) {
    this._isDrawn[index] = 1;
    const side = this.sides[index];
    const radius = index / STEPS;
    let at = this.starts[index];
    for (let phase = 0; phase < PHASES * PHASES; phase++) {
      const cx = side / 2 - 0.5 + ((phase % PHASES) + 0.5) / PHASES;
      const cy = side / 2 - 0.5 + (Math.floor(phase / PHASES) + 0.5) / PHASES;
      for (let y = 0; y < side; y++) {
        for (let x = 0; x < side; x++) {
          this.masks[at++] = Math.round(255 * coverage(Math.hypot(x + 0.5 - cx, y + 0.5 - cy), radius, this._hole));
        }
      }
    }
  }
}

/**
 * How much of a pixel at this distance from the middle a disc covers, nearly.
 * @param {number} distance
 * @param {number} radius
 * @param {number} hole
 */
function coverage(distance, radius, hole) {
  const outer = Math.min(1, Math.max(0, radius - distance + 0.5));
  const inner = Math.min(1, Math.max(0, radius - hole - distance + 0.5));
  return outer - inner;
}
