// What geometry says about the nodes, from the model's own points in all their dimensions: the same answers as those of
// Embedding.descendants, ancestors, children, parents and siblings with by="geometry" in Python, and of nearest.

import { makeDistance, makeEnergy, normOf } from "./energy.js";

/**
 * @typedef {import("./energy.js").EnergyModel} EnergyModel
 * @typedef {{rows: number[], isWhole: boolean}} Found isWhole: false if the search was cut off because it took too long
 */

// Computing this many energies takes some tens of milliseconds.
const MOST_ENERGIES = 400_000;

export class Relations {
  /** @param {EnergyModel} model */
  constructor(model) {
    /** @type {import("../model/model.js").By} */
    this.by = "geometry";
    this.model = model;
    this.energy = makeEnergy(model);
    // A construction decides at 0 with a margin on both sides; a learned threshold is the energy of some pair.
    this.doubt = model.threshold === 0 ? () => 0 : this.energy.doubt;
    this.distance = makeDistance(model);
    this.generality = generality(model);
    /** All rows from general to specific, equal ones by row, and the place of each row in that order. */
    this.order = orderOf(this.generality);
    this.rank = placesIn(this.order);
  }

  /** Whether the model says that the child is below the parent. @param {number} child @param {number} parent */
  isA(child, parent) {
    const signed = this.energy.signed(parent, child);
    const energy = this.energy.isMargin && signed < 0 ? 0 : signed;
    return energy <= this.model.threshold + this.doubt();
  }

  /**
   * The energy as Python reports it: margin energies are clipped at 0.
   * @param {number} child
   * @param {number} parent
   */
  energyOf(child, parent) {
    const signed = this.energy.signed(parent, child);
    return this.energy.isMargin ? Math.max(0, signed) : signed;
  }

  /**
   * How far the child is inside the parent; at least 0 exactly if `isA` is true.
   * @param {number} child
   * @param {number} parent
   */
  margin(child, parent) {
    const margin = this.model.threshold - this.energy.signed(parent, child);
    // A pair within the rounding error of the threshold counts as inside, so its margin must not be negative.
    return margin < 0 && -margin <= this.doubt() ? 0 : margin;
  }

  /** 1 for every row below a row. @param {number} row */
  below(row) {
    const marks = new Uint8Array(this.model.count);
    for (let other = 0; other < marks.length; other++) marks[other] = this.isA(other, row) ? 1 : 0;
    marks[row] = 0;
    return marks;
  }

  /** The rows above a row, from general to specific. @param {number} row */
  above(row) {
    const rows = [];
    for (let other = 0; other < this.model.count; other++) if (other !== row && this.isA(row, other)) rows.push(other);
    return this.byGenerality(rows);
  }

  /** What decides about two rows. @param {number} _row @param {number} _other @returns {import("../model/model.js").By} */
  originOf(_row, _other) {
    return this.by;
  }

  /** The rows with a mark, from general to specific. @param {number} _row @param {Uint8Array} marks @returns {number[]} */
  listOf(_row, marks) {
    return [...this.order.filter((other) => marks[other])];
  }

  /** @param {number[]} rows */
  byGenerality(rows) {
    return rows.sort((one, other) => this.rank[one] - this.rank[other]);
  }

  /** The ancestors with no other ancestor in between. @param {number} row */
  parents(row) {
    return this.#lowest(this.#someOrAll(this.above(row), (other) => this.rank[other] < this.rank[row]));
  }

  /**
   * The descendants with no other descendant in between.
   * @param {number} row
   * @param {Uint8Array} [marks] the rows below, if known
   * @returns {Found}
   */
  children(row, marks = this.below(row)) {
    const rows = this.listOf(row, marks);
    return this.#topmost(this.#someOrAll(rows, (other) => this.rank[other] > this.rank[row]));
  }

  /** The other children of the parents, from general to specific. @param {number} row @returns {Found} */
  siblings(row) {
    const families = this.parents(row).map((parent) => this.children(parent));
    const rows = new Set(families.flatMap((family) => family.rows));
    rows.delete(row);
    return { rows: this.byGenerality([...rows]), isWhole: families.every((family) => family.isWhole) };
  }

  /**
   * The nearest rows and their distances, nearest first, equal ones by row.
   * @param {number} row
   * @param {number} count
   */
  nearest(row, count) {
    /** @type {{row: number, distance: number}[]} */
    const found = [];
    for (let other = 0; other < this.model.count; other++) {
      if (other === row) continue;
      const distance = this.distance(row, other);
      if (found.length === count && !(distance < found[count - 1].distance)) continue;
      let place = Math.min(found.length, count - 1);
      while (place > 0 && found[place - 1].distance > distance) place--;
      found.splice(place, 0, { row: other, distance });
      if (found.length > count) found.pop();
    }
    return found;
  }

  /** A path up by geometry, from parent to parent, as far as it goes. @param {number} row */
  pathUp(row) {
    const path = [row];
    for (let next = this.#nextUp(row); next >= 0; next = this.#nextUp(next)) path.push(next);
    return path;
  }

  /** The path up by geometry to a parent. @param {number} child @param {number} parent */
  chain(child, parent) {
    const path = [child];
    while (path[path.length - 1] !== parent) {
      const next = this.#nextUp(path[path.length - 1], parent);
      path.push(next < 0 ? parent : next);
    }
    return path;
  }

  /**
   * The parent with the largest margin, of those on a path to the goal if one is given; −1 if there is none.
   * @param {number} row
   * @param {number} [goal]
   */
  #nextUp(row, goal) {
    let best = -1;
    let deepest = -Infinity;
    for (const step of this.parents(row)) {
      // Every step must be more general than the last, so the path ends even if nodes are below each other.
      if (this.rank[step] >= this.rank[row]) continue;
      if (goal !== undefined && (this.rank[step] <= this.rank[goal] || this.margin(step, goal) < 0)) continue;
      const margin = this.margin(row, step);
      if (margin > deepest) [best, deepest] = [step, margin];
    }
    return best;
  }

  /** @param {number[]} rows @param {(row: number) => boolean} isWanted */
  #someOrAll(rows, isWanted) {
    const some = rows.filter(isWanted);
    return some.length ? some : rows;
  }

  /** Of rows from general to specific, those with no later row below them. @param {number[]} rows */
  #lowest(rows) {
    return rows.filter((row, i) => !rows.some((other, j) => j > i && this.isA(other, row)));
  }

  /**
   * Of rows from general to specific, those with no earlier row above them.
   * @param {number[]} rows
   * @returns {Found}
   */
  #topmost(rows) {
    /** @type {number[]} */
    const topmost = [];
    let computed = 0;
    for (let i = 0; i < rows.length; i++) {
      if (computed > MOST_ENERGIES) return { rows: topmost, isWhole: false };
      // The rows found so far are above nearly all others, so they are tried first, the last match foremost.
      const cover = topmost.findIndex((other) => this.isA(rows[i], other));
      computed += cover < 0 ? topmost.length + i : cover + 1;
      if (cover > 0) topmost.unshift(...topmost.splice(cover, 1));
      if (cover >= 0) continue;
      if (!rows.some((other, j) => j < i && this.isA(rows[i], other))) topmost.push(rows[i]);
    }
    return { rows: this.byGenerality(topmost), isWhole: true };
  }
}

/** A value that grows from general to specific: the norm, or the sum for order embeddings. @param {EnergyModel} model */
function generality({ points, dim, count, method }) {
  const values = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    if (method !== "order") values[row] = normOf(points, dim, row);
    else for (let k = row * dim; k < (row + 1) * dim; k++) values[row] += points[k];
  }
  return values;
}

/** @param {Int32Array} order */
function placesIn(order) {
  const places = new Int32Array(order.length);
  for (let place = 0; place < order.length; place++) places[order[place]] = place;
  return places;
}

/**
 * The rows from the smallest value to the largest, equal ones by row.
 * @param {Float64Array} values
 * @returns {Int32Array}
 */
export function orderOf(values) {
  // Sorting the numbers without a comparison function and looking up each place afterwards is several times faster.
  const sorted = values.slice().sort();
  const taken = new Int32Array(values.length);
  const order = new Int32Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const place = firstNotBelow(sorted, values[row]);
    order[place + taken[place]++] = row;
  }
  return order;
}

/** @param {Float64Array} sorted @param {number} value */
function firstNotBelow(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
