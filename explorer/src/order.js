/**
 * The nodes in the order in which they are drawn and named: the more general the later.
 *
 * A node's rank is its place in that order; whatever is read for every frame stands by rank, so that it is read in a
 * row. The drawing parts know ranks alone; only the renderer goes between ranks and the rows of the model.
 */

import { borderGap } from "./isometry.js";
import { nodesAround, spacingsOf } from "./spacing.js";

/** @typedef {import("./renderer.js").Scene} Scene */

/**
 * A scene by rank. `gap` is 1 − |z|² of each view point, `spacing` its hyperbolic distance to the next dot that matters,
 * `edges` parent, child, … by rank and ordered by the child, `parentOf` one parent of each node or −1.
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
 * The rows by how much is below them and then by how far inwards they are, both in coarse steps, and within a step
 * around the disk: neighbors on the screen are then neighbors in memory.
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
 * The items by a whole number below a limit, equal ones as they were.
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
