import assert from "node:assert/strict";
import { test } from "node:test";

import { formatFragment, parseFragment } from "../src/page/address.js";

const camera = { cx: 0.1 + 0.2, cy: -0.9999999999999871, turn: 1.25, zoom: 3, panx: -0.5, pany: 0.25 };

test("a formatted fragment is parsed back to the same view", () => {
  const place = {
    selected: "dog.n.01",
    second: "cat",
    camera,
    by: /** @type {const} */ ("geometry"),
    hidden: /** @type {const} */ (["edges", "labels"]),
    theme: /** @type {const} */ ("light"),
  };
  assert.deepEqual(parseFragment("#" + formatFragment({ ...place, hidden: [...place.hidden] })), place);
});

test("names with any characters survive the fragment", () => {
  for (const selected of ["", "a&b=c#d%", "100 %", "\u{1f980}/?", "\u202E", "' \"<>", "+ +", "née", "a,b", "\ufeff"]) {
    assert.equal(parseFragment(formatFragment({ selected, hidden: [] })).selected, selected);
  }
});

test("the center is written with all its digits", () => {
  assert.equal(parseFragment(formatFragment({ camera, hidden: [] })).camera?.cy, camera.cy);
});

test("the default view is an empty fragment, which is different from a node with an empty name", () => {
  assert.equal(formatFragment({ hidden: [] }), "");
  assert.deepEqual(parseFragment(""), { hidden: [] });
  assert.equal(parseFragment("#node=").selected, "");
});

test("invalid parts of a fragment are ignored", () => {
  for (const text of [
    "#",
    "#&&=",
    "#node=%E0%A4%A",
    "#at=1,2",
    "#at=1,2,3,4,5,x",
    "#at=,,,,,",
    "#at=1,2,3,4,5,1e999",
    "#theme=pink",
    "#by=chance",
    "#hide=all",
    "#what=ever",
  ]) {
    const place = parseFragment(text);
    assert.deepEqual(
      [place.selected, place.camera, place.theme, place.by, place.hidden],
      [undefined, undefined, undefined, undefined, []],
      text,
    );
  }
});
