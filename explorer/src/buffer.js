/**
 * The pixels that a frame is drawn into, and which part of them has anything on it but bare ground.
 *
 * Everything is drawn by hand into one picture. Without a graphics card a browser would take longer to draw the paths
 * and texts of a frame than the frame lasts, and would do it after the script that asked for them has ended.
 */

/** @typedef {{left: number, top: number, right: number, bottom: number}} Area in device pixels, the last left out */

export class PixelBuffer {
  constructor() {
    /** @type {Int32Array} */
    this.pixels = new Int32Array(0);
    /** How much of each pixel dots cover. */
    this.cover = new Uint8Array(0);
    this.width = 0;
    this.height = 0;
    /** What the frame holds beside the ground, and what differs from the frame before. */
    this.used = NOWHERE;
    this.changed = NOWHERE;
  }

  /**
   * @param {Int32Array} pixels of an ImageData
   * @param {number} width
   * @param {number} height
   */
  attach(pixels, width, height) {
    this.pixels = pixels;
    this.cover = new Uint8Array(pixels.length);
    this.width = width;
    this.height = height;
    this.invalidate();
  }

  /** The ground has another color, or there is none yet: the next frame changes everything. */
  invalidate() {
    this.used = { left: 0, top: 0, right: this.width, bottom: this.height };
  }

  /**
   * Begins a frame in an area, with no dots yet; `changed` is where the ground has to be laid anew.
   * @param {Area} area
   */
  begin(area) {
    const clipped = this._within(area);
    this.changed = unionOf(clipped, this.used);
    this.used = clipped;
    this.cover.fill(0);
  }

  /**
   * Something is drawn beyond the area that the frame began with.
   * @param {Area} area
   */
  extend(area) {
    const clipped = this._within(area);
    this.changed = unionOf(clipped, this.changed);
    this.used = unionOf(clipped, this.used);
  }

  /**
   * @param {Area} area
   * @returns {Area}
   */
  _within({ left, top, right, bottom }) {
    const { width, height } = this;
    const [x, y] = [between(0, Math.floor(left), width), between(0, Math.floor(top), height)];
    const [endX, endY] = [between(x, Math.ceil(right), width), between(y, Math.ceil(bottom), height)];
    return { left: x, top: y, right: endX, bottom: endY };
  }
}

/** @type {Area} */
const NOWHERE = { left: 0, top: 0, right: 0, bottom: 0 };

/**
 * The smallest area that holds both.
 * @param {Area} one
 * @param {Area} other
 * @returns {Area}
 */
function unionOf(one, other) {
  if (one.right <= one.left || one.bottom <= one.top) return other;
  if (other.right <= other.left || other.bottom <= other.top) return one;
  return {
    left: Math.min(one.left, other.left),
    top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  };
}

/**
 * @param {number} low
 * @param {number} value
 * @param {number} high
 */
function between(low, value, high) {
  return Math.min(high, Math.max(low, value));
}
