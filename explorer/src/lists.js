// Lists of nodes in the panel, each name a button that goes there.
import { make } from "./dom.js";
import { branchColor, PALETTES } from "./colors.js";
import { displayName, fullName } from "./model.js";
import { count } from "./words.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {{row: number, note?: string, mark?: "unexpected" | "missing"}} Entry
 */

const FEW = 8;
const MANY = 250;

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

/** Whoever points at a name sees on the disk where it is. @param {App} app @param {number} row */
function hoverHandlers(app, row) {
  const [point, leave] = [() => app.hover(row), () => app.hover(-1)];
  return { onpointerenter: point, onfocus: point, onpointerleave: leave, onblur: leave };
}

/** @param {App} app @param {number} row */
function dotStyle({ model, state }, row) {
  return { style: `background:${branchColor(PALETTES[state.theme], model.branch[row])}` };
}

/**
 * A heading with a count and the first few entries; a button brings the rest.
 * @param {App} app @param {string} title @param {Entry[]} entries
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
 * The same behind a line that opens it.
 * @param {App} app
 * @param {import("./dom.js").Child} summary
 * @param {Entry[]} entries
 */
export function foldedList(app, summary, entries) {
  if (!entries.length) return make("p", { className: "fold" }, summary);
  const details = make("details", { className: "fold" }, make("summary", {}, summary));
  // A cone can hold a hundred thousand nodes: their buttons are made when someone looks.
  details.addEventListener("toggle", () => details.children.length < 2 && details.append(growingList(app, entries)));
  return details;
}

/** @param {App} app @param {Entry[]} entries */
function growingList(app, entries) {
  const list = make("ul", { className: "names" });
  const more = make("button", { type: "button", className: "more" });
  let shown = 0;
  const grow = (/** @type {number} */ until) => {
    list.append(...entries.slice(shown, until).map((entry) => item(app, entry)));
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
function item(app, { row, note, mark }) {
  const button = nameButton(app, row, note);
  if (mark) button.classList.add(mark);
  return make("li", {}, button);
}
