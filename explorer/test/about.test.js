import assert from "node:assert/strict";
import { test } from "node:test";
import { captionOf } from "../src/page/wording.js";

/** @param {string} kind */
function caption(kind) {
  const view = { kind: /** @type {"own"} */ (kind), caption: "As Python says.", K: null };
  return captionOf({ view, dim: 5 });
}

test("the caption says once what is drawn and once what is lit", () => {
  for (const kind of ["construction", "projection"]) {
    const words = caption(kind);
    assert.equal(words.match(/Drawn/g)?.length, 1, words);
    assert.equal(words.match(/Lit/g)?.length, 1, words);
    assert.match(words, /5-D/);
    assert.ok(!words.includes("Python"), words);
  }
  assert.match(caption("construction"), /2-D construction/);
});

test("the model's own points, and a view of a kind to come, are called as Python calls them", () => {
  assert.equal(caption("own"), "As Python says.");
  assert.equal(caption("another"), "As Python says.");
});
