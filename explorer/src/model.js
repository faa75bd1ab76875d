// A model as the page knows it: its points, its names, its edges, and the view in which it is drawn.
import { PageError } from "./container.js";
import { makeGraph } from "./graph.js";

/**
 * @typedef {import("./container.js").Header} Header
 * @typedef {import("./graph.js").Graph} Graph
 * @typedef {{
 *   title: string, method: string, kind: string, dim: number, count: number, threshold: number,
 *   settings: {K: number, alpha: number}, points: Float64Array,
 *   view: Header["view"], viewPoints: Float64Array,
 *   depth: Int32Array, branch: Int32Array, graph: Graph | null, edges: Int32Array,
 *   names: string[], labels: string[] | null,
 * }} Model
 */

/** @param {import("./container.js").Container} container @returns {Model} */
export function makeModel({ header, floats, integers, lines }) {
  const count = header.nodes;
  const names = lines("names") ?? [];
  if (names.length !== count) {
    throw new PageError(`The page names ${names.length} nodes, but the model has ${count}; write the page again.`);
  }
  const edges = header.hasEdges ? integers("edges") : new Int32Array(0);
  return {
    title: header.title,
    method: header.method,
    kind: header.kind,
    dim: header.dim,
    count,
    threshold: header.threshold,
    settings: header.settings,
    points: floats("points"),
    view: header.view,
    viewPoints: floats("view"),
    depth: integers("depth"),
    branch: integers("branch"),
    graph: header.hasEdges ? makeGraph(count, edges) : null,
    edges,
    names,
    labels: lines("labels"),
  };
}

/** What people call a row: its label, or its name where it has none. @param {Model} model @param {number} row */
export function displayName(model, row) {
  return model.labels?.[row] || model.names[row];
}

/** The name of a row with its label beside it, where that says more. @param {Model} model @param {number} row */
export function fullName(model, row) {
  const label = model.labels?.[row];
  return label && label !== model.names[row] ? `${model.names[row]} (${label})` : model.names[row];
}
