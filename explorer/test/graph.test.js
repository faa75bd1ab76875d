import assert from "node:assert/strict";
import { test } from "node:test";
import { makeGraph, neighbors, reachable, rootsOf, shortestPath, pathToRoot, weights } from "../src/model/graph.js";

// 0 → 1 → 3 → 4, 0 → 2 → 3, 0 → 4, and 5 alone.
const graph = makeGraph(6, Int32Array.of(2, 3, 0, 2, 0, 1, 1, 3, 3, 4, 0, 4));

test("neighbors ascend whatever the order of the edges", () => {
  assert.deepEqual([...neighbors(graph.children, 0)], [1, 2, 4]);
  assert.deepEqual([...neighbors(graph.parents, 3)], [1, 2]);
  assert.deepEqual([...neighbors(graph.parents, 5)], []);
});

test("what is reached from a row is all below it and not itself", () => {
  assert.deepEqual([...reachable(graph.children, 1)], [0, 0, 0, 1, 1, 0]);
  assert.deepEqual([...reachable(graph.parents, 4)], [1, 1, 1, 1, 0, 0]);
});

test("a shortest path is short, and a row alone where there is none", () => {
  assert.deepEqual(shortestPath(graph, 4, 0), [4, 0]);
  assert.deepEqual(shortestPath(graph, 4, 1), [4, 3, 1]);
  assert.deepEqual(shortestPath(graph, 4, 5), [4]);
  assert.deepEqual(pathToRoot(graph, 3), [3, 1, 0]);
  assert.deepEqual(pathToRoot(graph, 5), [5]);
});

test("roots are the rows without parents", () => {
  assert.deepEqual(rootsOf(graph), [0, 5]);
});

test("a node with two parents counts a half for each, and all of it for the root", () => {
  assert.deepEqual([...weights(graph)], [4, 0.75, 0.75, 0.5, 0, 0]);
});

test("a cycle ends every walk", () => {
  const ring = makeGraph(3, Int32Array.of(0, 1, 1, 2, 2, 0));
  assert.deepEqual([...reachable(ring.children, 0)], [0, 1, 1]);
  assert.deepEqual(pathToRoot(ring, 0), [0]);
  assert.equal(weights(ring).length, 3);
});

test("no edges at all are a graph too", () => {
  const empty = makeGraph(2, new Int32Array(0));
  assert.deepEqual(rootsOf(empty), [0, 1]);
  assert.deepEqual([...weights(empty)], [0, 0]);
});
