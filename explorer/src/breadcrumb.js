// The way up from the selected node to a root, as a line of buttons.
import { make } from "./dom.js";
import { displayName, fullName } from "./model.js";

/** @param {import("./app.js").App} app @param {number} row */
export function breadcrumb(app, row) {
  const way = app.pathUp(row).slice(1).reverse();
  if (!way.length) return null;
  const label = app.model.graph ? "Ancestors, a shortest way up the edges" : "Ancestors, by geometry";
  const steps = way.map((above) =>
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
