// Keeps the address and the view the same, both ways.
import { read, written } from "./fragment.js";

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
    /** @type {Map<string, number> | null} */
    this.rows = null;
    this.last = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** Go where the address says, and follow it from now on. */
  start() {
    this.restore();
    this.app.listeners.push(() => this.#soon());
    window.addEventListener("hashchange", () => {
      if (location.hash.replace(/^#/, "") !== this.last) this.restore();
    });
  }

  restore() {
    const { app } = this;
    const place = read(location.hash);
    this.last = location.hash.replace(/^#/, "");
    for (const [key, part] of PARTS) app.show(key, !place.hidden.includes(part));
    if (place.theme) this.chooseTheme(place.theme);
    app.select(this.#row(place.selected));
    app.second(this.#row(place.second));
    app.camera.restore(place.camera ?? app.home);
    if (!place.camera && app.state.selected >= 0) app.fly(app.state.selected);
    app.frames.request();
  }

  /** @param {string | undefined} name */
  #row(name) {
    if (name === undefined) return -1;
    this.rows ??= new Map(this.app.model.names.map((known, row) => [known, row]));
    return this.rows.get(name) ?? -1;
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
    const text = written({
      selected: model.names[state.selected],
      second: model.names[state.second],
      camera: isHome ? undefined : snapshot,
      hidden: PARTS.filter(([key]) => !state[key]).map(([, part]) => part),
      theme: this.theme,
    });
    if (text === this.last) return;
    this.last = text;
    // Not location.hash: that would fill the browser's history with every move.
    history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
  }
}
