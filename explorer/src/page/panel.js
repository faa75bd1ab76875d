// The side panel: where to begin, the selected node and its relatives, and the comparison of two nodes.

import { childrenOf, commonOrigin, ownOrigin, UNEXPECTED } from "../answers/agreement.js";
import { normOf } from "../answers/energy.js";
import { neighbors, reachable } from "../model/graph.js";
import { displayName, fullName } from "../model/model.js";
import { comparisonSection } from "./comparison.js";
import { byId, foldedList, listSection, listTitle, make } from "./elements.js";
import { count, degrees, number, region, originName } from "./wording.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./elements.js").Entry} Entry
 * @typedef {import("../answers/agreement.js").Selection} Selection
 */

const NEAREST = 10;
// Counting the descendants of a row visits all of them, so longer lists go without these counts.
const MOST_COUNTED = 24;
// The number of synonyms that are shown; all of them are found by the search.
const MOST_SYNONYMS = 6;

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
    ...entryInGlossary(app, row),
    make(
      "p",
      { className: "buttons" },
      make("button", { type: "button", onclick: () => app.fly(row) }, "Center"),
      make("button", { type: "button", onclick: compare, title: "Or hold Shift and click a node" }, "Compare with …"),
      make("button", { type: "button", onclick: () => app.select(-1) }, "Clear"),
    ),
  );
}

/** What the glossary says about a row. @param {App} app @param {number} row */
function entryInGlossary({ model: { glossary } }, row) {
  const definition = glossary.definitions?.[row];
  const synonyms = glossary.synonyms?.[row] ?? [];
  const ids = glossary.otherIds?.[row] ?? [];
  const some = synonyms.slice(0, MOST_SYNONYMS).join("; ");
  return [
    definition && make("p", { className: "definition" }, definition),
    some && make("p", { className: "id" }, `Also called: ${some}${synonyms.length > MOST_SYNONYMS ? "; …" : ""}`),
    ids.length > 0 && make("p", { className: "id" }, `Other ids: ${ids.slice(0, MOST_SYNONYMS).join(", ")}`),
  ];
}

/** @param {App} app @param {Selection} selection */
function facts(app, { row, insideCount, belowCount }) {
  const { model, relations } = app;
  const norm = normOf(model.points, model.dim, row);
  /** @type {[string, string][]} */
  const lines = [];
  if (app.lineage && !app.lineage.placed.has(row)) lines.push(["Depth", count(model.depth[row])]);
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

/** The rows below, and where the other one says something else. @param {App} app @param {Selection} selection */
function disagreement(app, { row, by, found, unexpected, missing, belowCount }) {
  const kind = region(app.model.method);
  const [said, alone, other] =
    by === "geometry"
      ? [`inside its ${kind}`, "inside, but not below in the graph", "below in the graph, but outside"]
      : ["below it", `below, but outside its ${kind}`, `inside its ${kind}, but not below`];
  const entries = (/** @type {number[]} */ rows) => rows.map((one) => ({ row: one, note: foreignNote(app, row, one) }));
  /** @param {string} className @param {number[]} rows @param {string} text */
  const line = (className, rows, text) => {
    const summary = make("span", { className: `key ${className}` }, make("strong", {}, count(rows.length)), ` ${text}`);
    return foldedList(app, summary, entries(rows));
  };
  return make(
    "section",
    { className: "agreement" },
    make("h3", {}, listTitle("Descendants", by)),
    line("lit", found, said),
    belowCount !== null && [line("unexpected", unexpected, alone), line("missing", missing, other)],
  );
}

/** Says what answered about a row of a mixed list. @param {App} app @param {number} row @param {number} other */
function foreignNote({ answers }, row, other) {
  const origin = answers.originOf(row, other);
  return origin === ownOrigin(answers, row) ? undefined : originName(origin);
}

/** @param {App} app @param {Selection} selection */
function relatives(app, selection) {
  const { relations, answers, lineage } = app;
  const { row, marks } = selection;
  const others = answers === relations ? lineage : relations;
  const above = new Set(others === lineage ? lineage?.above(row) : []);
  const isAbove = (/** @type {number} */ other) => (others === lineage ? above.has(other) : relations.isA(row, other));
  /** @param {number} other @param {boolean} isDoubted whether the one that is not asked says no @returns {Entry} */
  const entry = (other, isDoubted) => {
    const note = foreignNote(app, row, other);
    if (note || !isDoubted) return { row: other, note };
    return { row: other, mark: "unexpected", note: `not ${originName(others === lineage ? "graph" : "geometry")}` };
  };
  const upward = (/** @type {number} */ other) => entry(other, !!others && !isAbove(other));
  const parents = answers.parents(row);
  const children = childrenOf(answers, selection);
  const ancestors = answers.above(row);
  const near = relations.nearest(row, NEAREST);
  return [
    listSection(app, listTitle("Parents", commonOrigin(answers, row, parents)), parents.map(upward), {
      empty: "None: it is a root.",
    }),
    listSection(
      app,
      listTitle("Children", commonOrigin(answers, row, children.rows)),
      children.rows.map((child) => entry(child, marks[child] === UNEXPECTED)),
      { isWhole: children.isWhole, empty: "None: it is a leaf." },
    ),
    make(
      "section",
      { className: "folds" },
      siblingsPart(app, row),
      foldedList(
        app,
        make("span", {}, listTitle("Ancestors", commonOrigin(answers, row, ancestors)), amount(ancestors)),
        ancestors.map(upward),
      ),
    ),
    near.length > 0 &&
      listSection(
        app,
        listTitle("Nearest", "geometry"),
        near.map(({ row: other, distance }) => ({ row: other, note: number(distance) })),
      ),
  ];
}

/** @param {App} app @param {number} row */
function siblingsPart(app, row) {
  const { answers } = app;
  // By geometry they take long to find in a large model, so they are searched when the list is opened.
  if (!("placed" in answers)) {
    const find = () => answers.siblings(row).rows.map((other) => ({ row: other }));
    return foldedList(app, make("span", {}, listTitle("Siblings", "geometry")), find);
  }
  const { rows } = answers.siblings(row);
  const own = ownOrigin(answers, row);
  const origins = rows.map((other) => answers.originOfSibling(row, other));
  const by = new Set(origins).size > 1 ? "mixed" : (origins[0] ?? own);
  const entries = rows.map((other, i) => ({ row: other, note: by === "mixed" ? originName(origins[i]) : undefined }));
  return foldedList(app, make("span", {}, listTitle("Siblings", by), amount(rows)), entries);
}

/** @param {number[]} rows */
function amount(rows) {
  return make("span", { className: "count" }, ` ${count(rows.length)}`);
}

/** The path up from a node to a root, as a row of buttons. @param {App} app @param {number} row */
function breadcrumb(app, row) {
  const path = app.pathUp(row).slice(1).reverse();
  if (!path.length) return null;
  const label =
    ownOrigin(app.answers, row) === "graph" ? "Ancestors, a shortest way up the edges" : "Ancestors, by geometry";
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
    make("p", {}, `Click a node to see its ${region(app.model.method)} and everything below it ${originName(app.answers.by)}.`),
    make("p", { className: "quiet" }, "Drag to move, scroll to zoom, double-click to bring a place to the middle."),
    listSection(
      app,
      listTitle(title, app.model.graph ? "graph" : "geometry"),
      rows.map((row) => ({ row, note: rows.length <= MOST_COUNTED ? descendantCount(app, row) : undefined })),
    ),
  );
}

/** The roots; of a single root also its children, which are the branches that have colors. @param {App} app */
function startingNodes(app) {
  const roots = app.roots();
  const { direct: graph } = app.model;
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
