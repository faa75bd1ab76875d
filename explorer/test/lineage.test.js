import assert from "node:assert/strict";
import { test } from "node:test";

import { makeSelection, explain } from "../src/answers/agreement.js";
import { Lineage } from "../src/answers/lineage.js";
import { Relations } from "../src/answers/relations.js";
import { makeGraph, withoutEdges } from "../src/model/graph.js";
import { modelOf, sourcesOf } from "./answers.js";
import { randomNumbers } from "./drawing.js";

// 5 → 0 → 2 → 3, 5 → 1 → 3, and 4 alone. The points say something else.
const edges = [5, 0, 0, 2, 2, 3, 5, 1, 1, 3];
const depth = Int32Array.of(1, 1, 2, 3, 0, 0);
const points = [0.3, 0, 0.9, 0, 0.6, 0, -0.9, 0, 0, 0.9, 0.5, 0.5];
const model = { ...modelOf({ points, edges }), depth };
const lineage = new Lineage(makeGraph(6, Int32Array.from(edges)), depth, new Relations(model));

test("relatives are those of the graph, by depth and then by row", () => {
  assert.deepEqual(lineage.above(3), [5, 0, 1, 2]);
  assert.deepEqual(lineage.parents(3), [1, 2]);
  assert.deepEqual(lineage.children(5), { rows: [0, 1], isWhole: true });
  assert.deepEqual(lineage.siblings(1).rows, [0]);
  assert.deepEqual(lineage.siblings(4).rows, []);
  assert.deepEqual([...lineage.below(0)], [0, 0, 1, 1, 0, 0]);
  assert.deepEqual(lineage.listOf(4, Uint8Array.of(1, 1, 1, 1, 1, 1)), [4, 5, 0, 1, 2, 3]);
  assert.deepEqual(lineage.pathUp(3), [3, 1, 5]);
  assert.deepEqual([lineage.isA(3, 5), lineage.isA(5, 3), lineage.isA(2, 2)], [true, false, true]);
});

test("edges at some places are left out, the others stay in order", () => {
  const three = Int32Array.of(0, 1, 1, 2, 0, 2);
  assert.deepEqual([...withoutEdges(three, Int32Array.of(2))], [0, 1, 1, 2]);
  assert.deepEqual([...withoutEdges(three, Int32Array.of(0, 1))], [0, 2]);
  assert.deepEqual([...withoutEdges(three, Int32Array.of(0, 1, 2))], []);
  assert.deepEqual([...withoutEdges(three, new Int32Array(0))], [...three]);
});

test("on any graph, all relatives follow from reachability", () => {
  const random = randomNumbers(3);
  const count = 60;
  const pairs = Array.from({ length: 120 }, () => [Math.floor(random() * count), Math.floor(random() * count)])
    .filter(([one, other]) => one !== other)
    .flatMap(([one, other]) => [Math.min(one, other), Math.max(one, other)]);
  const graph = makeGraph(count, Int32Array.from(pairs));
  const flat = Array.from({ length: 2 * count }, () => random() / 2);
  const some = new Lineage(graph, new Int32Array(count), new Relations(modelOf({ points: flat })));
  for (let row = 0; row < count; row++) {
    const below = some.below(row);
    for (let other = 0; other < count; other++) {
      assert.equal(below[other] === 1, other !== row && some.isA(other, row));
      assert.equal(below[other] === 1, some.above(other).includes(row));
    }
  }
});

// 6 was placed by a point: by geometry it is below 0 and 2, and above 1. 7 was placed under it, at the same spot as 3.
const placed = { points: [...points, 0.7, 0, -0.9, 0], edges: [...edges, 6, 7] };
const mixed = { ...modelOf(placed), depth: Int32Array.of(...depth, 0, 1), byPoint: Int32Array.of(6) };

test("pairs with a node that is not in the graph are judged by geometry, unless edges connect them", () => {
  const { lineage: found, relations } = sourcesOf(mixed, "graph");
  assert.ok(found);
  assert.deepEqual([found.isA(6, 0), found.isA(1, 6), found.isA(3, 6), found.isA(7, 6)], [true, true, false, true]);
  assert.deepEqual(
    [found.originOf(6, 0), found.originOf(0, 6), found.originOf(0, 2), found.originOf(7, 6), found.originOf(7, 3)],
    ["geometry", "geometry", "graph", "graph", "geometry"],
  );
  assert.deepEqual(found.above(1), [5, 6]);
  assert.deepEqual(found.parents(1), [5], "only a node placed by a point has parents by geometry");
  assert.deepEqual(found.parents(6), relations.parents(6));
  assert.deepEqual(found.parents(6), [2]);
  assert.deepEqual(found.children(2).rows, [3, 6]);
  assert.deepEqual(found.siblings(3).rows, [6]);
  assert.deepEqual([found.originOfSibling(3, 6), found.originOfSibling(0, 1)], ["geometry", "graph"]);
  assert.deepEqual([...found.below(0)], [0, 0, 1, 1, 0, 0, 1, 0]);
  assert.deepEqual(found.pathUp(7), [7, 6, 2, 0]);
});

test("a selection says whether it is mixed, and an explanation with such a node has no graph", () => {
  const sources = sourcesOf(mixed, "graph");
  const found = makeSelection(sources, 0);
  assert.deepEqual([found.by, found.found, found.belowCount], ["mixed", [2, 3, 6], 2]);
  assert.deepEqual([...makeSelection(sourcesOf(mixed, "geometry"), 0).unexpected], [1]);
  const own = makeSelection(sources, 6);
  assert.deepEqual([own.by, own.found, own.belowCount, own.unexpected, own.missing], ["mixed", [7, 1], null, [7], []]);
  const pair = explain(mixed, sources, 6, 0);
  assert.deepEqual([pair.by, pair.verdict, pair.graph, pair.agrees, pair.path], ["geometry", true, null, null, []]);
  assert.equal(explain(mixed, sources, 7, 6).graph, "edge");
});
