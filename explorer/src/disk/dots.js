/**
 * Nodes as dots: the style of each dot, the masks that dots are drawn with, and the drawing itself.
 *
 * Dots are drawn in JavaScript, because one canvas call per dot would take a hundred times as long.
 */

import { AGREED, MISSING, OUTSIDE, UNEXPECTED } from "../answers/agreement.js";
import { branchColor, mixColors, packColor } from "./palette.js";
import { glaze, OPAQUE, paint, PixelBuffer } from "./pixels.js";

/** @typedef {import("./scene.js").Nodes} Nodes */
/** @typedef {import("./renderer.js").State} State */
/** @typedef {import("./palette.js").Palette} Palette */
/** @typedef {import("./camera.js").Projection} Projection */

/** The status of all nodes while nothing is selected, besides the marks of a selection. */
export const UNDECIDED = 4;

/** The radius of a dot as a fraction of its spacing: a little less than half, so that a gap is left to the next dot. */
const FILLED = 0.42;
/** How much of the disk's color is mixed into that of the deepest nodes; with more they could not be seen. */
export const DIMMEST = 0.16;
/** The largest radius in CSS pixels, and the radius of a dot of growth 1 as a fraction of the scale at its place. */
export const LARGEST = 7;
const GROWTH = 0.011;
/** Above this radius a dot has a border of the disk's color, to stand out from what is below it. */
const SEAM_FROM = 2.2;
const SMALLEST_RING = 2.4;
/** With less space than this, in device pixels, a dot is drawn as dust: one pixel, the fainter the denser the dots. */
const DUST = 0.3;
/** With less space than this, in CSS pixels, no rings are drawn, because they would cover each other. */
const RING_FROM = 0.8;

/** Offsets of dust by up to half a pixel, always the same for a node, so that rows of dust have soft edges. */
const DUST_OFFSETS = Float32Array.from({ length: 256 }, (_, k) => ((k * 149) % 256) / 256 - 0.5);
/** Steps of the radii of masks per pixel, and positions within a pixel in each direction. */
const STEPS = 4;
const PHASES = 4;

/** Color, strength, size and drawing order of all dots. Movements do not change them, so they are not per frame. */
export class DotStyles {
  /** @param {Nodes} nodes */
  constructor(nodes) {
    const { count, weight } = nodes;
    this.nodes = nodes;
    /** The mark of each node in the selection. */
    this.status = new Uint8Array(count).fill(UNDECIDED);
    /** Ranks in drawing order; the last `ringCount` of them are rings. */
    this.order = Int32Array.from({ length: count }, (_, rank) => rank);
    this.ringCount = 0;
    this.color = new Int32Array(count);
    this.strength = new Uint8Array(count);
    /** How fast a dot grows with the scale at its place, and the radius that its neighbors allow. */
    this.growth = growths(weight);
    this.space = nodes.spacing.map((distance) => (FILLED * distance) / 2);
    /** The radius in CSS pixels of a dot at the rim, and the strength of one in a crowd; both are larger for few dots. */
    const few = fewness(count);
    this.smallest = 0.65 + 0.55 * few;
    this.faintest = 0.18 + 0.42 * few;
    /** @type {unknown[]} */
    this._shown = [];
  }

  /**
   * Applies the state, if anything in it that affects dots has changed.
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

  /** Outside first, then inside, unexpected, missing; within each, general nodes last. */
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
 * 1 for up to a thousand nodes, 0 from twenty thousand on.
 * @param {number} count
 */
function fewness(count) {
  return Math.min(1, Math.max(0, Math.log(20000 / Math.max(1, count)) / Math.log(20)));
}

/**
 * From 0.7 for a leaf to 1.4 for the node with the largest weight.
 * @param {Float64Array} weight
 * @returns {Float32Array}
 */
function growths(weight) {
  const most = weight.reduce((a, b) => Math.max(a, b), 1);
  return Float32Array.from(weight, (below) => 0.7 + (0.7 * Math.log1p(below)) / Math.log1p(most));
}

/** Draws the dots: dust as single pixels, specks as four pixels, and all others with precomputed masks. */
export class DotRaster {
  /** @param {number} pixelRatio */
  constructor(pixelRatio) {
    this.pixelRatio = pixelRatio;
    this.buffer = new PixelBuffer();
    this.discs = new Sprites((LARGEST + 1) * pixelRatio);
    this.rings = new Sprites((LARGEST + 1) * pixelRatio, 1.3 * pixelRatio);
    this.seams = new Sprites((LARGEST + 1) * pixelRatio, 1.5 * pixelRatio);
    /** The radius of every dot in the last frame, in device pixels. */
    this.radii = new Float32Array(0);
  }

  /**
   * Draws all dots.
   * @param {PixelBuffer} buffer
   * @param {Projection} places
   * @param {DotStyles} dots
   * @param {number} seam the packed color around dots
   * @param {boolean} [moving] draws half the dust at twice the strength, which cannot be seen in a moving picture
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
   * @param {number} skipped 1 to leave out dust of odd rank, else 0
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
        const left = px + DUST_OFFSETS[i & 255];
        const top = py + DUST_OFFSETS[(i * 37 + 91) & 255];
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
   * Draws a dot smaller than a pixel, shared among the four pixels around it.
   * @param {number} px
   * @param {number} py
   * @param {number} color
   * @param {number} strength
   */
  _speck(px, py, color, strength) {
    // Integers in sixteenths of a pixel from here on.
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

/**
 * Coverage masks of antialiased discs or rings, computed when they are first needed: for every radius in steps of a
 * quarter pixel, and for 4 × 4 positions within a pixel, so that a slowly moving dot does not jump.
 */
class Sprites {
  /**
   * @param {number} largest radius in device pixels
   * @param {number} [hole] the width of a ring; discs if left out
   */
  constructor(largest, hole = Infinity) {
    this.largest = largest;
    const radii = Math.ceil(largest * STEPS) + 1;
    /** The side of the square masks of each radius, and the offset of its first mask. */
    this.sides = new Int32Array(radii);
    this.starts = new Int32Array(radii);
    let total = 0;
    for (let i = 0; i < radii; i++) {
      this.sides[i] = 2 * Math.ceil(i / STEPS + 0.5 - 0.5 / PHASES);
      this.starts[i] = total;
      total += PHASES * PHASES * this.sides[i] ** 2;
    }
    this.masks = new Uint8Array(total);
    this._isReady = new Uint8Array(radii);
    this._hole = hole;
  }

  /**
   * The offset of the masks of a radius, which are computed if needed.
   * @param {number} index of the radius
   */
  startOf(index) {
    if (this._isReady[index] === 0) this._draw(index);
    return this.starts[index];
  }

  /** @param {number} index */
  _draw(index) {
    this._isReady[index] = 1;
    const side = this.sides[index];
    const radius = index / STEPS;
    let at = this.starts[index];
    for (let phase = 0; phase < PHASES * PHASES; phase++) {
      const cx = side / 2 - 0.5 + ((phase % PHASES) + 0.5) / PHASES;
      const cy = side / 2 - 0.5 + (Math.floor(phase / PHASES) + 0.5) / PHASES;
      for (let y = 0; y < side; y++) {
        for (let x = 0; x < side; x++) {
          this.masks[at++] = Math.round(255 * coverage(Math.hypot(x + 0.5 - cx, y + 0.5 - cy), radius, this._hole));
        }
      }
    }
  }
}

/**
 * How much of a pixel a disc or ring covers, approximately, at this distance from its center.
 * @param {number} distance
 * @param {number} radius
 * @param {number} hole
 */
function coverage(distance, radius, hole) {
  const outer = Math.min(1, Math.max(0, radius - distance + 0.5));
  const inner = Math.min(1, Math.max(0, radius - hole - distance + 0.5));
  return outer - inner;
}
