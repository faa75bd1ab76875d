/**
 * Names as they are written, with a halo to be read over anything: each is drawn by the browser once, kept as a small
 * picture, and laid into the frames pixel by pixel.
 */

import { tint } from "./pixels.js";

/** @typedef {import("./colors.js").Palette} Palette */
/** @typedef {import("./labels.js").Label} Label */
/** @typedef {import("./buffer.js").PixelBuffer} PixelBuffer */
/** @typedef {{pixels: Int32Array, width: number, height: number}} Stamp */

/** How far halo and letters may reach beyond the box of a name, in CSS pixels. */
const BEYOND = 4;
const HALO = 3.5;
/** How many pictures are kept: many more than can be seen at a time. */
const KEPT = 1500;

export class LabelWriter {
  /** @param {CanvasRenderingContext2D} context of a canvas to write on, which is never shown */
  constructor(context) {
    this._context = context;
    /** @type {Map<string, Stamp>} */
    this._stamps = new Map();
    /** @type {unknown[]} */
    this._made = [];
  }

  /**
   * @param {PixelBuffer} buffer
   * @param {Label[]} labels
   * @param {Palette} palette
   * @param {number} pixelRatio
   */
  draw(buffer, labels, palette, pixelRatio) {
    const isOther = palette !== this._made[0] || pixelRatio !== this._made[1];
    if (isOther || this._stamps.size > KEPT) this._stamps.clear();
    this._made = [palette, pixelRatio];
    for (const label of labels) {
      const stamp = this._stamp(label, palette, pixelRatio);
      const left = Math.round((label.x - BEYOND) * pixelRatio);
      const top = Math.round((label.y - BEYOND) * pixelRatio);
      buffer.extend({ left, top, right: left + stamp.width, bottom: top + stamp.height });
      lay(buffer, stamp, left, top);
    }
  }

  /**
   * @param {Label} label
   * @param {Palette} palette
   * @param {number} pixelRatio
   */
  _stamp(label, palette, pixelRatio) {
    const key = `${label.quiet ? "quiet" : "clear"} ${label.font} ${label.text}`;
    let stamp = this._stamps.get(key);
    if (!stamp) this._stamps.set(key, (stamp = this._write(label, palette, pixelRatio)));
    return stamp;
  }

  /**
   * @param {Label} label
   * @param {Palette} palette
   * @param {number} pixelRatio
   * @returns {Stamp}
   */
  _write({ width: wide, height: high, text, font, quiet }, palette, pixelRatio) {
    const context = this._context;
    const width = Math.ceil((wide + 2 * BEYOND) * pixelRatio);
    const height = Math.ceil((high + 2 * BEYOND) * pixelRatio);
    if (context.canvas.width < width) context.canvas.width = width;
    if (context.canvas.height < height) context.canvas.height = height;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = HALO;
    context.strokeStyle = palette.halo;
    context.font = font;
    context.strokeText(text, BEYOND + 2, BEYOND + high / 2);
    context.fillStyle = quiet ? palette.quiet : palette.text;
    context.fillText(text, BEYOND + 2, BEYOND + high / 2);
    return { pixels: new Int32Array(context.getImageData(0, 0, width, height).data.buffer), width, height };
  }
}

/**
 * @param {PixelBuffer} buffer
 * @param {Stamp} stamp
 * @param {number} left
 * @param {number} top
 */
function lay({ pixels, width, height }, stamp, left, top) {
  const from = Math.max(0, -left);
  const to = Math.min(stamp.width, width - left);
  for (let j = Math.max(0, -top); j < Math.min(stamp.height, height - top); j++) {
    const line = (top + j) * width + left;
    const own = j * stamp.width;
    for (let i = from; i < to; i++) {
      const pixel = stamp.pixels[own + i];
      const alpha = pixel >>> 24;
      if (alpha === 255) pixels[line + i] = pixel;
      else if (alpha > 0) tint(pixels, line + i, pixel, alpha);
    }
  }
}
