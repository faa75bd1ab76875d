// Keeps the address and the view the same, both ways.
import { formatFragment, parseFragment } from "./fragment.js";
import { rowsCalled } from "./lookup.js";
import { notice } from "./notice.js";

/** @typedef {import("./app.js").App} App */

const PAUSE = 300;
const PARTS = /** @type {const} */ ([
  ["showCones", "cones"],
  ["showEdges", "edges"],
  ["showLabels", "labels"],
]);

export class Address {
  /** @param {App} app @param {(theme: "dark" | "light") => void} chooseTheme */
  constructor(app, chooseTheme) {
    this.app = app;
    this.chooseTheme = chooseTheme;
    /** @type {"dark" | "light" | undefined} Only what someone chose is in the address. */
    this.theme = undefined;
    this.last = "";
    /** The row that the present entry of the browser's history has selected. */
    this.entry = -1;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** Go where the address says, and follow it from now on. */
  start() {
    this.restore();
    this.app.listeners.push((change) => {
      if (change !== "moving") this.#soon();
    });
    const follow = () => {
      if (location.hash.replace(/^#/, "") !== this.last) this.restore();
    };
    // Back and Forward, and an address that someone types over the old one.
    window.addEventListener("popstate", follow);
    window.addEventListener("hashchange", follow);
  }

  restore() {
    const { app } = this;
    const place = parseFragment(location.hash);
    this.last = location.hash.replace(/^#/, "");
    for (const [key, part] of PARTS) app.show(key, !place.hidden.includes(part));
    if (place.theme) this.chooseTheme(place.theme);
    const [selected, second] = [place.selected, place.second].map((name) => findRow(app, name));
    app.select(selected.row);
    app.second(second.row);
    // After the selection, for that takes an older notice away.
    notice([selected.trouble, second.trouble].filter(Boolean).join(" "));
    this.entry = app.state.selected;
    app.zoomOut = null;
    app.camera.restore(place.camera ?? app.home);
    if (!place.camera && app.state.selected >= 0) app.fly(app.state.selected);
    app.frames.request();
  }

  #soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#write(), PAUSE);
  }

  #write() {
    const { state, model, camera, home } = this.app;
    const snapshot = camera.snapshot();
    const isHome = /** @type {const} */ (["cx", "cy", "turn", "zoom", "panx", "pany"]).every(
      (key) => Math.abs(snapshot[key] - home[key]) < 1e-12,
    );
    const text = formatFragment({
      selected: model.names[state.selected],
      second: model.names[state.second],
      // A node without a place would be flown to; who copies the address means what is seen now.
      camera: isHome && state.selected < 0 ? undefined : snapshot,
      hidden: PARTS.filter(([key]) => !state[key]).map(([, part]) => part),
      theme: this.theme,
    });
    if (text === this.last) return;
    this.last = text;
    const address = text ? `#${text}` : location.pathname + location.search;
    // Back goes from node to node: every move and every toggle in the browser's history would bury them.
    if (state.selected === this.entry) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    this.entry = state.selected;
  }
}

/**
 * The row that an address means by a name or a label, or what is the trouble with it.
 * @param {App} app @param {string | undefined} text @returns {{row: number, trouble: string}}
 */
function findRow(app, text) {
  if (text === undefined) return { row: -1, trouble: "" };
  const rows = rowsCalled(app.model, text);
  if (rows.length === 1) return { row: rows[0], trouble: "" };
  const trouble = rows.length ? `${rows.length} nodes are called ${text}; find one by its name.` : `No such node: ${text}.`;
  return { row: -1, trouble };
}
