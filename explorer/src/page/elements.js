// HTML elements made from data: any element, and lists of nodes in which each name is a button that goes there.

import { branchColor, PALETTES } from "../disk/palette.js";
import { displayName, fullName } from "../model/model.js";
import { count, originName } from "./wording.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {Node | string | null | undefined | false} Child
 * @typedef {{row: number, note?: string, mark?: "unexpected" | "missing"}} Entry
 */

// How many entries a list shows at first, and how many its button adds.
const FEW = 8;
const MANY = 250;

/**
 * An element with properties and children. Keys that begin with "on" become listeners, "role" and keys with a dash
 * become attributes, all others properties. Text only goes into text nodes and attributes, so any name is safe.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Record<string, unknown>} [props] @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    else if (key.includes("-") || key === "role") element.setAttribute(key, String(value));
    else Reflect.set(element, key, value);
  }
  const present = children.flat().filter((child) => child || child === "");
  element.append(.../** @type {(Node | string)[]} */ (present));
  return element;
}

/** An element of the page by its id. @template {HTMLElement} [Kind=HTMLElement] @param {string} id @returns {Kind} */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element ${id}`);
  return /** @type {Kind} */ (element);
}

/** A button that goes to a row. @param {App} app @param {number} row @param {string} [note] */
export function nameButton(app, row, note) {
  const go = (/** @type {MouseEvent} */ event) => (event.shiftKey ? app.second(row) : app.goTo(row));
  return make(
    "button",
    { type: "button", className: "name", title: fullName(app.model, row), onclick: go, ...hoverHandlers(app, row) },
    make("span", { className: "dot", "aria-hidden": "true", ...dotStyle(app, row) }),
    make("span", { className: "label" }, displayName(app.model, row)),
    note !== undefined && make("span", { className: "note" }, note),
  );
}

/** Pointing at a name marks its node on the disk. @param {App} app @param {number} row */
function hoverHandlers(app, row) {
  const [point, leave] = [() => app.hover(row), () => app.hover(-1)];
  return { onpointerenter: point, onfocus: point, onpointerleave: leave, onblur: leave };
}

/** @param {App} app @param {number} row */
function dotStyle({ model, state }, row) {
  return { style: `background:${branchColor(PALETTES[state.theme], model.branch[row])}` };
}

/**
 * The title of a list, and what its rows were taken from.
 * @param {string} title @param {import("../model/model.js").By | "mixed"} by @returns {(Node | string)[]}
 */
export function listTitle(title, by) {
  return [title, " ", make("span", { className: "by" }, originName(by))];
}

/**
 * A heading with a count, the first few entries, and a button for the rest.
 * @param {App} app @param {(Node | string)[]} title @param {Entry[]} entries
 * @param {{isWhole?: boolean, empty?: string}} [options]
 */
export function listSection(app, title, entries, { isWhole = true, empty = "None." } = {}) {
  const amount = isWhole ? count(entries.length) : `${count(entries.length)} and more`;
  return make(
    "section",
    { className: "list" },
    make("h3", {}, title, " ", make("span", { className: "count" }, amount)),
    entries.length ? growingList(app, entries) : make("p", { className: "quiet" }, empty),
  );
}

/**
 * A list that is closed at first.
 * @param {App} app
 * @param {Child} summary
 * @param {Entry[] | (() => Entry[])} entries or a function that finds them when the list is opened
 */
export function foldedList(app, summary, entries) {
  if (typeof entries === "object" && !entries.length) return make("p", { className: "fold" }, summary);
  const details = make("details", { className: "fold" }, make("summary", {}, summary));
  // A cone can contain a hundred thousand nodes, so the buttons are made when the list is opened.
  details.addEventListener("toggle", () => {
    if (details.children.length > 1) return;
    const rows = typeof entries === "function" ? entries() : entries;
    details.append(rows.length ? growingList(app, rows) : make("p", { className: "quiet" }, "None."));
  });
  return details;
}

/** @param {App} app @param {Entry[]} entries */
function growingList(app, entries) {
  const list = make("ul", { className: "names" });
  const more = make("button", { type: "button", className: "more" });
  let shown = 0;
  const grow = (/** @type {number} */ until) => {
    list.append(...entries.slice(shown, until).map((entry) => listItem(app, entry)));
    shown = Math.min(until, entries.length);
    more.hidden = shown === entries.length;
    more.textContent = `Show ${count(Math.min(MANY, entries.length - shown))} more`;
  };
  more.addEventListener("click", () => {
    const next = shown;
    grow(shown + MANY);
    list.children[next]?.querySelector("button")?.focus();
  });
  grow(entries.length <= FEW + 2 ? entries.length : FEW);
  return make("div", {}, list, more);
}

/** @param {App} app @param {Entry} entry */
function listItem(app, { row, note, mark }) {
  const button = nameButton(app, row, note);
  if (mark) button.classList.add(mark);
  return make("li", {}, button);
}
