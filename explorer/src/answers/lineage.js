// What the graph says about its nodes: the same answers as those of Embedding with by="graph" in Python. Parents and
// children are those of the direct edges, and lists are sorted by depth, then by row.
//
// A node that was placed by a point is not in the graph, so pairs with it, and with nodes that were placed under it, are
// judged by geometry unless edges connect them. In lists these come last, from general to specific.

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
   * @param {Int32Array} [byPoint] the rows that were placed by a point
   */
  constructor(graph, depth, relations, byPoint = new Int32Array(0)) {
    /** @type {By} */
    this.by = "graph";
    this.graph = graph;
    this.relations = relations;
    this.depth = depth;
    this.placed = new Set(byPoint);
    /** 1 for every row that the graph says nothing about: those that were placed by a point, and all under them. */
    this.isFree = new Uint8Array(graph.count);
    for (const row of byPoint) {
      this.isFree[row] = 1;
      reachable(graph.children, row).forEach((mark, other) => mark && (this.isFree[other] = 1));
    }
    /** @type {Int32Array | null} */
    this.byDepth = null;
    /** @type {Map<number, number[]> | null} */
    this.parentsOfPlaced = null;
    /** The rows that edges connect with the last row that was asked about. */
    this.connected = { row: -1, marks: new Uint8Array(0) };
  }

  /** What says how two rows are related. @param {number} row @param {number} other @returns {By} */
  originOf(row, other) {
    const isOpen = (this.isFree[row] || this.isFree[other]) && !this.#connections(row)[other];
    return isOpen ? "geometry" : "graph";
  }

  /** Whether the child is below the parent. @param {number} child @param {number} parent */
  isA(child, parent) {
    if (this.originOf(child, parent) === "geometry") return this.relations.isA(child, parent);
    return child === parent || reachable(this.graph.parents, child)[parent] === 1;
  }

  /** 1 for every row below a row. @param {number} row */
  below(row) {
    const marks = reachable(this.graph.children, row);
    if (this.placed.size) {
      for (let other = 0; other < marks.length; other++) {
        if (this.originOf(row, other) === "geometry") marks[other] = this.relations.isA(other, row) ? 1 : 0;
      }
    }
    return marks;
  }

  /** Of the rows with a mark in a list about a row, all in the order of lists. @param {number} row @param {Uint8Array} marks */
  listOf(row, marks) {
    this.byDepth ??= orderByDepth(this.depth);
    /** @type {number[]} */
    const rows = [];
    for (const other of this.byDepth) if (marks[other]) rows.push(other);
    if (!this.placed.size) return rows;
    const [known, others] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
    for (const other of rows) (this.originOf(row, other) === "graph" ? known : others).push(other);
    return [...known, ...this.relations.byGenerality(others)];
  }

  /** The rows above a row. @param {number} row */
  above(row) {
    const marks = reachable(this.graph.parents, row);
    /** @type {number[]} */
    const rows = [];
    marks.forEach((mark, other) => mark && rows.push(other));
    this.#sort(rows);
    if (!this.placed.size) return rows;
    return [...rows, ...this.relations.above(row).filter((other) => this.originOf(row, other) === "geometry")];
  }

  /** The rows directly above a row; of one that was placed by a point, those by geometry. @param {number} row */
  parents(row) {
    return this.placed.has(row) ? this.relations.parents(row) : this.#sort([...neighbors(this.graph.parents, row)]);
  }

  /**
   * The rows directly below a row, and those placed by a point that have it among their parents.
   * @param {number} row
   * @returns {Found}
   */
  children(row) {
    const rows = this.#sort([...neighbors(this.graph.children, row)]);
    return { rows: [...rows, ...this.#placedUnder(row)], isWhole: true };
  }

  /** The other children of the parents, none of them above or below the row. @param {number} row @returns {Found} */
  siblings(row) {
    const families = this.parents(row).map((parent) => this.children(parent));
    const rows = new Set(families.flatMap((family) => family.rows));
    rows.delete(row);
    const isWhole = families.every((family) => family.isWhole);
    if (!this.placed.size) return { rows: this.#sort([...rows]), isWhole };
    return { rows: [...rows].filter((other) => !this.isA(row, other) && !this.isA(other, row)), isWhole };
  }

  /** The graph if both are directly below one node. @param {number} row @param {number} sibling @returns {By} */
  originOfSibling(row, sibling) {
    const parents = neighbors(this.graph.parents, row);
    return neighbors(this.graph.parents, sibling).some((parent) => parents.includes(parent)) ? "graph" : "geometry";
  }

  /** A shortest path up from a row to a root, and on by geometry if that was placed by a point. @param {number} row */
  pathUp(row) {
    const path = pathToRoot(this.graph, row);
    const top = path[path.length - 1];
    return this.placed.has(top) ? [...path, ...this.relations.pathUp(top).slice(1)] : path;
  }

  /** @param {number} row */
  #placedUnder(row) {
    this.parentsOfPlaced ??= new Map([...this.placed].map((other) => [other, this.relations.parents(other)]));
    return [...this.placed].filter((other) => this.parentsOfPlaced?.get(other)?.includes(row));
  }

  /** 1 for the row itself and all that edges connect with it, up or down. @param {number} row */
  #connections(row) {
    if (this.connected.row !== row) {
      const marks = reachable(this.graph.children, row);
      reachable(this.graph.parents, row).forEach((mark, other) => mark && (marks[other] = 1));
      marks[row] = 1;
      this.connected = { row, marks };
    }
    return this.connected.marks;
  }

  /** @param {number[]} rows */
  #sort(rows) {
    return rows.sort((one, other) => this.depth[one] - this.depth[other] || one - other);
  }
}

/** All rows by depth, then by row. @param {Int32Array} depth */
function orderByDepth(depth) {
  const starts = new Int32Array(depth.reduce((most, value) => Math.max(most, value), 0) + 2);
  for (const level of depth) starts[level + 1]++;
  for (let level = 1; level < starts.length; level++) starts[level] += starts[level - 1];
  const order = new Int32Array(depth.length);
  for (let row = 0; row < depth.length; row++) order[starts[depth[row]]++] = row;
  return order;
}
