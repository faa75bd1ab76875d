// The buttons under the disk, and the help that one of them opens.

import { seesAnyNode } from "../disk/camera.js";
import { byId, make } from "./elements.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./app.js").Toggle} Toggle
 */

/** @type {[Toggle, string, string][]} */
const TOGGLES = [
  ["showCones", "Cones", "C"],
  ["showEdges", "Edges", "G"],
  ["showLabels", "Labels", "L"],
];

/** @type {["graph" | "geometry", string, string][]} */
const ANSWERS = [
  ["graph", "Graph", "Answers by the graph: what its edges say"],
  ["geometry", "Geometry", "Answers by geometry: what the points alone say"],
];

/** @param {App} app @param {{help: () => void, theme: (theme: "dark" | "light") => void}} actions */
export function makeTools(app, actions) {
  const toggles = TOGGLES.map(([what, name, key]) => {
    const button = make("button", { type: "button", title: `${name} (${key})`, onclick: () => app.show(what) }, name);
    const reason = disabledReason(app, what);
    button.disabled = reason !== "";
    if (reason) button.title = reason;
    return /** @type {const} */ ([what, button]);
  });
  const theme = make("button", { type: "button", onclick: () => actions.theme(opposite(app)) });
  const overview = make("button", { type: "button", title: "The whole disk (0)", onclick: () => app.goHome() }, "Overview");
  const tools = byId("tools");
  // After a click the arrow keys should move on the disk, but a button that was pressed by a key keeps the focus. In the
  // capture phase, so that the help dialog returns the focus to the disk when it closes.
  tools.addEventListener("click", (event) => event.detail > 0 && app.canvas.focus(), true);
  const answers = app.lineage && answersGroup(app);
  const groups = [
    make(
      "span",
      { className: "group" },
      toggles.map(([, button]) => button),
    ),
    answers && answers.group,
    make(
      "span",
      { className: "group" },
      theme,
      zoomButton(app, "−", "Zoom out (−)", 0.8),
      zoomButton(app, "+", "Zoom in (+)", 1.25),
    ),
    make(
      "span",
      { className: "group" },
      overview,
      make("button", { type: "button", title: "Keys and signs (?)", onclick: actions.help }, "Help"),
    ),
  ];
  tools.append(...groups.filter((group) => group !== null));
  const refresh = () => {
    for (const [what, button] of toggles)
      button.setAttribute("aria-pressed", String(app.state[what] && !button.disabled));
    answers?.refresh();
    theme.textContent = opposite(app) === "light" ? "Light" : "Dark";
    theme.title = `Switch to the ${opposite(app)} theme`;
  };
  app.listeners.push((change) => {
    if (change === "moved") overview.classList.toggle("attention", !seesAnyNode(app.scene, app.camera));
    else if (change !== "moving") refresh();
  });
  refresh();
}

/** The switch between the answers of the graph and those of geometry. @param {App} app */
function answersGroup(app) {
  const choices = ANSWERS.map(([by, name, title]) => {
    const button = make("button", { type: "button", title: `${title} (A)`, onclick: () => app.ask(by) }, name);
    return /** @type {const} */ ([by, button]);
  });
  const group = make(
    "span",
    { className: "group", role: "group", "aria-label": "Answers" },
    make("span", { className: "caption", "aria-hidden": "true" }, "Answers:"),
    choices.map(([, button]) => button),
  );
  const refresh = () => {
    for (const [by, button] of choices) button.setAttribute("aria-pressed", String(app.state.by === by));
  };
  return { group, refresh };
}

/** @param {App} app @param {string} symbol @param {string} title @param {number} factor */
function zoomButton(app, symbol, title, factor) {
  const zoom = () => app.zoom(app.camera.width / 2, app.camera.height / 2, factor);
  return make("button", { type: "button", title, "aria-label": title, onclick: zoom }, symbol);
}

/** @param {App} app @returns {"dark" | "light"} */
function opposite({ state }) {
  return state.theme === "dark" ? "light" : "dark";
}

/** @param {App} app @param {Toggle} what */
function disabledReason({ model }, what) {
  if (what === "showCones" && model.view.K === null) return "This view has no cones";
  return what === "showEdges" && !model.edges.length ? "The model has no edges" : "";
}

/** @type {[string, string][]} */
const KEYS = [
  ["/", "find a node"],
  ["↑ ↓", "on the disk: parent, largest child"],
  ["← →", "on the disk: siblings"],
  ["Shift + arrows", "move the view"],
  ["Enter", "bring the selected node to the middle"],
  ["+ −", "zoom"],
  ["0", "the whole disk"],
  ["E", "compare the selected node with another"],
  ["C G L", "cones, edges, labels"],
  ["A", "answers by the graph or by geometry"],
  ["Esc", "back: search, comparison, selection"],
];

/** @type {[string, string][]} */
const MOUSE = [
  ["Drag", "move along the hyperbolic plane"],
  ["Wheel, pinch", "zoom"],
  ["Click", "select: its cone, and all below it lit"],
  ["Shift + click", "compare with the selected node"],
  ["Double click", "bring the place to the middle"],
];

/** @type {[string, string][]} */
const LEGEND = [
  ["lit", "both graph and geometry say so"],
  ["unexpected", "in the answer, but the other one says no"],
  ["missing", "not in the answer, but the other one says yes"],
];

/** Fills the help dialog. @returns {() => void} a function that opens it */
export function makeHelp() {
  const dialog = /** @type {HTMLDialogElement} */ (byId("help"));
  const close = make("button", { type: "button", onclick: () => dialog.close() }, "Close");
  dialog.append(
    make("h2", { id: "help-title" }, "Keys and signs"),
    make("div", { className: "columns" }, table(KEYS), make("div", {}, table(MOUSE), legend())),
    make("p", { className: "buttons" }, close),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return () => dialog.showModal();
}

/** @param {[string, string][]} lines */
function table(lines) {
  return make(
    "dl",
    {},
    lines.flatMap(([key, meaning]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, meaning)]),
  );
}

function legend() {
  return make(
    "ul",
    { className: "legend" },
    LEGEND.map(([name, meaning]) => make("li", {}, make("span", { className: `key ${name}` }, meaning))),
  );
}
