import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsNamed } from "../src/answers/search.js";

const model = { names: ["HP:1", "HP:2", "HP:3", "Beta"], labels: ["Heart", "heart", "Beta", ""] };

test("a name means its node, whatever labels say", () => {
  assert.deepEqual(rowsNamed(model, "HP:2"), [1]);
  assert.deepEqual(rowsNamed(model, "Beta"), [3]);
});

test("a label means its node letter for letter, and else without regard to case", () => {
  assert.deepEqual(rowsNamed(model, "heart"), [1]);
  assert.deepEqual(rowsNamed(model, "HEART"), [0, 1]);
  assert.deepEqual(rowsNamed(model, "hp:3"), [2]);
});

test("no node is called by an empty text, unless that is its name", () => {
  assert.deepEqual(rowsNamed(model, ""), []);
  assert.deepEqual(rowsNamed({ names: ["a", ""], labels: null }, ""), [1]);
  assert.deepEqual(rowsNamed({ names: ["a"], labels: null }, "b"), []);
});
