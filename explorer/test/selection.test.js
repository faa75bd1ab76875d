import assert from "node:assert/strict";
import { test } from "node:test";
import { Relations } from "../src/answers/relations.js";
import { AGREED, childrenOf, makeSelection, MISSING, OUTSIDE, parentsOf, UNEXPECTED } from "../src/answers/agreement.js";
import { modelOf } from "./fixtures.js";

const points = [0.3, 0, 0.9, 0, 0.6, 0, -0.9, 0, 0, 0.9];

test("a selection marks who is inside, who is a unexpected there, and who is missing", () => {
  const model = modelOf({ points, edges: [0, 1, 0, 3] });
  const found = makeSelection(model, new Relations(model), 0);
  assert.deepEqual([...found.marks], [OUTSIDE, AGREED, UNEXPECTED, MISSING, OUTSIDE]);
  assert.deepEqual([found.inside, found.unexpected, found.missing], [[2, 1], [2], [3]]);
  assert.deepEqual([found.insideCount, found.belowCount], [2, 2]);
});

test("without edges nobody can be a unexpected", () => {
  const model = modelOf({ points });
  const relations = new Relations(model);
  const found = makeSelection(model, relations, 0);
  assert.deepEqual([...found.marks], [OUTSIDE, AGREED, AGREED, OUTSIDE, OUTSIDE]);
  assert.equal(found.belowCount, null);
  assert.deepEqual(parentsOf(model, relations, 1), [2]);
  assert.deepEqual(childrenOf(model, relations, found).rows, [2]);
});

test("with edges parents and children are those of the graph", () => {
  const model = modelOf({ points, edges: [0, 1, 0, 3] });
  const relations = new Relations(model);
  assert.deepEqual(parentsOf(model, relations, 1), [0]);
  assert.deepEqual(childrenOf(model, relations, makeSelection(model, relations, 0)).rows, [1, 3]);
});
