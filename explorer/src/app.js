// What the page knows and can do. The parts that show it listen; the parts that take input call these verbs.
import { Camera } from "./camera.js";
import { shouldSwap, explain } from "./explain.js";
import { rootsOf, pathToRoot } from "./graph.js";
import { FrameLoop } from "./frames.js";
import { Relations } from "./relations.js";
import { Renderer } from "./renderer.js";
import { makeScene } from "./scene.js";
import { Search } from "./search.js";
import { makeSelection } from "./selection.js";

/**
 * @typedef {import("./model.js").Model} Model
 * @typedef {import("./selection.js").Selection} Selection
 * @typedef {import("./explain.js").Explanation} Explanation
 * @typedef {"selected" | "second" | "shown" | "theme" | "moving" | "moved"} Change
 *   "moving" with every frame that shows another place than the last, "moved" when the view has come to rest
 * @typedef {"showCones" | "showEdges" | "showLabels"} Toggle
 */

// Milliseconds without a move after which the view counts as settled.
const SETTLE_TIME = 90;
// Milliseconds that zooming out to the whole disk takes.
const ZOOM_OUT_TIME = 500;

export class App {
  /** @param {Model} model @param {HTMLCanvasElement} canvas */
  constructor(model, canvas) {
    this.model = model;
    this.canvas = canvas;
    this.relations = new Relations(model);
    this.scene = makeScene(model, this.relations);
    /** @type {Search | null} */
    this.searcher = null;
    this.camera = new Camera();
    this.renderer = new Renderer(canvas, this.scene);
    this.frames = new FrameLoop((now) => this.#draw(now));
    this.state = {
      selected: -1,
      second: -1,
      hovered: -1,
      inside: /** @type {Uint8Array | null} */ (null),
      showCones: true,
      showEdges: true,
      showLabels: true,
      theme: /** @type {"dark" | "light"} */ ("dark"),
    };
    /** @type {Selection | null} */
    this.selection = null;
    /** @type {Explanation | null} */
    this.explanation = null;
    /** @type {((change: Change) => void)[]} */
    this.listeners = [];
    this.home = {
      cx: model.view.center?.[0] ?? 0,
      cy: model.view.center?.[1] ?? 0,
      turn: 0,
      zoom: 1,
      panx: 0,
      pany: 0,
    };
    /** @type {{from: number, start: number} | null} */
    this.zoomOut = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.settling = undefined;
    /** The camera's version that was drawn last. */
    this.drawnVersion = -1;
    this.camera.restore(this.home);
  }

  /** Made when it is first wanted, so that the disk can be seen before. */
  get search() {
    this.searcher ??= new Search(this.model, this.scene.weight);
    return this.searcher;
  }

  /** @param {Change} change */
  notify(change) {
    for (const listener of this.listeners) listener(change);
    this.frames.request();
  }

  /** Select a row, or none with −1; the second node goes with the old selection. @param {number} row */
  select(row) {
    if (row === this.state.selected) return;
    this.selection = row < 0 ? null : makeSelection(this.model, this.relations, row);
    this.state.selected = row;
    this.state.inside = this.selection?.marks ?? null;
    this.state.second = -1;
    this.explanation = null;
    this.notify("selected");
  }

  /** Compare the selected row with a second, or with none by −1. @param {number} row */
  second(row) {
    const { selected } = this.state;
    if (selected < 0) return this.select(row);
    this.state.second = row === selected ? -1 : row;
    const isSwapped = row >= 0 && shouldSwap(this.model, this.relations, selected, row);
    this.#ask(isSwapped);
  }

  /** Ask about the two nodes the other way round. */
  swapQuestion() {
    if (this.explanation) this.#ask(this.explanation.child === this.state.second);
  }

  /** @param {boolean} isSwapped whether the selected node is asked about as the child */
  #ask(isSwapped) {
    const { selected, second } = this.state;
    const [child, parent] = isSwapped ? [selected, second] : [second, selected];
    this.explanation = second < 0 ? null : explain(this.model, this.relations, child, parent);
    this.notify("second");
  }

  /** Select a row and fly there. @param {number} row */
  goTo(row) {
    this.select(row);
    this.fly(row);
  }

  /** @param {number} row */
  fly(row) {
    this.flyToPoint(this.scene.x[row], this.scene.y[row]);
  }

  /** Bring a view point to the middle. @param {number} x @param {number} y */
  flyToPoint(x, y) {
    this.camera.flyTo(x, y, performance.now(), prefersStillness() ? 0 : undefined);
    this.frames.request();
  }

  /** @param {number} x @param {number} y @param {number} factor */
  zoom(x, y, factor) {
    this.zoomOut = null;
    this.camera.zoomAt(x, y, factor);
    this.frames.request();
  }

  /** The whole disk again. */
  goHome() {
    this.zoomOut = { from: this.camera.zoom, start: performance.now() };
    this.flyToPoint(this.home.cx, this.home.cy);
  }

  /** One step of the way back to the zoom at which the whole disk is seen; whether it goes on. @param {number} now */
  #stepZoom(now) {
    if (!this.zoomOut) return false;
    const left = prefersStillness() ? 0 : 1 - Math.min(1, Math.max(0, (now - this.zoomOut.start) / ZOOM_OUT_TIME));
    this.camera.zoom = this.zoomOut.from ** (left * left);
    this.camera.version++;
    if (left === 0) this.zoomOut = null;
    return left > 0;
  }

  /** The step back of Escape: first the second node, then the selection. */
  clear() {
    if (this.state.second >= 0) this.second(-1);
    else this.select(-1);
  }

  /** @param {number} row */
  hover(row) {
    if (row === this.state.hovered) return;
    this.state.hovered = row;
    this.frames.request();
  }

  /** @param {Toggle} what @param {boolean} [isShown] */
  show(what, isShown = !this.state[what]) {
    this.state[what] = isShown;
    this.notify("shown");
  }

  /** @param {"dark" | "light"} theme */
  setTheme(theme) {
    this.state.theme = theme;
    this.notify("theme");
  }

  /** @param {number} width @param {number} height @param {number} covered what a panel hides of the width */
  resize(width, height, covered = 0) {
    this.camera.resize(width - covered, height);
    this.renderer.resize(width, height, window.devicePixelRatio || 1);
    this.frames.request();
  }

  /** The rows where to begin: those without parents, or the most general one. */
  roots() {
    return this.model.graph ? rootsOf(this.model.graph) : [this.relations.order[0]];
  }

  /** A way up from a row, itself first. @param {number} row */
  pathUp(row) {
    return this.model.graph ? pathToRoot(this.model.graph, row) : this.relations.pathUp(row);
  }

  /** @param {number} now */
  #draw(now) {
    const isZooming = this.#stepZoom(now);
    const isFlying = this.camera.step(now) || isZooming;
    const isUnfinished = this.renderer.draw(this.camera, this.state);
    const hasMoved = this.camera.version !== this.drawnVersion;
    this.drawnVersion = this.camera.version;
    if (hasMoved) for (const listener of this.listeners) listener("moving");
    clearTimeout(this.settling);
    // While it moves the renderer leaves out what is dear. A hand may go on at any moment, so the whole picture waits
    // until it has been still for a little while.
    if (isUnfinished && !isFlying) this.settling = setTimeout(() => this.frames.request(), SETTLE_TIME);
    if (!isUnfinished && !isFlying) for (const listener of this.listeners) listener("moved");
    return isFlying;
  }
}

export function prefersStillness() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
