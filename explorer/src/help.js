// The help: keys on one side, signs on the other.
import { byId, make } from "./dom.js";

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
  ["Esc", "back: search, comparison, selection"],
];

/** @type {[string, string][]} */
const MOUSE = [
  ["Drag", "move along the hyperbolic plane"],
  ["Wheel, pinch", "zoom"],
  ["Click", "select: the cone, and all inside it by the model"],
  ["Shift + click", "compare with the selected node"],
  ["Double click", "bring the place to the middle"],
];

/** @type {[string, string][]} */
const SIGNS = [
  ["lit", "inside, and below in the graph"],
  ["unexpected", "inside by the model, but not below in the graph"],
  ["missing", "below in the graph, but outside by the model"],
];

/** @returns {() => void} what opens it */
export function makeHelp() {
  const dialog = /** @type {HTMLDialogElement} */ (byId("help"));
  const close = make("button", { type: "button", onclick: () => dialog.close() }, "Close");
  dialog.append(
    make("h2", { id: "help-title" }, "Keys and signs"),
    make("div", { className: "columns" }, table(KEYS), make("div", {}, table(MOUSE), signs())),
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
    lines.flatMap(([key, words]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, words)]),
  );
}

function signs() {
  return make(
    "ul",
    { className: "legend" },
    SIGNS.map(([name, words]) => make("li", {}, make("span", { className: `key ${name}` }, words))),
  );
}
