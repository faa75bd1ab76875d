import assert from "node:assert/strict";
import { test } from "node:test";

import { PALETTES, branchColour, channels, contrast, mixed, packed } from "../src/colours.js";
import { DIMMEST } from "../src/dots.js";

const themes = /** @type {const} */ (["dark", "light"]);

test("the contrast of black and white is 21, of a colour with itself 1", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  assert.equal(contrast("#6d41a9", "#6d41a9"), 1);
});

test("every dot stands out from the disk by 3 to 1 at least, as deep as it may be", () => {
  for (const theme of themes) {
    const { branches, above, stranger, missing, chosen, second, disk } = PALETTES[theme];
    for (const colour of [...branches, above, stranger, missing, chosen, second]) {
      assert.ok(contrast(colour, disk) >= 3, `${theme} ${colour}`);
    }
    for (const colour of branches) {
      assert.ok(contrast(mixed(colour, disk, DIMMEST), disk) >= 3, `${theme} ${colour}`);
    }
  }
});

test("text can be read by 4.5 to 1 on the disk, on the ground and on its halo", () => {
  for (const theme of themes) {
    const { text, quiet, disk, ground, halo } = PALETTES[theme];
    for (const colour of [text, quiet]) {
      for (const behind of [disk, ground, halo]) assert.ok(contrast(colour, behind) >= 4.5, `${theme} ${colour}`);
    }
  }
});

test("there are twelve branch colours, all different, and one for what lies above them", () => {
  for (const theme of themes) {
    const palette = PALETTES[theme];
    assert.equal(new Set(palette.branches).size, 12);
    assert.equal(branchColour(palette, -1), palette.above);
    assert.equal(branchColour(palette, 12), palette.above);
  }
});

test("colours are taken apart and mixed", () => {
  assert.deepEqual(channels("#0180ff"), [1, 128, 255]);
  assert.equal(packed("#0180ff"), 0xff8001);
  assert.equal(mixed("#000000", "#ffffff", 0.5), "#808080");
  assert.equal(mixed("#123456", "#ffffff", 0), "#123456");
});
