import assert from "node:assert/strict";
import { test } from "node:test";
import { shouldSwap, explain } from "../src/answers/agreement.js";
import { Relations } from "../src/answers/relations.js";
import { ANSWERS, modelOf, nameOf } from "./fixtures.js";

/** @param {number | null} found @param {number | null} expected */
function close(found, expected) {
  if (expected === null || found === null) return assert.equal(found, expected);
  assert.ok(Math.abs(found - expected) <= 1e-12 * Math.max(1, Math.abs(expected)), `${found} is not ${expected}`);
}

for (const answers of ANSWERS) {
  test(`explanations of ${nameOf(answers)} are those of Python`, () => {
    const model = modelOf(answers);
    const relations = new Relations(model);
    for (const expected of answers.explained) {
      const found = explain(model, relations, expected.child, expected.parent);
      for (const key of /** @type {const} */ (["isA", "graph", "agrees", "lost", "stray"])) {
        assert.deepEqual(found[key], expected[key], `${key} of ${expected.child} and ${expected.parent}`);
      }
      assert.deepEqual(
        found.chain.map((step) => step.row),
        expected.chain,
      );
      assert.deepEqual(
        found.path.map((step) => step.row),
        expected.path,
      );
      close(found.energy, expected.energy);
      close(found.margin, expected.margin);
      close(found.angle, expected.angle);
      close(found.aperture, expected.aperture);
    }
  });
}

const line = { points: [0.3, 0, 0.5, 0, 0.9, 0, -0.5, 0] };

test("without edges the graph says nothing", () => {
  const model = modelOf(line);
  const found = explain(model, new Relations(model), 2, 0);
  assert.deepEqual([found.isA, found.graph, found.agrees, found.path, found.stray], [true, null, null, [], null]);
  assert.deepEqual(
    found.chain.map((step) => step.row),
    [1, 0],
  );
});

test("a node compared with itself is one node", () => {
  const model = modelOf({ ...line, edges: [0, 1] });
  const found = explain(model, new Relations(model), 1, 1);
  assert.deepEqual([found.isA, found.graph, found.agrees, found.chain], [true, "same", true, []]);
});

test("a second node above the selected one is asked about as the parent", () => {
  const model = modelOf({ ...line, edges: [3, 0] });
  const relations = new Relations(model);
  assert.equal(shouldSwap(model, relations, 0, 2), false);
  assert.equal(shouldSwap(model, relations, 2, 0), true);
  assert.equal(shouldSwap(model, relations, 0, 3), true, "the graph decides where geometry says no both ways");
  assert.equal(shouldSwap(model, relations, 3, 2), false);
});
