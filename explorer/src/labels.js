/**
 * Which names are written, and where: never one over another.
 *
 * Names are tried in the order of how large their nodes are shown and how much lies below them; each takes the first
 * side of its dot where there is room. A name that is on the screen is preferred and keeps its side, so that names do
 * not flicker while the disk moves.
 */

import { OUTSIDE } from "./dots.js";

/** @typedef {import("./projection.js").Projection} Projection */
/** @typedef {import("./order.js").Nodes} Nodes */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {Box & {rank: number, side: number, text: string, font: string, quiet: boolean}} Label */
/**
 * What names are fitted into: a context to measure with, the places and radii of the dots in device pixels, what each
 * node is to the chosen cone, and the size of the canvas in CSS pixels.
 * @typedef {{context: CanvasRenderingContext2D, places: Projection, radii: Float32Array, status: Uint8Array,
 *   width: number, height: number}} LabelArea
 */

const MOST_TRIED = 320;
const MOST_SHOWN = 70;
const LONGEST = 30;
/** A node's name is written if its importance times the pixels of its place comes to this. */
const LEAST = 34;
const STAYING = 1.6;
/** By what a node is to the chosen cone: outside, inside, unexpected, missing, or no cone chosen. */
const FAVOR = new Float32Array([0.1, 2, 2, 2, 1]);
const FAMILY = '"Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const SMALL = `400 11.5px ${FAMILY}`;
const LARGE = `600 13px ${FAMILY}`;
const HEIGHT = 14;
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
    /** The same floats as whole numbers, which are a logarithmic scale of them: good for counting. */
    this._bits = new Int32Array(this._score.buffer);
    this._among = new Int32Array(2048);
    this._tried = new Int32Array(nodes.count);
    /** @type {Map<string, number>} */
    this._widths = new Map();
    /** @type {Label[]} */
    this.shown = [];
    /** @type {Map<number, number>} the side of every name shown */
    this._sides = new Map();
    /** @type {Box[]} what else lies on the disk and must not be written under, in CSS pixels */
    this.reserved = [];
    /** @type {Box[]} */
    this._taken = [];
  }

  /**
   * @param {LabelArea} area
   * @param {number[]} first the ranks whose names come first
   * @param {boolean} others whether any other names are written
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
   * Puts what is worth trying to the front of _tried, the most important first; how many they are.
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
   * Scores the nodes in sight and lists those that might have a name in _tried; how many they are.
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
   * The lowest step of the logarithmic scale of scores above which there are not too many.
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
   * @param {boolean} must whether it is written even over its neighbors' dots
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
   * The side that looks away from the node's parent, where its edge does not run through the name.
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
 * @param {number} dot how far from the dot's middle the text keeps
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
