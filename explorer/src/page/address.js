// The view in the address: writes it as the view changes, and restores it when the address changes.

import { findObsolete, rowsNamed } from "../answers/lookup.js";
import { showNotice } from "./layout.js";
import { obsoleteSentence } from "./wording.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("../disk/camera.js").Snapshot} Snapshot
 * @typedef {"cones" | "edges" | "labels"} Layer
 * @typedef {{
 *   selected?: string, second?: string, camera?: Snapshot, by?: "graph" | "geometry", hidden: Layer[],
 *   theme?: "dark" | "light",
 * }} View
 */

// Milliseconds without a change after which the address is written.
const PAUSE = 300;
const NUMBERS = /** @type {const} */ (["cx", "cy", "turn", "zoom", "panx", "pany"]);
const LAYERS = /** @type {const} */ ([
  ["showCones", "cones"],
  ["showEdges", "edges"],
  ["showLabels", "labels"],
]);

export class Address {
  /** @param {App} app @param {(theme: "dark" | "light") => void} chooseTheme */
  constructor(app, chooseTheme) {
    this.app = app;
    this.chooseTheme = chooseTheme;
    /** @type {"dark" | "light" | undefined} Only a theme that the user chose is in the address. */
    this.theme = undefined;
    this.last = "";
    /** The row that is selected in the current entry of the browser's history. */
    this.entry = -1;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** Restores the view from the address, and keeps both in step from now on. */
  start() {
    this.restore();
    this.app.listeners.push((change) => {
      if (change !== "moving") this.#scheduleWrite();
    });
    const follow = () => {
      if (location.hash.replace(/^#/, "") !== this.last) this.restore();
    };
    // Back and Forward, and an address that is typed over the old one.
    window.addEventListener("popstate", follow);
    window.addEventListener("hashchange", follow);
  }

  restore() {
    const { app } = this;
    const view = parseFragment(location.hash);
    this.last = location.hash.replace(/^#/, "");
    for (const [key, layer] of LAYERS) app.show(key, !view.hidden.includes(layer));
    if (view.theme) this.chooseTheme(view.theme);
    app.ask(view.by ?? app.model.answersBy);
    const [selected, second] = [view.selected, view.second].map((name) => findRow(app, name));
    app.select(selected.row);
    app.second(second.row);
    // After the selection, because a selection removes the last notice.
    showNotice([selected.trouble, second.trouble].filter(Boolean).join(" "));
    this.entry = app.state.selected;
    app.zoomOut = null;
    app.camera.restore(view.camera ?? app.home);
    if (!view.camera && app.state.selected >= 0) app.fly(app.state.selected);
    app.frames.request();
  }

  #scheduleWrite() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#write(), PAUSE);
  }

  #write() {
    const { state, model, camera, home } = this.app;
    const snapshot = camera.snapshot();
    const isHome = NUMBERS.every((key) => Math.abs(snapshot[key] - home[key]) < 1e-12);
    const text = formatFragment({
      selected: model.names[state.selected],
      second: model.names[state.second],
      // An address with a node and no camera would center the node instead of restoring what is seen now.
      camera: isHome && state.selected < 0 ? undefined : snapshot,
      by: state.by === model.answersBy ? undefined : state.by,
      hidden: LAYERS.filter(([key]) => !state[key]).map(([, layer]) => layer),
      theme: this.theme,
    });
    if (text === this.last) return;
    this.last = text;
    const address = text ? `#${text}` : location.pathname + location.search;
    // Only a new selection is a step in the history, so that Back goes from node to node.
    if (state.selected === this.entry) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    this.entry = state.selected;
  }
}

/**
 * The row with this name or label, or −1 and a message that says why there is none.
 * @param {App} app @param {string | undefined} text @returns {{row: number, trouble: string}}
 */
function findRow(app, text) {
  if (text === undefined) return { row: -1, trouble: "" };
  const rows = rowsNamed(app.model, text);
  if (rows.length === 1) return { row: rows[0], trouble: "" };
  const obsolete = rows.length ? null : findObsolete(app.model, text);
  if (obsolete) {
    return { row: obsolete.rows.length === 1 ? obsolete.rows[0] : -1, trouble: obsoleteSentence(app.model, obsolete) };
  }
  const trouble = rows.length ? `${rows.length} nodes are called ${text}; find one by its name.` : `No such node: ${text}.`;
  return { row: -1, trouble };
}

/** @param {View} view @returns {string} without the leading # */
export function formatFragment({ selected, second, camera, by, hidden, theme }) {
  const parts = [];
  if (selected !== undefined) parts.push(`node=${encodeName(selected)}`);
  if (second !== undefined) parts.push(`with=${encodeName(second)}`);
  if (camera) parts.push(`at=${NUMBERS.map((key) => formatNumber(camera[key], key)).join(",")}`);
  if (by) parts.push(`by=${by}`);
  if (hidden.length) parts.push(`hide=${hidden.join(",")}`);
  if (theme) parts.push(`theme=${theme}`);
  return parts.join("&");
}

/**
 * Ignores every part of a fragment that is not valid.
 * @param {string} fragment with or without its #
 * @returns {View}
 */
export function parseFragment(fragment) {
  /** @type {View} */
  const view = { hidden: [] };
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const cut = part.indexOf("=");
    const value = decodeText(part.slice(cut + 1));
    if (cut < 0 || value === null) continue;
    const key = part.slice(0, cut);
    if (key === "node") view.selected = value;
    else if (key === "with") view.second = value;
    else if (key === "at") view.camera = parseCamera(value);
    else if (key === "by" && (value === "graph" || value === "geometry")) view.by = value;
    else if (key === "hide") view.hidden = LAYERS.map(([, name]) => name).filter((name) => value.split(",").includes(name));
    else if (key === "theme" && (value === "dark" || value === "light")) view.theme = value;
  }
  return view;
}

/** @param {string} name */
function encodeName(name) {
  // encodeURIComponent throws on half of a surrogate pair; names from UTF-8 never contain one.
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
 * The center is written with all its digits: near the border the last ones separate neighbors.
 * @param {number} value
 * @param {string} key
 */
function formatNumber(value, key) {
  return key === "cx" || key === "cy" ? String(value) : String(Number(value.toPrecision(6)));
}
