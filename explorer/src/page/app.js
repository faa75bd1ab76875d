// The state of the page and what can be done with it. Views listen to its changes; input handlers call its methods.

import { explain, makeSelection, shouldSwap } from "../answers/agreement.js";
import { Lineage } from "../answers/lineage.js";
import { Relations } from "../answers/relations.js";
import { Search } from "../answers/search.js";
import { Camera } from "../disk/camera.js";
import { Renderer } from "../disk/renderer.js";
import { makeScene } from "../disk/scene.js";
import { rootsOf } from "../model/graph.js";

/**
 * @typedef {import("../model/model.js").Model} Model
 * @typedef {import("../answers/agreement.js").Selection} Selection
 * @typedef {import("../answers/agreement.js").Explanation} Explanation
 * @typedef {import("../model/model.js").By} By
 * @typedef {"selected" | "second" | "by" | "shown" | "theme" | "moving" | "moved"} Change
 *   "moving" at every frame in which the camera has moved, "moved" when it has come to rest
 * @typedef {"showCones" | "showEdges" | "showLabels"} Toggle
 */

// Milliseconds without a movement after which the whole picture is drawn.
const SETTLE_TIME = 90;
// Milliseconds that it takes to zoom out to the whole disk.
const ZOOM_OUT_TIME = 500;

export class App {
  /** @param {Model} model @param {HTMLCanvasElement} canvas */
  constructor(model, canvas) {
    this.model = model;
    this.canvas = canvas;
    this.relations = new Relations(model);
    this.lineage = model.direct && new Lineage(model.direct, model.depth, this.relations, model.byPoint);
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
      by: model.answersBy,
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
    /** The version of the camera in the last frame. */
    this.drawnVersion = -1;
    this.camera.restore(this.home);
  }

  /** Built when it is first needed, so that it does not delay the first frame. */
  get search() {
    this.searcher ??= new Search(this.model, this.scene.weight);
    return this.searcher;
  }

  /** The one of graph and geometry that is asked. */
  get answers() {
    return this.state.by === "graph" && this.lineage ? this.lineage : this.relations;
  }

  /** @param {Change} change */
  notify(change) {
    for (const listener of this.listeners) listener(change);
    this.frames.request();
  }

  /** Selects a row, or none with −1, and drops the second node. @param {number} row */
  select(row) {
    if (row === this.state.selected) return;
    this.state.selected = row;
    this.#mark();
    this.state.second = -1;
    this.explanation = null;
    this.notify("selected");
  }

  #mark() {
    const { selected } = this.state;
    this.selection = selected < 0 ? null : makeSelection(this, selected);
    this.state.inside = this.selection?.marks ?? null;
  }

  /** Asks the graph or geometry; a model without edges has only geometry. @param {By} by */
  ask(by) {
    if (by === this.state.by || !this.lineage) return;
    this.state.by = by;
    this.#mark();
    if (this.explanation) {
      const { child, parent } = this.explanation;
      this.explanation = explain(this.model, this, child, parent);
    }
    this.notify("by");
  }

  /** Compares the selected row with a second one, or with none by −1. @param {number} row */
  second(row) {
    const { selected } = this.state;
    if (selected < 0) return this.select(row);
    this.state.second = row === selected ? -1 : row;
    const isSwapped = row >= 0 && shouldSwap(this, selected, row);
    this.#explain(isSwapped);
  }

  /** Swaps the child and the parent of the comparison. */
  swapQuestion() {
    if (this.explanation) this.#explain(this.explanation.child === this.state.second);
  }

  /** @param {boolean} isSwapped whether the selected node is the child */
  #explain(isSwapped) {
    const { selected, second } = this.state;
    const [child, parent] = isSwapped ? [selected, second] : [second, selected];
    this.explanation = second < 0 ? null : explain(this.model, this, child, parent);
    this.notify("second");
  }

  /** Selects a row and flies there. @param {number} row */
  goTo(row) {
    this.select(row);
    this.fly(row);
  }

  /** @param {number} row */
  fly(row) {
    this.flyToPoint(this.scene.x[row], this.scene.y[row]);
  }

  /** Brings a view point to the center. @param {number} x @param {number} y */
  flyToPoint(x, y) {
    this.camera.flyTo(x, y, performance.now(), prefersReducedMotion() ? 0 : undefined);
    this.frames.request();
  }

  /** @param {number} x @param {number} y @param {number} factor */
  zoom(x, y, factor) {
    this.zoomOut = null;
    this.camera.zoomAt(x, y, factor);
    this.frames.request();
  }

  /** Shows the whole disk again. */
  goHome() {
    this.zoomOut = { from: this.camera.zoom, start: performance.now() };
    this.flyToPoint(this.home.cx, this.home.cy);
  }

  /** Zooms out by one step; returns whether more steps follow. @param {number} now */
  #stepZoom(now) {
    if (!this.zoomOut) return false;
    const left = prefersReducedMotion() ? 0 : 1 - Math.min(1, Math.max(0, (now - this.zoomOut.start) / ZOOM_OUT_TIME));
    this.camera.zoom = this.zoomOut.from ** (left * left);
    this.camera.version++;
    if (left === 0) this.zoomOut = null;
    return left > 0;
  }

  /** Drops the second node, or the selection if there is no second node. */
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

  /** @param {number} width @param {number} height @param {number} covered the width under the panel */
  resize(width, height, covered = 0) {
    this.camera.resize(width - covered, height);
    this.renderer.resize(width, height, window.devicePixelRatio || 1);
    this.frames.request();
  }

  /** The rows without parents, or the most general row if the edges are not known. */
  roots() {
    const { graph } = this.model;
    return graph ? rootsOf(graph).filter((row) => !this.lineage?.placed.has(row)) : [this.relations.order[0]];
  }

  /** A path up from a row, which comes first. @param {number} row */
  pathUp(row) {
    return this.answers.pathUp(row);
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
    // The renderer leaves out details while the camera moves. A drag often pauses for a moment, so the full picture is
    // only drawn after a short time without movement.
    if (isUnfinished && !isFlying) this.settling = setTimeout(() => this.frames.request(), SETTLE_TIME);
    if (!isUnfinished && !isFlying) for (const listener of this.listeners) listener("moved");
    return isFlying;
  }
}

export function prefersReducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

// How many frame times are remembered.
const REMEMBERED = 240;

/** Draws only when something moves or has changed: a page at rest requests no frames. */
export class FrameLoop {
  /** @param {(now: number) => boolean} draw draws a frame, and returns whether another one is needed */
  constructor(draw) {
    this.draw = draw;
    this.isWaiting = false;
    this.last = NaN;
    /** @type {number[]} Milliseconds between consecutive frames. */
    this.intervals = [];
    /** @type {number[]} Milliseconds spent on drawing each frame. */
    this.drawTimes = [];
  }

  /** Draws in the next frame; further requests before it have no effect. */
  request() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame((now) => this.#frame(now));
  }

  /** @param {number} now */
  #frame(now) {
    this.isWaiting = false;
    const begin = performance.now();
    const continues = this.draw(now);
    remember(this.drawTimes, performance.now() - begin);
    // A longer interval means that the page was at rest, not that it was slow.
    if (now - this.last < 250) remember(this.intervals, now - this.last);
    this.last = now;
    if (continues) this.request();
  }
}

/** @param {number[]} values @param {number} value */
function remember(values, value) {
  values.push(value);
  if (values.length > REMEMBERED) values.shift();
}
