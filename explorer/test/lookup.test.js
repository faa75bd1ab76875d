import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsCalled } from "../src/lookup.js";

const model = { names: ["HP:1", "HP:2", "HP:3", "Beta"], labels: ["Heart", "heart", "Beta", ""] };

test("a name means its node, whatever labels say", () => {
  assert.deepEqual(rowsCalled(model, "HP:2"), [1]);
  assert.deepEqual(rowsCalled(model, "Beta"), [3]);
});

test("a label means its node letter for letter, and else without regard to case", () => {
  assert.deepEqual(rowsCalled(model, "heart"), [1]);
  assert.deepEqual(rowsCalled(model, "HEART"), [0, 1]);
  assert.deepEqual(rowsCalled(model, "hp:3"), [2]);
});

test("no node is called by an empty text, unless that is its name", () => {
  assert.deepEqual(rowsCalled(model, ""), []);
  assert.deepEqual(rowsCalled({ names: ["a", ""], labels: null }, ""), [1]);
  assert.deepEqual(rowsCalled({ names: ["a"], labels: null }, "b"), []);
});
