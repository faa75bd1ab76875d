// The side panel: the selected node with its facts, its neighbors, and where model and graph disagree about it.
import { breadcrumb } from "./breadcrumb.js";
import { byId, make } from "./dom.js";
import { normOf } from "./energy.js";
import { foldedList, listSection } from "./lists.js";
import { displayName } from "./model.js";
import { childrenOf, MISSING, parentsOf } from "./selection.js";
import { comparisonSection } from "./verdict.js";
import { count, degrees, number, region } from "./words.js";
import { welcome } from "./welcome.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./selection.js").Selection} Selection
 */

const NEAREST = 10;

/** @param {App} app @param {() => void} compare asks for a second node */
export function showPanel(app, compare) {
  const details = byId("details");
  const { selection, explanation } = app;
  const hadFocus = details.contains(document.activeElement);
  if (!selection) details.replaceChildren(welcome(app));
  else details.replaceChildren(...sections(app, selection, explanation && comparisonSection(app, explanation), compare));
  details.scrollTop = 0;
  // The button that was pressed is gone: whoever works by keyboard stays in the panel.
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
    ...neighborhood(app, selection),
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
  lines.push(["Norm", relations.energy.isHyperbolic ? inTheBall(norm) : number(norm)]);
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

/** Near the border the gap to 1 says more than a row of nines. @param {number} norm */
function inTheBall(norm) {
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
function neighborhood(app, selection) {
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

/** @param {App} app @param {number} row @param {number} parent @returns {import("./lists.js").Entry} */
function parentEntry({ relations }, row, parent) {
  return relations.isA(row, parent) ? { row: parent } : { row: parent, mark: "missing", note: "not by the model" };
}

/** @param {Selection} selection @param {number} row @returns {import("./lists.js").Entry} */
function childEntry({ marks }, row) {
  return marks[row] === MISSING ? { row, mark: "missing", note: "outside" } : { row };
}
