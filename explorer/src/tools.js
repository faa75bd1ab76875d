// The row of buttons under the disk.
import { byId, make } from "./dom.js";
import { seesAnyNode } from "./lost.js";

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

/** @param {App} app @param {{help: () => void, theme: (theme: "dark" | "light") => void}} actions */
export function makeTools(app, actions) {
  const toggles = TOGGLES.map(([what, words, key]) => {
    const button = make("button", { type: "button", title: `${words} (${key})`, onclick: () => app.show(what) }, words);
    const reason = disabledReason(app, what);
    button.disabled = reason !== "";
    if (reason) button.title = reason;
    return /** @type {const} */ ([what, button]);
  });
  const theme = make("button", { type: "button", onclick: () => actions.theme(opposite(app)) });
  const overview = make("button", { type: "button", title: "The whole disk (0)", onclick: () => app.goHome() }, "Overview");
  const tools = byId("tools");
  // After a click the arrow keys should walk the disk; who pressed the button by a key stays there. Before the button's
  // own doing, so that the help gives the focus back to the disk.
  tools.addEventListener("click", (event) => event.detail > 0 && app.canvas.focus(), true);
  tools.append(
    make(
      "span",
      { className: "group" },
      toggles.map(([, button]) => button),
    ),
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
  );
  const refresh = () => {
    for (const [what, button] of toggles)
      button.setAttribute("aria-pressed", String(app.state[what] && !button.disabled));
    theme.textContent = opposite(app) === "light" ? "Light" : "Dark";
    theme.title = `Show it ${opposite(app) === "light" ? "on light" : "on dark"} ground`;
  };
  app.listeners.push((change) => {
    if (change === "moved") overview.classList.toggle("attention", !seesAnyNode(app.scene, app.camera));
    else if (change !== "moving") refresh();
  });
  refresh();
}

/** @param {App} app @param {string} sign @param {string} title @param {number} factor */
function zoomButton(app, sign, title, factor) {
  const zoom = () => app.zoom(app.camera.width / 2, app.camera.height / 2, factor);
  return make("button", { type: "button", title, "aria-label": title, onclick: zoom }, sign);
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
