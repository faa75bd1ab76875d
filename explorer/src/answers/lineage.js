// What the graph says about its nodes: the same answers as those of Embedding with by="graph" in Python. Parents and
// children are those of the direct edges, and lists are sorted by depth, then by row. Nodes that were placed by a point
// are not in the graph: pairs with them are judged by geometry, and they come last, from general to specific.

import { neighbors, pathToRoot, reachable } from "../model/graph.js";

/**
 * @typedef {import("../model/graph.js").Graph} Graph
 * @typedef {import("../model/model.js").By} By
 * @typedef {import("./relations.js").Found} Found
 * @typedef {import("./relations.js").Relations} Relations
 */

export class Lineage {
  /**
   * @param {Graph} graph of the direct edges
   * @param {Int32Array} depth the number of edges on the longest way from a root
   * @param {Relations} relations
   * @param {Int32Array} [byPoint] the rows that are not in the graph
   */
  constructor(graph, depth, relations, byPoint = new Int32Array(0)) {
    /** @type {By} */
    this.by = "graph";
    this.graph = graph;
    this.relations = relations;
    this.depth = depth;
    /** The rows that are not in the graph, from general to specific. */
    this.outsiders = relations.byGenerality([...byPoint]);
    this.isOutsider = new Uint8Array(graph.count);
    for (const row of byPoint) this.isOutsider[row] = 1;
    /** @type {Int32Array | null} */
    this.sorted = null;
  }

  /** All rows in the order of lists. */
  get order() {
    this.sorted ??= this.#sortAll();
    return this.sorted;
  }

  /** What decides about two rows. @param {number} row @param {number} other @returns {By} */
  sourceOf(row, other) {
    return this.isOutsider[row] || this.isOutsider[other] ? "geometry" : "graph";
  }

  /** Whether the child is below the parent. @param {number} child @param {number} parent */
  isA(child, parent) {
    if (this.sourceOf(child, parent) === "geometry") return this.relations.isA(child, parent);
    return child === parent || reachable(this.graph.parents, child)[parent] === 1;
  }

  /** 1 for every row below a row. @param {number} row */
  below(row) {
    if (this.isOutsider[row]) return this.relations.below(row);
    const marks = reachable(this.graph.children, row);
    for (const other of this.outsiders) marks[other] = this.relations.isA(other, row) ? 1 : 0;
    return marks;
  }

  /** The rows above a row. @param {number} row */
  above(row) {
    if (this.isOutsider[row]) return this.relations.above(row);
    const marks = reachable(this.graph.parents, row);
    /** @type {number[]} */
    const rows = [];
    marks.forEach((mark, other) => mark && rows.push(other));
    return [...this.#sort(rows), ...this.outsiders.filter((other) => this.relations.isA(row, other))];
  }

  /** The rows directly above a row. @param {number} row */
  parents(row) {
    if (this.isOutsider[row]) return this.relations.parents(row);
    const outsiders = this.outsiders.length ? this.#outsidersOf(this.relations.parents(row)) : [];
    return [...this.#sort([...neighbors(this.graph.parents, row)]), ...outsiders];
  }

  /** The rows directly below a row. @param {number} row @param {Uint8Array} [marks] the rows below @returns {Found} */
  children(row, marks) {
    if (this.isOutsider[row]) return this.relations.children(row, marks);
    const direct = this.#sort([...neighbors(this.graph.children, row)]);
    if (!this.outsiders.length) return { rows: direct, isWhole: true };
    const { rows, isWhole } = this.relations.children(row);
    return { rows: [...direct, ...this.#outsidersOf(rows)], isWhole };
  }

  /** The other children of the parents. @param {number} row @returns {Found} */
  siblings(row) {
    if (this.isOutsider[row]) return this.relations.siblings(row);
    const families = this.parents(row).map((parent) => this.children(parent));
    const rows = new Set(families.flatMap((family) => family.rows));
    rows.delete(row);
    const known = [...rows].filter((other) => !this.isOutsider[other]);
    const outsiders = this.outsiders.filter((other) => rows.has(other));
    return { rows: [...this.#sort(known), ...outsiders], isWhole: families.every((family) => family.isWhole) };
  }

  /** A shortest path up from a row to a root. @param {number} row */
  pathUp(row) {
    return this.isOutsider[row] ? this.relations.pathUp(row) : pathToRoot(this.graph, row);
  }

  /** @param {number[]} rows */
  #outsidersOf(rows) {
    return rows.filter((row) => this.isOutsider[row]);
  }

  /** @param {number[]} rows */
  #sort(rows) {
    return rows.sort((one, other) => this.depth[one] - this.depth[other] || one - other);
  }

  #sortAll() {
    const { depth, isOutsider } = this;
    const starts = new Int32Array(depth.reduce((most, value) => Math.max(most, value), 0) + 2);
    for (let row = 0; row < depth.length; row++) if (!isOutsider[row]) starts[depth[row] + 1]++;
    for (let level = 1; level < starts.length; level++) starts[level] += starts[level - 1];
    const order = new Int32Array(depth.length);
    for (let row = 0; row < depth.length; row++) if (!isOutsider[row]) order[starts[depth[row]]++] = row;
    order.set(this.outsiders, depth.length - this.outsiders.length);
    return order;
  }
}
