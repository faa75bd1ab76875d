/**
 * The edges as geodesic arcs. Only those long enough to be seen are drawn, and no more than a limit per frame: those
 * nearest to the center and with the most space come first.
 */

import { OUTSIDE } from "../answers/agreement.js";
import { UNDECIDED } from "./dots.js";
import { branchColor, packColor } from "./palette.js";
import { drawGeodesic } from "./shapes.js";

/** @typedef {import("./camera.js").Projection} Projection */
/** @typedef {import("./scene.js").Nodes} Nodes */
/** @typedef {import("./dots.js").DotStyles} DotStyles */
/** @typedef {import("./palette.js").Palette} Palette */
/** @typedef {import("./pixels.js").PixelBuffer} PixelBuffer */

/** In CSS pixels: the shortest edge that is drawn, the least space of its child, and the space at full strength. */
const SHORTEST = 2;
const CROWDED = 0.12;
const OPEN = 2;
const LEVELS = 256;
const HUES = 13;
const SHADES = 4;
const GROUPS = HUES * SHADES * 2;

export class Edges {
  /** @param {Nodes} nodes */
  constructor(nodes) {
    this.nodes = nodes;
    this.count = nodes.edges.length >> 1;
    /** Of every visible edge: its level, by nearness and space, and the group of equal color that it is drawn with. */
    this._level = new Uint8Array(this.count);
    this._group = new Uint8Array(this.count);
    this._among = new Int32Array(LEVELS);
    this._ends = new Int32Array(GROUPS + 1);
    this._seen = new Int32Array(this.count);
    /** The edges of the last frame, group by group. */
    this.chosen = new Int32Array(0);
    this.chosenCount = 0;
  }

  /**
   * Chooses the edges to draw.
   * @param {Projection} places
   * @param {DotStyles} dots
   * @param {number} width
   * @param {number} height in device pixels
   * @param {number} limit how many at most
   */
  choose(places, dots, width, height, limit) {
    if (this.chosen.length < limit) this.chosen = new Int32Array(limit);
    const seen = this._rank(places, dots, width, height);
    const among = this._among;
    let lowest = LEVELS;
    for (let sum = 0; lowest > 1 && sum + among[lowest - 1] <= limit; ) sum += among[--lowest];
    this._collect(seen, lowest);
  }

  /**
   * Lists the visible edges with their levels and groups; returns their number.
   * @param {Projection} places
   * @param {DotStyles} dots
   * @param {number} width
   * @param {number} height
   */
  _rank({ x, y, gap, radius, pixelRatio }, { space, status }, width, height) {
    const { edges, branch } = this.nodes;
    const among = this._among.fill(0);
    const shortest = (SHORTEST * pixelRatio) ** 2;
    let seen = 0;
    for (let e = 0; e < this.count; e++) {
      const child = edges[2 * e + 1];
      const free = (space[child] * gap[child] * radius) / pixelRatio;
      if (free < CROWDED) continue;
      const parent = edges[2 * e];
      const x1 = x[parent];
      const y1 = y[parent];
      const x2 = x[child];
      const y2 = y[child];
      if ((x1 - x2) * (x1 - x2) + (y1 - y2) * (y1 - y2) < shortest) continue;
      if ((x1 < 0 && x2 < 0) || (x1 > width && x2 > width)) continue;
      if ((y1 < 0 && y2 < 0) || (y1 > height && y2 > height)) continue;
      const openness = Math.min(1, free / OPEN);
      const lit = status[child] !== OUTSIDE && status[parent] !== OUTSIDE;
      // Measured at the outer end, so that the edges of a node are drawn all together or not at all.
      const near = Math.sqrt(Math.min(gap[parent], 4 * gap[child], 1)) * (0.4 + 0.6 * openness);
      this._level[e] = 1 + (lit ? 254 : 170) * near;
      among[this._level[e]]++;
      this._group[e] = groupOf(branch[child], openness, lit);
      this._seen[seen++] = e;
    }
    return seen;
  }

  /**
   * Sorts the edges from a level on into their groups.
   * @param {number} seen
   * @param {number} lowest
   */
  _collect(seen, lowest) {
    const { _seen: list, _level: level, _group: group } = this;
    const ends = this._ends.fill(0);
    for (let k = 0; k < seen; k++) if (level[list[k]] >= lowest) ends[group[list[k]] + 1]++;
    for (let g = 1; g <= GROUPS; g++) ends[g] += ends[g - 1];
    this.chosenCount = ends[GROUPS];
    for (let k = 0; k < seen; k++) if (level[list[k]] >= lowest) this.chosen[ends[group[list[k]]]++] = list[k];
  }

  /**
   * Draws the chosen edges.
   * @param {PixelBuffer} buffer
   * @param {Projection} places
   * @param {DotStyles} dots
   * @param {Palette} palette
   */
  draw(buffer, places, dots, palette) {
    const isChosen = dots.nodes.count > 0 && dots.status[0] !== UNDECIDED;
    const dense = Math.sqrt(places.pixelRatio);
    for (let g = 0, k = 0; g < GROUPS; g++) {
      const shade = ((g >> 1) % SHADES) / (SHADES - 1);
      const light = (g & 1) === 0 ? 0.22 : isChosen ? 1.3 : 1;
      const alpha = Math.round(256 * (0.05 + 0.26 * shade) * (0.7 + 0.3 * shade) * light * dense);
      const color = packColor(branchColor(palette, Math.floor(g / (2 * SHADES)) - 1));
      for (; k < this._ends[g]; k++) this._drawOne(buffer, places, this.chosen[k], color, alpha);
    }
  }

  /**
   * @param {PixelBuffer} buffer
   * @param {Projection} places
   * @param {number} e
   * @param {number} color
   * @param {number} alpha
   */
  _drawOne(buffer, places, e, color, alpha) {
    const { x, y, originX, originY, radius } = places;
    const parent = this.nodes.edges[2 * e];
    const child = this.nodes.edges[2 * e + 1];
    const px = (x[parent] - originX) / radius;
    const py = (originY - y[parent]) / radius;
    const qx = (x[child] - originX) / radius;
    const qy = (originY - y[child]) / radius;
    drawGeodesic(buffer, places, px, py, qx, qy, color, alpha);
  }
}

/**
 * @param {number} branch
 * @param {number} openness 0 to 1
 * @param {boolean} lit
 */
function groupOf(branch, openness, lit) {
  const hue = branch >= 0 && branch < HUES - 1 ? branch + 1 : 0;
  return (hue * SHADES + Math.min(SHADES - 1, Math.floor(openness * SHADES))) * 2 + (lit ? 1 : 0);
}
