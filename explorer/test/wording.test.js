import assert from "node:assert/strict";
import { test } from "node:test";

import { captionOf, count, degrees, inBothUnits, number, obsoleteSentence, pathWords, pluralize, region, withArticle } from "../src/page/wording.js";
import { modelOf } from "./answers.js";

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

const model = { ...modelOf({ points: Array(12).fill(0) }), names: ["a", "b", "c", "d", "e", "f"] };

test("a long path is shortened to its first node and its last two", () => {
  assert.equal(pathWords(model, []), "");
  assert.equal(pathWords(model, [0, 1, 2, 3]), "a › b › c › d");
  assert.equal(pathWords(model, [0, 1, 2, 3, 4, 5]), "a › … › e › f");
});

test("an obsolete id is followed by what replaces it, also if that is not in the model", () => {
  const labeled = { ...model, labels: ["", "Beta", "", "", "", ""] };
  const old = { name: "old", label: "", replacements: /** @type {string[]} */ ([]), consider: ["a"], rows: [0] };
  assert.equal(
    obsoleteSentence(labeled, { ...old, replacements: ["b", "a"], rows: [1, 0] }),
    "old is obsolete, replaced by b (Beta) and a.",
  );
  assert.equal(
    obsoleteSentence(labeled, { ...old, label: "Alpha", replacements: ["x"], rows: [] }),
    "old (Alpha) is obsolete, replaced by x, which this model does not have.",
  );
  assert.equal(obsoleteSentence(labeled, old), "old is obsolete; what is meant may be a.");
  assert.equal(obsoleteSentence(labeled, { ...old, consider: [], rows: [] }), "old is obsolete, and nothing replaces it.");
});
