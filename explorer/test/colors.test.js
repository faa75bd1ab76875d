import assert from "node:assert/strict";
import { test } from "node:test";

import { PALETTES, branchColor, channels, contrast, mixColors, packColor } from "../src/disk/palette.js";
import { DIMMEST } from "../src/disk/dots.js";

const themes = /** @type {const} */ (["dark", "light"]);

test("the contrast of black and white is 21, of a color with itself 1", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  assert.equal(contrast("#6d41a9", "#6d41a9"), 1);
});

test("every dot stands out from the disk by 3 to 1 at least, as deep as it may be", () => {
  for (const theme of themes) {
    const { branches, above, unexpected, missing, chosen, second, disk } = PALETTES[theme];
    for (const color of [...branches, above, unexpected, missing, chosen, second]) {
      assert.ok(contrast(color, disk) >= 3, `${theme} ${color}`);
    }
    for (const color of branches) {
      assert.ok(contrast(mixColors(color, disk, DIMMEST), disk) >= 3, `${theme} ${color}`);
    }
  }
});

test("text can be read by 4.5 to 1 on the disk, on the ground and on its halo", () => {
  for (const theme of themes) {
    const { text, quiet, disk, background, halo } = PALETTES[theme];
    for (const color of [text, quiet]) {
      for (const behind of [disk, background, halo]) assert.ok(contrast(color, behind) >= 4.5, `${theme} ${color}`);
    }
  }
});

test("there are twelve branch colors, all different, and one for what lies above them", () => {
  for (const theme of themes) {
    const palette = PALETTES[theme];
    assert.equal(new Set(palette.branches).size, 12);
    assert.equal(branchColor(palette, -1), palette.above);
    assert.equal(branchColor(palette, 12), palette.above);
  }
});

test("colors are taken apart and mixed", () => {
  assert.deepEqual(channels("#0180ff"), [1, 128, 255]);
  assert.equal(packColor("#0180ff"), 0xff8001);
  assert.equal(mixColors("#000000", "#ffffff", 0.5), "#808080");
  assert.equal(mixColors("#123456", "#ffffff", 0), "#123456");
});
