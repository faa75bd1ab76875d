import assert from "node:assert/strict";
import { test } from "node:test";

import { AGREED, childrenOf, explain, makeSelection, MISSING, OUTSIDE, shouldSwap, UNEXPECTED } from "../src/answers/agreement.js";
import { makeEnergy } from "../src/answers/energy.js";
import { Relations } from "../src/answers/relations.js";
import { ANSWERS, modelOf, nameOf, sourcesOf } from "./answers.js";

for (const answers of ANSWERS) {
  test(`the energies of ${nameOf(answers)} are those of Python`, () => {
    const energy = makeEnergy(modelOf(answers));
    answers.signed.forEach((expected, i) => {
      const found = energy.signed(Math.floor(i / answers.count), i % answers.count);
      // Every pair is within the rounding error that the formula itself reports.
      assert.ok(Math.abs(found - expected) <= energy.doubt(), `pair ${i}: ${found} is not ${expected}`);
      assert.ok(energy.doubt() <= 1e-14 * Math.max(1, Math.abs(expected)), `pair ${i}: the doubt is ${energy.doubt()}`);
    });
  });
}

test("a point is in its own cone and in that of another node at the same place", () => {
  const energy = makeEnergy(modelOf({ points: [-0.3, -0.4, -0.3, -0.4, 0.3, 0.4] }));
  assert.equal(energy.signed(0, 0), -energy.aperture(0));
  assert.equal(energy.signed(0, 1), -energy.aperture(0));
  assert.ok(energy.signed(0, 2) > 0);
});

test("only methods with cones have an aperture", () => {
  const points = [0.3, 0.4, 0.6, 0.8];
  for (const method of ["hyperbolic-cones", "euclidean-cones", "order", "poincare", "euclidean"]) {
    const energy = makeEnergy(modelOf({ method, points }));
    assert.equal(energy.hasCones, method.endsWith("cones"));
    assert.equal(Number.isFinite(energy.aperture(0)), energy.hasCones);
  }
});

test("a method that does not exist is refused", () => {
  assert.throws(() => makeEnergy(modelOf({ method: "spheres", points: [0, 0] })), /no method spheres/);
});

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

  test(`descendants of ${nameOf(answers)} are exactly those of Python`, () => {
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

test("the pair whose energy is the threshold is inside", () => {
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

test("a path up ends even if nodes are below each other", () => {
  const relations = new Relations(modelOf({ points: [0.5, 0, 0.5, 0, 0.9, 0], threshold: 4 }));
  assert.deepEqual(relations.pathUp(2), [2, 1, 0]);
});

test("the search for children among very many descendants stops in time and says so", () => {
  const count = 3000;
  const points = Array.from({ length: count }, (_, row) => [Math.cos(row / count), Math.sin(row / count)]);
  const flat = [0.11, 0, ...points.flatMap(([x, y]) => [0.99 * x, 0.99 * y])];
  const { rows, isWhole } = new Relations(modelOf({ points: flat, threshold: 1e-9 })).children(0);
  assert.equal(isWhole, false);
  assert.ok(rows.length > 100);
});

const points = [0.3, 0, 0.9, 0, 0.6, 0, -0.9, 0, 0, 0.9];

test("a selection by geometry marks the nodes inside, those not in the graph, and those outside", () => {
  const model = modelOf({ points, edges: [0, 1, 0, 3] });
  const found = makeSelection(sourcesOf(model, "geometry"), 0);
  assert.deepEqual([...found.marks], [OUTSIDE, AGREED, UNEXPECTED, MISSING, OUTSIDE]);
  assert.deepEqual([found.found, found.unexpected, found.missing], [[2, 1], [2], [3]]);
  assert.deepEqual([found.by, found.insideCount, found.belowCount], ["geometry", 2, 2]);
});

test("a selection by the graph marks the nodes below, those outside, and those only inside", () => {
  const model = modelOf({ points, edges: [0, 1, 0, 3] });
  const found = makeSelection(sourcesOf(model, "graph"), 0);
  assert.deepEqual([...found.marks], [OUTSIDE, AGREED, MISSING, UNEXPECTED, OUTSIDE]);
  assert.deepEqual([found.found, found.unexpected, found.missing], [[1, 3], [3], [2]]);
  assert.deepEqual([found.by, found.insideCount, found.belowCount], ["graph", 2, 2]);
});

test("without edges no node is unexpected", () => {
  const sources = sourcesOf(modelOf({ points }), "graph");
  const found = makeSelection(sources, 0);
  assert.deepEqual([...found.marks], [OUTSIDE, AGREED, AGREED, OUTSIDE, OUTSIDE]);
  assert.deepEqual([found.by, found.belowCount], ["geometry", null]);
  assert.deepEqual(sources.answers.parents(1), [2]);
  assert.deepEqual(childrenOf(sources.answers, found).rows, [2]);
});

test("children by geometry are inside, also if the graph has others", () => {
  const sources = sourcesOf(modelOf({ points, edges: [0, 1, 0, 3] }), "geometry");
  assert.deepEqual(childrenOf(sources.answers, makeSelection(sources, 0)).rows, [2]);
  assert.deepEqual(sources.answers.siblings(2).rows, []);
});

/** @param {number | null} found @param {number | null} expected */
function close(found, expected) {
  if (expected === null || found === null) return assert.equal(found, expected);
  assert.ok(Math.abs(found - expected) <= 1e-12 * Math.max(1, Math.abs(expected)), `${found} is not ${expected}`);
}

for (const answers of ANSWERS) {
  test(`explanations of ${nameOf(answers)} are those of Python`, () => {
    const model = modelOf(answers);
    for (const expected of answers.explained) {
      const found = explain(model, sourcesOf(model, "geometry"), expected.child, expected.parent);
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

test("without edges an explanation has no graph", () => {
  const model = modelOf(line);
  const found = explain(model, sourcesOf(model, "geometry"), 2, 0);
  assert.deepEqual([found.isA, found.graph, found.agrees, found.path, found.stray], [true, null, null, [], null]);
  assert.deepEqual(
    found.chain.map((step) => step.row),
    [1, 0],
  );
});

test("a node compared with itself is the same node", () => {
  const model = modelOf({ ...line, edges: [0, 1] });
  const found = explain(model, sourcesOf(model, "graph"), 1, 1);
  assert.deepEqual([found.isA, found.graph, found.agrees, found.chain], [true, "same", true, []]);
});

test("the verdict is that of the one that is asked, and the other is there too", () => {
  const model = modelOf({ ...line, edges: [3, 0] });
  for (const [child, parent, inGraph, inside] of /** @type {const} */ ([
    [0, 3, true, false],
    [2, 0, false, true],
  ])) {
    const byGraph = explain(model, sourcesOf(model, "graph"), child, parent);
    const byGeometry = explain(model, sourcesOf(model, "geometry"), child, parent);
    assert.deepEqual([byGraph.by, byGraph.verdict, byGeometry.by, byGeometry.verdict], ["graph", inGraph, "geometry", inside]);
    assert.deepEqual({ ...byGraph, by: "geometry", verdict: inside }, byGeometry);
    assert.equal(byGraph.agrees, false);
  }
});

test("a second node above the selected one becomes the parent, first by the one that is asked", () => {
  const sources = sourcesOf(modelOf({ ...line, edges: [3, 0, 2, 1] }), "geometry");
  assert.equal(shouldSwap(sources, 0, 2), false);
  assert.equal(shouldSwap(sources, 2, 0), true);
  assert.equal(shouldSwap(sources, 0, 3), true, "the graph decides where geometry says no both ways");
  assert.equal(shouldSwap(sources, 3, 2), false);
  assert.equal(shouldSwap(sources, 2, 1), true);
  assert.equal(shouldSwap({ ...sources, answers: sources.lineage ?? sources.relations }, 2, 1), false);
});
