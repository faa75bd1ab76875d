// Where the model and the graph agree: about everything below one node (a selection), and about two nodes (an
// explanation).

import { neighbors, reachable, shortestPath } from "../model/graph.js";

/**
 * @typedef {import("../model/model.js").Model} Model
 * @typedef {import("./relations.js").Relations} Relations
 * @typedef {{
 *   row: number, marks: Uint8Array, insideCount: number, belowCount: number | null,
 *   inside: number[], unexpected: number[], missing: number[],
 * }} Selection the three lists from general to specific
 */

// The marks of rows by which the renderer draws. UNEXPECTED is inside the cone but not below in the graph, MISSING is
// below in the graph but not inside the cone.
export const OUTSIDE = 0;
export const AGREED = 1;
export const UNEXPECTED = 2;
export const MISSING = 3;

/** @param {Model} model @param {Relations} relations @param {number} row @returns {Selection} */
export function makeSelection(model, relations, row) {
  const marks = relations.below(row);
  const below = model.graph && reachable(model.graph.children, row);
  if (below) for (let other = 0; other < marks.length; other++) marks[other] = mark(marks[other], below[other]);
  const rows = {
    inside: /** @type {number[]} */ ([]),
    unexpected: /** @type {number[]} */ ([]),
    missing: /** @type {number[]} */ ([]),
  };
  for (const other of relations.order) {
    if (marks[other] === MISSING) rows.missing.push(other);
    else if (marks[other]) rows.inside.push(other);
    if (marks[other] === UNEXPECTED) rows.unexpected.push(other);
  }
  const belowCount = below && rows.inside.length - rows.unexpected.length + rows.missing.length;
  return { row, marks, insideCount: rows.inside.length, belowCount, ...rows };
}

/** @param {number} isInside @param {number} isBelow */
function mark(isInside, isBelow) {
  if (isInside) return isBelow ? AGREED : UNEXPECTED;
  return isBelow ? MISSING : OUTSIDE;
}

/**
 * The parents by the edges, or by geometry if the edges are not known.
 * @param {Model} model
 * @param {Relations} relations
 * @param {number} row
 */
export function parentsOf(model, relations, row) {
  return model.graph ? [...neighbors(model.graph.parents, row)] : relations.parents(row);
}

/**
 * The children by the edges, or by geometry if the edges are not known, from general to specific.
 * @param {Model} model @param {Relations} relations @param {Selection} selection
 * @returns {import("./relations.js").Found}
 */
export function childrenOf(model, relations, { row, marks }) {
  if (!model.graph) return relations.children(row, marks);
  return { rows: relations.byGenerality([...neighbors(model.graph.children, row)]), isWhole: true };
}

/**
 * @typedef {{row: number, margin: number, childMargin: number}} Step margins of the previous node and of the child
 * @typedef {{
 *   child: number, parent: number, isA: boolean, energy: number, threshold: number, margin: number,
 *   angle: number | null, aperture: number | null, chain: Step[],
 *   graph: "edge" | "closure" | "same" | "no" | null, path: Step[], lost: number[], stray: number | null,
 *   agrees: boolean | null,
 * }} Explanation graph is null if the edges are not known
 */

/**
 * Why the child is, or is not, below the parent: the answer of Embedding.explain.
 * @param {Model} model
 * @param {Relations} relations
 * @param {number} child
 * @param {number} parent
 * @returns {Explanation}
 */
export function explain(model, relations, child, parent) {
  const isA = relations.isA(child, parent);
  const margin = relations.margin(child, parent);
  const { energy } = relations;
  const angle = energy.hasCones ? energy.angle() : null;
  const chain = isA ? steps(relations, relations.chain(child, parent)) : [];
  const path = model.graph ? steps(relations, shortestPath(model.graph, child, parent)) : [];
  const graph = model.graph ? graphRelation(child, parent, path.length) : null;
  return {
    child,
    parent,
    isA,
    energy: relations.energyOf(child, parent),
    threshold: model.threshold,
    margin,
    angle,
    aperture: energy.hasCones ? energy.aperture(parent) : null,
    chain,
    graph,
    path,
    lost: path.filter((step) => step.childMargin < 0).map((step) => step.row),
    stray: model.graph ? firstStray(model.graph, child, chain) : null,
    agrees: graph === null ? null : isA === (graph !== "no"),
  };
}

/** @param {Relations} relations @param {number[]} path @returns {Step[]} */
function steps(relations, path) {
  return path.slice(1).map((row, i) => ({
    row,
    margin: relations.margin(path[i], row),
    childMargin: relations.margin(path[0], row),
  }));
}

/** @param {number} child @param {number} parent @param {number} length */
function graphRelation(child, parent, length) {
  if (child === parent) return "same";
  if (!length) return "no";
  return length === 1 ? "edge" : "closure";
}

/**
 * The first step of a chain that is not above the child in the graph.
 * @param {import("../model/graph.js").Graph} graph
 * @param {number} child
 * @param {Step[]} chain
 */
function firstStray(graph, child, chain) {
  const above = reachable(graph.parents, child);
  return chain.find((step) => !above[step.row])?.row ?? null;
}

/**
 * Whether the selected node should be the child of a comparison: if it is below the second node and not above it.
 * @param {Model} model @param {Relations} relations @param {number} selected @param {number} second
 */
export function shouldSwap(model, relations, selected, second) {
  if (relations.isA(second, selected)) return false;
  if (relations.isA(selected, second)) return true;
  if (!model.graph || neighbors(model.graph.parents, selected).length === 0) return false;
  return reachable(model.graph.parents, selected)[second] === 1;
}
