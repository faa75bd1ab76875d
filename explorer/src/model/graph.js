// The edges as two adjacency lists, and walks up and down them.

/**
 * @typedef {{offsets: Int32Array, rows: Int32Array}} Adjacency of row i: rows[offsets[i] … offsets[i + 1]], ascending
 * @typedef {{count: number, parents: Adjacency, children: Adjacency}} Graph
 */

/** @param {number} count @param {Int32Array} edges parent, child, parent, child, … @returns {Graph} */
export function makeGraph(count, edges) {
  return { count, children: adjacency(count, edges, 0), parents: adjacency(count, edges, 1) };
}

/** @param {number} count @param {Int32Array} edges @param {0 | 1} side the end of an edge that gets the list */
function adjacency(count, edges, side) {
  const offsets = new Int32Array(count + 1);
  for (let i = side; i < edges.length; i += 2) offsets[edges[i] + 1]++;
  for (let row = 0; row < count; row++) offsets[row + 1] += offsets[row];
  const rows = new Int32Array(edges.length / 2);
  const next = offsets.slice(0, count);
  for (let i = 0; i < edges.length; i += 2) rows[next[edges[i + side]]++] = edges[i + 1 - side];
  for (let row = 0; row < count; row++) {
    if (!ascends(rows, offsets[row], offsets[row + 1])) rows.subarray(offsets[row], offsets[row + 1]).sort();
  }
  return { offsets, rows };
}

/** @param {Int32Array} rows @param {number} begin @param {number} end */
function ascends(rows, begin, end) {
  for (let i = begin + 1; i < end; i++) if (rows[i - 1] > rows[i]) return false;
  return true;
}

/** The edges but for those at some places. @param {Int32Array} edges @param {Int32Array} places ascending */
export function withoutEdges(edges, places) {
  const others = new Int32Array(edges.length - 2 * places.length);
  let from = 0;
  let to = 0;
  for (const place of [...places, edges.length / 2]) {
    others.set(edges.subarray(from, 2 * place), to);
    to += 2 * place - from;
    from = 2 * place + 2;
  }
  return others;
}

/** @param {Adjacency} adjacency @param {number} row */
export function neighbors({ offsets, rows }, row) {
  return rows.subarray(offsets[row], offsets[row + 1]);
}

/** The rows without parents. @param {Graph} graph */
export function rootsOf({ count, parents }) {
  const roots = [];
  for (let row = 0; row < count; row++) if (parents.offsets[row] === parents.offsets[row + 1]) roots.push(row);
  return roots;
}

/** 1 for every row that can be reached from a row, except for the row itself. @param {Adjacency} adjacency @param {number} row */
export function reachable({ offsets, rows }, row) {
  const marks = new Uint8Array(offsets.length - 1);
  const stack = [row];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    for (let i = offsets[at]; i < offsets[at + 1]; i++) {
      if (marks[rows[i]]) continue;
      marks[rows[i]] = 1;
      stack.push(rows[i]);
    }
  }
  marks[row] = 0;
  return marks;
}

/**
 * A shortest path up from a row to a goal, with both ends; only the row itself if no goal can be reached.
 * @param {Graph} graph @param {number} row @param {(row: number) => boolean} isGoal
 */
function climb({ parents }, row, isGoal) {
  const below = new Map([[row, row]]);
  const queue = [row];
  for (const at of queue) {
    if (isGoal(at)) return traceBack(below, at, row);
    for (const above of neighbors(parents, at)) {
      if (below.has(above)) continue;
      below.set(above, at);
      queue.push(above);
    }
  }
  return [row];
}

/** @param {Map<number, number>} below @param {number} top @param {number} row */
function traceBack(below, top, row) {
  const path = [top];
  while (path[path.length - 1] !== row) path.push(/** @type {number} */ (below.get(path[path.length - 1])));
  return path.reverse();
}

/**
 * A shortest path up the edges from child to parent; only the child if there is none.
 * @param {Graph} graph
 * @param {number} child
 * @param {number} parent
 */
export function shortestPath(graph, child, parent) {
  return climb(graph, child, (row) => row === parent);
}

/** A shortest path up the edges from a row to a root. @param {Graph} graph @param {number} row */
export function pathToRoot(graph, row) {
  const { offsets } = graph.parents;
  return climb(graph, row, (at) => offsets[at] === offsets[at + 1]);
}

/**
 * How many nodes are below each row. A node with several parents is shared equally among them, so that one pass is
 * enough and the roots add up to all nodes.
 * @param {Graph} graph
 */
export function weights(graph) {
  const { count, parents, children } = graph;
  const weight = new Float64Array(count);
  const waiting = new Int32Array(count);
  const ready = [];
  for (let row = 0; row < count; row++) {
    waiting[row] = children.offsets[row + 1] - children.offsets[row];
    if (!waiting[row]) ready.push(row);
  }
  for (const row of ready) {
    const above = neighbors(parents, row);
    for (const parent of above) {
      weight[parent] += (1 + weight[row]) / above.length;
      if (--waiting[parent] === 0) ready.push(parent);
    }
  }
  return weight;
}
