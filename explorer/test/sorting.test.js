import assert from "node:assert/strict";
import { test } from "node:test";
import { orderOf } from "../src/answers/relations.js";

test("rows come by their value, and of equals the earlier first", () => {
  assert.deepEqual([...orderOf(Float64Array.of(2, 1, 2, -5, 1, 0))], [3, 5, 1, 4, 0, 2]);
  assert.deepEqual([...orderOf(Float64Array.of(0, -0, 0))].sort(), [0, 1, 2], "both zeros are in it");
  assert.deepEqual([...orderOf(new Float64Array(0))], []);
});

test("it is the order that a comparing function gives", () => {
  const values = Float64Array.from({ length: 5000 }, (_, row) => Math.sin(row * row) + (row % 3));
  const rows = [...values.keys()].sort((one, other) => values[one] - values[other] || one - other);
  assert.deepEqual([...orderOf(values)], rows);
});
