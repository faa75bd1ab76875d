// Sorting rows by a number of theirs, much faster than with a comparing function.

/**
 * The rows from the smallest value to the largest, of equals the earlier first.
 * @param {Float64Array} values
 * @returns {Int32Array}
 */
export function orderOf(values) {
  // Without a comparing function numbers are sorted by the engine's own code; then each row looks up its place.
  const sorted = values.slice().sort();
  const taken = new Int32Array(values.length);
  const order = new Int32Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const place = firstNotBelow(sorted, values[row]);
    order[place + taken[place]++] = row;
  }
  return order;
}

/** @param {Float64Array} sorted @param {number} value */
function firstNotBelow(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
