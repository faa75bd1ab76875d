/**
 * The pixels of a frame: how colors are blended, the buffer that a frame is drawn into, and its background.
 *
 * A pixel of the ImageData is a 32-bit integer: red in the lowest byte, then green, blue and alpha, which is always 255.
 * Everything is drawn in JavaScript into this one buffer. Without a graphics card the browser would take longer than a
 * frame to draw its paths and texts, and would only do so after the script has ended.
 */

import { channels } from "./palette.js";

/** @typedef {import("./palette.js").Palette} Palette */
/** @typedef {{left: number, top: number, right: number, bottom: number}} Area in device pixels, right and bottom excluded */
/** @typedef {{originX: number, originY: number, radius: number}} Disk in device pixels */

const RED_BLUE = 0xff00ff;
const GREEN = 0xff00;
export const OPAQUE = 255 << 24;

/**
 * Blends a color over a pixel.
 * @param {Int32Array} pixels
 * @param {number} at
 * @param {number} color
 * @param {number} part of the new color, 0 to 256
 */
export function tint(pixels, at, color, part) {
  const old = pixels[at];
  const rest = 256 - part;
  // Red and blue in one multiplication: there are eight free bits between them.
  const redBlue = (Math.imul(old & RED_BLUE, rest) + Math.imul(color & RED_BLUE, part) + 0x800080) >>> 8;
  const green = (Math.imul(old & GREEN, rest) + Math.imul(color & GREEN, part) + 0x8000) >>> 8;
  pixels[at] = (redBlue & RED_BLUE) | (green & GREEN) | OPAQUE;
}

/**
 * Blends a dot over a pixel, and records how much of the pixel dots cover.
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
 * Blends a dot over a pixel, the less the more is covered already, so that a crowd of dots shows its density instead of
 * a solid band.
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

/** The pixels of a frame, and which part of them shows more than the plain background. */
export class PixelBuffer {
  constructor() {
    /** @type {Int32Array} */
    this.pixels = new Int32Array(0);
    /** How much of each pixel dots cover. */
    this.cover = new Uint8Array(0);
    this.width = 0;
    this.height = 0;
    /** The part that shows more than the background, and the part that differs from the last frame. */
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

  /** Makes the next frame change everything, because the background has changed. */
  invalidate() {
    this.used = { left: 0, top: 0, right: this.width, bottom: this.height };
  }

  /**
   * Begins a frame without dots that will use an area; `changed` is where the background has to be drawn again.
   * @param {Area} area
   */
  begin(area) {
    const clipped = this._within(area);
    this.changed = unionOf(clipped, this.used);
    this.used = clipped;
    this.cover.fill(0);
  }

  /**
   * Extends the used area of the frame.
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

/** The rim and its glow as strokes on top of each other: width in CSS pixels, opacity. */
const GLOW = [
  [22, 0.03],
  [14, 0.04],
  [8, 0.06],
  [4, 0.1],
];
const RIM = [1.2, 0.9];
/** How far the glow reaches from the rim, in CSS pixels. */
export const GLOW_REACH = 12;
const STEPS_PER_PIXEL = 8;

/**
 * The background, the disk, and its rim with a soft glow. The colors across the rim are the same everywhere, so they are
 * blended once and looked up. The result is cached, because only a zoom changes it.
 */
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
   * Sets the colors; returns whether they have changed.
   * @param {Palette} palette
   * @param {number} pixelRatio
   */
  update(palette, pixelRatio) {
    const reach = GLOW_REACH * pixelRatio;
    if (palette === this._palette && reach === this._reach) return false;
    this._palette = palette;
    this._reach = reach;
    const across = (/** @type {number} */ k) => colorAcross(palette, k / STEPS_PER_PIXEL - reach, pixelRatio);
    this._across = Int32Array.from({ length: 2 * reach * STEPS_PER_PIXEL + 1 }, (_, k) => across(k));
    return true;
  }

  /**
   * Draws it into the changed part of a buffer.
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
    // Copying whole lines at once is faster than copying only the changed part of each.
    pixels.set(this._picture.subarray(changed.top * width, changed.bottom * width), changed.top * width);
  }

  /**
   * @param {number} line where it begins
   * @param {number} width
   * @param {number} originX
   * @param {number} up its height above the disk's center
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
   * @param {number} middle the disk's center as a position in this line
   * @param {number} up
   * @param {number} radius
   */
  _band(pixels, from, to, middle, up, radius) {
    const across = this._across;
    const start = (this._reach - radius) * STEPS_PER_PIXEL + 0.5;
    const last = across.length - 1;
    for (let at = from; at < to; at++) {
      const along = at + 0.5 - middle;
      const k = (STEPS_PER_PIXEL * Math.sqrt(along * along + up * up) + start) | 0;
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
 * Half the length of the chord of a circle at a height, 0 outside the circle.
 * @param {number} radius
 * @param {number} up
 */
function halfChord(radius, up) {
  return radius > Math.abs(up) ? Math.sqrt(radius * radius - up * up) : 0;
}

/**
 * The color of a pixel at a distance outwards from the rim, in device pixels.
 * @param {Palette} palette
 * @param {number} away
 * @param {number} pixelRatio
 */
function colorAcross(palette, away, pixelRatio) {
  let color = blend(channels(palette.background), palette.disk, Math.min(1, Math.max(0, 0.5 - away)));
  for (const [width, alpha] of GLOW) color = blend(color, palette.glow, alpha * strokeCoverage(away, width * pixelRatio));
  const [red, green, blue] = blend(color, palette.rim, RIM[1] * strokeCoverage(away, RIM[0] * pixelRatio)).map(Math.round);
  return red | (green << 8) | (blue << 16) | OPAQUE;
}

/**
 * How much of a pixel a stroke covers, at this distance from the middle of the stroke.
 * @param {number} away
 * @param {number} width
 */
function strokeCoverage(away, width) {
  return Math.max(0, Math.min(away + 0.5, width / 2) - Math.max(away - 0.5, -width / 2));
}

/**
 * @param {number[]} below
 * @param {string} color
 * @param {number} alpha
 */
function blend(below, color, alpha) {
  return channels(color).map((value, k) => below[k] + (value - below[k]) * alpha);
}
