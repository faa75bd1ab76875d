/**
 * Dots drawn by hand into pixels: a canvas call a dot would take a hundred times as long.
 *
 * What is small is drawn with what is small: dust as single pixels, specks as four, and all else by ready-made sprites.
 */

import { OPAQUE, glaze, paint } from "./pixels.js";
import { PixelBuffer } from "./buffer.js";
import { PHASES, STEPS, Sprites } from "./sprites.js";

/** @typedef {import("./projection.js").Projection} Projection */
/** @typedef {import("./dots.js").DotStyles} DotStyles */

/** The largest radius in CSS pixels, and the part of the place's scale that a dot of growth 1 has as its radius. */
export const LARGEST = 7;
const GROWTH = 0.011;
/** Above this radius a dot wears a seam of the disk's color, to stand out from what lies below it. */
const SEAM_FROM = 2.2;
const SMALLEST_RING = 2.4;
/** With less room than this, in device pixels, a dot is dust: one pixel is enough for it, the fainter the denser. */
const DUST = 0.3;
/** With less room than this, in CSS pixels, there are no rings, which would cover one another. */
const RING_FROM = 0.8;

/** Dust is strewn by up to half a pixel, each grain always by the same, so that a row of it has soft edges. */
const STREWN = Float32Array.from({ length: 256 }, (_, k) => ((k * 149) % 256) / 256 - 0.5);

export class DotRaster {
  /** @param {number} pixelRatio */
  constructor(pixelRatio) {
    this.pixelRatio = pixelRatio;
    this.buffer = new PixelBuffer();
    this.discs = new Sprites((LARGEST + 1) * pixelRatio);
    this.rings = new Sprites((LARGEST + 1) * pixelRatio, 1.3 * pixelRatio);
    this.seams = new Sprites((LARGEST + 1) * pixelRatio, 1.5 * pixelRatio);
    /** The radius of every dot drawn last, in device pixels. */
    this.radii = new Float32Array(0);
  }

  /**
   * Draws all dots.
   * @param {PixelBuffer} buffer
   * @param {Projection} places
   * @param {DotStyles} dots
   * @param {number} seam the packed color between dots
   * @param {boolean} [moving] dust is half the grains of twice the strength, which a moving eye cannot tell
   */
  draw(buffer, places, dots, seam, moving = false) {
    this.buffer = buffer;
    if (this.radii.length !== places.count) this.radii = new Float32Array(places.count);
    const { order, ringCount } = dots;
    this._discs(places, dots, seam, order.length - ringCount, Number(moving));
    this._rings(places, dots, order.length - ringCount);
  }

  /**
   * @param {Projection} places
   * @param {DotStyles} dots
   * @param {number} seam
   * @param {number} end
   * @param {number} skipped 1 if grains of odd rank are left out, 0 if none
   */
  _discs({ x, y, gap, radius: scale }, dots, seam, end, skipped) {
    const { order, color, strength, growth, space } = dots;
    const { radii, pixelRatio } = this;
    const { pixels, cover, width, height } = this.buffer;
    const smallest = dots.smallest * pixelRatio;
    const largest = LARGEST * pixelRatio;
    const faintest = Math.min(0.6, dots.faintest * pixelRatio);
    const grain = 256 << skipped;
    for (let k = 0; k < end; k++) {
      const i = order[k];
      const px = x[i];
      const py = y[i];
      if (!(px > -largest && py > -largest && px < width + largest && py < height + largest)) continue;
      const h = scale * gap[i];
      const free = space[i] * h;
      if (free < DUST) {
        radii[i] = smallest;
        if (i & skipped) continue;
        const left = px + STREWN[i & 255];
        const top = py + STREWN[(i * 37 + 91) & 255];
        if (left >= 0 && top >= 0 && left < width && top < height) {
          const alpha = ((faintest + free) * grain * strength[i]) | 0;
          glaze(pixels, cover, (top | 0) * width + (left | 0), color[i], alpha);
        }
        continue;
      }
      const radius = Math.min(smallest + GROWTH * growth[i] * h, free > smallest ? free : smallest, largest);
      radii[i] = radius;
      if (radius < 1) this._speck(px, py, color[i], (radius * radius * strength[i]) | 0);
      else this._dot(px, py, radius, color[i], strength[i], seam);
    }
  }

  /**
   * @param {number} px
   * @param {number} py
   * @param {number} radius
   * @param {number} color
   * @param {number} strength
   * @param {number} seam
   */
  _dot(px, py, radius, color, strength, seam) {
    const isLarge = radius > SEAM_FROM * this.pixelRatio;
    if (isLarge) this._stamp(this.seams, px, py, radius + this.pixelRatio, seam, strength >> 1);
    this._stamp(this.discs, px, py, radius, color, isLarge && strength > 200 ? 255 : strength);
  }

  /**
   * @param {Projection} places
   * @param {DotStyles} dots
   * @param {number} start
   */
  _rings({ x, y, gap, radius: scale }, { order, color, strength, growth, space }, start) {
    const { pixelRatio, radii } = this;
    for (let k = start; k < order.length; k++) {
      const i = order[k];
      const h = scale * gap[i];
      const growing = Math.min(GROWTH * growth[i], space[i]) * h;
      radii[i] = Math.min(growing + SMALLEST_RING * pixelRatio, LARGEST * pixelRatio);
      if (!(Math.abs(x[i]) < 1e6 && Math.abs(y[i]) < 1e6)) continue;
      if (space[i] * h < RING_FROM * pixelRatio) this._speck(x[i], y[i], color[i], strength[i]);
      else this._stamp(this.rings, x[i], y[i], radii[i], color[i], strength[i]);
    }
  }

  /**
   * A dot smaller than a pixel: its light shared among the four pixels around it.
   * @param {number} px
   * @param {number} py
   * @param {number} color
   * @param {number} strength
   */
  _speck(px, py, color, strength) {
    // In sixteenths of a pixel, and whole numbers from here on.
    const x16 = (px * 16 - 8) | 0;
    const y16 = (py * 16 - 8) | 0;
    const left = x16 >> 4;
    const top = y16 >> 4;
    const { width, height, pixels, cover } = this.buffer;
    if (left < 0 || top < 0 || left + 1 >= width || top + 1 >= height) return;
    const fx = x16 & 15;
    const below = (y16 & 15) * strength;
    const above = 16 * strength - below;
    const at = top * width + left;
    glaze(pixels, cover, at, color, (16 - fx) * above);
    glaze(pixels, cover, at + 1, color, fx * above);
    glaze(pixels, cover, at + width, color, (16 - fx) * below);
    glaze(pixels, cover, at + width + 1, color, fx * below);
  }

  /**
   * @param {Sprites} sprites
   * @param {number} px
   * @param {number} py
   * @param {number} radius
   * @param {number} color
   * @param {number} strength
   */
  _stamp(sprites, px, py, radius, color, strength) {
    const index = (radius * STEPS + 0.5) | 0;
    const side = sprites.sides[index];
    const left = Math.floor(px - side / 2 + 0.5) | 0;
    const top = Math.floor(py - side / 2 + 0.5) | 0;
    const phaseX = ((px - side / 2 + 0.5 - left) * PHASES) | 0;
    const phaseY = ((py - side / 2 + 0.5 - top) * PHASES) | 0;
    const start = sprites.startOf(index) + (phaseY * PHASES + phaseX) * side * side;
    const { pixels, cover, width, height } = this.buffer;
    const fromX = Math.max(0, -left);
    const toX = Math.min(side, width - left);
    const fromY = Math.max(0, -top);
    const toY = Math.min(side, height - top);
    const { masks } = sprites;
    for (let j = fromY; j < toY; j++) {
      const line = (top + j) * width + left;
      const mask = start + j * side;
      for (let i = fromX; i < toX; i++) {
        const alpha = (masks[mask + i] * strength + 255) >> 8;
        if (alpha === 255) {
          pixels[line + i] = color | OPAQUE;
          cover[line + i] = 255;
        } else if (alpha > 0) paint(pixels, cover, line + i, color, alpha);
      }
    }
  }
}
