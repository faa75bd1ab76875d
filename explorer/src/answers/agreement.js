// Where geometry and the graph agree: about everything below one node (a selection), and about two nodes (an
// explanation). One of the two is asked for the answer, and the other is compared with it.

import { reachable, shortestPath } from "../model/graph.js";

/**
 * @typedef {import("../model/model.js").Model} Model
 * @typedef {import("../model/model.js").By} By
 * @typedef {import("./relations.js").Relations} Relations
 * @typedef {import("./lineage.js").Lineage} Lineage
 * @typedef {Relations | Lineage} Answers
 * @typedef {{relations: Relations, lineage: Lineage | null, answers: Answers}} Sources answers: the one that is asked
 * @typedef {{
 *   row: number, by: By | "mixed", marks: Uint8Array, insideCount: number, belowCount: number | null,
 *   found: number[], unexpected: number[], missing: number[],
 * }} Selection found: the answer; belowCount: null if the graph does not have the row; the lists in the order of answers
 */

// The marks of rows by which the renderer draws. UNEXPECTED is in the answer, although the other one says no; MISSING is
// not in the answer, although the other one says yes.
export const OUTSIDE = 0;
export const AGREED = 1;
export const UNEXPECTED = 2;
export const MISSING = 3;

/** @param {Sources} sources @param {number} row @returns {Selection} */
export function makeSelection({ relations, lineage, answers }, row) {
  const marks = answers.below(row);
  const others = (answers === relations ? lineage : relations)?.below(row) ?? marks;
  for (let other = 0; other < marks.length; other++) marks[other] = mark(marks[other], others[other]);
  const marked = answers.listOf(row, marks);
  const found = marked.filter((other) => marks[other] !== MISSING);
  const [unexpected, missing] = [UNEXPECTED, MISSING].map((one) => marked.filter((other) => marks[other] === one));
  const otherCount = found.length - unexpected.length + missing.length;
  const [insideCount, belowCount] = answers === relations ? [found.length, otherCount] : [otherCount, found.length];
  const byGeometry = lineage?.placed.size ? found.filter((other) => lineage.originOf(row, other) === "geometry") : [];
  return {
    row,
    by: commonOrigin(answers, row, found),
    marks,
    insideCount,
    belowCount: lineage && !lineage.placed.has(row) ? belowCount - byGeometry.length : null,
    found,
    unexpected,
    missing,
  };
}

/** @param {number} isFound @param {number} isOther whether the other one says so */
function mark(isFound, isOther) {
  if (isFound) return isOther ? AGREED : UNEXPECTED;
  return isOther ? MISSING : OUTSIDE;
}

/**
 * What answered all rows of a list about a row; for an empty list, what would have.
 * @param {Answers} answers @param {number} row @param {number[]} rows @returns {By | "mixed"}
 */
export function commonOrigin(answers, row, rows) {
  if (!("placed" in answers) || !answers.placed.size) return answers.by;
  const origins = new Set(rows.map((other) => answers.originOf(row, other)));
  return origins.size > 1 ? "mixed" : ([...origins][0] ?? ownOrigin(answers, row));
}

/** What answers about a row alone. @param {Answers} answers @param {number} row @returns {By} */
export function ownOrigin(answers, row) {
  return "placed" in answers && answers.placed.has(row) ? "geometry" : answers.by;
}

/** The rows directly below a selected row. @param {Answers} answers @param {Selection} selection */
export function childrenOf(answers, { row, marks }) {
  if ("placed" in answers) return answers.children(row);
  const inside = marks.map((one) => (one === MISSING ? OUTSIDE : one));
  return answers.children(row, inside);
}

/**
 * @typedef {{row: number, margin: number, childMargin: number}} Step margins of the previous node and of the child
 * @typedef {{
 *   child: number, parent: number, isA: boolean, energy: number, threshold: number, margin: number,
 *   angle: number | null, aperture: number | null, chain: Step[],
 *   graph: "edge" | "closure" | "same" | "no" | null, path: Step[], lost: number[], stray: number | null,
 *   agrees: boolean | null, by: By, verdict: boolean,
 * }} Explanation isA by geometry, verdict by what was asked; graph is null if the edges are not known
 */

/**
 * Why the child is, or is not, below the parent: the answer of Embedding.explain.
 * @param {Model} model
 * @param {Sources} sources
 * @param {number} child
 * @param {number} parent
 * @returns {Explanation}
 */
export function explain(model, { relations, lineage, answers }, child, parent) {
  const isA = relations.isA(child, parent);
  const margin = relations.margin(child, parent);
  const { energy } = relations;
  const angle = energy.hasCones ? energy.angle() : null;
  const chain = isA ? steps(relations, relations.chain(child, parent)) : [];
  // All edges, also those that follow from others: a given edge is the shortest reason.
  const edges = lineage?.originOf(child, parent) === "graph" ? model.graph : null;
  const path = edges ? steps(relations, shortestPath(edges, child, parent)) : [];
  const graph = edges && graphRelation(child, parent, path.length);
  const by = answers.originOf(child, parent);
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
    stray: edges && firstStray(edges, child, chain),
    agrees: graph === null ? null : isA === (graph !== "no"),
    by,
    verdict: by === "graph" ? graph !== "no" : isA,
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
 * Whether the selected node should be the child of a comparison: if it is below the second node and not above it, first
 * by the one that is asked, then by the other.
 * @param {Sources} sources @param {number} selected @param {number} second
 */
export function shouldSwap({ relations, lineage, answers }, selected, second) {
  for (const source of [answers, answers === relations ? lineage : relations]) {
    if (source?.isA(second, selected)) return false;
    if (source?.isA(selected, second)) return true;
  }
  return false;
}
