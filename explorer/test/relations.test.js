import assert from "node:assert/strict";
import { test } from "node:test";
import { Relations } from "../src/answers/relations.js";
import { ANSWERS, modelOf, nameOf } from "./fixtures.js";

/** @param {Uint8Array} marks */
function rowsOf(marks) {
  return [...marks.keys()].filter((row) => marks[row]);
}

/** @param {number[]} rows */
function ascending(rows) {
  return [...rows].sort((one, other) => one - other);
}

for (const answers of ANSWERS) {
  const relations = new Relations(modelOf(answers));
  const rows = [...Array(answers.count).keys()];

  test(`descendants of ${nameOf(answers)} are the very sets of Python`, () => {
    for (const row of rows) assert.deepEqual(rowsOf(relations.below(row)), ascending(answers.descendants[row]));
  });

  test(`ancestors of ${nameOf(answers)} are those of Python, in its order`, () => {
    for (const row of rows) assert.deepEqual(relations.above(row), answers.ancestors[row]);
  });

  test(`immediate parents and children of ${nameOf(answers)} are those of Python`, () => {
    for (const row of rows) {
      assert.deepEqual(relations.parents(row), answers.parents[row]);
      assert.deepEqual(relations.children(row), { rows: answers.children[row], isWhole: true });
    }
  });

  test(`the nearest of ${nameOf(answers)} are those of Python`, () => {
    for (const row of rows) {
      const found = relations.nearest(row, 10);
      assert.deepEqual(
        found.map((near) => near.row),
        answers.nearest[row].map(([other]) => other),
      );
      found.forEach(({ distance }, i) =>
        assert.ok(Math.abs(distance - answers.nearest[row][i][1]) <= 1e-12 * distance),
      );
    }
  });
}

test("the pair whose energy is the threshold itself is inside", () => {
  for (const answers of ANSWERS) {
    const relations = new Relations(modelOf(answers));
    const at = answers.signed.indexOf(answers.threshold);
    assert.ok(at >= 0, `${nameOf(answers)} has no such pair`);
    assert.ok(relations.isA(at % answers.count, Math.floor(at / answers.count)));
    assert.ok(relations.margin(at % answers.count, Math.floor(at / answers.count)) >= 0);
  }
});

test("one node alone has no relations", () => {
  const relations = new Relations(modelOf({ points: [0.5, 0] }));
  assert.deepEqual(
    [relations.above(0), relations.parents(0), relations.children(0).rows, relations.nearest(0, 10)],
    [[], [], [], []],
  );
  assert.deepEqual(relations.pathUp(0), [0]);
});

test("a way up ends even where nodes are kinds of each other", () => {
  const relations = new Relations(modelOf({ points: [0.5, 0, 0.5, 0, 0.9, 0], threshold: 4 }));
  assert.deepEqual(relations.pathUp(2), [2, 1, 0]);
});

test("children of very many descendants come in time, and say that there may be more", () => {
  const count = 3000;
  const points = Array.from({ length: count }, (_, row) => [Math.cos(row / count), Math.sin(row / count)]);
  const flat = [0.11, 0, ...points.flatMap(([x, y]) => [0.99 * x, 0.99 * y])];
  const { rows, isWhole } = new Relations(modelOf({ points: flat, threshold: 1e-9 })).children(0);
  assert.equal(isWhole, false);
  assert.ok(rows.length > 100);
});
