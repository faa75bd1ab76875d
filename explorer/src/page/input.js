// Input: the pointer on the disk (drag, wheel, pinch, click, double click, hover with its tip), and the keyboard.

import { displayName } from "../model/model.js";
import { byId, make } from "./elements.js";
import { count, degrees } from "./wording.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {{x: number, y: number}} Spot in CSS pixels of the canvas
 * @typedef {{help: () => void, find: () => void, compare: () => void}} Actions
 */

// Pixels that a pointer may move during a click.
const CLICK_TOLERANCE = 4;
// Pixels per line, for wheels that report lines or pages.
const LINE = 33;
// Pixels between the pointer and its tip.
const TIP_DISTANCE = 14;
// Pixels by which Shift and an arrow key move the view, and the factor of one zoom step.
const STEP = 60;
const ZOOM = 1.25;

export class PointerInput {
  /** @param {App} app @param {HTMLCanvasElement} canvas */
  constructor(app, canvas) {
    this.app = app;
    this.canvas = canvas;
    /** @type {Map<number, Spot>} The fingers on the disk, or the mouse while its button is down. */
    this.down = new Map();
    this.traveled = 0;
    canvas.addEventListener("pointerdown", (event) => this.#press(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerup", (event) => this.#lift(event));
    canvas.addEventListener("pointercancel", (event) => this.#lift(event));
    canvas.addEventListener("pointerleave", () => this.#leave());
    canvas.addEventListener("dblclick", (event) => this.#center(event));
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  /** @param {MouseEvent} event @returns {Spot} */
  #spot(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /** @param {PointerEvent} event */
  #press(event) {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    if (!this.down.size) this.traveled = 0;
    this.down.set(event.pointerId, this.#spot(event));
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const to = this.#spot(event);
    const from = this.down.get(event.pointerId);
    if (!from) return this.app.hover(this.app.renderer.pick(to.x, to.y));
    this.traveled += Math.hypot(to.x - from.x, to.y - from.y);
    // The first position stays until the movement is a drag, so that the grabbed point stays under the pointer.
    if (this.traveled <= CLICK_TOLERANCE && this.down.size === 1) return;
    if (this.down.size === 2) this.#pinch(event.pointerId, from, to);
    else if (this.down.size === 1) this.app.camera.drag(from.x, from.y, to.x, to.y);
    this.down.set(event.pointerId, to);
    this.#hold(true);
  }

  /** Two fingers zoom about the point between them and drag it along. @param {number} id @param {Spot} from @param {Spot} to */
  #pinch(id, from, to) {
    const other = [...this.down].find(([pointer]) => pointer !== id)?.[1];
    if (!other) return;
    const before = Math.hypot(from.x - other.x, from.y - other.y);
    const after = Math.hypot(to.x - other.x, to.y - other.y);
    const [fromX, fromY] = [(from.x + other.x) / 2, (from.y + other.y) / 2];
    const [toX, toY] = [(to.x + other.x) / 2, (to.y + other.y) / 2];
    this.app.camera.drag(fromX, fromY, toX, toY);
    if (before > 0 && after > 0) this.app.camera.zoomAt(toX, toY, after / before);
  }

  /** @param {PointerEvent} event */
  #lift(event) {
    if (!this.down.delete(event.pointerId)) return;
    if (this.down.size) return;
    this.#hold(false);
    if (event.type === "pointerup" && this.traveled <= CLICK_TOLERANCE) this.#click(event);
  }

  #leave() {
    if (!this.down.size) this.app.hover(-1);
  }

  /** @param {PointerEvent} event */
  #click(event) {
    const { x, y } = this.#spot(event);
    const row = this.app.renderer.pick(x, y);
    if (row < 0) return;
    if (event.shiftKey) this.app.second(row);
    else this.app.select(row);
  }

  /** @param {MouseEvent} event */
  #center(event) {
    const { x, y } = this.#spot(event);
    const { app } = this;
    const row = app.renderer.pick(x, y);
    if (row >= 0) return app.fly(row);
    const spot = app.camera.toDisk(x, y);
    if (Math.hypot(spot.x, spot.y) >= 0.999) return;
    const point = app.camera.isometry.preimage(spot.x, spot.y);
    app.flyToPoint(point.x, point.y);
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    const { x, y } = this.#spot(event);
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE);
    // A pinch on a touchpad arrives as a wheel with Ctrl, in much smaller steps.
    const speed = event.ctrlKey ? 0.01 : 0.0015;
    this.app.zoom(x, y, Math.exp(-speed * Math.max(-400, Math.min(400, pixels))));
  }

  /** @param {boolean} isHeld */
  #hold(isHeld) {
    this.canvas.classList.toggle("dragging", isHeld);
    this.app.frames.request();
  }
}

/** Shows name, depth and aperture of the node under the pointer. @param {App} app @param {HTMLCanvasElement} canvas */
export function showTips(app, canvas) {
  const tip = byId("tip");
  let shown = -1;
  /** @type {Spot | null} Where on the canvas the pointer hovers. */
  let pointer = null;
  const place = () => {
    const row = pointer ? app.state.hovered : -1;
    tip.hidden = row < 0;
    canvas.classList.toggle("hovering", row >= 0);
    if (row < 0 || !pointer) return;
    if (row !== shown) tip.replaceChildren(...lines(app, row));
    shown = row;
    const { x, y } = pointer;
    const left = x + TIP_DISTANCE + tip.offsetWidth > app.camera.width ? x - TIP_DISTANCE - tip.offsetWidth : x + TIP_DISTANCE;
    const top = y + TIP_DISTANCE + tip.offsetHeight > app.camera.height ? y - TIP_DISTANCE - tip.offsetHeight : y + TIP_DISTANCE;
    tip.style.transform = `translate(${Math.max(0, left)}px, ${Math.max(0, top)}px)`;
  };
  const leave = () => {
    pointer = null;
    place();
  };
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    pointer = event.buttons ? null : { x: event.clientX - box.left, y: event.clientY - box.top };
    place();
  });
  canvas.addEventListener("pointerdown", leave);
  canvas.addEventListener("pointerleave", leave);
  // Keys move the disk under a pointer at rest; the node that it happens to point at then is not meant.
  document.addEventListener("keydown", leave);
  app.listeners.push((change) => {
    if (change === "moving") tip.hidden = true;
    if (change !== "moved" || !pointer) return;
    app.hover(app.renderer.pick(pointer.x, pointer.y));
    place();
  });
}

/** @param {App} app @param {number} row */
function lines({ model, relations, lineage }, row) {
  const facts = [];
  const title = displayName(model, row);
  if (title !== model.names[row]) facts.push(model.names[row]);
  if (lineage && !lineage.placed.has(row)) facts.push(`depth ${count(model.depth[row])}`);
  if (relations.energy.hasCones) facts.push(`half aperture ${degrees(relations.energy.aperture(row))}`);
  return [make("strong", {}, title), make("span", {}, facts.join(" · "))];
}

/** The row that an arrow key leads to, or −1. @param {App} app @param {string} key */
function nodeInDirection(app, key) {
  const row = app.state.selected;
  if (row < 0) return app.roots()[0] ?? -1;
  if (key === "ArrowUp") return app.pathUp(row)[1] ?? -1;
  if (key === "ArrowDown") return heaviest(app, app.answers.children(row).rows);
  return sibling(app, row, key === "ArrowRight" ? 1 : -1);
}

/** @param {App} app @param {number[]} rows */
function heaviest({ scene }, rows) {
  let best = -1;
  for (const row of rows) if (best < 0 || scene.weight[row] > scene.weight[best]) best = row;
  return best;
}

/**
 * The next child of the same parent in the order of angles, which wraps around.
 * @param {App} app
 * @param {number} row
 * @param {1 | -1} step
 */
function sibling(app, row, step) {
  const parent = app.pathUp(row)[1];
  const { x, y } = app.scene;
  const family = parent === undefined ? app.roots() : app.answers.children(parent).rows;
  if (!family.includes(row)) family.push(row);
  family.sort((one, other) => Math.atan2(y[one], x[one]) - Math.atan2(y[other], x[other]) || one - other);
  return family[(family.indexOf(row) + step + family.length) % family.length];
}

/** @param {App} app @param {Actions} actions */
export function listenToKeys(app, actions) {
  const canvas = app.canvas;
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (handleGlobalKey(app, actions, event.key) || (event.target === canvas && handleDiskKey(app, event)))
      event.preventDefault();
  });
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof HTMLInputElement || (target instanceof HTMLElement && !!target.closest("dialog"));
}

/**
 * Handles the keys that work on the whole page; returns whether this was one of them.
 * @param {App} app
 * @param {Actions} actions
 * @param {string} key
 */
function handleGlobalKey(app, actions, key) {
  const { width, height } = app.camera;
  /** @type {Record<string, () => void>} */
  const keys = {
    "/": actions.find,
    "?": actions.help,
    e: actions.compare,
    Escape: () => app.clear(),
    "+": () => app.zoom(width / 2, height / 2, ZOOM),
    "=": () => app.zoom(width / 2, height / 2, ZOOM),
    "-": () => app.zoom(width / 2, height / 2, 1 / ZOOM),
    0: () => app.goHome(),
    c: () => app.show("showCones"),
    g: () => app.show("showEdges"),
    l: () => app.show("showLabels"),
    a: () => app.ask(app.state.by === "graph" ? "geometry" : "graph"),
  };
  if (!Object.hasOwn(keys, key)) return false;
  keys[key]();
  return true;
}

/** Handles the keys that work while the disk has the focus. @param {App} app @param {KeyboardEvent} event */
function handleDiskKey(app, event) {
  const { key } = event;
  if (key === "Enter" && app.state.selected >= 0) app.fly(app.state.selected);
  else if (key === "Home") app.goHome();
  else if (!key.startsWith("Arrow")) return false;
  else if (event.shiftKey) pan(app, key);
  else walk(app, key);
  return true;
}

/** @param {App} app @param {string} key */
function walk(app, key) {
  const row = nodeInDirection(app, key);
  if (row >= 0) app.goTo(row);
}

/** @param {App} app @param {string} key */
function pan(app, key) {
  const { camera } = app;
  const x = key === "ArrowLeft" ? STEP : key === "ArrowRight" ? -STEP : 0;
  const y = key === "ArrowUp" ? STEP : key === "ArrowDown" ? -STEP : 0;
  camera.drag(camera.originX, camera.originY, camera.originX + x, camera.originY + y);
  app.frames.request();
}
