import assert from "node:assert/strict";
import { test } from "node:test";

import { captionOf, count, degrees, inBothUnits, number, pluralize, region, withArticle } from "../src/page/wording.js";

test("a number has four significant digits", () => {
  assert.deepEqual([0, 1, 0.123456, -2.5, 12345.678, 1.23456e-7].map(number), [
    "0",
    "1",
    "0.1235",
    "−2.5",
    "12,350",
    "1.235e−7",
  ]);
  assert.deepEqual([NaN, Infinity].map(number), ["NaN", "Infinity"]);
});

test("an angle is in degrees, and a very small one is not 0", () => {
  assert.equal(degrees(Math.PI / 2), "90.00°");
  assert.equal(degrees(0), "0.00°");
  assert.equal(degrees(-0.1), "−5.73°");
  assert.equal(degrees(1e-9), "5.73e−8°");
  assert.equal(inBothUnits(0.1), "0.1 rad (5.73°)");
});

test("plurals and articles match numbers and first letters", () => {
  assert.deepEqual([pluralize(1, "node"), pluralize(1500, "node"), count(82114)], ["1 node", "1,500 nodes", "82,114"]);
  assert.deepEqual(["animal", "dog", ""].map(withArticle), ["an animal", "a dog", "a "]);
  assert.deepEqual(["hyperbolic-cones", "order", "euclidean"].map(region), ["cone", "region", "reach"]);
});

/** @param {string} kind */
function caption(kind) {
  const view = { kind: /** @type {"own"} */ (kind), caption: "As Python says.", K: null };
  return captionOf({ view, dim: 5 });
}

test("the caption says once what is drawn and once what is highlighted", () => {
  for (const kind of ["construction", "projection"]) {
    const words = caption(kind);
    assert.equal(words.match(/Drawn/g)?.length, 1, words);
    assert.equal(words.match(/Lit/g)?.length, 1, words);
    assert.match(words, /5-D/);
    assert.ok(!words.includes("Python"), words);
  }
  assert.match(caption("construction"), /2-D construction/);
});

test("the model's own points, and unknown kinds of view, have the caption of Python", () => {
  assert.equal(caption("own"), "As Python says.");
  assert.equal(caption("another"), "As Python says.");
});
