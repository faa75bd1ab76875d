/**
 * Labels: which names are shown, where, and how they are drawn. Labels never overlap.
 *
 * Names are tried in the order of the size of their nodes on the screen and their weights; each takes the first side of
 * its dot with enough space. A label of the last frame is preferred and stays on its side, so that labels do not flicker
 * while the disk moves.
 */

import { OUTSIDE } from "../answers/agreement.js";
import { tint } from "./pixels.js";

/** @typedef {import("./camera.js").Projection} Projection */
/** @typedef {import("./scene.js").Nodes} Nodes */
/** @typedef {import("./palette.js").Palette} Palette */
/** @typedef {import("./pixels.js").PixelBuffer} PixelBuffer */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {Box & {rank: number, side: number, text: string, font: string, quiet: boolean}} Label */
/** @typedef {{pixels: Int32Array, width: number, height: number}} Stamp */

/**
 * What labels are fitted into: a context to measure text, the positions and radii of the dots in device pixels, the mark
 * of each node in the selection, and the size of the canvas in CSS pixels.
 * @typedef {{context: CanvasRenderingContext2D, places: Projection, radii: Float32Array, status: Uint8Array,
 *   width: number, height: number}} LabelArea
 */

const MOST_TRIED = 320;
const MOST_SHOWN = 70;
const LONGEST = 30;
/** A name is shown if the importance of its node times the scale at its place, in pixels, is at least this. */
const LEAST = 34;
/** The factor for labels that were shown in the last frame. */
const STAYING = 1.6;
/** The factor by the mark of a node: outside, inside, unexpected, missing, or nothing selected. */
const FAVOR = new Float32Array([0.1, 2, 2, 2, 1]);
const FAMILY = '"Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const SMALL = `400 11.5px ${FAMILY}`;
const LARGE = `600 13px ${FAMILY}`;
const HEIGHT = 14;
/** How far halo and letters may reach beyond the box of a label, and the width of the halo, in CSS pixels. */
const BEYOND = 4;
const HALO = 3.5;
/** The number of stamps that are cached, many more than are visible at a time. */
const MOST_STAMPS = 1500;
const RIGHT = 0;
const LEFT = 1;
const SIDES = 4;

export class Labels {
  /** @param {Nodes} nodes */
  constructor(nodes) {
    this.nodes = nodes;
    const most = nodes.weight.reduce((a, b) => Math.max(a, b), 1);
    this._large = Math.max(8, most / 14);
    this._importance = Float32Array.from(nodes.weight, (below) => (1 + below) ** 0.35);
    this._score = new Float32Array(nodes.count);
    /** The same floats as integers, which are roughly their logarithms, for counting. */
    this._bits = new Int32Array(this._score.buffer);
    this._among = new Int32Array(2048);
    this._tried = new Int32Array(nodes.count);
    /** @type {Map<string, number>} */
    this._widths = new Map();
    /** @type {Label[]} */
    this.shown = [];
    /** @type {Map<number, number>} the side of every label shown */
    this._sides = new Map();
    /** @type {Box[]} what lies over the disk and would hide labels, in CSS pixels */
    this.reserved = [];
    /** @type {Box[]} */
    this._taken = [];
  }

  /**
   * @param {LabelArea} area
   * @param {number[]} first the ranks whose labels come first
   * @param {boolean} others whether any other labels are shown
   */
  choose(area, first, others) {
    this.shown = [];
    this._taken = [...this.reserved];
    const tried = others ? this._candidates(area) : 0;
    for (const i of first) this._place(area, i, true);
    for (let k = 0; k < tried && this.shown.length < MOST_SHOWN; k++) {
      if (!first.includes(this._tried[k])) this._place(area, this._tried[k], false);
    }
    this._sides = new Map(this.shown.map((label) => [label.rank, label.side]));
  }

  /**
   * Collects the candidates in _tried, the most important first; returns their number.
   * @param {LabelArea} area
   */
  _candidates(area) {
    const seen = this._rate(area);
    const lowest = this._lowestStep(seen);
    let count = 0;
    for (let k = 0; k < seen; k++) {
      if (this._bits[this._tried[k]] >> 20 >= lowest) this._tried[count++] = this._tried[k];
    }
    this._tried.subarray(0, count).sort((a, b) => this._score[b] - this._score[a]);
    return count;
  }

  /**
   * Scores the visible nodes and lists those that might get a label in _tried; returns their number.
   * @param {LabelArea} area
   */
  _rate({ places, status, width, height }) {
    const { x, y, gap, radius, pixelRatio, count } = places;
    const score = this._score;
    const right = width * pixelRatio;
    const bottom = height * pixelRatio;
    const scale = radius / pixelRatio / LEAST;
    let seen = 0;
    for (let i = 0; i < count; i++) {
      const value = scale * FAVOR[status[i]] * this._importance[i] * gap[i];
      if (!(value >= 1) || x[i] < 0 || y[i] < 0 || x[i] > right || y[i] > bottom) continue;
      score[i] = this._sides.has(i) ? value * STAYING : value;
      this._tried[seen++] = i;
    }
    return seen;
  }

  /**
   * The lowest step of the logarithmic scale of scores above which there are not too many nodes.
   * @param {number} seen
   */
  _lowestStep(seen) {
    const among = this._among.fill(0);
    for (let k = 0; k < seen; k++) among[this._bits[this._tried[k]] >> 20]++;
    let lowest = among.length;
    for (let sum = 0; lowest > 0 && sum + among[lowest - 1] <= MOST_TRIED; ) sum += among[--lowest];
    return lowest;
  }

  /**
   * @param {LabelArea} area
   * @param {number} i the rank
   * @param {boolean} must whether it may cover other dots
   */
  _place({ context, places, radii, status, width, height }, i, must) {
    const px = places.x[i] / places.pixelRatio;
    const py = places.y[i] / places.pixelRatio;
    const dot = Math.max(radii[i] / places.pixelRatio, 1) + (must ? 6 : 3);
    if (!must && !this._isFree(px - 1, py - 1, 2, 2)) return;
    const font = must || this.nodes.weight[i] >= this._large ? LARGE : SMALL;
    const text = truncate(this.nodes.label(i));
    const wide = this._width(context, text, font) + 4;
    const first = this._sides.get(i) ?? this._sideAway(places, i);
    for (let turn = 0; turn < SIDES; turn++) {
      const side = (first + turn) % SIDES;
      const box = boxAt(px, py, dot, wide, side);
      const fits = box.x >= 0 && box.y >= 0 && box.x + wide <= width && box.y + HEIGHT <= height;
      if (!fits || !this._isFree(box.x, box.y, wide, HEIGHT)) continue;
      this._taken.push(box, { x: px - dot + 2, y: py - dot + 2, width: 2 * dot - 4, height: 2 * dot - 4 });
      this.shown.push({ ...box, rank: i, side, text, font, quiet: status[i] === OUTSIDE && !must });
      return;
    }
  }

  /**
   * The side away from the node's parent, where the edge does not cross the label.
   * @param {Projection} places
   * @param {number} i
   */
  _sideAway({ x, originX }, i) {
    const parent = this.nodes.parentOf[i];
    return x[i] < (parent < 0 ? originX : x[parent]) ? LEFT : RIGHT;
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} width
   * @param {number} height
   */
  _isFree(x, y, width, height) {
    for (const box of this._taken) {
      if (box.x < x + width && x < box.x + box.width && box.y < y + height && y < box.y + box.height) return false;
    }
    return true;
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {string} text
   * @param {string} font
   */
  _width(context, text, font) {
    const key = font + text;
    let width = this._widths.get(key);
    if (width === undefined) {
      if (this._widths.size > 20000) this._widths.clear();
      context.font = font;
      width = context.measureText(text).width;
      this._widths.set(key, width);
    }
    return width;
  }
}

/**
 * @param {number} px
 * @param {number} py
 * @param {number} dot the distance of the text from the center of the dot
 * @param {number} width
 * @param {number} side
 * @returns {Box}
 */
function boxAt(px, py, dot, width, side) {
  if (side === RIGHT) return { x: px + dot - 1, y: py - HEIGHT / 2, width, height: HEIGHT };
  if (side === LEFT) return { x: px - dot + 1 - width, y: py - HEIGHT / 2, width, height: HEIGHT };
  return { x: px - width / 2, y: side === 2 ? py - dot - HEIGHT : py + dot, width, height: HEIGHT };
}

/** @param {string} text */
function truncate(text) {
  return text.length > LONGEST ? text.slice(0, LONGEST - 1) + "…" : text;
}

/** Draws labels with a halo. The browser draws each text once; frames copy the pixels of these stamps. */
export class LabelWriter {
  /** @param {CanvasRenderingContext2D} context of a canvas that is never shown */
  constructor(context) {
    this._context = context;
    /** @type {Map<string, Stamp>} */
    this._stamps = new Map();
    /** @type {unknown[]} */
    this._madeFor = [];
  }

  /**
   * @param {PixelBuffer} buffer
   * @param {Label[]} labels
   * @param {Palette} palette
   * @param {number} pixelRatio
   */
  draw(buffer, labels, palette, pixelRatio) {
    const isOther = palette !== this._madeFor[0] || pixelRatio !== this._madeFor[1];
    if (isOther || this._stamps.size > MOST_STAMPS) this._stamps.clear();
    this._madeFor = [palette, pixelRatio];
    for (const label of labels) {
      const stamp = this._stamp(label, palette, pixelRatio);
      const left = Math.round((label.x - BEYOND) * pixelRatio);
      const top = Math.round((label.y - BEYOND) * pixelRatio);
      buffer.extend({ left, top, right: left + stamp.width, bottom: top + stamp.height });
      drawStamp(buffer, stamp, left, top);
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
function drawStamp({ pixels, width, height }, stamp, left, top) {
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
