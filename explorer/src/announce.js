// What a screen reader says when something has changed.
import { byId } from "./dom.js";
import { displayName } from "./model.js";
import { agreement, sentence } from "./verdict.js";
import { count, pluralize, region } from "./words.js";

/** @typedef {import("./app.js").App} App */

/** @param {App} app @param {import("./app.js").Change} change */
export function announce(app, change) {
  const words = change === "selected" ? aboutSelection(app) : change === "second" ? aboutSecond(app) : null;
  if (words !== null) byId("live").textContent = words;
}

/** @param {App} app */
function aboutSelection({ model, selection }) {
  if (!selection) return "Nothing selected.";
  const { row, insideCount, unexpected, missing, belowCount } = selection;
  const inside = `${displayName(model, row)}: ${pluralize(insideCount, "node")} inside its ${region(model.method)}`;
  if (belowCount === null) return `${inside}.`;
  const apart = `${count(unexpected.length)} of them not below in the graph; ${count(missing.length)} below, but outside`;
  return `${inside}, ${apart}.`;
}

/** @param {App} app */
function aboutSecond(app) {
  const { explanation } = app;
  if (!explanation) return "Comparison closed.";
  return explanation.graph === null
    ? sentence(app, explanation)
    : `${sentence(app, explanation)} ${agreement(app, explanation)}`;
}
