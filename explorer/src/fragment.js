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
export function written({ selected, second, camera, hidden, theme }) {
  const parts = [];
  if (selected !== undefined) parts.push(`node=${encoded(selected)}`);
  if (second !== undefined) parts.push(`with=${encoded(second)}`);
  if (camera) parts.push(`at=${NUMBERS.map((key) => short(camera[key], key)).join(",")}`);
  if (hidden.length) parts.push(`hide=${hidden.join(",")}`);
  if (theme) parts.push(`theme=${theme}`);
  return parts.join("&");
}

/**
 * Whatever in a fragment makes no sense is left out.
 * @param {string} fragment with or without its #
 * @returns {Place}
 */
export function read(fragment) {
  /** @type {Place} */
  const place = { hidden: [] };
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const cut = part.indexOf("=");
    const value = decoded(part.slice(cut + 1));
    if (cut < 0 || value === null) continue;
    const key = part.slice(0, cut);
    if (key === "node") place.selected = value;
    else if (key === "with") place.second = value;
    else if (key === "at") place.camera = camera(value);
    else if (key === "hide") place.hidden = PARTS.filter((name) => value.split(",").includes(name));
    else if (key === "theme" && (value === "dark" || value === "light")) place.theme = value;
  }
  return place;
}

/** @param {string} name */
function encoded(name) {
  // Half of a surrogate pair cannot be written in an address; names from UTF-8 never hold one.
  return encodeURIComponent(name.replace(/[\ud800-\udfff]/gu, "\ufffd"));
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** @param {string} text @returns {Snapshot | undefined} */
function camera(text) {
  const numbers = text.split(",").map((part) => (part.trim() ? Number(part) : NaN));
  if (numbers.length !== NUMBERS.length || !numbers.every(Number.isFinite)) return undefined;
  const [cx, cy, turn, zoom, panx, pany] = numbers;
  return { cx, cy, turn, zoom, panx, pany };
}

/**
 * The centre keeps all its digits, for near the border they are what tells neighbours apart.
 * @param {number} value
 * @param {string} key
 */
function short(value, key) {
  return key === "cx" || key === "cy" ? String(value) : String(Number(value.toPrecision(6)));
}
