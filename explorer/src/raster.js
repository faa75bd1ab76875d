/**
 * Dots drawn by hand into the pixels of an ImageData: a canvas call a dot would take a hundred times as long.
 *
 * What is small is drawn with what is small: dust as single pixels, specks as four, and all else by ready-made sprites.
 */

import { glaze, paint } from "./pixels.js";
import { PHASES, STEPS, Sprites } from "./sprites.js";

/** @typedef {import("./projection.js").Projection} Projection */
/** @typedef {import("./dots.js").Dots} Dots */

/** The largest radius in CSS pixels, and the part of the place's scale that a dot of growth 1 has as its radius. */
const LARGEST = 7;
const GROWTH = 0.011;
/** Above this radius a dot wears a seam of the disk's colour, to stand out from what lies below it. */
const SEAM_FROM = 2.2;
const SMALLEST_RING = 2.4;
/** With less room than this, in device pixels, a dot is dust: one pixel is enough for it, the fainter the denser. */
const DUST = 0.3;
/** With less room than this, in CSS pixels, there are no rings, which would cover one another. */
const RING_FROM = 0.8;

/** Dust is strewn by up to half a pixel, each grain always by the same, so that a row of it has soft edges. */
const STREWN = Float32Array.from({ length: 256 }, (_, k) => ((k * 149) % 256) / 256 - 0.5);

const OPAQUE = 255 << 24;

export class Raster {
  /** @param {number} pixelRatio */
  constructor(pixelRatio) {
    this.pixelRatio = pixelRatio;
    this.width = 0;
    this.height = 0;
    /** @type {Int32Array} */
    this.pixels = new Int32Array(0);
    this.discs = new Sprites((LARGEST + 1) * pixelRatio);
    this.rings = new Sprites((LARGEST + 1) * pixelRatio, 1.3 * pixelRatio);
    this.seams = new Sprites((LARGEST + 1) * pixelRatio, 1.5 * pixelRatio);
    /** The part of the picture that the last drawing changed, and the part that holds its dots. */
    this.changed = { left: 0, top: 0, right: 0, bottom: 0 };
    this._held = this.changed;
    /** The radius of every dot drawn last, in device pixels. */
    this.radii = new Float32Array(0);
  }

  /**
   * @param {Int32Array} pixels of an ImageData
   * @param {number} width
   * @param {number} height
   */
  attach(pixels, width, height) {
    this.pixels = pixels;
    this.width = width;
    this.height = height;
    this._held = { left: 0, top: 0, right: width, bottom: height };
  }

  /**
   * Draws all dots anew, and notes where.
   * @param {Projection} places
   * @param {Dots} dots
   * @param {number} seam the packed colour between dots
   */
  draw(places, dots, seam) {
    const { width, height, _held: old } = this;
    this.pixels.fill(0, old.top * width, old.bottom * width);
    const reach = places.radius + (LARGEST + 2) * this.pixelRatio;
    const left = between(0, Math.floor(places.originX - reach), width);
    const top = between(0, Math.floor(places.originY - reach), height);
    const right = between(left, Math.ceil(places.originX + reach), width);
    const bottom = between(top, Math.ceil(places.originY + reach), height);
    this._held = { left, top, right, bottom };
    this.changed = {
      left: Math.min(left, old.left),
      top: Math.min(top, old.top),
      right: Math.max(right, old.right),
      bottom: Math.max(bottom, old.bottom),
    };
    if (this.radii.length !== places.count) this.radii = new Float32Array(places.count);
    const { order, ringCount } = dots;
    this._discs(places, dots, seam, order.length - ringCount);
    this._rings(places, dots, order.length - ringCount);
  }

  /**
   * @param {Projection} places
   * @param {Dots} dots
   * @param {number} seam
   * @param {number} end
   */
  _discs({ x, y, gap, radius: scale }, dots, seam, end) {
    const { order, colour, strength, growth, room } = dots;
    const { pixels, width, height, radii, pixelRatio } = this;
    const smallest = dots.smallest * pixelRatio;
    const largest = LARGEST * pixelRatio;
    const faintest = Math.min(0.6, dots.faintest * pixelRatio);
    for (let k = 0; k < end; k++) {
      const i = order[k];
      const px = x[i];
      const py = y[i];
      if (!(px > -largest && py > -largest && px < width + largest && py < height + largest)) continue;
      const h = scale * gap[i];
      const free = room[i] * h;
      if (free < DUST) {
        radii[i] = smallest;
        const left = px + STREWN[i & 255];
        const top = py + STREWN[(i * 37 + 91) & 255];
        if (left >= 0 && top >= 0 && left < width && top < height) {
          glaze(pixels, (top | 0) * width + (left | 0), colour[i], ((faintest + free) * 256 * strength[i]) | 0);
        }
        continue;
      }
      const radius = Math.min(smallest + GROWTH * growth[i] * h, free > smallest ? free : smallest, largest);
      radii[i] = radius;
      if (radius < 1) this._speck(px, py, colour[i], (radius * radius * strength[i]) | 0);
      else this._dot(px, py, radius, colour[i], strength[i], seam);
    }
  }

  /**
   * @param {number} px
   * @param {number} py
   * @param {number} radius
   * @param {number} colour
   * @param {number} strength
   * @param {number} seam
   */
  _dot(px, py, radius, colour, strength, seam) {
    const isLarge = radius > SEAM_FROM * this.pixelRatio;
    if (isLarge) this._stamp(this.seams, px, py, radius + this.pixelRatio, seam, strength >> 1);
    this._stamp(this.discs, px, py, radius, colour, isLarge && strength > 200 ? 255 : strength);
  }

  /**
   * @param {Projection} places
   * @param {Dots} dots
   * @param {number} start
   */
  _rings({ x, y, gap, radius: scale }, { order, colour, strength, growth, room }, start) {
    const { pixelRatio, radii } = this;
    for (let k = start; k < order.length; k++) {
      const i = order[k];
      const h = scale * gap[i];
      const growing = Math.min(GROWTH * growth[i], room[i]) * h;
      radii[i] = Math.min(growing + SMALLEST_RING * pixelRatio, LARGEST * pixelRatio);
      if (!(Math.abs(x[i]) < 1e6 && Math.abs(y[i]) < 1e6)) continue;
      if (room[i] * h < RING_FROM * pixelRatio) this._speck(x[i], y[i], colour[i], strength[i]);
      else this._stamp(this.rings, x[i], y[i], radii[i], colour[i], strength[i]);
    }
  }

  /**
   * A dot smaller than a pixel: its light shared among the four pixels around it.
   * @param {number} px
   * @param {number} py
   * @param {number} colour
   * @param {number} strength
   */
  _speck(px, py, colour, strength) {
    // In sixteenths of a pixel, and whole numbers from here on.
    const x16 = (px * 16 - 8) | 0;
    const y16 = (py * 16 - 8) | 0;
    const left = x16 >> 4;
    const top = y16 >> 4;
    const { width, pixels } = this;
    if (left < 0 || top < 0 || left + 1 >= width || top + 1 >= this.height) return;
    const fx = x16 & 15;
    const below = (y16 & 15) * strength;
    const above = 16 * strength - below;
    const at = top * width + left;
    glaze(pixels, at, colour, (16 - fx) * above);
    glaze(pixels, at + 1, colour, fx * above);
    glaze(pixels, at + width, colour, (16 - fx) * below);
    glaze(pixels, at + width + 1, colour, fx * below);
  }

  /**
   * @param {Sprites} sprites
   * @param {number} px
   * @param {number} py
   * @param {number} radius
   * @param {number} colour
   * @param {number} strength
   */
  _stamp(sprites, px, py, radius, colour, strength) {
    const index = (radius * STEPS + 0.5) | 0;
    const side = sprites.sides[index];
    const left = Math.floor(px - side / 2 + 0.5);
    const top = Math.floor(py - side / 2 + 0.5);
    const phaseX = ((px - side / 2 + 0.5 - left) * PHASES) | 0;
    const phaseY = ((py - side / 2 + 0.5 - top) * PHASES) | 0;
    const start = sprites.startOf(index) + (phaseY * PHASES + phaseX) * side * side;
    const fromX = Math.max(0, -left);
    const toX = Math.min(side, this.width - left);
    const fromY = Math.max(0, -top);
    const toY = Math.min(side, this.height - top);
    const { pixels, width } = this;
    const { masks } = sprites;
    for (let j = fromY; j < toY; j++) {
      const line = (top + j) * width + left;
      const mask = start + j * side;
      for (let i = fromX; i < toX; i++) {
        const alpha = (masks[mask + i] * strength + 255) >> 8;
        if (alpha === 255) pixels[line + i] = colour | OPAQUE;
        else if (alpha > 0) paint(pixels, line + i, colour, alpha);
      }
    }
  }
}

/**
 * @param {number} low
 * @param {number} value
 * @param {number} high
 */
function between(low, value, high) {
  return Math.min(high, Math.max(low, value));
}
