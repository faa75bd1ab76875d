/**
 * What everything lies on: the ground, the disk, and its rim with a soft glow.
 *
 * Across the rim the colors are the same everywhere, so they are mixed once, and every pixel near it looks up its own.
 * The whole is kept as a picture: only zooming changes it.
 */

import { channels } from "./colors.js";
import { OPAQUE } from "./pixels.js";

/** @typedef {import("./colors.js").Palette} Palette */
/** @typedef {import("./buffer.js").PixelBuffer} PixelBuffer */
/** @typedef {{originX: number, originY: number, radius: number}} Disk in device pixels */

/** The rim and what glows around it, as strokes over one another: width in CSS pixels, opacity. */
const GLOW = [
  [22, 0.03],
  [14, 0.04],
  [8, 0.06],
  [4, 0.1],
];
const RIM = [1.2, 0.9];
/** How far the glow reaches from the rim, in CSS pixels. */
export const GLOW_REACH = 12;
const STEPS = 8;

export class Background {
  constructor() {
    /** The colors across the rim, from inside to outside. */
    this._across = new Int32Array(0);
    /** @type {Palette | null} */
    this._palette = null;
    this._reach = 0;
    this._picture = new Int32Array(0);
    /** @type {unknown[]} what the picture was drawn for */
    this._drawn = [];
  }

  /**
   * Takes over the colors; whether they have changed.
   * @param {Palette} palette
   * @param {number} pixelRatio
   */
  update(palette, pixelRatio) {
    const reach = GLOW_REACH * pixelRatio;
    if (palette === this._palette && reach === this._reach) return false;
    this._palette = palette;
    this._reach = reach;
    const across = (/** @type {number} */ k) => colorAcross(palette, k / STEPS - reach, pixelRatio);
    this._across = Int32Array.from({ length: 2 * reach * STEPS + 1 }, (_, k) => across(k));
    return true;
  }

  /**
   * Lays it into the changed part of a buffer.
   * @param {PixelBuffer} buffer
   * @param {Disk} disk
   */
  draw({ pixels, width, height, changed }, { originX, originY, radius }) {
    const drawn = [this._across, width, height, originX, originY, radius];
    if (drawn.some((value, k) => value !== this._drawn[k])) {
      this._drawn = drawn;
      if (this._picture.length !== pixels.length) this._picture = new Int32Array(pixels.length);
      for (let y = 0; y < height; y++) this._line(y * width, width, originX, y + 0.5 - originY, radius);
    }
    // Whole lines in one go: that is faster than the parts of them that have changed.
    pixels.set(this._picture.subarray(changed.top * width, changed.bottom * width), changed.top * width);
  }

  /**
   * @param {number} line where it begins
   * @param {number} width
   * @param {number} originX
   * @param {number} up its height over the disk's center
   * @param {number} radius
   */
  _line(line, width, originX, up, radius) {
    const { _picture: picture, _across: across } = this;
    const outer = halfChord(radius + this._reach, up);
    const inner = halfChord(radius - this._reach, up);
    const enters = line + column(originX - outer, width);
    const begins = line + column(originX - inner, width);
    const ends = line + column(originX + inner, width);
    const leaves = line + column(originX + outer, width);
    picture.fill(across[across.length - 1], line, enters);
    this._band(picture, enters, begins, originX + line, up, radius);
    picture.fill(across[0], begins, ends);
    this._band(picture, ends, leaves, originX + line, up, radius);
    picture.fill(across[across.length - 1], leaves, line + width);
  }

  /**
   * @param {Int32Array} pixels
   * @param {number} from
   * @param {number} to
   * @param {number} middle where the disk's center would be in this line
   * @param {number} up
   * @param {number} radius
   */
  _band(pixels, from, to, middle, up, radius) {
    const across = this._across;
    const start = (this._reach - radius) * STEPS + 0.5;
    const last = across.length - 1;
    for (let at = from; at < to; at++) {
      const along = at + 0.5 - middle;
      const k = (STEPS * Math.sqrt(along * along + up * up) + start) | 0;
      pixels[at] = across[k < 0 ? 0 : k > last ? last : k];
    }
  }
}

/**
 * @param {number} x
 * @param {number} width
 */
function column(x, width) {
  return Math.min(width, Math.max(0, Math.round(x)));
}

/**
 * Half the length of the chord of a circle at a height, 0 beyond it.
 * @param {number} radius
 * @param {number} up
 */
function halfChord(radius, up) {
  return radius > Math.abs(up) ? Math.sqrt(radius * radius - up * up) : 0;
}

/**
 * The packed color at a distance outwards from the rim, in device pixels.
 * @param {Palette} palette
 * @param {number} away
 * @param {number} pixelRatio
 */
function colorAcross(palette, away, pixelRatio) {
  let color = over(channels(palette.background), palette.disk, Math.min(1, Math.max(0, 0.5 - away)));
  for (const [width, alpha] of GLOW) color = over(color, palette.glow, alpha * covered(away, width * pixelRatio));
  const [red, green, blue] = over(color, palette.rim, RIM[1] * covered(away, RIM[0] * pixelRatio)).map(Math.round);
  return red | (green << 8) | (blue << 16) | OPAQUE;
}

/**
 * How much of a pixel at this distance from its middle a stroke covers.
 * @param {number} away
 * @param {number} width
 */
function covered(away, width) {
  return Math.max(0, Math.min(away + 0.5, width / 2) - Math.max(away - 0.5, -width / 2));
}

/**
 * @param {number[]} below
 * @param {string} color
 * @param {number} alpha
 */
function over(below, color, alpha) {
  return channels(color).map((value, k) => below[k] + (value - below[k]) * alpha);
}
