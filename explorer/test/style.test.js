import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { contrast, mixColors, PALETTES } from "../src/disk/palette.js";

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
const themes = { dark, light: { ...dark, ...declared(':root[data-theme="light"]') } };

for (const [name, colors] of Object.entries(themes)) {
  const palette = PALETTES[/** @type {"dark" | "light"} */ (name)];
  // The panel lets a little of the disk through, and a pressed button or a verdict lies on a slightly different ground.
  const grounds = [
    palette.background,
    palette.disk,
    colors.solid,
    mixColors(colors.solid, name === "dark" ? "#ffffff" : "#141e32", 0.08),
  ];

  test(`every text on ${name} ground can be read`, () => {
    for (const text of [palette.text, colors.quiet, colors.warning, colors.yes]) {
      for (const ground of grounds)
        assert.ok(contrast(text, ground) >= 4.5, `${text} on ${ground}: ${contrast(text, ground)}`);
    }
  });

  test(`a button that calls on ${name} ground can be read`, () => {
    assert.ok(contrast(palette.background, colors.accent) >= 4.5);
  });

  test(`the focus and the signs on ${name} ground can be seen`, () => {
    for (const sign of [colors.accent, palette.unexpected, palette.missing]) {
      for (const ground of grounds)
        assert.ok(contrast(sign, ground) >= 3, `${sign} on ${ground}: ${contrast(sign, ground)}`);
    }
  });
}
