// The view in the address: who is selected, who is compared, where one looks, what is shown.

/**
 * @typedef {import("./camera.js").Snapshot} Snapshot
 * @typedef {{cones: boolean, edges: boolean, labels: boolean}} Shown
 * @typedef {{
 *   selected?: string, second?: string, camera?: Snapshot, hidden: (keyof Shown)[], theme?: "dark" | "light",
 * }} Place
 */

const NUMBERS = /** @type {const} */ (["cx", "cy", "turn", "zoom", "panx", "pany"]);
const PARTS = /** @type {const} */ (["cones", "edges", "labels"]);

/** @param {Place} place @returns {string} without the leading # */
export function formatFragment({ selected, second, camera, hidden, theme }) {
  const parts = [];
  if (selected !== undefined) parts.push(`node=${encodeName(selected)}`);
  if (second !== undefined) parts.push(`with=${encodeName(second)}`);
  if (camera) parts.push(`at=${NUMBERS.map((key) => formatNumber(camera[key], key)).join(",")}`);
  if (hidden.length) parts.push(`hide=${hidden.join(",")}`);
  if (theme) parts.push(`theme=${theme}`);
  return parts.join("&");
}

/**
 * Whatever in a fragment makes no sense is left out.
 * @param {string} fragment with or without its #
 * @returns {Place}
 */
export function parseFragment(fragment) {
  /** @type {Place} */
  const place = { hidden: [] };
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const cut = part.indexOf("=");
    const value = decodeText(part.slice(cut + 1));
    if (cut < 0 || value === null) continue;
    const key = part.slice(0, cut);
    if (key === "node") place.selected = value;
    else if (key === "with") place.second = value;
    else if (key === "at") place.camera = parseCamera(value);
    else if (key === "hide") place.hidden = PARTS.filter((name) => value.split(",").includes(name));
    else if (key === "theme" && (value === "dark" || value === "light")) place.theme = value;
  }
  return place;
}

/** @param {string} name */
function encodeName(name) {
  // Half of a surrogate pair cannot be written in an address; names from UTF-8 never hold one.
  return encodeURIComponent(name.replace(/[\ud800-\udfff]/gu, "\ufffd"));
}

/** @param {string} text */
function decodeText(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** @param {string} text @returns {Snapshot | undefined} */
function parseCamera(text) {
  const numbers = text.split(",").map((part) => (part.trim() ? Number(part) : NaN));
  if (numbers.length !== NUMBERS.length || !numbers.every(Number.isFinite)) return undefined;
  const [cx, cy, turn, zoom, panx, pany] = numbers;
  return { cx, cy, turn, zoom, panx, pany };
}

/**
 * The center keeps all its digits, for near the border they are what tells neighbors apart.
 * @param {number} value
 * @param {string} key
 */
function formatNumber(value, key) {
  return key === "cx" || key === "cy" ? String(value) : String(Number(value.toPrecision(6)));
}
