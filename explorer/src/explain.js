// Why a node is, or is not, a kind of another: by geometry, and by the edges where they are known.
import { neighbors, reachable, shortestPath } from "./graph.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./relations.js").Relations} Relations
 * @typedef {{row: number, margin: number, childMargin: number}} Step how far inside it the node before is, and the child
 * @typedef {{
 *   child: number, parent: number, isA: boolean, energy: number, threshold: number, margin: number,
 *   angle: number | null, aperture: number | null, chain: Step[],
 *   graph: "edge" | "closure" | "same" | "no" | null, path: Step[], lost: number[], stray: number | null,
 *   agrees: boolean | null,
 * }} Explanation graph is null where the edges are not known
 */

/**
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
  const graph = model.graph ? verdict(child, parent, path.length) : null;
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

/** @param {Relations} relations @param {number[]} way @returns {Step[]} */
function steps(relations, way) {
  return way.slice(1).map((row, i) => ({
    row,
    margin: relations.margin(way[i], row),
    childMargin: relations.margin(way[0], row),
  }));
}

/** @param {number} child @param {number} parent @param {number} length */
function verdict(child, parent, length) {
  if (child === parent) return "same";
  if (!length) return "no";
  return length === 1 ? "edge" : "closure";
}

/**
 * The first step of a chain that is not above the child in the graph.
 * @param {import("./graph.js").Graph} graph
 * @param {number} child
 * @param {Step[]} chain
 */
function firstStray(graph, child, chain) {
  const above = reachable(graph.parents, child);
  return chain.find((step) => !above[step.row])?.row ?? null;
}

/**
 * Which of two nodes to ask about as the child: the second, unless the answer is no that way and yes the other.
 * @param {Model} model @param {Relations} relations @param {number} selected @param {number} second
 */
export function shouldSwap(model, relations, selected, second) {
  if (relations.isA(second, selected)) return false;
  if (relations.isA(selected, second)) return true;
  if (!model.graph || neighbors(model.graph.parents, selected).length === 0) return false;
  return reachable(model.graph.parents, selected)[second] === 1;
}
