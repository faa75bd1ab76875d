/**
 * What the renderer draws: a scene by row, and its nodes in drawing order, in which more general nodes come later.
 *
 * The rank of a node is its place in that order. Everything that is read in each frame is stored by rank, so that memory
 * is read sequentially. The drawing modules only know ranks; the renderer converts between ranks and rows.
 */

import { weights } from "../model/graph.js";
import { displayName } from "../model/model.js";
import { borderGap } from "./isometry.js";

/**
 * A scene by row. `weight` is the number of nodes below in the graph. `threshold` widens the cones by an angle and is
 * only given if the view shows the model's own points. K is null if the view has no cones.
 * @typedef {object} Scene
 * @property {number} count
 * @property {Float64Array} x
 * @property {Float64Array} y
 * @property {Int32Array} depth
 * @property {Int32Array} branch
 * @property {Float64Array} weight
 * @property {Int32Array} edges parent, child, parent, child …
 * @property {number | null} K
 * @property {number} [threshold]
 * @property {(row: number) => string} label
 */

/**
 * A scene by rank. `gap` is 1 − |z|² of each view point, `spacing` its hyperbolic distance to the next dot (see
 * spacingsOf), `edges` parent, child, … by rank and sorted by the child, `parentOf` one parent of each node or −1.
 * @typedef {object} Nodes
 * @property {number} count
 * @property {Int32Array} rowOf
 * @property {Int32Array} rankOf
 * @property {Float64Array} x
 * @property {Float64Array} y
 * @property {Float64Array} gap
 * @property {Float32Array} spacing
 * @property {Int32Array} depth
 * @property {Int32Array} branch
 * @property {Float64Array} weight
 * @property {Int32Array} edges
 * @property {Int32Array} parentOf
 * @property {(rank: number) => string} label
 */

/** A neighbor limits the size of a dot if it has at least the same weight and this fraction of its 1 − |z|². */
const AS_GENERAL = 0.7;
/** The number of places to either side by angle that are compared, besides the next more general node. */
const PLACES = 4;

/**
 * @param {import("../model/model.js").Model} model
 * @param {import("../answers/relations.js").Relations} relations
 */
export function makeScene(model, relations) {
  const { count, viewPoints } = model;
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    x[row] = viewPoints[2 * row];
    y[row] = viewPoints[2 * row + 1];
  }
  return {
    count,
    x,
    y,
    depth: model.depth,
    branch: model.branch,
    weight: model.graph ? weights(model.graph) : weightByRank(relations),
    edges: model.edges,
    children: model.graph?.children ?? { offsets: new Int32Array(count + 1), rows: new Int32Array(0) },
    K: model.view.K,
    // The cones of another view are not those of the model, so its threshold does not widen them.
    threshold: model.view.kind === "own" && relations.energy.hasCones ? model.threshold : undefined,
    label: (/** @type {number} */ row) => displayName(model, row),
  };
}

/** Without edges the more general node counts as heavier. @param {import("../answers/relations.js").Relations} relations */
function weightByRank({ rank }) {
  return Float64Array.from(rank, (place) => rank.length - 1 - place);
}

/**
 * @param {Scene} scene
 * @returns {Nodes}
 */
export function nodesInDrawOrder(scene) {
  const gaps = Float64Array.from(scene.x, (x, row) => Math.max(0, borderGap(x, scene.y[row])));
  const around = nodesAround(scene.x, scene.y);
  const rowOf = rowsByGenerality(scene, gaps, around);
  const spacings = spacingsOf(scene.x, scene.y, gaps, scene.weight, around);
  const rankOf = new Int32Array(scene.count);
  rowOf.forEach((row, rank) => (rankOf[row] = rank));
  const edges = edgesByChild(scene.edges, rankOf);
  const parentOf = new Int32Array(scene.count).fill(-1);
  for (let k = 0; k < edges.length; k += 2) parentOf[edges[k + 1]] = edges[k];
  return {
    count: scene.count,
    rowOf,
    rankOf,
    x: Float64Array.from(rowOf, (row) => scene.x[row]),
    y: Float64Array.from(rowOf, (row) => scene.y[row]),
    gap: Float64Array.from(rowOf, (row) => gaps[row]),
    spacing: Float32Array.from(rowOf, (row) => spacings[row]),
    depth: rowOf.map((row) => scene.depth[row]),
    branch: rowOf.map((row) => scene.branch[row]),
    weight: Float64Array.from(rowOf, (row) => scene.weight[row]),
    edges,
    parentOf,
    label: (rank) => scene.label(rowOf[rank]),
  };
}

/**
 * The rows by weight and then by distance from the border, both in coarse steps, and within a step by angle, so that
 * neighbors on the screen are neighbors in memory.
 * @param {Scene} scene
 * @param {Float64Array} gaps
 * @param {Int32Array} around
 */
function rowsByGenerality({ weight }, gaps, around) {
  const level = Int32Array.from(gaps, (gap, row) => {
    const inwards = Math.min(63, Math.max(0, Math.round(Math.log2(gap + 1e-18)) + 63));
    return Math.min(255, Math.round(4 * Math.log2(1 + Math.max(0, weight[row])))) * 64 + inwards;
  });
  return countingSort(around, (row) => level[row], 256 * 64);
}

/**
 * @param {Int32Array} edges by row
 * @param {Int32Array} rankOf
 */
function edgesByChild(edges, rankOf) {
  const order = countingSort(
    Int32Array.from({ length: edges.length >> 1 }, (_, edge) => edge),
    (edge) => rankOf[edges[2 * edge + 1]],
    rankOf.length,
  );
  const sorted = new Int32Array(2 * order.length);
  order.forEach((edge, k) => {
    sorted[2 * k] = rankOf[edges[2 * edge]];
    sorted[2 * k + 1] = rankOf[edges[2 * edge + 1]];
  });
  return sorted;
}

/**
 * Counting sort: the items by an integer key below a limit, equal ones in their order.
 * @param {Int32Array} items
 * @param {(item: number) => number} key
 * @param {number} limit
 */
function countingSort(items, key, limit) {
  const next = new Int32Array(limit + 1);
  items.forEach((item) => next[key(item) + 1]++);
  for (let i = 1; i <= limit; i++) next[i] += next[i - 1];
  const sorted = new Int32Array(items.length);
  items.forEach((item) => (sorted[next[key(item)]++] = item));
  return sorted;
}

/**
 * All nodes by angle.
 * @param {Float64Array} x
 * @param {Float64Array} y
 * @returns {Int32Array}
 */
export function nodesAround(x, y) {
  // Angle and index in one double, because sorting numbers is many times faster than sorting with a function.
  const numbers = 2 ** Math.ceil(Math.log2(x.length + 1));
  const steps = 2 ** 52 / numbers;
  const keys = Float64Array.from(x, (value, node) => {
    const turn = Math.atan2(y[node], value) / (2 * Math.PI) + 0.5;
    return Math.floor(Math.min(turn, 1 - 1 / steps) * steps) * numbers + node;
  });
  return Int32Array.from(keys.sort(), (key) => key % numbers);
}

/**
 * The hyperbolic distance of each node to its nearest neighbors by angle that are at least as general, and so are drawn
 * over it. Isometries preserve it, so it is computed once, and dots of this size never overlap.
 * @param {Float64Array} x
 * @param {Float64Array} y
 * @param {Float64Array} gap 1 − |z|² of every point
 * @param {Float64Array} weight the number of nodes below
 * @param {Int32Array} around all nodes by angle
 * @returns {Float32Array} infinite if there is no such neighbor
 */
export function spacingsOf(x, y, gap, weight, around) {
  const spacing = new Float32Array(x.length).fill(Infinity);
  /** @param {number} node @param {number} other */
  const meet = (node, other) => {
    if (node === other || weight[other] < weight[node] || gap[other] < AS_GENERAL * gap[node]) return;
    const apart = Math.hypot(x[node] - x[other], y[node] - y[other]);
    spacing[node] = Math.min(spacing[node], 2 * Math.asinh(apart / Math.sqrt(gap[node] * gap[other])));
  };
  meetNeighbors(around, meet);
  meetMoreGeneral(around, gap, meet);
  meetMoreGeneral(around.slice().reverse(), gap, meet);
  return spacing;
}

/**
 * @param {Int32Array} around
 * @param {(node: number, other: number) => void} meet
 */
function meetNeighbors(around, meet) {
  const count = around.length;
  for (let place = 1; place <= Math.min(PLACES, count - 1); place++) {
    for (let at = 0; at < count; at++) {
      meet(around[at], around[(at + place) % count]);
      meet(around[(at + place) % count], around[at]);
    }
  }
}

/**
 * Lets every node meet the last node before it that is at least as general.
 * @param {Int32Array} around
 * @param {Float64Array} gap
 * @param {(node: number, other: number) => void} meet
 */
function meetMoreGeneral(around, gap, meet) {
  const count = around.length;
  const stack = new Int32Array(2 * count);
  let top = 0;
  // Twice around the disk, because the last nodes come before the first.
  for (let step = 0; step < 2 * count; step++) {
    const node = around[step % count];
    while (top > 0 && (gap[stack[top - 1]] < gap[node] || stack[top - 1] === node)) top--;
    if (top > 0) meet(node, stack[top - 1]);
    stack[top++] = node;
  }
}
