// The panel before anything is selected: what this is, and where to begin.
import { make } from "./dom.js";
import { neighbors, reachable } from "./graph.js";
import { listSection } from "./lists.js";
import { count, region } from "./words.js";

/** @typedef {import("./app.js").App} App */

// Counting what lies below takes a walk for each: not for a root with thousands of children.
const COUNTED = 24;

/** @param {App} app */
export function welcome(app) {
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
      rows.map((row) => ({ row, note: rows.length <= COUNTED ? amount(app, row) : undefined })),
    ),
  );
}

/** The roots, and with one root its children: the large branches that the colors stand for. @param {App} app */
function startingNodes(app) {
  const roots = app.roots();
  const { graph } = app.model;
  if (roots.length > 1) return { title: "Roots", rows: sorted(app, roots) };
  if (!graph) return { title: "The most general node", rows: roots };
  return { title: "From the root", rows: [roots[0], ...sorted(app, [...neighbors(graph.children, roots[0])])] };
}

/** @param {App} app @param {number[]} rows */
function sorted({ scene }, rows) {
  return rows.sort((one, other) => scene.weight[other] - scene.weight[one] || one - other);
}

/** @param {App} app @param {number} row */
function amount({ model }, row) {
  return model.graph ? count(reachable(model.graph.children, row).reduce((total, mark) => total + mark, 0)) : undefined;
}
