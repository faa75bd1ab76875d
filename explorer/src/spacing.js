/**
 * How much spacing every node has: the hyperbolic distance to its nearest neighbors around the disk that are as general
 * as itself, or more so; the more general of two neighbors is drawn over the other. Isometries keep it, so it is
 * computed once, and no dot need ever grow over the next.
 */

/** A neighbor counts if as many nodes are below it and its 1 − |z|² is at least this part of the node's own, */
const AS_GENERAL = 0.7;
/** and so many places on either side are looked at, besides the nearest that is more general. */
const PLACES = 4;

/**
 * All nodes around the disk, by angle.
 * @param {Float64Array} x
 * @param {Float64Array} y
 * @returns {Int32Array}
 */
export function nodesAround(x, y) {
  // Angle and number in one float, because numbers are sorted many times faster than with a function that compares.
  const numbers = 2 ** Math.ceil(Math.log2(x.length + 1));
  const steps = 2 ** 52 / numbers;
  const keys = Float64Array.from(x, (value, node) => {
    const turn = Math.atan2(y[node], value) / (2 * Math.PI) + 0.5;
    return Math.floor(Math.min(turn, 1 - 1 / steps) * steps) * numbers + node;
  });
  return Int32Array.from(keys.sort(), (key) => key % numbers);
}

/**
 * @param {Float64Array} x
 * @param {Float64Array} y
 * @param {Float64Array} gap 1 − |z|² of every point
 * @param {Float64Array} weight the number of nodes below
 * @param {Int32Array} around all nodes by angle
 * @returns {Float32Array} infinite where nothing stands in the way
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
 * Lets every node meet the last one before it that is at least as general.
 * @param {Int32Array} around
 * @param {Float64Array} gap
 * @param {(node: number, other: number) => void} meet
 */
function meetMoreGeneral(around, gap, meet) {
  const count = around.length;
  const stack = new Int32Array(2 * count);
  let top = 0;
  // Twice around, because the last nodes come before the first.
  for (let step = 0; step < 2 * count; step++) {
    const node = around[step % count];
    while (top > 0 && (gap[stack[top - 1]] < gap[node] || stack[top - 1] === node)) top--;
    if (top > 0) meet(node, stack[top - 1]);
    stack[top++] = node;
  }
}
