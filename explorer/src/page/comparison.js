// The part of the panel about two nodes: the verdict of the one that is asked, then what graph and geometry say.

import { make, nameButton } from "./elements.js";
import {
  agreementSentence,
  geometrySentence,
  graphSentence,
  inBothUnits,
  number,
  originName,
  verdictSentence,
} from "./wording.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("../answers/agreement.js").Explanation} Explanation
 * @typedef {import("../answers/agreement.js").Step} Step
 */

/** What graph and geometry say about two nodes. @param {App} app @param {Explanation} found */
export function comparisonSection(app, found) {
  const parts = [graphPart(app, found), geometryPart(app, found)];
  const isFine = found.agrees && !found.lost.length;
  return make(
    "section",
    { className: "verdict", "aria-label": "Comparison" },
    make("h3", {}, "Comparison"),
    make(
      "p",
      { className: found.verdict ? "says yes" : "says no" },
      verdictSentence(app.model, found),
      " ",
      make("span", { className: "by" }, originName(found.by)),
    ),
    found.graph !== null && make("p", { className: isFine ? "quiet" : "warning" }, agreementSentence(app.model, found)),
    found.by === "graph" ? parts : parts.reverse(),
    make(
      "p",
      { className: "buttons" },
      make("button", { type: "button", onclick: () => app.swapQuestion() }, "Ask the other way round"),
      make("button", { type: "button", onclick: () => app.second(-1) }, "Done"),
    ),
  );
}

/** @param {App} app @param {Explanation} found */
function graphPart(app, found) {
  return make(
    "div",
    {},
    make("h4", {}, "By the graph"),
    make("p", {}, graphSentence(app.model, found)),
    found.path.length > 0 && pathList(app, found.child, found.path),
  );
}

/** The path up by geometry is left out if it is the same as that up the edges. @param {App} app @param {Explanation} found */
function geometryPart(app, found) {
  const { child, chain, path } = found;
  const isSame = chain.length === path.length && chain.every((step, i) => step.row === path[i].row);
  return make(
    "div",
    {},
    make("h4", {}, "By geometry"),
    make("p", {}, geometrySentence(app.model, found)),
    make(
      "dl",
      { className: "facts" },
      numbers(found).flatMap(([term, value]) => [make("dt", {}, term), make("dd", {}, value)]),
    ),
    chain.length > 0 && !isSame && pathList(app, child, chain),
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

/**
 * The nodes of a path up, each with the margin by which the child is inside.
 * @param {App} app
 * @param {number} child
 * @param {Step[]} steps
 */
function pathList(app, child, steps) {
  const rows = steps.map(({ row, childMargin }) => {
    const button = nameButton(app, row, number(childMargin));
    if (childMargin < 0) button.classList.add("missing");
    return make("li", {}, button);
  });
  return make("ol", { className: "names path" }, make("li", {}, nameButton(app, child)), rows);
}
