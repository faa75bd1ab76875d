/**
 * The colors of the disk in the dark and the light theme.
 *
 * The twelve branch hues are spread around the OKLCH circle, and neighboring hues differ in lightness, so that most of
 * them can be distinguished by people with color blindness; the first ones, for the largest branches, differ the most.
 */

/**
 * @typedef {object} Palette
 * @property {string} background behind the disk
 * @property {string} disk the disk itself
 * @property {string} rim
 * @property {string} glow around the rim
 * @property {string} text
 * @property {string} quiet text of nodes outside the selected cone
 * @property {string} halo around text and rings, so that they are legible over anything
 * @property {string} above nodes above all branches
 * @property {string} unexpected inside the cone, but not below in the graph
 * @property {string} missing below in the graph, but not inside the cone
 * @property {string} chosen rings and cone of the selected node
 * @property {string} second rings and cone of the second node
 * @property {string[]} branches
 */

/** @type {Record<"dark" | "light", Palette>} */
export const PALETTES = {
  dark: {
    background: "#0b0f19",
    disk: "#111827",
    rim: "#5b6b8c",
    glow: "#6f8fd8",
    text: "#eef2fa",
    quiet: "#98a3b8",
    halo: "#0d1320",
    above: "#dbe3f2",
    unexpected: "#ff5b3a",
    missing: "#ffd23f",
    chosen: "#ffffff",
    second: "#7ee0ff",
    branches: [
      "#52a9fe", "#feb84d", "#52cd86", "#e97ab2", "#1be5ee", "#ede361",
      "#b48df4", "#ed7665", "#b7eb7d", "#b3c0ff", "#feacc5", "#f28e42",
    ],
  },
  light: {
    background: "#f1f0ec",
    disk: "#fdfcfa",
    rim: "#9aa3b5",
    glow: "#7f93c4",
    text: "#161b26",
    quiet: "#626a78",
    halo: "#fdfcfa",
    above: "#3c4658",
    unexpected: "#d8290b",
    missing: "#9a5b00",
    chosen: "#10141c",
    second: "#006f9a",
    branches: [
      "#0961bb", "#a06604", "#0b7643", "#a83876", "#04848f", "#776a0a",
      "#6d41a9", "#b2392b", "#5b8b03", "#676cd6", "#cb4f73", "#8b3f03",
    ],
  },
};

/**
 * The color of a branch; nodes above the branches, and branches after the twelfth, have the color "above".
 * @param {Palette} palette
 * @param {number} branch
 * @returns {string}
 */
export function branchColor(palette, branch) {
  return palette.branches[branch] ?? palette.above;
}

/**
 * Red, green and blue of a color #rrggbb, 0 to 255.
 * @param {string} color
 * @returns {[number, number, number]}
 */
export function channels(color) {
  const value = parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/**
 * A color as the low 24 bits of an ImageData pixel on a little-endian machine.
 * @param {string} color
 */
export function packColor(color) {
  const [red, green, blue] = channels(color);
  return red | (green << 8) | (blue << 16);
}

/**
 * Mixes two colors.
 * @param {string} color
 * @param {string} other
 * @param {number} part of the other, 0 to 1
 * @returns {string}
 */
export function mixColors(color, other, part) {
  const ends = channels(other);
  const mix = channels(color).map((value, i) => Math.round(value + (ends[i] - value) * part));
  return "#" + mix.map((value) => value.toString(16).padStart(2, "0")).join("");
}

/**
 * The contrast ratio of WCAG 2, from 1 to 21.
 * @param {string} one
 * @param {string} other
 */
export function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** @param {string} color */
function luminance(color) {
  const [red, green, blue] = channels(color).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
