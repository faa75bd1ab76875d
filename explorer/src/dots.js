/**
 * How every node is drawn as a dot: in which color, strength and size, and which are drawn over which.
 *
 * Only a choice of the user or a change of theme alters it, never a movement, so it is worked out apart from frames.
 */

import { branchColor, mixColors, packColor } from "./colors.js";

/** @typedef {import("./order.js").Nodes} Nodes */
/** @typedef {import("./renderer.js").State} State */
/** @typedef {import("./colors.js").Palette} Palette */

/** The values of `inside`. */
export const OUTSIDE = 0;
export const AGREED = 1;
export const UNEXPECTED = 2;
export const MISSING = 3;
/** No cone is chosen. */
export const UNDECIDED = 4;

/** Of a dot's space, the part it may fill as a radius: a little less than half, so that a gap is left to the next. */
const FILLED = 0.42;
/** How far the color of the deepest nodes goes over into the disk's; not so far that they could not be seen. */
export const DIMMEST = 0.16;

export class DotStyles {
  /** @param {Nodes} nodes */
  constructor(nodes) {
    const { count, weight } = nodes;
    this.nodes = nodes;
    /** What each node is to the chosen cone. */
    this.status = new Uint8Array(count).fill(UNDECIDED);
    /** Ranks in the order of drawing; the last `ringCount` of them are hollow. */
    this.order = Int32Array.from({ length: count }, (_, rank) => rank);
    this.ringCount = 0;
    this.color = new Int32Array(count);
    this.strength = new Uint8Array(count);
    /** How large a dot grows with the scale of its place, and what its neighbors leave it. */
    this.growth = growths(weight);
    this.space = nodes.spacing.map((distance) => (FILLED * distance) / 2);
    /** The radius in CSS pixels of a dot at the rim, and the strength of one in a crowd: where dots are few, more. */
    const few = fewness(count);
    this.smallest = 0.65 + 0.55 * few;
    this.faintest = 0.18 + 0.42 * few;
    /** @type {unknown[]} */
    this._shown = [];
  }

  /**
   * Takes over the state, if anything in it that dots show has changed.
   * @param {State} state
   * @param {Palette} palette
   */
  update({ inside, selected }, palette) {
    const shown = [palette, inside, selected];
    if (shown.every((value, i) => value === this._shown[i])) return;
    this._shown = shown;
    const { rowOf } = this.nodes;
    for (let rank = 0; rank < rowOf.length; rank++) this.status[rank] = inside ? inside[rowOf[rank]] : UNDECIDED;
    this._color(palette);
    this._arrange();
  }

  /** @param {Palette} palette */
  _color(palette) {
    const { count, depth, branch } = this.nodes;
    /** @type {Map<number, number>} */
    const tints = new Map();
    for (let rank = 0; rank < count; rank++) {
      const status = this.status[rank];
      const key = ((branch[rank] + 1) * 32 + Math.min(depth[rank], 31)) * 8 + status;
      let tint = tints.get(key);
      if (tint === undefined) tints.set(key, (tint = packColor(colorOf(palette, branch[rank], depth[rank], status))));
      this.color[rank] = tint;
      this.strength[rank] = status === OUTSIDE ? 110 : status === UNDECIDED ? 230 : 255;
    }
  }

  /** Outside first, then inside, unexpected, missing; within each the general ones last. */
  _arrange() {
    const next = new Int32Array(UNDECIDED + 2);
    for (const status of this.status) next[status + 1]++;
    this.ringCount = next[MISSING + 1];
    for (let status = 1; status < next.length; status++) next[status] += next[status - 1];
    this.status.forEach((status, rank) => (this.order[next[status]++] = rank));
  }
}

/**
 * @param {Palette} palette
 * @param {number} branch
 * @param {number} depth
 * @param {number} status
 * @returns {string}
 */
function colorOf(palette, branch, depth, status) {
  if (status === UNEXPECTED) return palette.unexpected;
  if (status === MISSING) return palette.missing;
  const hue = branchColor(palette, branch);
  if (status === AGREED) return mixColors(hue, palette.chosen, 0.15);
  if (status === OUTSIDE) return mixColors(hue, palette.disk, 0.4);
  return mixColors(hue, palette.disk, DIMMEST * Math.min(1, depth / 16));
}

/**
 * 1 for a thousand nodes or less, 0 for twenty thousand or more.
 * @param {number} count
 */
function fewness(count) {
  return Math.min(1, Math.max(0, Math.log(20000 / Math.max(1, count)) / Math.log(20)));
}

/**
 * From 0.7 for a leaf to 1.4 for the node with the most below it.
 * @param {Float64Array} weight
 * @returns {Float32Array}
 */
function growths(weight) {
  const most = weight.reduce((a, b) => Math.max(a, b), 1);
  return Float32Array.from(weight, (below) => 0.7 + (0.7 * Math.log1p(below)) / Math.log1p(most));
}
