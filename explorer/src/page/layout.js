// What surrounds the disk: the size of the canvas, the theme, the header, the caption, and short messages.

import { PALETTES } from "../disk/palette.js";
import { byId, make } from "./elements.js";
import { captionOf, comparisonAnnouncement, modelFacts, selectionAnnouncement } from "./wording.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("../model/model.js").Model} Model
 * @typedef {"dark" | "light"} Theme
 */

// The same conditions as in style.css.
const NARROW = "(max-width: 760px) and (min-height: 501px)";
const LOW = "(max-height: 500px)";
// These elements lie over the disk, so no label is placed under them.
const OVERLAYS = ["title", "facts", "query", "caption", "tools", "panel"];

/** Fits the canvas to the window, now and whenever the window changes. @param {App} app @param {HTMLCanvasElement} canvas */
export function trackSize(app, canvas) {
  const [stage, panel, handle, top, foot] = ["stage", "panel", "handle", "top", "foot"].map((id) => byId(id));
  const [narrow, low] = [matchMedia(NARROW), matchMedia(LOW)];
  const measure = () => {
    // In a small window the canvas takes the space between header and footer; else it fills the window.
    const isSmall = narrow.matches || low.matches;
    stage.style.top = isSmall ? `${top.getBoundingClientRect().bottom}px` : "";
    stage.style.bottom = isSmall ? `${window.innerHeight - foot.getBoundingClientRect().top}px` : "";
    const { width, height, right } = stage.getBoundingClientRect();
    // The canvas lies under the panel as well, but the disk is centered in the part that the panel leaves free.
    const covered = narrow.matches ? 0 : Math.max(0, right - panel.getBoundingClientRect().left);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    app.renderer.labels.reserved = OVERLAYS.map((id) => boxOn(stage, byId(id)));
    app.resize(width, height, Math.min(covered, width / 2));
  };
  handle.addEventListener("click", () => {
    const isOpen = !panel.classList.toggle("folded");
    handle.setAttribute("aria-expanded", String(isOpen));
    measure();
  });
  const observer = new ResizeObserver(measure);
  for (const element of [document.documentElement, top, foot]) observer.observe(element);
  measure();
}

/** The box of an element in pixels of the stage. @param {HTMLElement} stage @param {HTMLElement} element */
function boxOn(stage, element) {
  const [under, over] = [stage.getBoundingClientRect(), element.getBoundingClientRect()];
  return { x: over.x - under.x, y: over.y - under.y, width: over.width, height: over.height };
}

const darkScheme = () => matchMedia("(prefers-color-scheme: dark)");

/** The theme that the system prefers. @returns {Theme} */
export function preferredTheme() {
  return darkScheme().matches ? "dark" : "light";
}

/** @param {(theme: Theme) => void} listener */
export function whenPreferenceChanges(listener) {
  darkScheme().addEventListener("change", () => listener(preferredTheme()));
}

/** Gives the page the colors of the disk's palette. @param {Theme} theme */
export function applyTheme(theme) {
  const { dataset, style } = document.documentElement;
  const palette = PALETTES[theme];
  dataset.theme = theme;
  for (const name of /** @type {const} */ (["background", "text", "unexpected", "missing", "chosen", "second"])) {
    style.setProperty(`--${name}`, palette[name]);
  }
}

/** Fills the header and the caption. @param {Model} model */
export function showModel(model) {
  byId("title").textContent = model.title;
  byId("facts").replaceChildren(...modelFacts(model).flatMap(factElement));
  document.title = `${model.title} – hypercone explorer`;
  const caption = byId("caption");
  caption.textContent = captionOf(model);
  // Only Python's own caption says how the radii were chosen.
  caption.title = model.view.caption;
}

/** A fact and the dot after it stay on one line. @param {string} fact @param {number} place @param {string[]} facts */
function factElement(fact, place, facts) {
  return [make("span", { className: "fact" }, place < facts.length - 1 ? `${fact} ·` : fact), " "];
}

/** Shows a message over the disk until the next selection. @param {string} text an empty text hides it */
export function showNotice(text) {
  const element = byId("notice");
  element.hidden = !text;
  element.classList.toggle("transient", text !== "");
  element.textContent = text;
}

/** Tells screen readers what has changed. @param {App} app @param {import("./app.js").Change} change */
export function announce({ model, selection, explanation }, change) {
  if (change === "selected" || (change === "by" && !explanation)) byId("live").textContent = selectionAnnouncement(model, selection);
  if (change === "second" || (change === "by" && explanation)) byId("live").textContent = comparisonAnnouncement(model, explanation);
}
