import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { DIMMEST } from "../src/disk/dots.js";
import { branchColor, channels, contrast, mixColors, packColor, PALETTES } from "../src/disk/palette.js";

const themes = /** @type {const} */ (["dark", "light"]);

test("the contrast of black and white is 21, that of a color with itself is 1", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  assert.equal(contrast("#6d41a9", "#6d41a9"), 1);
});

test("every dot has a contrast of at least 3 to the disk, at any depth", () => {
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

test("text has a contrast of at least 4.5 to the disk, the background and its halo", () => {
  for (const theme of themes) {
    const { text, quiet, disk, background, halo } = PALETTES[theme];
    for (const color of [text, quiet]) {
      for (const behind of [disk, background, halo]) assert.ok(contrast(color, behind) >= 4.5, `${theme} ${color}`);
    }
  }
});

test("there are twelve different branch colors, and one for nodes above the branches", () => {
  for (const theme of themes) {
    const palette = PALETTES[theme];
    assert.equal(new Set(palette.branches).size, 12);
    assert.equal(branchColor(palette, -1), palette.above);
    assert.equal(branchColor(palette, 12), palette.above);
  }
});

test("colors are split into channels, packed and mixed", () => {
  assert.deepEqual(channels("#0180ff"), [1, 128, 255]);
  assert.equal(packColor("#0180ff"), 0xff8001);
  assert.equal(mixColors("#000000", "#ffffff", 0.5), "#808080");
  assert.equal(mixColors("#123456", "#ffffff", 0), "#123456");
});

const style = readFileSync(new URL("../src/style.css", import.meta.url), "utf8");

/** The colors that a block of the style buffer declares. @param {string} selector @returns {Record<string, string>} */
function declared(selector) {
  const begin = style.indexOf(`${selector} {`);
  const block = style.slice(begin, style.indexOf("}", begin));
  return Object.fromEntries(
    [...block.matchAll(/--([a-z]+): (#[0-9a-f]{6});/g)].map(([, name, color]) => [name, color]),
  );
}

const dark = declared(":root");
const pageColors = { dark, light: { ...dark, ...declared(':root[data-theme="light"]') } };

for (const [name, colors] of Object.entries(pageColors)) {
  const palette = PALETTES[/** @type {"dark" | "light"} */ (name)];
  // The panel is slightly transparent, and a pressed button or a verdict has a slightly different background.
  const backgrounds = [
    palette.background,
    palette.disk,
    colors.solid,
    mixColors(colors.solid, name === "dark" ? "#ffffff" : "#141e32", 0.08),
  ];

  test(`every text has enough contrast in the ${name} theme`, () => {
    for (const text of [palette.text, colors.quiet, colors.warning, colors.yes]) {
      for (const ground of backgrounds)
        assert.ok(contrast(text, ground) >= 4.5, `${text} on ${ground}: ${contrast(text, ground)}`);
    }
  });

  test(`the highlighted button has enough contrast in the ${name} theme`, () => {
    assert.ok(contrast(palette.background, colors.accent) >= 4.5);
  });

  test(`the focus and the marks have enough contrast in the ${name} theme`, () => {
    for (const sign of [colors.accent, palette.unexpected, palette.missing]) {
      for (const ground of backgrounds)
        assert.ok(contrast(sign, ground) >= 3, `${sign} on ${ground}: ${contrast(sign, ground)}`);
    }
  });
}
