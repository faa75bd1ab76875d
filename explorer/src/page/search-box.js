// The search box: a combobox whose list is updated at every key.

import { findObsolete, otherSpellings, rowsNamed } from "../answers/lookup.js";
import { displayName } from "../model/model.js";
import { byId, make } from "./elements.js";
import { obsoleteSentence, pathWords } from "./wording.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("../answers/search.js").Match} Match
 */

const SHOWN = 12;

export class SearchBox {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.input = /** @type {HTMLInputElement} */ (byId("query"));
    this.list = byId("results");
    /** @type {number[]} */
    this.rows = [];
    /** @type {Set<string> | null} The names that several nodes are displayed by. */
    this.shared = null;
    this.active = -1;
    /** Whether the next choice becomes the second node. */
    this.isComparing = false;
    this.input.addEventListener("input", () => this.#find());
    this.input.addEventListener("focus", () => this.#find());
    this.input.addEventListener("blur", () => this.#leave());
    this.input.addEventListener("keydown", (event) => this.#key(event));
    app.listeners.push((change) => change === "selected" && this.#clear());
  }

  /** Focuses the box to search for a node to go to. */
  open() {
    this.#setComparing(false);
    this.input.focus();
    this.input.select();
  }

  /** Focuses the box to search for a node to compare the selected one with. */
  compare() {
    if (this.app.state.selected < 0) return this.open();
    this.input.value = "";
    this.#setComparing(true);
    this.input.focus();
  }

  /** @param {boolean} isComparing */
  #setComparing(isComparing) {
    this.isComparing = isComparing;
    const { model, state } = this.app;
    const text = isComparing ? `Compare ${displayName(model, state.selected)} with …` : "Find a node";
    this.input.placeholder = text;
    this.input.setAttribute("aria-label", isComparing ? text : "Find a node by name, label or synonym");
    this.input.classList.toggle("comparing", isComparing);
  }

  #find() {
    const query = this.input.value.trim();
    const { model, search } = this.app;
    const obsolete = findObsolete(model, query);
    const matches = search.matches(query, SHOWN).filter(({ row }) => !obsolete?.rows.includes(row));
    // The search does not find another form of an address, because it is not part of any name.
    const isAddress = !matches.length && otherSpellings(query, model.glossary.prefixes).length > 0;
    const named = obsolete?.rows ?? (isAddress ? rowsNamed(model, query).slice(0, SHOWN) : []);
    const found = [...named.map((row) => ({ row, alias: null })), ...matches];
    this.rows = found.map(({ row }) => row);
    this.active = this.rows.length ? 0 : -1;
    const message = obsolete ? obsoleteSentence(model, obsolete) : found.length ? "" : "No such node.";
    const messages = query && message ? [make("li", { className: "quiet", role: "presentation" }, message)] : [];
    this.list.replaceChildren(...messages, ...found.map((match, place) => this.#option(match, place)));
    this.#setOpen(query !== "");
    this.#showActive();
  }

  /** @param {Match} match @param {number} place */
  #option({ row, alias }, place) {
    const { model } = this.app;
    const title = displayName(model, row);
    const where = this.#whereIs(row, title);
    const choose = (/** @type {MouseEvent} */ event) => {
      // Otherwise the box would lose the focus, and that closes the list.
      event.preventDefault();
      this.#choose(row, event.shiftKey);
    };
    return make(
      "li",
      { role: "option", id: `result-${place}`, "aria-selected": "false", onmousedown: choose },
      make("span", { className: "label" }, alias && make("span", { className: "alias" }, `${alias} → `), title),
      // The name of a node from a file of paths is its path.
      title !== model.names[row] && !(where && model.names[row].endsWith(` > ${title}`)) && note(model.names[row]),
      where && make("span", { className: "where" }, where),
    );
  }

  /** The way down to a node whose label is also that of others. @param {number} row @param {string} title */
  #whereIs(row, title) {
    const { model, lineage } = this.app;
    if (!model.labels || !lineage) return "";
    this.shared ??= duplicates(model.names.map((_, other) => displayName(model, other)));
    return this.shared.has(title) ? pathWords(model, lineage.pathUp(row).slice(1).reverse()) : "";
  }

  /** @param {boolean} isOpen */
  #setOpen(isOpen) {
    this.list.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", String(isOpen));
  }

  #showActive() {
    [...this.list.querySelectorAll("[role=option]")].forEach((option, place) => {
      option.setAttribute("aria-selected", String(place === this.active));
      if (place === this.active) option.scrollIntoView({ block: "nearest" });
    });
    if (this.active < 0) this.input.removeAttribute("aria-activedescendant");
    else this.input.setAttribute("aria-activedescendant", `result-${this.active}`);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") this.#step(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Enter" && this.active >= 0) this.#choose(this.rows[this.active], event.shiftKey);
    else if (event.key === "Escape") this.#escape();
    // Everywhere else this key opens the search box, so it is often pressed once more than needed.
    else if (event.key === "/" && !this.input.value) event.preventDefault();
    else return;
    event.preventDefault();
  }

  /** @param {1 | -1} step */
  #step(step) {
    if (!this.rows.length) return;
    this.active = (this.active + step + this.rows.length) % this.rows.length;
    this.#showActive();
  }

  /** Clears the text and closes the list, or leaves the box if it is empty. */
  #escape() {
    if (this.input.value) this.#clear();
    else this.app.canvas.focus();
  }

  #clear() {
    this.input.value = "";
    this.rows = [];
    this.active = -1;
    this.list.replaceChildren();
    this.#setOpen(false);
    this.#showActive();
  }

  /** @param {number} row @param {boolean} isSecond */
  #choose(row, isSecond) {
    const compares = this.isComparing || isSecond;
    this.#clear();
    this.#setComparing(false);
    this.app.canvas.focus();
    if (compares) this.app.second(row);
    else this.app.goTo(row);
  }

  #leave() {
    this.#setOpen(false);
    if (this.isComparing) this.#setComparing(false);
  }
}

/** @param {string} text */
function note(text) {
  return make("span", { className: "note" }, text);
}

/** The texts that occur more than once. @param {string[]} texts */
function duplicates(texts) {
  const seen = new Set();
  const again = new Set();
  for (const text of texts) (seen.has(text) ? again : seen).add(text);
  return again;
}
