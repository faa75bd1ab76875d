// What model this is and how it is drawn, always in sight.
import { byId, make } from "./dom.js";
import { pluralize, number, methodName } from "./words.js";

/** @typedef {import("./model.js").Model} Model */

/** @param {Model} model */
export function showFacts(model) {
  const facts = [
    methodName(model.method),
    `${model.dim}-D`,
    pluralize(model.count, "node"),
    known(model.kind),
    `threshold ${number(model.threshold)}`,
  ];
  byId("title").textContent = model.title;
  byId("facts").replaceChildren(...facts.filter(Boolean).flatMap(unbroken));
  document.title = `${model.title} – hypercone explorer`;
}

/** A fact stays on one line, and its dot with it. @param {string} fact @param {number} place @param {string[]} facts */
function unbroken(fact, place, facts) {
  return [make("span", { className: "fact" }, place < facts.length - 1 ? `${fact} ·` : fact), " "];
}

/** A model of which nobody knows how it came about is "given", which says nothing. @param {string} kind */
function known(kind) {
  return kind === "given" ? "" : kind;
}

/** @param {Model} model */
export function showCaption(model) {
  const caption = byId("caption");
  caption.textContent = captionOf(model);
  // How the radii came about is only there.
  caption.title = model.view.caption;
}

/** What is drawn and what is lit, where these differ. @param {Pick<Model, "view" | "dim">} model */
export function captionOf({ view, dim }) {
  /** @type {Record<string, string>} */
  const drawn = {
    construction: "a 2-D construction of the same hierarchy",
    projection: "the points projected on their best plane",
  };
  if (!Object.hasOwn(drawn, view.kind)) return view.caption;
  return `Drawn: ${drawn[view.kind]}. Lit: the answers of the model itself, in ${dim}-D.`;
}
