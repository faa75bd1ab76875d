// The side panel: where to begin, the selected node and its relatives, and the comparison of two nodes.

import { childrenOf, MISSING, parentsOf } from "../answers/agreement.js";
import { normOf } from "../answers/energy.js";
import { neighbors, reachable } from "../model/graph.js";
import { displayName, fullName } from "../model/model.js";
import { byId, foldedList, listSection, make, nameButton } from "./elements.js";
import {
  agreementSentence,
  count,
  degrees,
  graphSentence,
  inBothUnits,
  number,
  region,
  verdictSentence,
} from "./wording.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./elements.js").Entry} Entry
 * @typedef {import("../answers/agreement.js").Selection} Selection
 * @typedef {import("../answers/agreement.js").Explanation} Explanation
 * @typedef {import("../answers/agreement.js").Step} Step
 */

const NEAREST = 10;
// Counting the descendants of a row visits all of them, so longer lists go without these counts.
const MOST_COUNTED = 24;

/** @param {App} app @param {() => void} compare opens the search for a second node */
export function showPanel(app, compare) {
  const details = byId("details");
  const { selection, explanation } = app;
  const hadFocus = details.contains(document.activeElement);
  if (!selection) details.replaceChildren(welcome(app));
  else details.replaceChildren(...sections(app, selection, explanation && comparisonSection(app, explanation), compare));
  details.scrollTop = 0;
  // The button that had the focus was replaced, so the panel takes it.
  if (hadFocus) details.focus();
}

/**
 * @param {App} app
 * @param {Selection} selection
 * @param {HTMLElement | null} comparison
 * @param {() => void} compare
 * @returns {Node[]}
 */
function sections(app, selection, comparison, compare) {
  const parts = [
    breadcrumb(app, selection.row),
    heading(app, selection.row, compare),
    comparison,
    facts(app, selection),
    disagreement(app, selection),
    ...relatives(app, selection),
  ];
  return /** @type {Node[]} */ (parts.filter(Boolean));
}

/** @param {App} app @param {number} row @param {() => void} compare */
function heading(app, row, compare) {
  const { names } = app.model;
  const title = displayName(app.model, row);
  return make(
    "header",
    { className: "node" },
    make("h2", {}, title),
    title !== names[row] && make("p", { className: "id" }, names[row]),
    make(
      "p",
      { className: "buttons" },
      make("button", { type: "button", onclick: () => app.fly(row) }, "Center"),
      make("button", { type: "button", onclick: compare, title: "Or hold Shift and click a node" }, "Compare with …"),
      make("button", { type: "button", onclick: () => app.select(-1) }, "Clear"),
    ),
  );
}

/** @param {App} app @param {Selection} selection */
function facts(app, { row, insideCount, belowCount }) {
  const { model, relations } = app;
  const norm = normOf(model.points, model.dim, row);
  /** @type {[string, string][]} */
  const lines = [];
  if (model.graph) lines.push(["Depth", count(model.depth[row])]);
  lines.push(["Norm", relations.energy.isHyperbolic ? normInBall(norm) : number(norm)]);
  if (relations.energy.isHyperbolic) lines.push(["From the origin", number(2 * Math.atanh(norm))]);
  if (relations.energy.hasCones) lines.push(["Half aperture ψ", degrees(relations.energy.aperture(row))]);
  if (belowCount !== null) lines.push(["Below by the graph", count(belowCount)]);
  lines.push([`Inside its ${region(model.method)}`, count(insideCount)]);
  return make(
    "dl",
    { className: "facts" },
    lines.flatMap(([term, value]) => [make("dt", {}, term), make("dd", {}, value)]),
  );
}

/** Near the border the gap to 1 says more than 0.9999… @param {number} norm */
function normInBall(norm) {
  return norm < 0.999 ? number(norm) : `1 − ${number(1 - norm)}`;
}

/** @param {App} app @param {Selection} selection */
function disagreement(app, { inside, unexpected, missing, belowCount }) {
  const kind = region(app.model.method);
  const entries = (/** @type {number[]} */ rows) => rows.map((row) => ({ row }));
  /** @param {string} className @param {number} amount @param {string} text */
  const line = (className, amount, text) =>
    make("span", { className: `key ${className}` }, make("strong", {}, count(amount)), ` ${text}`);
  return make(
    "section",
    { className: "agreement" },
    make("h3", {}, belowCount === null ? "Lit" : "Model and graph"),
    foldedList(app, line("lit", inside.length, `inside its ${kind}`), entries(inside)),
    belowCount !== null &&
      foldedList(app, line("unexpected", unexpected.length, `inside, but not below in the graph`), entries(unexpected)),
    belowCount !== null &&
      foldedList(app, line("missing", missing.length, `below in the graph, but outside`), entries(missing)),
  );
}

/** @param {App} app @param {Selection} selection */
function relatives(app, selection) {
  const { model, relations } = app;
  const source = model.graph ? "" : " by geometry";
  const parents = parentsOf(model, relations, selection.row);
  const children = childrenOf(model, relations, selection);
  const near = relations.nearest(selection.row, NEAREST);
  return [
    listSection(
      app,
      `Parents${source}`,
      parents.map((row) => parentEntry(app, selection.row, row)),
      { empty: "None: it is a root." },
    ),
    listSection(
      app,
      `Children${source}`,
      children.rows.map((row) => childEntry(selection, row)),
      {
        isWhole: children.isWhole,
        empty: "None: it is a leaf.",
      },
    ),
    near.length > 0 &&
      listSection(
        app,
        "Nearest",
        near.map(({ row, distance }) => ({ row, note: number(distance) })),
      ),
  ];
}

/** @param {App} app @param {number} row @param {number} parent @returns {Entry} */
function parentEntry({ relations }, row, parent) {
  return relations.isA(row, parent) ? { row: parent } : { row: parent, mark: "missing", note: "not by the model" };
}

/** @param {Selection} selection @param {number} row @returns {Entry} */
function childEntry({ marks }, row) {
  return marks[row] === MISSING ? { row, mark: "missing", note: "outside" } : { row };
}

/** The path up from a node to a root, as a row of buttons. @param {App} app @param {number} row */
function breadcrumb(app, row) {
  const path = app.pathUp(row).slice(1).reverse();
  if (!path.length) return null;
  const label = app.model.graph ? "Ancestors, a shortest way up the edges" : "Ancestors, by geometry";
  const steps = path.map((above) =>
    make(
      "li",
      {},
      make(
        "button",
        { type: "button", title: fullName(app.model, above), onclick: () => app.goTo(above) },
        displayName(app.model, above),
      ),
    ),
  );
  return make("nav", { className: "crumbs", "aria-label": label }, make("ol", {}, steps));
}

/** The panel while nothing is selected. @param {App} app */
function welcome(app) {
  const { title, rows } = startingNodes(app);
  return make(
    "div",
    { className: "welcome" },
    make("h2", {}, "Where to begin"),
    make("p", {}, `Click a node to see its ${region(app.model.method)} and everything that the model puts inside it.`),
    make("p", { className: "quiet" }, "Drag to move, scroll to zoom, double-click to bring a place to the middle."),
    listSection(
      app,
      title,
      rows.map((row) => ({ row, note: rows.length <= MOST_COUNTED ? descendantCount(app, row) : undefined })),
    ),
  );
}

/** The roots; of a single root also its children, which are the branches that have colors. @param {App} app */
function startingNodes(app) {
  const roots = app.roots();
  const { graph } = app.model;
  if (roots.length > 1) return { title: "Roots", rows: byWeight(app, roots) };
  if (!graph) return { title: "The most general node", rows: roots };
  return { title: "From the root", rows: [roots[0], ...byWeight(app, [...neighbors(graph.children, roots[0])])] };
}

/** @param {App} app @param {number[]} rows */
function byWeight({ scene }, rows) {
  return rows.sort((one, other) => scene.weight[other] - scene.weight[one] || one - other);
}

/** @param {App} app @param {number} row */
function descendantCount({ model }, row) {
  return model.graph ? count(reachable(model.graph.children, row).reduce((total, mark) => total + mark, 0)) : undefined;
}

/** What model and graph say about two nodes. @param {App} app @param {Explanation} found */
function comparisonSection(app, found) {
  return make(
    "section",
    { className: "verdict", "aria-label": "Comparison" },
    make("h3", {}, "Comparison"),
    make("p", { className: found.isA ? "says yes" : "says no" }, verdictSentence(app.model, found)),
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

/** The path up by geometry, unless it is the same as the path up the edges. @param {App} app @param {Explanation} found */
function chainPart(app, { child, chain, path }) {
  const isSame = chain.length === path.length && chain.every((step, i) => step.row === path[i].row);
  return chain.length > 0 && !isSame && make("div", {}, make("h4", {}, "By geometry"), pathList(app, child, chain));
}

/** @param {App} app @param {Explanation} found */
function graphPart(app, found) {
  const isFine = found.agrees && !found.lost.length;
  return make(
    "div",
    {},
    make("h4", {}, "By the graph"),
    make("p", {}, graphSentence(app.model, found)),
    found.path.length > 0 && pathList(app, found.child, found.path),
    found.graph !== null && make("p", { className: isFine ? "quiet" : "warning" }, agreementSentence(app.model, found)),
  );
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
