// The comparison of two nodes in words: what the model says, by how much, what the graph says, where they part.
import { make } from "./dom.js";
import { nameButton } from "./lists.js";
import { displayName } from "./model.js";
import { pluralize, inBothUnits, number, withArticle } from "./words.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./explain.js").Explanation} Explanation
 * @typedef {import("./explain.js").Step} Step
 */

/** The verdict as a sentence. @param {App} app @param {Explanation} found */
export function sentence({ model }, { child, parent, isA }) {
  return `${displayName(model, child)} is ${isA ? "" : "not "}${withArticle(displayName(model, parent))}.`;
}

/** @param {App} app @param {Explanation} found */
export function comparisonSection(app, found) {
  return make(
    "section",
    { className: "verdict", "aria-label": "Comparison" },
    make("h3", {}, "Comparison"),
    make("p", { className: found.isA ? "says yes" : "says no" }, sentence(app, found)),
    make(
      "dl",
      { className: "facts" },
      numbers(found).flatMap(([term, value]) => [make("dt", {}, term), make("dd", {}, value)]),
    ),
    chainPart(app, found),
    graphPart(app, found),
    make(
      "p",
      { className: "buttons" },
      make("button", { type: "button", onclick: () => app.swapQuestion() }, "Ask the other way round"),
      make("button", { type: "button", onclick: () => app.second(-1) }, "Done"),
    ),
  );
}

/** @param {Explanation} found @returns {[string, string][]} */
function numbers({ energy, threshold, margin, angle, aperture }) {
  if (angle === null || aperture === null) {
    return [
      ["Energy", number(energy)],
      ["Threshold", number(threshold)],
      ["Margin", number(margin)],
    ];
  }
  return [
    ["Angle Ξ", inBothUnits(angle)],
    ["Half aperture ψ", inBothUnits(aperture)],
    ["Energy", number(energy)],
    ["Threshold", number(threshold)],
    ["Margin", inBothUnits(margin)],
  ];
}

/** The way up by geometry, unless it is the way up the edges. @param {App} app @param {Explanation} found */
function chainPart(app, { child, chain, path }) {
  const isTheSame = chain.length === path.length && chain.every((step, i) => step.row === path[i].row);
  return chain.length > 0 && !isTheSame && make("div", {}, make("h4", {}, "By geometry"), way(app, child, chain));
}

/** @param {App} app @param {Explanation} found */
function graphPart(app, found) {
  const isCalm = found.agrees && !found.lost.length;
  return make(
    "div",
    {},
    make("h4", {}, "By the graph"),
    make("p", {}, graphSentence(app, found)),
    found.path.length > 0 && way(app, found.child, found.path),
    found.graph !== null && make("p", { className: isCalm ? "quiet" : "warning" }, agreement(app, found)),
  );
}

/** @param {App} app @param {Explanation} found */
function graphSentence({ model }, { graph, child, parent, path }) {
  if (graph === null) return "Unknown, for the model has no edges.";
  if (graph === "same") return "They are one node.";
  if (graph === "no") return `There is no way up from ${displayName(model, child)} to ${displayName(model, parent)}.`;
  return graph === "edge" ? "An edge." : `It follows from ${pluralize(path.length, "edge")}.`;
}

/** @param {App} app @param {Explanation} found */
export function agreement({ model }, { isA, graph, agrees, stray, path, child }) {
  const lost = path.find((step) => step.childMargin < 0);
  const where =
    lost && `${displayName(model, child)} is lost at ${displayName(model, lost.row)} (margin ${number(lost.childMargin)})`;
  if (isA && graph === "no" && stray !== null) {
    const first = `${displayName(model, stray)} is the first step up that is not above it in the graph`;
    return `Geometry and graph disagree: ${first}.`;
  }
  if (where) return agrees ? `Geometry and graph agree, but ${where}.` : `Geometry and graph disagree: ${where}.`;
  return agrees ? "Geometry and graph agree." : "Geometry and graph disagree.";
}

/**
 * The nodes of a way up, each with how far inside it the child is.
 * @param {App} app
 * @param {number} child
 * @param {Step[]} steps
 */
function way(app, child, steps) {
  const rows = steps.map(({ row, childMargin }) => {
    const button = nameButton(app, row, number(childMargin));
    if (childMargin < 0) button.classList.add("missing");
    return make("li", {}, button);
  });
  return make("ol", { className: "names way" }, make("li", {}, nameButton(app, child)), rows);
}
