// Who is a kind of whom by the model's own geometry, in its own dimensions: the answers of Embedding.descendants,
// ancestors, children, parents and nearest.
import { makeDistance, makeEnergy, normOf } from "./energy.js";
import { orderOf } from "./sorting.js";

/**
 * @typedef {import("./energy.js").EnergyModel} EnergyModel
 * @typedef {{rows: number[], isWhole: boolean}} Found isWhole: false where looking further would have taken too long
 */

// So many energies of pairs take some tens of milliseconds.
const PATIENCE = 400_000;

export class Relations {
  /** @param {EnergyModel} model */
  constructor(model) {
    this.model = model;
    this.energy = makeEnergy(model);
    // A construction decides at 0, with room on both sides; a learned threshold is the energy of some pair.
    this.doubt = model.threshold === 0 ? () => 0 : this.energy.doubt;
    this.distance = makeDistance(model);
    this.generality = generality(model);
    /** All rows from general to specific, of equals the earlier first, and where each of them stands there. */
    this.order = orderOf(this.generality);
    this.rank = placesIn(this.order);
  }

  /** Whether the child is a kind of the parent. @param {number} child @param {number} parent */
  isA(child, parent) {
    const signed = this.energy.signed(parent, child);
    const energy = this.energy.isMargin && signed < 0 ? 0 : signed;
    return energy <= this.model.threshold + this.doubt();
  }

  /**
   * The energy as the package reports it: a margin energy counts only outside.
   * @param {number} child
   * @param {number} parent
   */
  energyOf(child, parent) {
    const signed = this.energy.signed(parent, child);
    return this.energy.isMargin ? Math.max(0, signed) : signed;
  }

  /**
   * How far inside the parent the child is; not negative exactly where it is a kind of it.
   * @param {number} child
   * @param {number} parent
   */
  margin(child, parent) {
    const margin = this.model.threshold - this.energy.signed(parent, child);
    // Within the last digits of the threshold a pair is inside, so its margin is none rather than just below none.
    return margin < 0 && -margin <= this.doubt() ? 0 : margin;
  }

  /** 1 for every row under a row. @param {number} row */
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

  /** @param {number[]} rows */
  byGenerality(rows) {
    return rows.sort((one, other) => this.rank[one] - this.rank[other]);
  }

  /** The ancestors with no other between. @param {number} row */
  parents(row) {
    return this.#lowest(this.#someOrAll(this.above(row), (other) => this.rank[other] < this.rank[row]));
  }

  /**
   * The descendants with no other between.
   * @param {number} row
   * @param {Uint8Array} [marks] the rows below, if known
   * @returns {Found}
   */
  children(row, marks = this.below(row)) {
    const rows = [...this.order.filter((other) => marks[other])];
    return this.#topmost(this.#someOrAll(rows, (other) => this.rank[other] > this.rank[row]));
  }

  /**
   * The rows at the smallest distance with it, nearest first, equal ones by row.
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

  /** A way up by geometry, from immediate parent to immediate parent, as far as it goes. @param {number} row */
  pathUp(row) {
    const way = [row];
    for (let next = this.#nextUp(row); next >= 0; next = this.#nextUp(next)) way.push(next);
    return way;
  }

  /** The same up to a parent. @param {number} child @param {number} parent */
  chain(child, parent) {
    const way = [child];
    while (way[way.length - 1] !== parent) {
      const next = this.#nextUp(way[way.length - 1], parent);
      way.push(next < 0 ? parent : next);
    }
    return way;
  }

  /**
   * The immediate parent that a row is deepest inside, on the way to a goal if there is one; −1 if none.
   * @param {number} row
   * @param {number} [goal]
   */
  #nextUp(row, goal) {
    let best = -1;
    let deepest = -Infinity;
    for (const step of this.parents(row)) {
      // Each step is more general than the one before, so the way ends even where nodes are kinds of each other.
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

  /** Of rows from general to specific, those that none after them is a kind of. @param {number[]} rows */
  #lowest(rows) {
    return rows.filter((row, i) => !rows.some((other, j) => j > i && this.isA(other, row)));
  }

  /**
   * Of rows from general to specific, those that are a kind of none before them.
   * @param {number[]} rows
   * @returns {Found}
   */
  #topmost(rows) {
    /** @type {number[]} */
    const edge = [];
    let asked = 0;
    for (let i = 0; i < rows.length; i++) {
      if (asked > PATIENCE) return { rows: edge, isWhole: false };
      // Those at the edge hide nearly all others, so they are asked first, the one that hid the last one foremost.
      const hider = edge.findIndex((other) => this.isA(rows[i], other));
      asked += hider < 0 ? edge.length + i : hider + 1;
      if (hider > 0) edge.unshift(...edge.splice(hider, 1));
      if (hider >= 0) continue;
      if (!rows.some((other, j) => j < i && this.isA(rows[i], other))) edge.push(rows[i]);
    }
    return { rows: this.byGenerality(edge), isWhole: true };
  }
}

/** A number that grows from general to specific: the norm, or the sum for order embeddings. @param {EnergyModel} model */
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
