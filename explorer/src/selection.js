// What a click on a node brings to light: who is inside by the model, who is below by the graph, and where they differ.
import { neighbors, reachable } from "./graph.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./relations.js").Relations} Relations
 * @typedef {{
 *   row: number, marks: Uint8Array, insideCount: number, belowCount: number | null,
 *   inside: number[], unexpected: number[], missing: number[],
 * }} Selection the three lists from general to specific
 */

// What a mark says of a row; the renderer draws by these numbers.
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
 * The immediate parents: by the edges where they are known, else by geometry.
 * @param {Model} model
 * @param {Relations} relations
 * @param {number} row
 */
export function parentsOf(model, relations, row) {
  return model.graph ? [...neighbors(model.graph.parents, row)] : relations.parents(row);
}

/**
 * The immediate children, from general to specific.
 * @param {Model} model @param {Relations} relations @param {Selection} selection
 * @returns {import("./relations.js").Found}
 */
export function childrenOf(model, relations, { row, marks }) {
  if (!model.graph) return relations.children(row, marks);
  return { rows: relations.byGenerality([...neighbors(model.graph.children, row)]), isWhole: true };
}
